"""`elmo index` and `elmo neighbors`, against scikit-learn on vectors made one by one."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from elmo_plugin.commands import corpus_index
from elmo_plugin.commands.neighbors import in_context
from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex, Source, build_index
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights import save_bilm
from tests.commands.command_line import elmo
from tests.random_bilm import random_bilm

ROOT = Path(__file__).parent.parent.parent
BILM = str(ROOT / "fixtures/bilm")
TEXT = [
    "The play on the field was spectacular .",
    "She wrote a play for the theatre .",
    "We play in the park .",
    "The play on the field was spectacular .",
    "A line\u2028separator and a no\u00a0break space",
    "It is late .",
]
QUERY = ["He", "saw", "a", "play", "at", "the", "theatre", "."]


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    (tmp_path / "corpus.txt").write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    return str(tmp_path / "corpus.txt")


def layers(sentence: list[str]) -> torch.Tensor:
    with torch.no_grad():
        return load_bilm_from(BILM)(batch_to_ids([sentence])).layers[:, 0]


@pytest.mark.parametrize("mix", [0, 1, 2, "last", "average"])
def test_the_nearest_tokens_of_a_corpus(
    mix: str, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than one part, and batches that are not in the corpus' order.
    monkeypatch.setattr(corpus_index, "_SENTENCES_AT_ONCE", 2)
    build_index(corpus, str(tmp_path / "index"), Source(mix, BILM))
    found = CorpusIndex(str(tmp_path / "index")).nearest(QUERY, QUERY.index("play"), 3)

    def mixed(sentence: list[str]) -> torch.Tensor:
        every = layers(sentence)
        return every.mean(0) if mix == "average" else every[2 if mix == "last" else mix]

    sentences = [line.split() for line in TEXT]
    tokens = [(s, i) for s, sentence in enumerate(sentences) for i in range(len(sentence))]
    vectors = torch.cat([mixed(sentence) for sentence in sentences])
    rival = NearestNeighbors(n_neighbors=len(tokens), metric="cosine", algorithm="brute")
    rival.fit(vectors.numpy())
    distances, rows = rival.kneighbors(mixed(QUERY)[[QUERY.index("play")]].numpy())
    best: dict[str, float] = {}
    for distance, row in zip(distances[0], rows[0]):
        best.setdefault(TEXT[tokens[row][0]], 1 - distance)
    assert [one.cosine for one in found] == pytest.approx(list(best.values())[:3], abs=1e-5)
    for one in found:
        vector = mixed(one.sentence)[one.position].numpy()
        query = mixed(QUERY)[QUERY.index("play")].numpy()
        assert cosine_similarity([vector], [query]).item() == pytest.approx(one.cosine, abs=1e-5)


def test_a_sentence_of_the_corpus_is_not_its_own_neighbour(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), Source("last", BILM))
    index = CorpusIndex(str(tmp_path / "index"))
    assert len(index) == sum(len(line.split()) for line in TEXT)
    found = index.nearest(TEXT[0].split(), 1, 100)
    assert len(found) == len(set(TEXT)) - 1
    assert {" ".join(one.sentence) for one in found} < {" ".join(s.split()) for s in TEXT}


def test_a_table_of_both_senses_beside_static_neighbours(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vectors.txt").write_text("play 1 0 0\ngame 0.9 0.1 0\nlate 0 0 1\n")
    bilm = ("--bilm", BILM)
    elmo(monkeypatch, "index", corpus, tmp_path / "average", *bilm)
    elmo(monkeypatch, "index", corpus, tmp_path / "random", *bilm, "--mix", "0", "--random", "7")
    queries = [("play", " ".join(QUERY)), ("late", "Is it late ?")]
    elmo(
        *(monkeypatch, "neighbors", tmp_path / "average", tmp_path / "random"),
        *(word for query in queries for word in ("--query", *query)),
        *("--vectors", tmp_path / "vectors.txt", "--number", "2", "--out", tmp_path / "out"),
    )
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert list(rows[0]) == ["of", "static vectors", "biLM, average", "random biLM, layer 0"]
    assert [row["of"] for row in rows] == [
        *("He saw a **play** at the theatre .", ""),
        *("Is it **late** ?", ""),
    ]
    assert rows[0]["static vectors"] == f"{0.9 / numpy.hypot(0.9, 0.1):.2f}: game"
    index = CorpusIndex(str(tmp_path / "average"))
    [first, _] = index.nearest(QUERY, QUERY.index("play"), 2)
    shown = in_context(first.sentence, first.position)
    assert rows[0]["biLM, average"] == f"{first.cosine:.2f}: {shown}"
    # A token layer alone, even a random one, knows the same word again.
    assert "**play**" in rows[0]["random biLM, layer 0"]
    assert rows[2]["random biLM, layer 0"] == "1.00: It is **late** ."


def test_a_word_that_is_not_in_its_sentence(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--query", "play", "No such word", "--vectors", tmp_path / "none.txt")
    with pytest.raises(ConfigurationError, match="expected 'play' among the tokens"):
        elmo(monkeypatch, "neighbors", tmp_path / "index", *given)


def test_an_index_of_another_bilm(corpus: str, tmp_path: Path) -> None:
    files = (str(tmp_path / "options.json"), str(tmp_path / "weights.hdf5"))
    save_bilm(random_bilm(seed=1), *files)
    build_index(corpus, str(tmp_path / "index"), Source("last", str(tmp_path)))
    save_bilm(random_bilm(seed=2), *files)
    with pytest.raises(ConfigurationError, match="expected the biLM that it was made with"):
        CorpusIndex(str(tmp_path / "index"))


def test_any_damage_to_any_file_is_named(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), Source("last", BILM))
    generator = random.Random(0)
    for file in sorted((tmp_path / "index").iterdir()):
        whole = file.read_bytes()
        flipped = bytearray(whole)
        flipped[generator.randrange(len(whole))] ^= 1 << generator.randrange(7)
        for damaged in (b"", whole[:-1], whole[: len(whole) // 2], whole + b"\n ", bytes(flipped)):
            file.write_bytes(damaged)
            if file.name == "index.json" and damaged.strip() == whole.strip():
                continue
            with pytest.raises(ConfigurationError, match=re.escape(file.name)):
                CorpusIndex(str(tmp_path / "index"))
        file.write_bytes(whole)
    CorpusIndex(str(tmp_path / "index"))


@pytest.mark.parametrize(
    "name, content",
    [
        ("vectors.npy", numpy.array([[None]])),  # pickled, as NumPy says of objects
        ("vectors.npy", numpy.zeros((37, 64), "float64")),
        ("vectors.npy", numpy.zeros((36, 64), "float32")),
        ("vectors.npy", numpy.full((37, 64), numpy.nan, "float32")),
        ("vectors.npy", numpy.zeros(3, "float32")),
        ("starts.npy", numpy.array([0, 9, 3, 37])),
        ("starts.npy", numpy.array([0, 1])),
        ("sentences.txt", "The play on the field was spectacular .\n"),
    ],
)
def test_other_arrays_and_sentences(name: str, content: Any, corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), Source("last", BILM))
    file = tmp_path / "index" / name
    if isinstance(content, str):
        file.write_text(content)
    else:
        numpy.save(file, content)
    with pytest.raises(ConfigurationError, match=re.escape(f"{file}: expected the file that")):
        CorpusIndex(str(tmp_path / "index"))


def test_an_index_that_says_other_things(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), Source(1, BILM))
    file = tmp_path / "index" / "index.json"
    content = json.loads(file.read_text())
    without = [{k: v for k, v in content.items() if k != key} for key in content]
    changed = [{**content, key: value} for key in content for value in (None, 0, "x", [], {})]
    for other in (*without, *changed, [content], 3, None):
        if other == content:
            continue
        file.write_text(json.dumps(other))
        with pytest.raises(ConfigurationError, match=re.escape(f"{file}: expected the file that")):
            CorpusIndex(str(tmp_path / "index"))


def test_an_index_is_written_whole_or_not_at_all(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = set(tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(numpy, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build_index(corpus, str(tmp_path / "index"), Source("last", BILM))
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "mix, directory, problem",
    [
        (5, "new", "from 0 to 2, got 5"),
        ("last", ".", "expected nothing there"),
        ("last", "file/", "expected nothing there"),
    ],
)
def test_what_cannot_be_indexed(
    mix: str, directory: str, problem: str, corpus: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=re.escape(problem)):
        build_index(corpus, f"{tmp_path}/{directory}", Source(mix, BILM))


def test_a_layer_that_is_no_number(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        elmo(monkeypatch, "index", corpus, tmp_path / "new", "--mix", "top")
    assert "expected a layer's number, last or average, found 'top'" in capsys.readouterr().err


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected an index of a corpus, found none"):
        CorpusIndex(str(tmp_path))


def test_long_sentences_are_cut_around_the_word() -> None:
    words = [str(i) for i in range(100)]
    shown = in_context(words, 50).split()
    assert shown[0] == shown[-1] == "…"
    assert shown[1:-1] == [*words[38:50], "**50**", *words[51:63]]
