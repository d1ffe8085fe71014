"""benchmarks/random_bilm.py against scikit-learn."""

import json
import runpy
import sys
from pathlib import Path

import numpy
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from elmo_plugin import Embedder

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "random_bilm.py"
SENTENCES = ["the river and the bank", "the bank of the river", "she has money in the bank"]


def off_diagonal_mean(matrix: numpy.ndarray) -> float:
    return matrix[~numpy.eye(len(matrix), dtype=bool)].mean()


def test_similarity_of_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("".join(f"{line}\n" for line in [*SENTENCES, "not read"]))
    arguments = (tmp_path / "text.txt", "--sentences", 3, "--random-seeds", 2)
    options = [*map(str, arguments), "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", ["random_bilm.py", *options])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    trained, plain, layer_norm, standardized = json.loads((tmp_path / "out.json").read_text())[
        "rows"
    ]

    tokens = [line.split() for line in SENTENCES]
    words = sorted({token for sentence in tokens for token in sentence})
    for layers, name in ((0, "token layer"), ("average", "ELMo")):
        vectors = numpy.concatenate(Embedder().encode(tokens, layers=layers))
        of_token = numpy.array([token for sentence in tokens for token in sentence])
        means = numpy.stack([vectors[of_token == word].mean(0) for word in words])
        found = trained[f"{name}: mean cosine"]["mean"]
        assert found == pytest.approx(off_diagonal_mean(cosine_similarity(means)), abs=1e-5)
    norms = numpy.linalg.norm(means - means.mean(0), axis=1)
    assert trained["ELMo: centered norm"]["mean"] == pytest.approx(norms.mean(), rel=1e-5)

    # The reason for standardizing: without it, words have nearly the same vector.
    for row in (plain, layer_norm, standardized):
        assert len(row["ELMo: mean cosine"]["values"]) == 2
    assert plain["token layer: mean cosine"] == layer_norm["token layer: mean cosine"]
    assert plain["ELMo: centered norm"]["mean"] < layer_norm["ELMo: centered norm"]["mean"]
    assert layer_norm["ELMo: mean cosine"]["mean"] > 0.8
    assert standardized["ELMo: mean cosine"]["mean"] < 0.3
