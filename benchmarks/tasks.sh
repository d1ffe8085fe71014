#!/usr/bin/env bash
# Writes all results for which task models are trained: Tables 1, 2, 3 and 7 and Figures 1 and 2 of the
# paper, the controls, the simple baselines and the ensembles, from data/, laid out as in
# benchmarks/data.libsonnet. The protocol is in benchmarks/two_cores.libsonnet. A finished training run is
# not repeated and an interrupted one is resumed, so start the script again after an interruption.
# On one core of an AMD EPYC, Table 1 took at least 30 hours, of which SQuAD's final runs took 10;
# everything else is estimated to take 55. Each table says how long its runs took. Once the biLMs are
# fine-tuned, start it several times to train several models at a time, each with one thread, from a
# checkout that nobody edits:
#
#     PATH="$PWD/.venv/bin:$PATH" OMP_NUM_THREADS=1 benchmarks/tasks.sh [TASK ...]
#
# Give SQuAD to one process at a time, which needs 17 GB of memory (with the token layer alone, 9 GB).
#
# Training runs and archives are in results/runs, those of sst5_phrases.libsonnet in
# results/runs_sst5_phrases and those of squad_five_percent.libsonnet in results/runs_squad_five_percent:
# another protocol of a task needs a directory of its own, since runs of a task are found here by their
# names.
set -euo pipefail
cd "$(dirname "$0")/.."
# glibc keeps the memory of large tensors, see docs/speed.md.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=16000000000
tasks=("$@")
[[ $# -gt 0 ]] || tasks=(ner sst5 snli coref srl squad)
settings=(
    --overrides "import 'benchmarks/data.libsonnet'"
    --task-overrides benchmarks/two_cores.libsonnet --runs results/runs
)
# Of `elmo controls`; those of a task with less time are some of these.
controls=(
    "ELMo, random biLM with standardized token layer" "ELMo, token layer only"
    "baseline with at least ELMo's number of parameters"
)

# True if the task is to be run.
chosen() {
    [[ " ${tasks[*]} " == *" $1 "* ]]
}

# The files with a SUFFIX of all seeds of TASK's model NAME with the settings that were chosen: none if
# some are missing. The first seed's may be named after the search. Usage: seeds TASK NAME SUFFIX
seeds() {
    local expected=3 found=()
    case $1 in ner | sst5 | snli) expected=5 ;; esac
    shopt -s nullglob
    found=(results/runs/"$1-$2"-{,search}[0-9]-????????????"$3")
    if [[ ${#found[@]} -ne $expected ]]; then
        echo "$1, $2: expected $expected files *$3 in results/runs, found ${#found[@]}; finish the" \
            "task, or remove those of another protocol" >&2
        return
    fi
    printf '%s\n' "${found[@]}"
}

# Usage: ensemble TASK NAME DATA
ensemble() {
    local found
    mapfile -t found < <(seeds "$1" "$2" .tar.gz)
    [[ ${#found[@]} -eq 0 ]] || elmo ensemble "$3" "${found[@]}" --out "results/ensemble_$1"
}

# In place of SNLI's 550,000 training pairs: of its development set, the last 2,001, with premises of
# their own, are development data, and the others are trained on.
if chosen snli && [[ ! -f runs/snli/dev-2001.jsonl ]]; then
    mkdir -p runs/snli
    head -n -2001 data/snli/snli_1.0_dev.jsonl >runs/snli/train-all-but-2001.jsonl
    tail -n 2001 data/snli/snli_1.0_dev.jsonl >runs/snli/dev-2001.jsonl.new
    mv runs/snli/dev-2001.jsonl{.new,}
fi
# How much of the data the biLM has read.
[[ $# -gt 0 ]] || python benchmarks/text_overlap.py 'data/lm/train-*.txt.gz' \
    'data/lm/wiki/train-*.txt.gz' --overrides "import 'benchmarks/data.libsonnet'" \
    --out results/text_overlap
# SNLI and SST-5 use a biLM that was fine-tuned on the sentences of their training data.
for task in snli sst5; do
    ! chosen $task || elmo fine-tuning $task --overrides "import 'benchmarks/data.libsonnet'"
done

elmo tasks "${tasks[@]}" "${settings[@]}" --out results/six_tasks
elmo simple-baselines "${settings[@]}" --out results/simple_baselines
for task in "${tasks[@]}"; do
    elmo controls "$task" "${settings[@]}" --out "results/controls_$task"
done
mixes=()
for task in ner sst5 snli coref srl squad; do
    model=elmo
    [[ $task == snli || $task == squad ]] && model=elmo_both
    # Archives may be deleted; the test scores remain.
    for score in $(seeds "$task" "$model" .test.json); do mixes+=("${score%.test.json}.json"); done
done
[[ ${#mixes[@]} -eq 0 ]] || elmo mix "${mixes[@]}" --out results/mix
if chosen coref; then
    # The novels that are partly in the biLM's text, see data.libsonnet.
    python benchmarks/coref_unread.py 74_the_adventures_of_tom_sawyer_brat \
        932_the_fall_of_the_house_of_usher_brat "${settings[@]}" \
        --systems "${controls[@]:0:2}" --out results/coref_unread
fi
if chosen snli; then ensemble snli elmo_both data/snli/snli_1.0_test.jsonl; fi
if chosen sst5; then
    ensemble sst5 elmo data/sst/test.txt
    elmo placement sst5 "${settings[@]}" --out results/placement_sst5
    phrases=(
        --overrides "import 'benchmarks/data.libsonnet'"
        --task-overrides benchmarks/sst5_phrases.libsonnet --runs results/runs_sst5_phrases
    )
    data="SST-5, sentences and phrases"
    elmo tasks sst5 "${phrases[@]}" --title "$data, with and without ELMo" --out results/sst5_phrases
    elmo simple-baselines sst5 "${phrases[@]}" --title "Simple baselines: $data" \
        --out results/simple_baselines_sst5_phrases
    elmo controls sst5 "${phrases[@]}" --systems "${controls[@]}" --title "Controls: $data" \
        --out results/controls_sst5_phrases
fi

# Tables 2 and 3 and Figure 1 have the settings of Table 1, and three seeds, SQuAD's Tables 2 and 3 one.
settings+=(--seeds 1 2 3)
for task in ner srl snli; do
    chosen $task || continue
    elmo layers $task "${settings[@]}" --out "results/layers_$task"
    elmo placement $task "${settings[@]}" --out "results/placement_$task"
done
if chosen squad; then
    five_percent=(
        --overrides "import 'benchmarks/data.libsonnet'" --seeds 1
        --task-overrides benchmarks/squad_five_percent.libsonnet --runs results/runs_squad_five_percent
    )
    variants=("last only" "last only, gamma = 1" "all, lambda = 1")
    elmo layers squad "${five_percent[@]}" --systems "${variants[@]}" --title "Layer weighting: SQuAD, 5%" \
        --out results/layers_squad
    elmo placement squad "${five_percent[@]}" --title "Placement: SQuAD, 5%" --out results/placement_squad
fi
for task in ner srl; do
    chosen $task || continue
    fractions=(0.01 0.05 0.1 0.5 1)
    [[ $task == srl ]] && fractions=(0.01 0.05 0.1 0.25 0.5 1)  # a quarter is Table 1's
    elmo curve $task --fractions "${fractions[@]}" "${settings[@]}" --out "results/curve_$task"
done
# Table 7 has the texts of all tasks, so it is made if none are chosen.
[[ $# -gt 0 ]] || elmo fine-tuning --overrides "import 'benchmarks/data.libsonnet'" --out results/finetune
