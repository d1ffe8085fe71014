"""Logistic regression on the words around each token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from allennlp.data import Instance

from elmo_plugin.common.processes import available_cores
from elmo_plugin.experiments.simple_baselines.gold import metadata_of
from elmo_plugin.experiments.simple_baselines.parts import Parts, check_classes

Features = Callable[[Instance], list[list[str]]]
"""Returns the features of each token."""
Labels = Callable[[Instance], list[str]]
"""Returns the label of each token."""
_T = TypeVar("_T")
_OUTSIDE = ""  # the words before and after a sentence
_MAX_DISTANCE = 10  # tokens
PENALTIES = (1e-6, 1e-5, 1e-4)
_EPOCHS = 10


def word_features(instance: Instance) -> list[list[str]]:
    """Return each token, its first and last letters and capitals, and the tokens beside it."""
    words = [token.text for token in instance["tokens"].tokens]  # type: ignore[attr-defined]
    return [
        [
            f"word {word}",
            *_with_neighbors(before, word, after),
            f"first letters {word[:3]}",
            f"last letters {word[-3:]}",
            f"capitalized {word[:1].isupper()}, {word.isupper()}",
        ]
        for before, word, after in _windows(words)
    ]


def predicate_features(instance: Instance) -> list[list[str]]:
    """Return each token, those beside it, the predicate, and how far it is."""
    metadata = metadata_of(instance)
    words, predicate = metadata["words"], metadata["verb_index"] or 0
    verb = words[predicate].lower()
    features = []
    for i, (before, word, after) in enumerate(_windows(words)):
        distance = max(-_MAX_DISTANCE, min(i - predicate, _MAX_DISTANCE))
        side = "after" if distance > 0 else "before"
        features.append(
            [
                *_with_neighbors(before, word, after),
                f"distance {distance}",
                f"{side} {verb}",
                f"{side} the predicate: {word.lower()}",
            ]
        )
    return features


def _windows(words: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    return zip([_OUTSIDE, *words], words, [*words[1:], _OUTSIDE])


def _with_neighbors(before: str, word: str, after: str) -> list[str]:
    return [f"lower {word.lower()}", f"previous {before.lower()}", f"next {after.lower()}"]


def label_tokens(features: Features, labels: Labels, parts: Parts) -> list[list[str]]:
    """
    Train scikit-learn's logistic regression by averaged stochastic gradient descent on the
    features of single tokens.

    # Parameters

    features : `Callable[[Instance], List[List[str]]]`
    labels : `Callable[[Instance], List[str]]`
    parts : `Parts`
        The penalty is the one of three with the best accuracy of tokens on development data.

    # Returns

    `List[List[str]]` : the predicted labels of the test data, by instance and token.

    # Raises

    `ConfigurationError` : fewer than two labels.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier

    y, gold = (_by_token(labels, part) for part in (parts.train, parts.development))
    check_classes(y, parts)
    vectorizer = CountVectorizer(analyzer=list, binary=True)
    x = vectorizer.fit_transform(_by_token(features, parts.train))
    held_out = vectorizer.transform(_by_token(features, parts.development))
    options = {"loss": "log_loss", "max_iter": _EPOCHS, "tol": None, "average": True}
    options |= {"random_state": 0, "n_jobs": available_cores()}
    models = [SGDClassifier(alpha=alpha, **options).fit(x, y) for alpha in PENALTIES]
    best = max(models, key=lambda model: model.score(held_out, gold))
    predicted = best.predict(vectorizer.transform(_by_token(features, parts.test))).tolist()
    found = iter(predicted)
    return [[next(found) for _ in labels(instance)] for instance in parts.test]


def _by_token(function: Callable[[Instance], list[_T]], instances: Sequence[Instance]) -> list[_T]:
    return [of_token for instance in instances for of_token in function(instance)]
