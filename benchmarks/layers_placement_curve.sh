#!/usr/bin/env bash
# Writes Tables 2 and 3 and Figures 1 and 2 of the paper for three tasks into results/, with public
# data in data/ (see data.libsonnet). Finished trainings are not repeated; first run tasks.sh, which
# fine-tunes the biLM for SNLI.
set -euo pipefail

runs=(--seeds 1 2 3 --runs results/runs)
data="(import 'benchmarks/data.libsonnet')"

# Usage: compare TASK ELMO OVERRIDES [OPTION ...]
compare() {
    local task=training_configs/$1 elmo=$2 overrides=$3
    shift 3
    elmo layers "$task/baseline.jsonnet" "$task/$elmo.jsonnet" "$@" "${runs[@]}" \
        --overrides "$overrides" --out "results/layers_${task##*/}"
    elmo placement "$task"/{baseline,elmo,elmo_output,elmo_both}.jsonnet "$@" "${runs[@]}" \
        --overrides "$overrides" --out "results/placement_${task##*/}"
}

compare ner elmo "$data + { trainer+: { patience: 8 } }" --fraction 0.3
compare snli elmo_both "$data + (import 'benchmarks/two_cores.libsonnet').snli"
compare srl elmo "$data + (import 'benchmarks/two_cores.libsonnet').srl" --fraction 0.05
elmo curve training_configs/ner/{baseline,elmo}.jsonnet --fractions 0.1 0.3 1 "${runs[@]}" \
    --overrides "$data" --out results/curve_ner
elmo mix results/runs/{coref-elmo,ner-elmo,snli-elmo_both,squad-elmo_both,srl-elmo,sst5-elmo}-1-*.json \
    --out results/mix
