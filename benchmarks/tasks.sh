#!/usr/bin/env bash
# Writes all results that train task models: Tables 1, 2, 3 and 7 and Figures 1 and 2 of the paper,
# the controls, the simple baselines and the ensembles, from data/, laid out as in
# benchmarks/data.libsonnet. The protocol is in benchmarks/two_cores.libsonnet. A finished training is
# not repeated and an interrupted one is resumed, so start the script again after an interruption.
# Estimated time, if training stops after about 60 % of the maximum number of updates: 22 core-hours
# for Table 1, 120 for everything. Each table says how long its trainings took.
# Once the biLMs are fine-tuned, several tasks can be run side by side.
#
#     benchmarks/tasks.sh [TASK ...]
#
# Trainings and archives are in results/runs.
set -euo pipefail
cd "$(dirname "$0")/.."
tasks=("$@")
[[ $# -gt 0 ]] || tasks=(ner sst5 snli coref srl squad)
settings=(
    --overrides "import 'benchmarks/data.libsonnet'"
    --task-overrides benchmarks/two_cores.libsonnet --runs results/runs
)

# True if the task is to be run.
chosen() {
    [[ " ${tasks[*]} " == *" $1 "* ]]
}

# The archives of all seeds of TASK's model NAME with the settings that were chosen.
archives() {
    ls results/runs/"$1-$2"-*.tar.gz 2>/dev/null || true
}

# In place of SNLI's 550,000 training pairs: of its development set, the last 2,000 are development
# data and the others are trained on.
mkdir -p runs/snli
head -n -2000 data/snli/snli_1.0_dev.jsonl >runs/snli/train.jsonl
tail -n 2000 data/snli/snli_1.0_dev.jsonl >runs/snli/dev.jsonl
# SNLI and SST-5 use a biLM that was fine-tuned on their domain: for SST-5 the sentences of its
# training set, for SNLI those of the revised training set.
elmo fine-tuning data --out results/finetune

elmo simple-baselines "${settings[@]}" --out results/simple_baselines
elmo tasks "${tasks[@]}" "${settings[@]}" --out results/six_tasks
for task in "${tasks[@]}"; do
    elmo controls "$task" "${settings[@]}" --out "results/controls_$task"
done
mixes=()
for task in ner sst5 snli coref srl squad; do
    model=elmo
    [[ $task == snli || $task == squad ]] && model=elmo_both
    for archive in $(archives "$task" "$model"); do mixes+=("${archive%.tar.gz}.json"); done
done
elmo mix "${mixes[@]}" --out results/mix
if chosen snli; then
    # shellcheck disable=SC2046
    elmo ensemble data/snli/snli_1.0_test.jsonl $(archives snli elmo_both) \
        --out results/ensemble_snli
fi
if chosen sst5; then
    # shellcheck disable=SC2046
    elmo ensemble data/sst/test.txt $(archives sst5 elmo) --out results/ensemble_sst5
fi

for task in ner snli srl squad; do
    chosen $task || continue
    fraction=()
    [[ $task == squad ]] && fraction=(--fraction 0.05)
    elmo layers $task "${fraction[@]}" "${settings[@]}" --out "results/layers_$task"
    elmo placement $task "${fraction[@]}" "${settings[@]}" --out "results/placement_$task"
done
for task in ner srl; do
    chosen $task || continue
    elmo curve $task --fractions 0.01 0.05 0.1 0.5 1 "${settings[@]}" --out "results/curve_$task"
done
