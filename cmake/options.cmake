# Switches of the build, the language standard and the warnings of our own code.
option(WARI_TESTS "build the tests" ON)
option(WARI_TORCH "build the rooms that need LibTorch (train, app)" ON)
option(WARI_NATIVE "optimise for the processor of this machine" ON)
set(WARI_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(WARI_CCACHE ccache)
if(WARI_CCACHE)
  # The sloppiness lets ccache serve files that use a precompiled header; paths relative to the base serve another clone.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${WARI_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${WARI_CCACHE})
endif()
find_program(WARI_MOLD mold)
if(WARI_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Floats of the search must not depend on the compiler's choice to fuse: CPU and GPU, and every build, give the same trees.
set(WARI_CXX_FLAGS -ffp-contract=off)
if(WARI_NATIVE)
  list(APPEND WARI_CXX_FLAGS -march=native)
else()
  list(APPEND WARI_CXX_FLAGS -march=x86-64-v3)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${WARI_CXX_FLAGS}>")
if(WARI_SANITIZE)
  # Locals start as nonsense, so that reading one before it is written shows.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ftrivial-auto-var-init=pattern;-fsanitize=${WARI_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options(-fsanitize=${WARI_SANITIZE})
endif()
set(WARI_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wvla -Werror)
# g++ 12 reports impossible overlaps in std::string's operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND WARI_WARNINGS -Wno-restrict)
endif()
# With the pattern above it takes fmt's empty arrays of arguments for read before they are written.
if(WARI_SANITIZE)
  list(APPEND WARI_WARNINGS -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
