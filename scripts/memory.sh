#!/usr/bin/env bash
# Does self-play hold its memory? Plays for MINUTES (default 30) with the network of a checkpoint and prints the process's resident memory as it goes.
# Exit 1 if it grew by more than 3 % (and 16 MB) after the first sixth of the time, when all buffers have been used.
#
#   scripts/memory.sh runs/quickstart 30 configs/cpu.yaml
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$root"
checkpoint=${1:?usage: scripts/memory.sh CHECKPOINT [MINUTES] [CONFIG]}
minutes=${2:-30}
config=${3:-configs/cpu.yaml}
out=$(mktemp -d)
build/release/wari selfplay --config "$config" --checkpoint "$checkpoint" --games 1000000000 --out "$out/games" >"$out/log" 2>&1 &
process=$!
trap 'kill $process 2>/dev/null || true; wait $process 2>/dev/null || true; rm -rf "$out"' EXIT

resident_kib() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$process/status" 2>/dev/null || true; }

seconds=$((minutes * 60))
settled=0
most=0
start=$SECONDS
step=$((seconds / 60 > 1 ? seconds / 60 : 1))
while [ $((SECONDS - start)) -lt "$seconds" ]; do
  sleep "$step"
  now=$(resident_kib)
  [ -n "$now" ] || { echo "memory: self-play ended early:" >&2; tail -n 3 "$out/log" >&2; exit 3; }
  elapsed=$((SECONDS - start))
  if [ "$elapsed" -ge $((seconds / 6)) ]; then
    [ "$settled" -gt 0 ] || settled=$now
    [ "$now" -le "$most" ] || most=$now
  fi
  printf 'after %5d s: %7d KiB resident, records %s\n' "$elapsed" "$now" "$(du -sh "$out/games" 2>/dev/null | cut -f1)"
done
echo "memory: $settled KiB after a sixth of the time, at most $most KiB since"
[ $((most - settled)) -le $((settled * 3 / 100 > 16384 ? settled * 3 / 100 : 16384)) ] || { echo "memory: it grew" >&2; exit 1; }
