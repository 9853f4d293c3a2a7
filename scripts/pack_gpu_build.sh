#!/usr/bin/env bash
# Packs a build for a GPU machine that has a driver and PyTorch 2.11.0, but neither network nor compiler:
#
#   cmake --preset portable && cmake --build --preset portable --target wari cuda_tests
#   scripts/pack_gpu_build.sh [FILE]          # default: build/wari_gpu.tar.gz
#
# and there:  tar -xzf wari_gpu.tar.gz && cd wari_gpu && OUT=out scripts/gpu_check.sh quick
#
# In it: both programs without debug information, a folder lib beside them with what such a machine may lack, scripts and configs. LibTorch, the CUDA runtime's libraries and cuBLAS are
# left out: the machine's PyTorch brings them (gpu_check.sh finds it). WARI_BUILD names another build.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$root"
build=${WARI_BUILD:-build/portable}
file=${1:-build/wari_gpu.tar.gz}
for program in wari cuda_tests; do
  [ -x "$build/$program" ] || { echo "pack_gpu_build: no $build/$program: build it first: cmake --preset portable && cmake --build --preset portable --target wari cuda_tests" >&2; exit 2; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
to=$folder/wari_gpu/build/portable
mkdir -p "$to/lib" "$folder/wari_gpu/scripts"
for program in wari cuda_tests; do strip -o "$to/$program" "$build/$program"; done
cp scripts/environment.sh scripts/gpu_check.sh "$folder/wari_gpu/scripts/"
cp -r configs "$folder/wari_gpu/"

# What the programs load, but for what every Linux has and what PyTorch brings.
ldd "$build/wari" "$build/cuda_tests" | awk '/=> \//{print $3}' | sort -u | while read -r library; do
  case $(basename "$library") in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libutil.so* | libgcc_s.so* | ld-linux*) ;;
    libtorch* | libc10* | libcu* | libnv* | libgomp* | libshm* | libmkl* | libgfortran* | libquadmath*) ;;
    *) case $library in */torch/lib/* | */nvidia/*) ;; *) cp -L "$library" "$to/lib/" ;; esac ;;
  esac
done
chmod -R u+w "$to/lib"
find "$to/lib" -type f -exec strip --strip-unneeded {} +

case $file in /*) ;; *) file=$root/$file ;; esac
tar -C "$folder" -cf - wari_gpu | gzip -9 >"$file"  # what every machine can unpack
bytes=$(stat -c %s "$file")
printf '%s: %d.%d MB compressed; programs %s, libraries %s\n' "$file" $((bytes / 1000000)) $((bytes / 100000 % 10)) "$(du -ch "$to/wari" "$to/cuda_tests" | tail -n 1 | cut -f 1)" "$(du -sh "$to/lib" | cut -f 1)"
[ "$bytes" -le 60000000 ] || { echo "pack_gpu_build: more than 60 MB" >&2; exit 1; }
