"""One thread: small models gain nothing from more, and lose much on a busy machine."""

import os

import torch

torch.set_num_threads(1)
# Tables are not refused while the tests run on changes that are not committed yet.
os.environ["GIT_DIR"] = os.devnull
