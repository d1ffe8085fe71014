#!/usr/bin/env bash
# results/finetune.* and results/six_tasks.*, from data/ as benchmarks/data.libsonnet says. What is
# finished is not repeated, so start it again after an interruption.
#
#     benchmarks/tasks.sh [TASK ...]
set -euo pipefail
cd "$(dirname "$0")/.."
# Where the 550,000 pairs of SNLI's training part are not at hand: of its development part the last
# 2,000 to score and the others to train on.
mkdir -p runs/snli
head -n -2000 data/snli/snli_1.0_dev.jsonl >runs/snli/train.jsonl
tail -n 2000 data/snli/snli_1.0_dev.jsonl >runs/snli/dev.jsonl
# SNLI and SST-5 take a biLM that has read their domain: for SST-5 the sentences of its training
# part, for SNLI those of the revised training part.
python benchmarks/finetune.py data
python benchmarks/tasks.py "$@"
