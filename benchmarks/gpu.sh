#!/usr/bin/env bash
# Tests and benchmarks on one GPU, in at most a quarter of an hour. Needs a clone, an environment made by
# `make install` on a machine with a GPU, and no other text:
#
#     PATH="$PWD/.venv/bin:$PATH" benchmarks/gpu.sh [DIRECTORY]
#
# Runs the tests marked gpu and triton, among them runs that are killed and resumed; then times
# inference, the LSTM layers alone, and training, in float32 and bfloat16, beside AllenNLP's modules
# and torch.nn.LSTM, with shares of the GPU's own matrix rate. Writes tests.txt and tables to
# DIRECTORY (default: results/gpu). Exits with 1 if a test fails or a part takes too long.
set -uo pipefail
cd "$(dirname "$0")/.."
directory=${1:-results/gpu}

python -c '
import sys, torch
if not torch.cuda.is_available():
    sys.exit(f"benchmarks/gpu.sh: expected a GPU, found none for torch {torch.__version__}")
' || exit 1

mkdir -p "$directory"
rm -f "$directory"/{inference,lstm,training}_speed.md  # the scripts append
text=$directory/text.txt
trap 'rm -f "$text"' EXIT
PYTHONPATH=benchmarks python -c '
import pathlib, sys, sentences
sentences.write_generated(pathlib.Path(sys.argv[1]), 20_000)' "$text"

status=0
# run SECONDS COMMAND...: note a failure, and continue
run() {
    timeout "$@" || { status=1 && echo "benchmarks/gpu.sh: failed: $*" >&2; }
}

timeout 600 python -m pytest -v --no-header --disable-warnings --durations=10 -m 'gpu or triton' \
    tests/gpu tests/layers/fast/triton 2>&1 | tee "$directory/tests.txt" || status=1
sizes=(--device cuda --sizes 1024/128/2048 4096/512/2048)
run 110 python benchmarks/inference.py "$text" "${sizes[@]}" --batch-sizes 128 16 \
    --out "$directory/inference_speed.md"
run 80 python benchmarks/lstm_layers.py "$text" "${sizes[@]}" --batch-sizes 128 16 \
    --out "$directory/lstm_speed.md"
run 100 python benchmarks/training.py "$text" "${sizes[@]}" --batch-size 128 \
    --out "$directory/training_speed.md"
exit "$status"
