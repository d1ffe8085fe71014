"""Tokens per second of other ways to embed a corpus, for the first of its sentences."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterable

import torch
from allennlp.modules.elmo import _ElmoBiLm

from elmo_plugin.common.processes import available_cores
from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.batches import batched, batches_by_length
from elmo_plugin.embedding.blocks import iter_blocks
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve
from peers.simple_elmo_process import SimpleElmo

BATCH_SIZE, PEERS_BATCH_SIZE = 128, 64


def speed_alone(bilm: str, sample: Iterable[list[str]]) -> float:
    """Return the tokens per second of all processes together."""
    sentences = list(map(Sentence, sample))
    cores = available_cores()
    context = multiprocessing.get_context("spawn")
    parts = [sentences[core::cores] for core in range(cores)]
    with context.Pool(cores) as pool:
        return sum(pool.starmap(run_sample, [(bilm, part) for part in parts]))


@torch.no_grad()
def run_sample(path: str, sentences: list[Sentence]) -> float:
    torch.set_num_threads(1)
    bilm = load_bilm_from(path)
    batches = [
        batch_to_ids([block.sentences[i].tokens for i in batch], bilm.config.max_characters)
        for block in iter_blocks([sentences])
        for batch in batches_by_length([len(s.tokens) for s in block.sentences], BATCH_SIZE)
    ]
    bilm(batches[0])  # compiles
    start = time.perf_counter()
    for ids in batches:
        bilm(ids)
    return sum(len(s.tokens) for s in sentences) / (time.perf_counter() - start)


@torch.no_grad()
def speed_of_allennlp(path: str, sample: list[list[str]]) -> float:
    files = resolve(path)
    assert isinstance(files, LanguageModelFiles)
    bilm = _ElmoBiLm(files.options, files.weights).eval()
    batches = [batch_to_ids(part) for part in batched(sample, PEERS_BATCH_SIZE)]
    bilm(batches[0])
    start = time.perf_counter()
    for ids in batches:
        bilm(ids)
    return sum(map(len, sample)) / (time.perf_counter() - start)


def speed_of_simple_elmo(path: str, sample: list[list[str]]) -> float:
    files = resolve(path)
    assert isinstance(files, LanguageModelFiles)
    options, weights = str(files.options), str(files.weights)
    peer = SimpleElmo(options, weights, sample, PEERS_BATCH_SIZE, available_cores())
    peer.seconds_of_texts()  # builds the graph
    seconds = peer.seconds_of_texts()
    peer.close()
    return sum(map(len, sample)) / seconds
