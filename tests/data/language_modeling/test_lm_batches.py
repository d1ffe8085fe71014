"""Windows of rows, and sentences as fields, both read back into words."""

from __future__ import annotations

import random

import torch
from allennlp.data import Instance, Vocabulary
from allennlp.data.batch import Batch
from allennlp.data.token_indexers.elmo_indexer import ELMoCharacterMapper

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.lm_batches import (
    LmBatchBuilder,
    TokenSequence,
    backward_sequence,
    forward_sequence,
)
from elmo_plugin.data.language_modeling.sentence_field import SentenceField
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE

KNOWN = ["<S>", "</S>", "<UNK>", "the", "cat", "sat", "한국어", "x" * 60]
WORD_IDS = {word: i for i, word in enumerate(KNOWN)}
SENTENCES = [
    ["the", "cat", "sat", "unheard", "the"],
    [],
    ["한국어"],
    ["x" * 60, "x" * 59, "<S>", "</S>", "<UNK>"],
    ["\x07", "🙂", "cat"],
]


def _rows() -> tuple[list[TokenSequence], list[TokenSequence]]:
    """For each direction, two rows of three words and one of two."""
    words = random.Random(0)
    several = [
        TokenSequence(words.choices([*KNOWN, "rare"], k=n), words.choices([*KNOWN, "rare"], k=n))
        for n in (3, 2, 3, 3, 3, 2)
    ]
    return several[:3], several[3:]


def _assert_read_back(
    window: dict[str, torch.Tensor], directions: list[list[TokenSequence]]
) -> None:
    rows, steps = len(directions[0]), max(len(r.inputs) for d in directions for r in d)
    assert window["inputs"].shape == window["targets"].shape == (2, rows, steps)
    mapper = ELMoCharacterMapper()
    used: set[str] = set()
    for d, direction in enumerate(directions):
        for r, row in enumerate(direction):
            inputs, targets = window["inputs"][d, r], window["targets"][d, r].tolist()
            length = len(row.inputs)
            characters = [mapper.convert_word_to_char_ids(w) for w in row.inputs]
            assert window["words"][inputs[:length]].tolist() == characters
            assert targets[:length] == [WORD_IDS.get(w, 2) for w in row.targets]
            assert targets[length:] == [-1] * (steps - length)
            used.update(row.inputs)
    # Each word once, and padding reads one that is there.
    assert len(window["words"]) == len(used)
    assert 0 <= int(window["inputs"].min()) <= int(window["inputs"].max()) < len(used)
    assert {window[name].dtype for name in window} == {torch.int64}


def test_rows_of_words_predict_the_next() -> None:
    assert forward_sequence(["a", "b"]) == (["<S>", "a", "b"], ["a", "b", "</S>"])
    assert backward_sequence(["a", "b"]) == (["</S>", "b", "a"], ["b", "a", "<S>"])
    assert forward_sequence([]) == (["<S>"], ["</S>"])
    assert backward_sequence(()) == (["</S>"], ["<S>"])


def test_window_round_trips_rows() -> None:
    forward, backward = _rows()
    _assert_read_back(LmBatchBuilder(WORD_IDS).build(forward, backward), [forward, backward])


def test_words_seen_before_come_out_the_same() -> None:
    forward, backward = _rows()
    maker = LmBatchBuilder(WORD_IDS)
    maker.build(backward, forward)
    _assert_read_back(maker.build(forward, backward), [forward, backward])


def test_fewer_words_are_remembered_than_there_are() -> None:
    forward, backward = _rows()
    maker = LmBatchBuilder(WORD_IDS, cached_words=2)
    for _ in range(2):
        _assert_read_back(maker.build(forward, backward), [forward, backward])


def test_characters_kept() -> None:
    window = LmBatchBuilder(WORD_IDS, 5).build(
        [forward_sequence(["abcdef"])], [backward_sequence(["abcdef"])]
    )
    # <S>, the word and </S>; of the word three bytes between its boundaries.
    assert window["words"].shape == (3, 5)
    a, b, c = (ord(letter) + 1 for letter in "abc")
    assert window["words"][window["inputs"][0, 0, 1]].tolist() == [259, a, b, c, 260]


def _vocabulary() -> Vocabulary:
    vocabulary = Vocabulary(non_padded_namespaces=[NAMESPACE])
    for word in KNOWN:
        vocabulary.add_token_to_namespace(word, NAMESPACE)
    return vocabulary


def test_a_batch_of_sentences() -> None:
    reader = BilmTextReader()
    batch = Batch([reader.text_to_instance(sentence) for sentence in SENTENCES])
    batch.index_instances(_vocabulary())
    text = batch.as_tensor_dict()["text"]
    inputs = [["<S>", *s] for s in SENTENCES], [["</S>", *reversed(s)] for s in SENTENCES]
    targets = [[*s, "</S>"] for s in SENTENCES], [[*reversed(s), "<S>"] for s in SENTENCES]
    directions = [[TokenSequence(*row) for row in zip(*both)] for both in zip(inputs, targets)]
    _assert_read_back(text, directions)


def test_a_field_knows_its_length_and_its_words() -> None:
    field = SentenceField(["the", "cat", "the"])
    assert len(field) == 3
    assert str(field.human_readable_repr()) == "['the', 'cat', 'the']"
    assert len(field.empty_field()) == 0
    counts = Vocabulary.from_instances([Instance({"text": field})])._retained_counter
    assert counts is not None and counts[NAMESPACE] == {"the": 2, "cat": 1}


def test_reader_keeps_as_many_characters_as_it_is_told() -> None:
    instance = BilmTextReader(max_characters=7).text_to_instance(["cat"])
    instance.index_fields(_vocabulary())
    assert Batch([instance]).as_tensor_dict()["text"]["words"].shape == (3, 7)
