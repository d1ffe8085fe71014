#!/usr/bin/env bash
# Analyzes the layers of a biLM. Writes results/{pos,deprel,residual,senses,neighbors,play,random_bilm}.*:
# tables in Markdown and JSON, figures in PNG and SVG. On one core, parts of speech took 70 minutes, senses 15.
# Finished parts are noted in runs/analysis and not repeated; remove that folder (10 GB) before using
# another biLM.
#
#     PATH="$PWD/.venv/bin:$PATH" benchmarks/analysis.sh DATA [--bilm PATH]
#
# DATA, relative to the repository, has pos/ (CoNLL-U), wsd/ (SemCor as JSON lines), lm/ with
# train-00-of-16.txt.gz to train-15-of-16.txt.gz and lm/wiki/ (one tokenized sentence per line), and
# vectors/. The default biLM is the built-in one; `play` always has
# that.
set -euo pipefail
data=${1:?DATA: expected the directory with pos/, wsd/, lm/ and vectors/}
shift
cd "$(dirname "$0")/.."
done=runs/analysis
mkdir -p results "$done"
vectors=$data/vectors/vectors.books_wiki.100d.txt.gz
corpus=$done/neighbors.txt
conllu=("$data"/pos/en_ewt-ud-{train,dev}.conllu)
semcor=("$done"/semcor.{train,dev}.jsonl.gz)

# Usage: once NAME COMMAND ...
once() {
    [[ -e $done/$1.done ]] || { "${@:2}" && touch "$done/$1.done"; }
}

# SemCor's quotes, `` and '', as in the training text of the biLM and of the vectors: ".
for file in "${semcor[@]}"; do
    [[ -e $file ]] && continue
    gzip -dc "$data/wsd/${file##*/}" |
        sed -e 's/"``"/"\\""/g' -e "s/\"''\"/\"\\\\\"\"/g" | gzip -n >"$file.new"
    mv "$file.new" "$file"
done

# Random controls with 5 seeds each.
once pos elmo probe "${conllu[@]}" "$@" --vectors "$vectors" --samples 4 --random-seeds 5 \
    --out results/pos
once deprel elmo probe "${conllu[@]}" "$@" --column deprel --vectors "$vectors" --random-seeds 5 \
    --out results/deprel
once senses elmo senses "${semcor[@]}" "$@" --vectors "$vectors" --random-seeds 5 --centered \
    --out results/senses
once residual python benchmarks/residual.py "${conllu[@]}" "$@" --out results/residual
once random_bilm python benchmarks/random_bilm.py fixtures/lm/heldout.txt "$@" --out results/random_bilm
once play python benchmarks/play.py "${semcor[@]}" --out results/play

# Of the biLM's text a sixteenth of the books, and the sentences with `play` of the rest.
{
    gzip -dc "$data"/lm/train-00-of-16.txt.gz
    gzip -dc "$data"/lm/train-{01..15}-of-16.txt.gz "$data"/lm/wiki/train-*.txt.gz | grep -w play
} >"$corpus"
test -d $done/index || elmo index "$corpus" $done/index --layers last "$@"
test -d $done/index-random || elmo index "$corpus" $done/index-random --layers last --random 0 "$@"
# The first two are those of Peters et al. 2018, Table 4, which shows parts of them: the first is a
# sentence of SemCor, here whole; the second is not among the data, so that it is as printed there.
once neighbors elmo neighbors $done/index $done/index-random --vectors "$vectors" \
    --out results/neighbors \
    --query play "Chico Ruiz made a spectacular play on Alusik 's grounder in the hole in the fourth \
and Wert came up with some good stops and showed a strong arm at third base ." \
    --query play "Olivia De Havilland signed to do a Broadway play for Garson ." \
    --query play "The children were tired after an hour of play in the garden ." \
    --query play "The theater was full when the actors performed the play ."
