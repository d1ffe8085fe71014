"""`ElmoTransformer` against `Embedder`, and scikit-learn's rules for estimators."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

from elmo_plugin import Embedder
from elmo_plugin.integrations import embedders
from elmo_plugin.integrations.sklearn import ElmoTransformer
from elmo_plugin.weights import save_bilm
from tests.helpers.random_bilm import SMALL, random_bilm, random_warm_bilm, save

TEXT = ["I loved it.", "What a bore.", "Two  good films", "", "An awful, awful play!"]
LABELS = ["good", "bad", "good", "bad", "bad"]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def assert_near(found: Any, expected: Any) -> None:
    numpy.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("layers", ["average", "last", 0, "all"])
def test_vectors_equal_embedder(embedder: Embedder, layers: Any, pooling: Any) -> None:
    transformer = ElmoTransformer(layers=layers, pooling=pooling, batch_size=2)
    found = transformer.fit(TEXT).transform(TEXT)
    expected = embedder.encode(TEXT, layers=layers, pooling=pooling)
    assert found.dtype == numpy.float32
    assert_near(found, expected.reshape(len(TEXT), -1))
    names = transformer.get_feature_names_out()
    assert len(names) == found.shape[1]
    assert names[0] == "elmotransformer0"


@pytest.mark.parametrize("options", [{"initial_state": "warm"}, {"precision": "bfloat16"}])
def test_options_are_embedders(options: dict[str, Any], tmp_path: Path) -> None:
    save(random_warm_bilm(), tmp_path)
    expected = Embedder(tmp_path, **options).encode(TEXT, pooling="mean")
    plain = Embedder(tmp_path).encode(TEXT, pooling="mean")
    assert abs(expected - plain).max() > 1e-4
    assert_near(ElmoTransformer(str(tmp_path), **options).fit_transform(TEXT), expected)


def test_kinds_of_input(embedder: Embedder) -> None:
    pandas = pytest.importorskip("pandas")
    expected = embedder.encode(TEXT, pooling="mean")
    transformer = ElmoTransformer()
    for X in (tuple(TEXT), numpy.array(TEXT), numpy.array(TEXT, object), pandas.Series(TEXT)):
        assert_near(transformer.fit_transform(X), expected)
    assert_near(transformer.fit_transform(iter(TEXT)), expected)
    tokens = [["I", "loved", "it"], ("What", "a", "bore"), []]
    assert_near(transformer.transform(tokens), embedder.encode(tokens, pooling="mean"))
    assert transformer.transform([]).shape == (0, embedder.dim)


def test_column_of_a_table(embedder: Embedder) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXT, "stars": [5, 1, 4, 1, 2]})
    columns = ColumnTransformer([("elmo", ElmoTransformer(), "text")], remainder="passthrough")
    columns.set_output(transform="pandas")
    found = columns.fit_transform(table)
    assert list(found.columns[[0, -1]]) == ["elmo__elmotransformer0", "remainder__stars"]
    assert_near(found.iloc[:, :-1], embedder.encode(TEXT, pooling="mean"))


def test_clones_and_pickles_hold_parameters_alone() -> None:
    transformer = ElmoTransformer(layers="last", pooling="max")
    expected = transformer.fit_transform(TEXT)
    stored = pickle.dumps(transformer)
    assert len(stored) < 1000
    for copy in (clone(transformer), pickle.loads(stored)):
        assert copy.get_params() == transformer.get_params()
        assert numpy.array_equal(copy.transform(TEXT), expected)


def test_model_is_loaded_when_used_and_once() -> None:
    embedders._load.cache_clear()
    transformer = ElmoTransformer().fit(TEXT)
    assert embedders._load.cache_info().misses == 0
    for other in (transformer, clone(transformer), ElmoTransformer(layers=0)):
        other.transform(TEXT)
    assert embedders._load.cache_info().misses == 1


@pytest.mark.parametrize("name", [".", "weights.hdf5", "~"])
def test_changed_files_are_loaded_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    options, weights = tmp_path / "options.json", tmp_path / "weights.hdf5"
    transformer = ElmoTransformer(bilm=name)
    for dim in (4, 6):
        save_bilm(random_bilm(replace(SMALL, projection_dim=dim)), options, weights)
        assert transformer.fit_transform(TEXT).shape == (len(TEXT), 2 * dim)


@pytest.mark.parametrize("name", ["config.json", "weights.th", "best.th"])
def test_changed_files_of_a_model_are_noticed(name: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / name).write_text("{ }")
    before = embedders._versions(str(tmp_path))
    (tmp_path / name).write_text("{  }")
    assert embedders._versions(str(tmp_path)) != before


@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_grid_search_over_a_pipeline(n_jobs: int | None) -> None:
    pipeline = Pipeline([("elmo", ElmoTransformer()), ("classify", LogisticRegression())])
    grid = {"elmo__layers": ["average", "last"], "elmo__pooling": ["mean", "max"]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=n_jobs, error_score="raise")
    search.fit(TEXT * 2, LABELS * 2)
    assert len(search.cv_results_["params"]) == 4
    assert list(search.predict(TEXT)) == LABELS
    loaded = pickle.loads(pickle.dumps(search.best_estimator_))
    assert list(loaded.predict(TEXT)) == LABELS


def test_docstring_example() -> None:
    classifier = make_pipeline(ElmoTransformer(), LogisticRegression(max_iter=1000))
    classifier.fit(["I loved it.", "What a bore."], ["good", "bad"])
    assert list(classifier.predict(["I loved it."])) == ["good"]


class NumbersAsWords(ElmoTransformer):
    """Reads rows of numbers as sentences, as scikit-learn's checks have no text."""

    def fit(self, X: Sequence[Any], y: Any = None) -> ElmoTransformer:
        return super().fit(self._sentences(X, reset=True), y)

    def transform(self, X: Sequence[Any]) -> numpy.ndarray:
        return super().transform(self._sentences(X, reset=False))

    def _sentences(self, X: Sequence[Any], reset: bool) -> list[list[str]]:
        return [[f"{v:.3g}" for v in row] for row in validate_data(self, X, reset=reset)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.two_d_array = True
        return tags


def test_scikit_learns_checks() -> None:
    # Each sentence alone, as results are compared to the last bit between batches.
    results = check_estimator(NumbersAsWords(batch_size=1), on_skip=None)
    assert sum(result["status"] == "passed" for result in results) > 30


@pytest.mark.parametrize(
    "X, message",
    [
        ("one text", r"got 'one text' \(str\)"),
        ({"one text": 1}, r"got {'one text': 1} \(dict\)"),
        ({"one text"}, r"got {'one text'} \(set\)"),
        (numpy.array([["a"], ["b"]]), r"in one dimension, got shape \(2, 1\)"),
        (None, r"got None \(NoneType\)"),
        (["a", float("nan")], r"got nan \(float\) at position 1"),
        ([["a", 3]], "expected a word"),
    ],
)
def test_input_that_is_not_text_raises(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ElmoTransformer().fit_transform(X)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"pooling": None}, "pooling: expected 'mean' or 'max', got None"),
        ({"pooling": "sum"}, "pooling: expected"),
        ({"layers": 7}, "layers: expected"),
        ({"batch_size": 0}, "batch_size: expected"),
    ],
)
def test_parameters_out_of_range_raise(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ElmoTransformer(**parameters).fit_transform(TEXT)
