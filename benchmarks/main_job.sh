#!/usr/bin/env bash
# The main job on real text: a biLM from lm/, then a tagger on ner/ without and with it, with
# vectors/ as x_k in both. Writes results/bilm.md and results/six_tasks.md. What is finished is not
# repeated, so start it again after an interruption.
#
#     benchmarks/main_job.sh DATA [SEED ...]
#
# DATA, relative to the repository, holds lm/train-*.txt.gz and lm/heldout.txt.gz (tokenized
# sentences, one a line), ner/train.txt and ner/dev.txt (CoNLL 2003 columns), and
# vectors/vectors.100d.txt.gz (GloVe's text format).
set -euo pipefail
data=${1:?DATA: expected the folder with lm/, ner/ and vectors/}
seeds=("${@:2}")
cd "$(dirname "$0")/.."
out=runs/main_job
mkdir -p $out

cat >$out/bilm.jsonnet <<EOF
(import '../../training_configs/bilm/small.jsonnet') {
  paths+:: { lm: { train: '$data/lm/train-0[0-7]-*.txt.gz', heldout: '$data/lm/heldout.txt.gz' } },
  trainer+: { checkpointer+: { save_every_num_seconds: 600 } },
}
EOF
if [[ ! -f $out/bilm/model.tar.gz ]]; then
    recover=$([[ -d $out/bilm ]] && echo --recover || true)
    elmo train $out/bilm.jsonnet -s $out/bilm $recover
fi
elmo export $out/bilm $out/bilm-files
python benchmarks/bilm.py $out/bilm --out results/bilm
python benchmarks/tasks.py --task ner --data "$data" --bilm $out/bilm-files \
    --seeds ${seeds[@]:-1 2 3}
