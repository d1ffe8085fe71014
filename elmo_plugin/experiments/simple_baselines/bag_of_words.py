"""Logistic regression on the words of a text, or of two texts."""

from __future__ import annotations

from collections.abc import Callable

from allennlp.data import Instance

from elmo_plugin.experiments.simple_baselines.gold import class_label
from elmo_plugin.experiments.simple_baselines.parts import Parts, check_classes

Features = Callable[[Instance], list[str]]
INVERSE_PENALTIES = (0.01, 0.1, 1.0)
_MAX_ITERATIONS = 1000
# So small that rounding, which differs among processors, does not decide between penalties.
_TOLERANCE = 1e-6


def words_of(field: str) -> Features:
    """Return a function that returns the lowercased words of a field of an instance."""

    def words(instance: Instance) -> list[str]:
        return [token.text.lower() for token in instance[field].tokens]  # type: ignore[attr-defined]

    return words


def premise_and_hypothesis(instance: Instance) -> list[str]:
    """Return the words of both, apart, and those of the hypothesis that the premise lacks."""
    premise, hypothesis = (words_of(field)(instance) for field in ("premise", "hypothesis"))
    new = set(hypothesis) - set(premise)
    return [
        *(f"premise {word}" for word in premise),
        *(f"hypothesis {word}" for word in hypothesis),
        *(f"new {word}" for word in new),
        f"{min(len(new), 5)} new words",
    ]


def bag_of_words(features: Features, parts: Parts) -> list[str]:
    """
    Train scikit-learn's logistic regression on which words there are.

    # Parameters

    features : `Callable[[Instance], List[str]]`
    parts : `Parts`
        The penalty is the one of three with the best accuracy on development data.

    # Returns

    `List[str]` : the predicted labels of the test data.

    # Raises

    `ConfigurationError` : fewer than two classes.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    labels, gold = ([class_label(i) for i in part] for part in (parts.train, parts.development))
    check_classes(labels, parts)
    vectorizer = CountVectorizer(analyzer=features, binary=True)
    x, held_out = vectorizer.fit_transform(parts.train), vectorizer.transform(parts.development)
    options = {"max_iter": _MAX_ITERATIONS, "tol": _TOLERANCE}
    models = [LogisticRegression(C=c, **options).fit(x, labels) for c in INVERSE_PENALTIES]
    best = max(models, key=lambda model: model.score(held_out, gold))
    return best.predict(vectorizer.transform(parts.test)).tolist()
