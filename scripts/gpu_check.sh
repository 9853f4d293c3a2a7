#!/usr/bin/env bash
# What only a machine with a GPU can tell. Uses a tree that is built (WARI_BUILD, else build/release, else build/portable), or builds one where the libraries are.
#
#   scripts/gpu_check.sh quick    # at most 150 s: environment, kernels, rules, trees kernel by kernel and in graphs, doctor, one row of the benchmark
#   scripts/gpu_check.sh full     # at most 300 s: the memory checkers where they take the device, the benchmark, 90 s of training stopped and continued
#
# Every stage has its own time limit; the table in $OUT/gpu_check.md (else ./gpu_check.md) is written again after each. Beside it: gpu_check.log, gpu_bench.json, gpu_bench.txt.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$root"
mode=${1:-quick}
case $mode in quick | full) ;; *) echo "usage: scripts/gpu_check.sh quick|full" >&2; exit 2 ;; esac
out=${OUT:-.}
mkdir -p "$out"
table=$out/gpu_check.md
log=$out/gpu_check.log
: >"$log"

build=${WARI_BUILD:-}
for candidate in build/release build/portable; do [ -n "$build" ] || { [ -x "$candidate/wari" ] && build=$candidate; }; done
if [ -z "$build" ]; then
  scripts/setup.sh && use_cmake && cmake --preset release >>"$log" && cmake --build --preset release --parallel "$(nproc)" --target wari cuda_tests >>"$log" || { echo "gpu_check: the build failed, see $log" >&2; exit 1; }
  build=build/release
fi

# A carried build takes LibTorch and cuBLAS of the machine's PyTorch, and what else it needs from a folder lib beside the binary.
if ldd "$build/wari" 2>/dev/null | grep -q 'not found'; then
  site=$(python3 -c 'import importlib.util, os; print(os.path.dirname(os.path.dirname(importlib.util.find_spec("torch").origin)))' 2>/dev/null || true)
  LD_LIBRARY_PATH=$build/lib:$site/torch/lib$(find "$site/nvidia" -maxdepth 3 -name lib -type d -printf ':%p' 2>/dev/null)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
export WARI_REQUIRE_GPU=1
PATH=$PATH:/usr/local/cuda/bin  # compute-sanitizer is seldom anywhere else

failed=0
rows=()
write_table() {
  {
    printf '# gpu_check.sh %s\n\n' "$mode"
    [ ! -s "$work/gpu" ] || { cat "$work/gpu"; echo; }
    printf '| stage | result | seconds |\n|---|---|---|\n'
    [ ${#rows[@]} -eq 0 ] || printf '%s\n' "${rows[@]}"
    [ ! -s "$out/gpu_bench.txt" ] || { echo; sed 's/^/    /' "$out/gpu_bench.txt"; }
  } >"$table.new"
  mv "$table.new" "$table"
}
row() {  # name, result, seconds
  rows+=("| $1 | $2 | $3 |")
  write_table
  echo "$1: $2"
}
stage() {  # name, limit in seconds, command...
  local name=$1 limit=$2 start=$SECONDS status
  shift 2
  printf '\n=== %s: %s\n' "$name" "$*" >>"$log"
  timeout --kill-after=2 "$limit" "$@" >>"$log" 2>&1
  status=$?
  case $status in
    0) status=ok ;;
    124 | 137) status="out of time ($limit s)"; failed=1 ;;
    *) status="FAILED ($status)"; failed=1 ;;
  esac
  row "$name" "$status" $((SECONDS - start))
}
# A checker of NVIDIA's that may be missing, or refuse the device: then a word instead of a failure.
checker_stage() {  # name, limit in seconds, arguments of compute-sanitizer...
  local name=$1 limit=$2
  shift 2
  if ! command -v compute-sanitizer >/dev/null; then row "$name" 'skipped: no compute-sanitizer' 0; return; fi
  if ! timeout 5 compute-sanitizer --tool memcheck "$build/cuda_tests" --gtest_filter='GpuKernels*' >"$log.try" 2>&1 && grep -qi 'not supported\|failed to init\|unable to' "$log.try"; then
    cat "$log.try" >>"$log"
    row "$name" 'skipped: compute-sanitizer refuses the device' 0
  else
    stage "$name" "$limit" compute-sanitizer --error-exitcode 1 "$@"
  fi
  rm -f "$log.try"
}
bench() {  # limit in seconds, rows...
  local limit=$1
  shift
  stage "bench $*" "$limit" bash -c '"$build/wari" bench --json "$@" >"$out/gpu_bench.json" && grep -q "\"unit\"" "$out/gpu_bench.json"' bench "$@"
  python3 -c 'import json, sys
for r in json.load(sys.stdin)["results"]: print("%-52s %12.5g %s [%.5g .. %.5g]" % (r["name"], r["value"], r["unit"], r["low"], r["high"]))' <"$out/gpu_bench.json" >"$out/gpu_bench.txt" 2>/dev/null
  write_table
}
# Asked once: it may take a second each time, and the table is written often.
environment() { nvidia-smi && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader >"$work/gpu"; }
# The run lies outside $out, which takes few files home.
training() {  # seconds until it is interrupted; 0: not at all
  local status
  timeout -s INT "${1/#0/1000}" "$build/wari" train --config configs/gpu.yaml --run "$run" --set device=cuda --set max_minutes=1.5
  status=$?
  [ "$1" = 0 ] && return $status
  [ $status -eq 124 ] || return 1
}
export -f environment training
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run=$work/run
export build out run work

write_table
stage environment 5 bash -c environment
if [ "$mode" = quick ]; then
  stage kernels 12 "$build/cuda_tests" --gtest_filter='GpuKernels*'
  stage rules 10 "$build/cuda_tests" --gtest_filter='GpuRules*'
  stage 'trees, kernel by kernel' 33 env WARI_CUDA=no-graphs "$build/cuda_tests" --gtest_filter='GpuSelfplay*:GpuBatchSearch*'
  stage 'trees, graphs' 28 "$build/cuda_tests" --gtest_filter='GpuSelfplay*:GpuBatchSearch*:GpuNetwork*'
  stage doctor 37 "$build/wari" doctor --device cuda --config configs/gpu.yaml
  bench 25 gpu.mlp_12x256.16k
else
  checker_stage memcheck 25 --tool memcheck "$build/cuda_tests" --gtest_filter='GpuMemory*'
  checker_stage initcheck 20 --tool initcheck "$build/cuda_tests" --gtest_filter='GpuMemory*'
  bench 105 gpu
  stage 'training, interrupted' 55 bash -c 'training 45'
  stage 'training, continued' 75 bash -c 'training 0'
fi
cat "$table"
exit $failed
