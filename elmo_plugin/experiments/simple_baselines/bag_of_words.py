"""Logistic regression on the words of a text, or of two texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allennlp.data import Instance

Features = Callable[[Instance], list[str]]
INVERSE_PENALTIES = (0.01, 0.1, 1.0)
_MAX_ITERATIONS = 1000


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


def bag_of_words(
    features: Features,
    train: Sequence[Instance],
    development: Sequence[Instance],
    test: Sequence[Instance],
) -> list[str]:
    """
    Train scikit-learn's logistic regression on which words there are.

    # Parameters

    features : `Callable[[Instance], List[str]]`
    train, development, test : `Sequence[Instance]`
        The penalty is the one of three with the best accuracy on `development`.

    # Returns

    `List[str]` : the predicted labels of `test`.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = CountVectorizer(analyzer=features, binary=True)
    x, y = vectorizer.fit_transform(train), labels_of(train)
    models = [
        LogisticRegression(C=c, max_iter=_MAX_ITERATIONS).fit(x, y) for c in INVERSE_PENALTIES
    ]
    held_out = vectorizer.transform(development)
    best = max(models, key=lambda model: model.score(held_out, labels_of(development)))
    return best.predict(vectorizer.transform(test)).tolist()


def labels_of(instances: Sequence[Instance]) -> list[str]:
    """Return the gold labels."""
    return [str(instance["label"].label) for instance in instances]  # type: ignore[attr-defined]
