#!/usr/bin/env bash
# Everything that must hold: set-up, release build with all tests, then the rooms without Torch under the address and undefined-behaviour sanitizers and the
# threaded rooms under the thread sanitizer. Under 20 minutes on two cores where setup.sh has been run before. Arguments name parts: release asan tsan.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$root"
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(release asan tsan)
jobs=${WARI_JOBS:-$(nproc)}
failed=()
passed_tests=0
failed_tests=0

scripts/setup.sh tests || exit $?
use_cmake

build() {  # preset, targets
  local preset=$1
  shift
  cmake --preset "$preset" >"build-$preset.log" 2>&1 || { cat "build-$preset.log"; rm -f "build-$preset.log"; return 1; }
  rm -f "build-$preset.log"
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}

run_tests() {  # preset, further arguments of ctest
  local preset=$1 log
  shift
  log=$(mktemp)
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" "$@" | tee "$log" | grep -v ' Passed \|^ *Start '
  local status=${PIPESTATUS[0]} bad total
  bad=$(sed -n 's/^.* \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log")
  total=$(sed -n 's/^.* tests failed out of \([0-9]*\)$/\1/p' "$log")
  rm -f "$log"
  passed_tests=$((passed_tests + ${total:-0} - ${bad:-0}))
  failed_tests=$((failed_tests + ${bad:-0}))
  return "$status"
}

part() {
  case $1 in
    release) build release && run_tests release ;;
    asan) build asan && WARI_TEST_SHARE=0.05 run_tests asan ;;
    # The rooms that start threads.
    tsan) build tsan endgame_tests search_tests selfplay_tests arena_tests && WARI_TEST_SHARE=0.05 run_tests tsan -L '^(endgame|search|selfplay|arena)$' ;;
    *) echo "test: unknown part '$1': known are release, asan, tsan" >&2; return 2 ;;
  esac
}

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1} WARI_REQUIRE_PYTHON=1 WARI_REQUIRE_BROWSER=1
for name in "${parts[@]}"; do
  start=$SECONDS
  echo "--- $name"
  part "$name" || failed+=("$name")
  echo "--- $name: $((SECONDS - start)) s"
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "test: failed: ${failed[*]}"
  [ "$failed_tests" -gt 0 ] || failed_tests=1  # a build that failed counts too
fi
echo "$passed_tests passed, $failed_tests failed"
[ ${#failed[@]} -eq 0 ]
