"""Fixtures of biLMs' files."""

import nltk
import pytest
from allennlp.common.plugins import import_plugins

from tests.helpers.elmo_embedders import DOCUMENTED
from tests.helpers.random_bilm import Files, random_bilm, save


@pytest.fixture(scope="module", autouse=True)
def plugins() -> None:
    import_plugins()
    # NLTK, which the reader of trees uses, opens files in folders that it was told of only.
    nltk.data.path.append(str(DOCUMENTED / "data"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return save(random_bilm(), tmp_path_factory.mktemp("bilm"))
