"""
Every layer of some sentences as simple_elmo computes them in TensorFlow. Runs in an environment of
its own, see the make target test-tensorflow.

    python simple_elmo_vectors.py MODEL_DIRECTORY BATCH_SIZE LAYERS < SENTENCES.json > VECTORS.npy
"""

import json
import sys

import numpy
from simple_elmo import ElmoModel

if __name__ == "__main__":
    directory, batch_size, layers = sys.argv[1:]
    model = ElmoModel()
    model.load(directory, max_batch_size=int(batch_size))
    # Warming up would start the first batch from the state that it leaves itself.
    vectors = model.get_elmo_vectors(json.load(sys.stdin), warmup=False, layers=layers)
    numpy.save(sys.stdout.buffer, vectors)
