#!/usr/bin/env bash
# Installs what the build needs: Debian packages, CMake and the pinned LibTorch. Quick when nothing is missing; safe to run again.
#
#   scripts/setup.sh                        # into ~/.cache/wari (WARI_DEPS names another folder)
#   scripts/setup.sh tests                  # also the Python packages that tests read exported models with (60 MB, takes 200 MB), and Chromium for the pages (120 MB, takes 450 MB)
#   WARI_LIBTORCH=/opt/libtorch scripts/setup.sh   # a LibTorch of your own: none is installed
#   WARI_CUDA=1 scripts/setup.sh            # LibTorch's CUDA libraries too, though no GPU and no nvcc was found (0: never)
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

packages=(g++ ninja-build ccache mold pkg-config python3-venv libyaml-cpp-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libgtest-dev libgmock-dev libprotozero-dev libzstd-dev libxxhash-dev libsqlite3-dev libcpp-httplib-dev)

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; the build needs what these Debian packages bring: ${packages[*]}"
    return
  fi
  local missing=() name installed
  # dpkg-query fails as soon as one name is unknown to it, which is what a fresh machine says of most.
  installed=" $({ dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${packages[@]}" 2>/dev/null || true; } | sed -n 's/^ii *//p' | tr '\n' ' ')"
  for name in "${packages[@]}"; do [[ $installed == *" $name "* ]] || missing+=("$name"); done
  [ ${#missing[@]} -eq 0 ] && return
  echo "setup: installing Debian packages (about 300 MB where none is there yet): ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: no root and no sudo: ask an administrator for: apt-get install ${missing[*]}" >&2; exit 3; }
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

wants_cuda() {
  case ${WARI_CUDA:-auto} in
    1) return 0 ;;
    0) return 1 ;;
    *) [ -e /dev/nvidia0 ] || command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] ;;
  esac
}

python_for_venv() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then echo "$python"; return; fi
  done
  echo "setup: Python 3.10 or newer with venv is needed (Debian: python3-venv)" >&2
  exit 3
}

install_wheels() {
  local files=("$root/cmake/torch_requirements.txt") note="CMake and LibTorch (downloads about 0.6 GB, takes 1.3 GB)"
  if [ -n "${WARI_LIBTORCH:-}" ]; then
    [ -f "$WARI_LIBTORCH/lib/libtorch_cpu.so" ] || { echo "setup: WARI_LIBTORCH=$WARI_LIBTORCH has no lib/libtorch_cpu.so: name a folder with include/ and lib/" >&2; exit 2; }
    echo "setup: using your LibTorch at $WARI_LIBTORCH"
    use_cmake
    command -v cmake >/dev/null && at_least "$(cmake --version | sed -n 's/^cmake version //p')" 3.31 && return
    note="CMake (80 MB)"
  elif wants_cuda; then
    files+=("$root/cmake/torch_cuda_requirements.txt")
    note="CMake and LibTorch with its CUDA libraries (downloads about 2 GB, takes 4 GB)"
  fi
  local wanted
  wanted=$(cat "${files[@]}" | sed '/^#/d; /^ *$/d')
  if [ -n "${WARI_LIBTORCH:-}" ]; then wanted=$(grep '^cmake==' <<<"$wanted"); fi
  # Installed already, or more than is wanted now (an earlier run with CUDA libraries).
  if [ -f "$venv/wari-installed.txt" ] && [ -z "$(comm -23 <(sort <<<"$wanted") <(sort "$venv/wari-installed.txt"))" ]; then return; fi
  install_into_venv "$note" "$wanted" wari-installed.txt
}

install_test_wheels() {
  local wanted
  wanted=$(sed '/^#/d; /^ *$/d' "$root/cmake/test_requirements.txt")
  [ "$wanted" = "$(cat "$venv/wari-test-installed.txt" 2>/dev/null)" ] || install_into_venv "Python packages for tests (downloads about 60 MB)" "$wanted" wari-test-installed.txt
}

install_into_venv() {  # what it is, lines of pip, the file that remembers them
  echo "setup: installing into $venv: $1"
  mkdir -p "$deps"
  [ -x "$venv/bin/python3" ] || "$(python_for_venv)" -m venv "$venv"
  "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r <(echo "$2")
  echo "$2" >"$venv/$3"
  echo "setup: done, $(du -sh "$venv" | cut -f1) in $venv"
}

case ${1:-} in '' | tests) ;; *) echo "setup: unknown word '$1': known is tests" >&2; exit 2 ;; esac
if [ "${1:-}" = tests ]; then packages+=(chromium chromium-driver fonts-dejavu-core); fi  # a browser for the pages
install_packages
install_wheels
if [ "${1:-}" = tests ]; then install_test_wheels; fi
