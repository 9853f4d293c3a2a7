#!/usr/bin/env bash
# From a fresh clone to a trained engine: installs what is missing, builds, trains for a quarter of an hour by self-play alone, and lets the result play.
#
#   scripts/quickstart.sh              # into runs/quickstart; run again, it continues a run that was stopped
#   scripts/quickstart.sh runs/mine    # into another folder
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$root"
run=${1:-runs/quickstart}

scripts/setup.sh
use_cmake
echo "quickstart: building (about ten minutes the first time on two cores)"
cmake --preset release >/dev/null
cmake --build --preset release --parallel "$(nproc)" --target wari
wari=build/release/wari

echo "quickstart: training into $run, a quarter of an hour; Ctrl-C stops and keeps everything, the same command continues"
"$wari" train --config configs/cpu.yaml --run "$run"

echo
echo "quickstart: what it learned, 100 games each from random openings, both seats, 64 simulations a move"
for opponent in random greedy alphabeta:depth=8; do
  echo "against $opponent:"
  "$wari" match --a "search:checkpoint=$run,visits=64" --b "$opponent" --games 100 --rules abapa --log warning
done
earliest=$(ls "$run/checkpoints" | head -1)
echo "against itself after $((10#$earliest)) iterations, 1,000 games:"
"$wari" match --a "search:checkpoint=$run,visits=64" --b "search:checkpoint=$run/checkpoints/$earliest,visits=64" --games 1000 --opening-plies 8 --rules abapa --log warning
echo "with the run's table of endings up to 12 seeds (docs/endgame.md), against itself without, 2,000 games:"
"$wari" match --a "search:checkpoint=$run,visits=64,table=$run/tables/abapa-12.table" --b "search:checkpoint=$run,visits=64" --games 2000 --opening-plies 8 --rules abapa --log warning

echo
echo "quickstart: exporting the network (docs/export.md)"
"$wari" export --checkpoint "$run" --format onnx --out "$run/model.onnx" --log warning

cat <<END

Play it:
  $wari serve --run $run            in the browser
  $wari play --checkpoint $run      in this terminal

How to go on:
  $wari analyze --rules abapa --checkpoint $run --visits 2000
      what it thinks of the start
  $wari train --config configs/cpu_hour.yaml --run runs/hour
      an hour with a larger network: clearly stronger (docs/training.md)
  $wari train --config configs/cpu.yaml --run $run --set max_minutes=60
      this run, an hour in all: a little stronger
  $wari match --a search:checkpoint=$run,visits=400 --b alphabeta:depth=12 --games 100 --rules abapa
      against the program that looks twelve plies ahead
  $wari endgame build --seeds 15 --out abapa-15.table && $wari evaluate --checkpoint $run --table abapa-15.table
      how often its move is perfect in endings
docs/training.md explains every metric, docs/rules.md the other rule sets; tensorboard --logdir $run draws the curves too (pip install tensorboard, in a Python environment of yours).
END
