# Sourced by the other scripts: where the dependencies are and which CMake is used.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=${WARI_DEPS:-$HOME/.cache/wari}
venv=$deps/venv

# true if version $1 is at least $2
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# CMake before 3.31 cannot set CUDA's C++20 dialect: the one of the virtual environment goes first then.
use_cmake() {
  local system
  system=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p') || true
  if ! at_least "${system:-0}" 3.31 && [ -x "$venv/bin/cmake" ]; then PATH=$venv/bin:$PATH; fi
}
