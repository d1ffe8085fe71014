"""A corpus with a vector of each of its tokens, in a directory."""

import hashlib
import json
import os
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from elmo_plugin.common.atomic_write import atomic_directory
from elmo_plugin.common.json_text import read_json
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.neighbors import Neighbors
from elmo_plugin.experiments.intrinsic.representations import Sentences, batches, random_bilm
from elmo_plugin.layers import ScalarMix, batch_to_ids
from elmo_plugin.layers.scalar_mix import MixKind
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.resolve import BUILT_IN

VECTORS, STARTS, SENTENCES, DESCRIPTION = "vectors.npy", "starts.npy", "sentences.txt", "index.json"

_SENTENCES_AT_ONCE = 4096
_BYTES_AT_ONCE = 1 << 20
_CHECKSUM = "checksum"


class Source(NamedTuple):
    """Where an index's vectors come from."""

    mix: MixKind
    """A layer's number, "last" or "average"."""
    bilm: str = BUILT_IN
    """As `load_bilm_from` takes it."""
    random_seed: Optional[int] = None
    """Of a biLM of the same shape that has learned nothing, if not none."""

    def __str__(self) -> str:
        layer = f"layer {self.mix}" if isinstance(self.mix, int) else self.mix
        return f"{'biLM' if self.random_seed is None else 'random biLM'}, {layer}"


class Encoder:
    """
    Sentences to one vector a token.

    # Parameters

    source : `Source`
    """

    def __init__(self, source: Source) -> None:
        bilm = load_bilm_from(source.bilm)
        if source.random_seed is not None:
            bilm = random_bilm(bilm, source.random_seed)
        layers = bilm.config.num_layers
        if isinstance(source.mix, int) and not 0 <= source.mix <= layers:
            raise ConfigurationError(
                f"mix: expected last, average or a layer of {source.bilm}, from 0 to {layers}, got "
                f"{source.mix}"
            )
        self._mix = ScalarMix(layers + 1, source.mix)
        self._bilm = bilm
        self._path = source.bilm
        self.dim = bilm.output_dim

    def fingerprint(self) -> str:
        """The same for the same weights."""
        digest = hashlib.sha256()
        for name, weight in sorted(self._bilm.state_dict().items()):
            digest.update(name.encode() + weight.numpy().tobytes())
        return digest.hexdigest()[:16]

    def __call__(self, sentences: Sentences) -> list[numpy.ndarray]:
        """Of each sentence, an array of shape (tokens, dim)."""
        with torch.inference_mode():
            output = self._bilm(batch_to_ids(sentences, self._bilm.config.max_characters))
            mixed = self._mix(output.layers, output.mask).numpy()
        if not numpy.isfinite(mixed).all():
            raise ConfigurationError(
                f"{self._path}: expected finite vectors, found NaN or infinity"
            )
        return [vectors[: len(words)] for vectors, words in zip(mixed, sentences)]


