#!/usr/bin/env bash
# Analyzes the layers of a biLM. Writes results/{pos,residual,senses,neighbors}.*: tables in Markdown
# and JSON, figures in PNG and SVG. Each takes a few minutes on one core, and each of the two indexes
# of 2 million tokens five; these stay in runs/ (4 GB), to be removed before using another biLM.
#
#   benchmarks/analysis.sh DATA [--bilm PATH]
#
# DATA, relative to the repository, has pos/ (CoNLL-U), wsd/ (SemCor as JSON lines), lm/ (one
# tokenized sentence per line) and vectors/. The default biLM is the built-in one.
set -euo pipefail
data=${1:?DATA: expected the folder with pos/, wsd/, lm/ and vectors/}
shift
cd "$(dirname "$0")/.."
mkdir -p results runs
vectors=$data/vectors/vectors.100d.txt.gz
corpus=runs/neighbors.txt

elmo probe "$data/pos/en_ewt-ud-train.conllu" "$data/pos/en_ewt-ud-dev.conllu" "$@" \
    --vectors "$vectors" --samples 4 --out results/pos
elmo senses "$data/wsd/semcor.train.jsonl.gz" "$data/wsd/semcor.dev.jsonl.gz" "$@" \
    --vectors "$vectors" --out results/senses

# A sixteenth of the biLM's training text, and of the rest the sentences with `play`.
{
    gzip -dc "$data"/lm/train-00-of-16.txt.gz
    gzip -dc "$data"/lm/train-{01..15}-of-16.txt.gz | grep -w play
} >"$corpus"
test -d runs/index || elmo index "$corpus" runs/index --mix last "$@"
test -d runs/index-random || elmo index "$corpus" runs/index-random --mix last --random 0 "$@"
# The first two are those of Peters et al. 2018, Table 4.
elmo neighbors runs/index runs/index-random --vectors "$vectors" --out results/neighbors \
    --query play "Chico Ruiz made a spectacular play on Alusik 's grounder ." \
    --query play "Olivia De Havilland signed to do a Broadway play for Garson ." \
    --query play "The children were tired after an hour of play in the garden ." \
    --query play "The theatre was full when the actors performed the play ."

python benchmarks/residual.py "$data"/pos/en_ewt-ud-{train,dev}.conllu "$@" --out results/residual
