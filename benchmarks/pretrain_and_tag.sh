#!/usr/bin/env bash
# Pretrains a biLM on data/lm, then trains the tagger without and with it. Writes
# runs/pretrain_and_tag/training.* and ner.*. Finished training runs are not repeated, so it can be
# started again after an interruption.
#
#     benchmarks/pretrain_and_tag.sh
#
# data/lm holds train-*.txt.gz and heldout.txt.gz, one tokenized sentence per line; data/ner and
# data/vectors are as benchmarks/data.libsonnet says.
set -euo pipefail
cd "$(dirname "$0")/.."
out=runs/pretrain_and_tag
mkdir -p $out

cat >$out/bilm.jsonnet <<EOF
(import '../../training_configs/bilm/small.jsonnet') {
  paths+:: { lm: { train: 'data/lm/train-0[0-7]-*.txt.gz', heldout: 'data/lm/heldout.txt.gz' } },
  trainer+: { checkpointer+: { save_every_num_seconds: 600 } },
}
EOF
if [[ ! -f $out/bilm/model.tar.gz ]]; then
    recover=$([[ -d $out/bilm ]] && echo --recover || true)
    elmo train $out/bilm.jsonnet -s $out/bilm $recover
fi
elmo export $out/bilm $out/bilm-files
python benchmarks/bilm.py $out/bilm --out $out/training
bilm_files="{ dim: 256, options_file: '$out/bilm-files/options.json', "
bilm_files+="weight_file: '$out/bilm-files/weights.hdf5' }"
elmo tasks ner --task-overrides benchmarks/two_cores.libsonnet --runs $out/runs --out $out/ner \
    --overrides "(import 'benchmarks/data.libsonnet') + { paths+:: { bilm+: $bilm_files } }"
