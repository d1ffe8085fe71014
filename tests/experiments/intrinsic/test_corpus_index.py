"""The index of a corpus, against scikit-learn on vectors encoded one by one."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from elmo_plugin.common.checksums import sha256_of_text
from elmo_plugin.embedding import encode
from elmo_plugin.experiments.intrinsic.corpus_encoder import IndexConfig
from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from elmo_plugin.experiments.intrinsic.index_files import build_index
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights import save_bilm
from tests.helpers.play_corpus import BILM, QUERY, TEXT, write_corpus
from tests.helpers.random_bilm import random_bilm


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    return write_corpus(tmp_path)


def layers(sentence: list[str]) -> torch.Tensor:
    with torch.no_grad():
        return load_bilm_from(BILM)(batch_to_ids([sentence])).layers[:, 0]


@pytest.mark.parametrize("selection", [0, 1, 2, "last", "average"])
def test_nearest_tokens_are_scikit_learns(
    selection: Any, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than one part, and batches that are not in the corpus' order.
    monkeypatch.setattr(encode, "_WINDOW", 2)
    build_index(corpus, str(tmp_path / "index"), IndexConfig(selection, BILM))
    found = CorpusIndex(str(tmp_path / "index")).nearest(QUERY, QUERY.index("play"), 3)

    def mixed(sentence: list[str]) -> torch.Tensor:
        every = layers(sentence)
        if selection == "average":
            return every.mean(0)
        return every[2 if selection == "last" else selection]

    sentences = [line.split() for line in TEXT]
    tokens = [(s, i) for s, sentence in enumerate(sentences) for i in range(len(sentence))]
    vectors = torch.cat([mixed(sentence) for sentence in sentences])
    reference = NearestNeighbors(n_neighbors=len(tokens), metric="cosine", algorithm="brute")
    reference.fit(vectors.numpy())
    distances, rows = reference.kneighbors(mixed(QUERY)[[QUERY.index("play")]].numpy())
    best: dict[str, float] = {}
    for distance, row in zip(distances[0], rows[0]):
        best.setdefault(TEXT[tokens[row][0]], 1 - distance)
    assert [one.cosine for one in found] == pytest.approx(list(best.values())[:3], abs=1e-5)
    for one in found:
        vector = mixed(one.sentence)[one.position].numpy()
        query = mixed(QUERY)[QUERY.index("play")].numpy()
        assert cosine_similarity([vector], [query]).item() == pytest.approx(one.cosine, abs=1e-5)


def test_query_sentence_is_not_its_own_neighbor(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig("last", BILM))
    index = CorpusIndex(str(tmp_path / "index"))
    assert len(index) == sum(len(line.split()) for line in TEXT)
    found = index.nearest(TEXT[0].split(), 1, 100)
    assert len(found) == len(set(TEXT)) - 1
    assert {" ".join(one.sentence) for one in found} < {" ".join(s.split()) for s in TEXT}


def test_index_of_a_random_bilm(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig("last", BILM, random_seed=7))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        bilm = Bilm(load_bilm_from(BILM).config).eval()

    def top(sentence: list[str], position: int) -> torch.Tensor:
        with torch.no_grad():
            return bilm(batch_to_ids([sentence])).layers[2, 0, position]

    found = CorpusIndex(str(tmp_path / "index")).nearest(QUERY, 3, 3)
    for one in found:
        cosine = torch.cosine_similarity(top(one.sentence, one.position), top(QUERY, 3), dim=0)
        assert one.cosine == pytest.approx(cosine.item(), abs=1e-5)
    assert len(found) == 3


def test_lines_that_are_repeated_often(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(f"{TEXT[0]}\n" * 50 + "\n".join(TEXT) + "\n")
    build_index(str(tmp_path / "corpus.txt"), str(tmp_path / "index"), IndexConfig("last", BILM))
    found = CorpusIndex(str(tmp_path / "index")).nearest(TEXT[0].split(), 1, 2)
    assert len({" ".join(one.sentence) for one in found} - {TEXT[0]}) == 2


def test_columns_and_json_lines(tmp_path: Path) -> None:
    """A token may have white space within it."""
    play, sum_ = TEXT[0].split(), ["It", "costs", "10 000\u2028", "kroner", "."]
    columns = [f"{i}\t{token}\t_\n" for i, token in enumerate(play, 1)]
    columns.insert(2, "2-3\tplayon\t_\n")
    (tmp_path / "a.conllu").write_text(f"# text = The play\n{''.join(columns)}\n")
    (tmp_path / "b.jsonl").write_text(f"{json.dumps(sum_)}\n\n")
    build_index(str(tmp_path / "[ab].*"), str(tmp_path / "index"), IndexConfig("last", BILM))
    index = CorpusIndex(str(tmp_path / "index"))
    assert len(index) == len(play) + len(sum_)
    [first, second] = sorted(index.nearest(QUERY, 3, 2), key=lambda one: one.sentence)
    assert first.sentence == ["It", "costs", "10\u00a0000", "kroner", "."]
    assert second.sentence == play
    for one, sentence in ((first, sum_), (second, play)):
        vectors = layers(sentence)[2, one.position], layers(QUERY)[2, 3]
        assert one.cosine == pytest.approx(
            torch.cosine_similarity(*vectors, dim=0).item(), abs=1e-5
        )


def test_index_of_another_bilm(corpus: str, tmp_path: Path) -> None:
    files = (str(tmp_path / "options.json"), str(tmp_path / "weights.hdf5"))
    save_bilm(random_bilm(seed=1), *files)
    build_index(corpus, str(tmp_path / "index"), IndexConfig("last", str(tmp_path)))
    save_bilm(random_bilm(seed=2), *files)
    with pytest.raises(ValueError, match="expected the biLM that it was made with"):
        CorpusIndex(str(tmp_path / "index"))


def test_damaged_files_are_named(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig("last", BILM))
    generator = random.Random(0)
    for file in sorted((tmp_path / "index").iterdir()):
        whole = file.read_bytes()
        flipped = bytearray(whole)
        flipped[generator.randrange(len(whole))] ^= 1 << generator.randrange(7)
        for damaged in (b"", whole[:-1], whole[: len(whole) // 2], whole + b"\n ", bytes(flipped)):
            file.write_bytes(damaged)
            if file.name == "index.json" and damaged.strip() == whole.strip():
                continue
            with pytest.raises(ValueError, match=re.escape(file.name)):
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
def test_replaced_arrays_and_sentences_are_named(
    name: str, content: Any, corpus: str, tmp_path: Path
) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig("last", BILM))
    file = tmp_path / "index" / name
    if isinstance(content, str):
        file.write_text(content)
    else:
        numpy.save(file, content)
    with pytest.raises(ValueError, match=re.escape(f"{file}: expected the file that")):
        CorpusIndex(str(tmp_path / "index"))


def test_changed_description_is_named(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig(1, BILM))
    file = tmp_path / "index" / "index.json"
    content = json.loads(file.read_text())
    without = [{k: v for k, v in content.items() if k != key} for key in content]
    changed = [{**content, key: value} for key in content for value in (None, 0, "x", [], {})]
    for other in (*without, *changed, [content], 3, None):
        if other == content:
            continue
        file.write_text(json.dumps(other))
        with pytest.raises(ValueError, match=re.escape(f"{file}: expected the file that")):
            CorpusIndex(str(tmp_path / "index"))


def test_index_of_an_earlier_version_is_named(corpus: str, tmp_path: Path) -> None:
    build_index(corpus, str(tmp_path / "index"), IndexConfig(1, BILM))
    file = tmp_path / "index" / "index.json"
    content = json.loads(file.read_text())
    earlier = {k: v for k, v in content.items() if k not in ("layers", "checksum")} | {"mix": 1}
    checksum = sha256_of_text(json.dumps(earlier, sort_keys=True))
    file.write_text(json.dumps({**earlier, "checksum": checksum}))
    with pytest.raises(ValueError, match=re.escape(f"{file}: expected the file that")):
        CorpusIndex(str(tmp_path / "index"))


def test_interrupted_build_leaves_nothing(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = set(tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(numpy, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build_index(corpus, str(tmp_path / "index"), IndexConfig("last", BILM))
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "selection, directory, problem",
    [
        (5, "new", "0 to 2, got 5"),
        ("last", ".", "expected nothing there"),
        ("last", "file/", "expected nothing there"),
    ],
)
def test_invalid_index_configs(
    selection: Any, directory: str, problem: str, corpus: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=re.escape(problem)):
        build_index(corpus, f"{tmp_path}/{directory}", IndexConfig(selection, BILM))


def test_directory_without_index(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected an index of a corpus, found none"):
        CorpusIndex(str(tmp_path))