def build_index(text: str, directory: str, source: Source) -> int:
    """
    Write the index of a corpus, whole or not at all.

    # Parameters

    text : `str`
        A file or a glob of files, one tokenized sentence a line.
    directory : `str`
        Where to write. Nothing may be there.
    source : `Source`

    # Returns

    `int` : how many tokens there are.

    # Raises

    `ConfigurationError` : no text, a layer that is not there, or a directory that is.
    """
    # Also where it is written as a file's name and a slash.
    if os.path.lexists(Path(directory)):
        raise ConfigurationError(f"{directory}: expected nothing there, found a file or directory")
    encoder = Encoder(source)
    lengths = [len(sentence) for sentence in iter_sentences(text)]
    starts = numpy.cumsum([0, *lengths])
    Path(directory).parent.mkdir(parents=True, exist_ok=True)
    with atomic_directory(directory) as files:
        numpy.save(files / STARTS, starts)
        _write_vectors(text, encoder, starts, files)
        description: dict[str, Any] = {
            "text": text,
            "fingerprint": encoder.fingerprint(),
            **source._asdict(),
            "files": {name: _checksum(files / name) for name in (VECTORS, STARTS, SENTENCES)},
        }
        description[_CHECKSUM] = _checksum_of(description)
        (files / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")
    return int(starts[-1])


def _write_vectors(text: str, encoder: Encoder, starts: numpy.ndarray, files: Path) -> None:
    vectors = numpy.lib.format.open_memmap(
        files / VECTORS, "w+", "float32", (int(starts[-1]), encoder.dim)
    )
    first, sentences = 0, iter_sentences(text)
    with (
        (files / SENTENCES).open("w", encoding="utf-8") as lines,
        Tqdm.tqdm(total=len(vectors), desc="index", unit=" tokens") as progress,
    ):
        while part := list(islice(sentences, _SENTENCES_AT_ONCE)):
            lines.writelines(f"{' '.join(sentence)}\n" for sentence in part)
            for rows in batches(part):
                for row, found in zip(rows, encoder([part[row] for row in rows])):
                    start = starts[first + row]
                    vectors[start : start + len(found)] = found
                    progress.update(len(found))
            first += len(part)
    vectors.flush()


class Found(NamedTuple):
    """A token of the corpus, in its sentence."""

    sentence: list[str]
    position: int
    cosine: float


class CorpusIndex:
    """
    What `build_index` wrote, to search.

    # Parameters

    directory : `str`

    # Raises

    `ConfigurationError` : no index, a damaged one, or one of another biLM than its files now hold.
    """

    def __init__(self, directory: str) -> None:
        files = Path(directory)
        if not (files / DESCRIPTION).is_file():
            raise ConfigurationError(f"{directory}: expected an index of a corpus, found none")
        description = _read_description(files / DESCRIPTION)
        self.text: str = description["text"]
        self.source = Source(**{name: description[name] for name in Source._fields})
        self._encoder = Encoder(self.source)
        if self._encoder.fingerprint() != description["fingerprint"]:
            raise ConfigurationError(
                f"{directory}: expected the biLM that it was made with, found another one in "
                f"{self.source.bilm}; make the index again"
            )
        for name, checksum in description["files"].items():
            if _checksum(files / name) != checksum:
                raise ConfigurationError(_damage(files / name))
        self._starts = numpy.load(files / STARTS)
        # Not splitlines, which splits at more than line ends.
        self._sentences = (files / SENTENCES).read_text(encoding="utf-8").split("\n")[:-1]
        self._neighbours = Neighbors(numpy.load(files / VECTORS, mmap_mode="r"))

    def __len__(self) -> int:
        return len(self._neighbours)

    def nearest(self, sentence: list[str], position: int, number: int) -> list[Found]:
        """
        The tokens nearest to one token of a sentence: of each sentence of the corpus one at most,
        and none of that sentence itself.
        """
        vector = self._encoder([sentence])[0][position]
        seen, found = {" ".join(sentence)}, []
        # More than asked for: a sentence may come twice, or have several tokens that are near.
        for row, cosine in self._neighbours.nearest(vector, 20 * number):
            place = int(numpy.searchsorted(self._starts, row, side="right")) - 1
            line = self._sentences[place]
            if line not in seen:
                seen.add(line)
                found.append(Found(line.split(" "), row - int(self._starts[place]), cosine))
        return found[:number]


def _read_description(file: Path) -> dict[str, Any]:
    content = read_json(file)
    if not isinstance(content, dict) or content.get(_CHECKSUM) != _checksum_of(content):
        raise ConfigurationError(_damage(file))
    return content


def _damage(file: Path) -> str:
    return (
        f"{file}: expected the file that `elmo index` wrote, found another or a damaged one; make "
        "the index again"
    )


def _checksum_of(description: dict[str, Any]) -> str:
    rest = {key: value for key, value in description.items() if key != _CHECKSUM}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _checksum(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()
