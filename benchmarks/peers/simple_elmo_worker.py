"""
Runs simple_elmo on sentences and times it. Needs TensorFlow: runs in an environment of its own, in
a process that `simple_elmo_process.SimpleElmo` starts.

    python simple_elmo_worker.py JOB.json

JOB.json has `folder`, of options.json and model.hdf5; `sentences`, lists of tokens; `batch_size`;
and `threads`. Each line of standard input is one of these commands, answered by one line:

- `save FILE`: write all layers of the first batch, from the zero state;
- `passes`: the seconds of a pass over all batches, whose character ids are ready;
- `texts`: the seconds of `get_elmo_vectors`, which averages the layers, for all sentences.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy
import tensorflow as tf
from simple_elmo import ElmoModel
from simple_elmo.elmo import weight_layers


class Worker:
    def __init__(self, job: dict[str, Any]) -> None:
        self.sentences, size = job["sentences"], job["batch_size"]
        self.model = ElmoModel()
        self.model.logger.setLevel("WARNING")
        self.model.load(job["folder"], max_batch_size=size)
        chunks = [self.sentences[i : i + size] for i in range(0, len(self.sentences), size)]
        self.batches = [self.model.batcher.batch_sentences(chunk) for chunk in chunks]
        self.layers = self.model.sentence_embeddings_op["lm_embeddings"]
        self.model.elmo_sentence_input = weight_layers(
            "input", self.model.sentence_embeddings_op, use_layers="average"
        )
        threads = {f"{kind}_op_parallelism_threads": job["threads"] for kind in ("inter", "intra")}
        self.session = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(**threads))
        self._reset_states()

    def answer(self, command: str, argument: str) -> str:
        if command == "save":
            self._reset_states()
            numpy.save(argument, self._run(self.batches[0]))
            return "saved"
        start = time.perf_counter()
        if command == "passes":
            for batch in self.batches:
                self._run(batch)
        else:
            self.model.get_elmo_vectors(self.sentences, warmup=False, session=self.session)
        return str(time.perf_counter() - start)

    def _reset_states(self) -> None:
        self.session.run(tf.compat.v1.global_variables_initializer())

    def _run(self, character_ids: numpy.ndarray) -> numpy.ndarray:
        return self.session.run(self.layers, {self.model.sentence_character_ids: character_ids})


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        worker = Worker(json.load(file))
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        print(worker.answer(command, argument), flush=True)
