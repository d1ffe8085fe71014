"""Simple baselines on made-up instances with known answers, and against scikit-learn."""

import json
from pathlib import Path
from random import Random
from string import ascii_letters
from typing import cast

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import Instance, Token
from allennlp.data.fields import LabelField, TextField
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from elmo_plugin.experiments.runner.configurations import read_configuration
from elmo_plugin.experiments.simple_baselines.answer_heuristic import answer_span
from elmo_plugin.experiments.simple_baselines.bag_of_words import (
    INVERSE_PENALTIES,
    bag_of_words,
    premise_and_hypothesis,
    words_of,
)
from elmo_plugin.experiments.simple_baselines.parts import Parts
from elmo_plugin.experiments.simple_baselines.task_scores import simple_baselines
from elmo_plugin.experiments.statistics.significance import mean_score
from tests.helpers.made_up_parts import MadeUpParts

ROOT = Path(__file__).parents[3]
FOUR_WORDS = "(1 (1 (1 so) (1 it)) (1 (1 goes) (1 on)))"  # the fewest of a training phrase

TEXT = """The bakery was opened by Tomas Lind in 1954 . It sold 300 loaves a day .
In Oslo nobody else baked ."""
PASSAGE = TEXT.split()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who opened the bakery ?", "Tomas Lind"),
        ("When was the bakery opened ?", "1954"),
        ("How many loaves were sold a day ?", "300"),
        ("Where did nobody else bake ?", "Oslo"),
    ],
)
def test_answers_are_runs_of_names_or_numbers(question: str, answer: str) -> None:
    start, end = answer_span(question.split(), PASSAGE)
    assert " ".join(PASSAGE[start:end]) == answer


@pytest.mark.parametrize("passage", [["?"], ["one", "two"], [".", "."]])
def test_every_passage_has_an_answer(passage: list[str]) -> None:
    start, end = answer_span(["What", "?"], passage)
    assert 0 <= start < end <= len(passage)


@pytest.mark.parametrize("trial", range(30))
def test_the_first_of_equally_good_sentences_answers(trial: int) -> None:
    """A sum in the order of a set would round differently, by trial and by process."""
    first, second = ([f"{side}{trial}{i}" for i in range(1, 10)] for side in "ab")
    repeats = [
        token
        for side in (first, second)
        for i, word in enumerate(side)
        for token in [word] * i + ["."]
    ]
    passage = [*first, "Ann", ".", *second, "Bob", ".", *repeats]
    start, end = answer_span([*first, *second], passage)
    assert passage[start:end] == ["Ann"]


def instance(text: str, label: str) -> Instance:
    field = TextField([Token(word) for word in text.split()], {})
    return Instance({"tokens": field, "label": LabelField(label)})


TRAIN = [("a good play", "+"), ("a bad play", "-"), ("Good , good", "+"), ("so bad", "-")] * 3
TEST = [("GOOD indeed", "+"), ("bad bad bad", "-"), ("a play", "-")]


def test_bag_of_words_is_scikit_learns_logistic_regression() -> None:
    train, test = ([instance(*one) for one in part] for part in (TRAIN, TEST))
    vectorizer = CountVectorizer(tokenizer=str.split, token_pattern=None, binary=True)
    texts, labels = zip(*TRAIN)
    x = vectorizer.fit_transform(texts)
    y = vectorizer.transform([text for text, _ in TEST])
    models = [LogisticRegression(C=c).fit(x, labels) for c in INVERSE_PENALTIES]
    gold = [label for _, label in TEST]
    best = max(models, key=lambda model: model.score(y, gold))
    parts = cast(Parts, MadeUpParts(train, test, test))
    assert bag_of_words(words_of("tokens"), parts) == best.predict(y).tolist()


def test_bag_of_words_converges() -> None:
    """Another solver, to a precision that no prediction depends on, predicts the same."""
    random = Random(0)

    def instances(number: int) -> list[Instance]:
        texts = [" ".join(random.choices(ascii_letters, k=10)) for _ in range(number)]
        return [instance(text, random.choice("abc")) for text in texts]

    parts = MadeUpParts(instances(300), instances(50), instances(3000))
    vectorizer = CountVectorizer(analyzer=words_of("tokens"), binary=True)
    x = vectorizer.fit_transform(parts.train)
    labels, gold = ([i["label"].label for i in part] for part in (parts.train, parts.development))
    options = {"solver": "newton-cg", "tol": 1e-12, "max_iter": 1000}
    models = [LogisticRegression(C=c, **options).fit(x, labels) for c in INVERSE_PENALTIES]
    held_out = vectorizer.transform(parts.development)
    best = max(models, key=lambda model: model.score(held_out, gold))
    expected = best.predict(vectorizer.transform(parts.test)).tolist()
    assert bag_of_words(words_of("tokens"), cast(Parts, parts)) == expected


def test_pairs_have_the_words_of_both_sides_apart() -> None:
    fields = {
        "premise": TextField([Token("A"), Token("man")], {}),
        "hypothesis": TextField([Token("a"), Token("dog")], {}),
    }
    found = premise_and_hypothesis(Instance(fields))
    expected = {"premise a", "premise man", "hypothesis a", "hypothesis dog", "new dog"}
    assert {*found} == expected | {"1 new words"}


@pytest.mark.parametrize(
    ("task", "part", "text", "message"),
    [
        ("sst5", "train", FOUR_WORDS, "expected at least two classes, found 1"),
        (
            "snli",
            "test",
            '{"sentence1": "A b.", "sentence2": "C."}\n',
            "instance 1: expected a label, found none",
        ),
        (
            "squad",
            "test",
            "no answers",
            r"qas\[0\].answers: expected an answer, as in SQuAD v1.1, found none",
        ),
    ],
)
def test_data_that_cannot_be_scored_are_named(
    task: str, part: str, text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    config = read_configuration(f"training_configs/{task}/baseline.jsonnet")
    config["test_data_path"] = config["validation_data_path"]
    file = tmp_path / "data"
    question = {"id": "q", "question": "Who?", "answers": []}
    article = {"title": "t", "paragraphs": [{"context": "Ruth slept.", "qas": [question]}]}
    file.write_text(json.dumps({"data": [article]}) if task == "squad" else text)
    config[f"{part}_data_path"] = str(file)
    with pytest.raises(ConfigurationError, match=f"{file}.*{message}"):
        simple_baselines(task, config)


def test_majority_class_of_sst5_is_that_of_its_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    config = read_configuration("training_configs/sst5/baseline.jsonnet")
    sentences = tmp_path / "data"
    # Two of three sentences are positive; two of three texts of four words or more are not.
    negative = FOUR_WORDS
    for _ in range(5):
        negative = f"(1 (2 and) {negative})"
    sentences.write_text(f"{FOUR_WORDS.replace('1', '3')}\n" * 2 + f"{negative}\n")
    config["train_data_path"] = config["validation_data_path"] = str(sentences)
    config["test_data_path"] = str(sentences)
    counts = simple_baselines("sst5", config).counts["majority class"]
    assert mean_score(counts) == pytest.approx(200 / 3)
