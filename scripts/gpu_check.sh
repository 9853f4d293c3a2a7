#!/usr/bin/env bash
# What only a machine with a GPU can tell. Uses a tree that is built (WARI_BUILD, else build/release, else build/portable), or builds one where the libraries are.
#
#   scripts/gpu_check.sh quick    # about 150 s: environment, tests with the label gpu, with and without graphs, doctor, one row of the benchmark
#   scripts/gpu_check.sh full     # about 300 s: the memory checkers where they take the device, the benchmark, 90 s of training stopped and continued
#
# Every stage has its own time limit; the table in $OUT/gpu_check.md (else ./gpu_check.md) is written again after each, with its log in gpu_check.log beside it.
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
if ldd "$build/wari" | grep -q 'not found'; then
  site=$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))' 2>/dev/null || true)
  LD_LIBRARY_PATH=$build/lib:$site/torch/lib$(find "$site/nvidia" -maxdepth 3 -name lib -type d -printf ':%p' 2>/dev/null)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
export WARI_REQUIRE_GPU=1

failed=0
printf '| stage | result | seconds |\n|---|---|---|\n' >"$table"
stage() {  # name, limit in seconds, command...
  local name=$1 limit=$2 start=$SECONDS status
  shift 2
  printf '\n=== %s: %s\n' "$name" "$*" >>"$log"
  timeout --kill-after=10 "$limit" "$@" >>"$log" 2>&1
  status=$?
  case $status in
    0) status=ok ;;
    124 | 137) status="out of time ($limit s)"; failed=1 ;;
    *) status="FAILED ($status)"; failed=1 ;;
  esac
  printf '| %s | %s | %d |\n' "$name" "$status" $((SECONDS - start)) >>"$table"
  echo "$name: $status"
}
# As stage(), for a tool that may be missing or refuse the device: then a word instead of a failure.
tool_stage() {  # name, limit, tool, arguments...
  if command -v "$3" >/dev/null; then stage "$@"; else printf '| %s | skipped: no %s | 0 |\n' "$1" "$3" >>"$table"; fi
}
training() {  # seconds until it is interrupted; 0: not at all
  local run=$out/gpu_run
  if [ "$1" -gt 0 ]; then
    timeout -s INT "$1" "$build/wari" train --config configs/gpu.yaml --run "$run" --set device=cuda --set max_minutes=1.5
    [ $? -eq 124 ]
  else
    "$build/wari" train --config configs/gpu.yaml --run "$run" --set device=cuda --set max_minutes=1.5
  fi
}

export -f training
export build out

tool_stage environment 20 nvidia-smi
stage doctor 60 "$build/wari" doctor --device cuda --config configs/gpu.yaml
if [ "$mode" = quick ]; then
  stage 'tests, graphs' 60 "$build/cuda_tests" --gtest_filter='Gpu*'
  stage 'tests, kernel by kernel' 60 env WARI_CUDA=sync,one-wave "$build/cuda_tests" --gtest_filter='Gpu*'
else
  tool_stage memcheck 90 compute-sanitizer --tool memcheck --error-exitcode 1 "$build/cuda_tests" --gtest_filter='GpuSelfplay.GamesGoOn*:GpuRules*'
  tool_stage initcheck 60 compute-sanitizer --tool initcheck --error-exitcode 1 "$build/cuda_tests" --gtest_filter='GpuSelfplay.GamesGoOn*'
  stage 'training, interrupted' 70 bash -c 'training 45'
  stage 'training, continued' 90 bash -c 'training 0'
  rm -rf "$out/gpu_run"
fi
[ "$mode" = quick ] && limit=100 || limit=150
stage bench "$limit" "$build/wari" bench gpu
grep -E '^gpu\.' "$log" | sed 's/^/    /' >"$out/gpu_bench.txt"
{ echo; cat "$out/gpu_bench.txt"; } >>"$table"
cat "$table"
exit $failed
