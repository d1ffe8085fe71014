#!/usr/bin/env bash
# Writes results/finetune.* and results/six_tasks.* from data/, laid out as in
# benchmarks/data.libsonnet. Finished trainings are not repeated, so it can be started again after an
# interruption.
#
#     benchmarks/tasks.sh [TASK ...]
set -euo pipefail
cd "$(dirname "$0")/.."
# In place of the 550,000 pairs of SNLI's training part: of its development part, the last 2,000 are
# scored and the others are trained on.
mkdir -p runs/snli
head -n -2000 data/snli/snli_1.0_dev.jsonl >runs/snli/train.jsonl
tail -n 2000 data/snli/snli_1.0_dev.jsonl >runs/snli/dev.jsonl
# SNLI and SST-5 use a biLM that was fine-tuned on their domain: for SST-5 the sentences of its
# training part, for SNLI those of the revised training part.
elmo fine-tuning data --out results/finetune
elmo tasks "$@" --overrides "import 'benchmarks/data.libsonnet'" \
    --task-overrides benchmarks/two_cores.libsonnet --runs results/runs --out results/six_tasks
