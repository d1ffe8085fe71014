"""Errors as AllenNLP's."""

from __future__ import annotations

import pickle

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.errors import configuration_errors


def test_configuration_errors_are_value_errors() -> None:
    for kind in (ConfigurationError, ValueError):
        with pytest.raises(kind, match=r"^what is wrong$") as raised, configuration_errors():
            raise ValueError("what is wrong")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(copy, ConfigurationError)
    assert str(copy) == "what is wrong"
