"""Reading SQuAD's files and questions, and errors in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader

DATA = Path(__file__).parents[2] / "fixtures" / "squad"


@pytest.fixture(scope="module", autouse=True)
def plugins() -> None:
    import_plugins()


def reader(type: str = "squad_text_or_tokens", **arguments: Any) -> Any:
    return DatasetReader.from_params(Params({"type": type, **arguments}))


@pytest.mark.parametrize("arguments", [{}, {"passage_length_limit": 30}], ids=str)
@pytest.mark.parametrize("part", ["train", "dev"])
def test_instances_equal_those_of_allennlp(part: str, arguments: dict[str, Any]) -> None:
    path = str(DATA / f"{part}.json")
    ours, theirs = (list(r.read(path)) for r in (reader(**arguments), reader("squad", **arguments)))
    assert len(ours) == len(theirs) > 0
    for found, expected in zip(ours, theirs):
        assert found.fields.keys() == expected.fields.keys()
        for name in found.fields:
            assert str(found[name]) == str(expected[name])
        assert found["metadata"].metadata == expected["metadata"].metadata


def test_spans_are_the_answers() -> None:
    for instance in reader().read(str(DATA / "train.json")):
        metadata = instance["metadata"].metadata
        first, last = (instance[f"span_{end}"].sequence_index for end in ("start", "end"))
        offsets = metadata["token_offsets"]
        found = metadata["original_passage"][offsets[first][0] : offsets[last][1]]
        assert [found] == metadata["answer_texts"]


def test_given_tokens_are_kept() -> None:
    passage = ["New York", "did", "n't", ",", "sleep", "é"]
    metadata = reader().text_to_instance(["Who?", "!"], passage)["metadata"].metadata
    assert metadata["question_tokens"] == ["Who?", "!"]
    assert metadata["passage_tokens"] == passage
    text = metadata["original_passage"]
    assert [text[start:end] for start, end in metadata["token_offsets"]] == passage


@pytest.mark.parametrize("empty", ["", " \n", [], None])
@pytest.mark.parametrize("name", ["question", "passage"])
def test_empty_values_are_named(name: str, empty: Any) -> None:
    texts = {"question": "Who ?", "passage": "Ruth ."} | {name: empty}
    with pytest.raises(ConfigurationError, match=f"{name}: expected at least one token"):
        reader().text_to_instance(texts["question"], texts["passage"])


@pytest.mark.parametrize("tokens", [["a", ""], ["a", 1], {"a": 1}], ids=str)
def test_no_tokens(tokens: Any) -> None:
    for texts in ((tokens, "Ruth ."), ("Who ?", tokens)):
        with pytest.raises(ConfigurationError, match="text: expected a string or a list of tokens"):
            reader().text_to_instance(*texts)


def changed(place: str, value: Any) -> Any:
    """Return the training data with one value changed."""
    content = json.loads((DATA / "train.json").read_text(encoding="utf-8"))
    parent, keys = content, [int(key) if key.isdigit() else key for key in place.split(".")]
    for key in keys[:-1]:
        parent = parent[key]
    parent[keys[-1]] = value
    return content


QUESTION = "data.1.paragraphs.0.qas.2"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([], r"data: expected a list"),
        ({"version": "1.1"}, r"data: expected a list"),
        (changed("data.3.paragraphs", "text"), r"data\[3\].paragraphs: expected a list"),
        (
            changed("data.1.paragraphs.0.qas", None),
            r"data\[1\].paragraphs\[0\].qas: expected a list",
        ),
        (changed("data.0.paragraphs.0.context", ""), r"paragraphs\[0\].context: expected at least"),
        (changed(f"{QUESTION}.question", " "), r"data\[1\].*qas\[2\].question: expected at least"),
        (
            changed(f"{QUESTION}.answers.0.text", "elephant"),
            r"answers\[0\]: expected 'elephant' at",
        ),
        (
            changed(f"{QUESTION}.answers", []),
            r"qas\[2\].answers: expected an answer, as in SQuAD v1.1, found none",
        ),
        (
            changed(f"{QUESTION}.answers.0.text", "in "),
            r"answers\[0\].text: expected no white space around the answer, found 'in '",
        ),
        (
            changed(f"{QUESTION}.answers.0.answer_start", None),
            r"answers\[0\]: .* answer_start None",
        ),
        (
            changed(f"{QUESTION}.answers.0.answer_start", -1),
            r"answers\[0\]: .* answer_start -1 of the passage, found None",
        ),
    ],
)
def test_errors_name_file_and_key(content: Any, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text(json.dumps(content))
    with pytest.raises(ConfigurationError, match=f"{file}: .*{complaint}"):
        list(reader().read(str(file)))


def test_file_that_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text("Who ?\tRuth\n")
    with pytest.raises(ConfigurationError, match=r"data\.json: expected SQuAD's JSON, found"):
        list(reader().read(str(tmp_path / "data.json")))
