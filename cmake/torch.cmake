# LibTorch as an imported target over the headers and libraries of a PyTorch wheel: works with and without a CUDA toolkit, which find_package(Torch) of a
# CUDA wheel does not. WARI_LIBTORCH (variable or environment) names a folder with include/ and lib/; else the one that scripts/setup.sh installed is taken.
if(NOT WARI_TORCH)
  return()
endif()
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/torch_requirements.txt WARI_TORCH_VERSION REGEX "^torch==")
string(REPLACE "torch==" "" WARI_TORCH_VERSION "${WARI_TORCH_VERSION}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/torch_requirements.txt)

set(WARI_LIBTORCH "" CACHE PATH "a LibTorch of your own: folder with include/ and lib/")
set(torch_folder "${WARI_LIBTORCH}")
if(NOT torch_folder AND DEFINED ENV{WARI_LIBTORCH})
  set(torch_folder "$ENV{WARI_LIBTORCH}")
endif()
if(NOT torch_folder)
  set(deps "$ENV{HOME}/.cache/wari")
  if(DEFINED ENV{WARI_DEPS})
    set(deps "$ENV{WARI_DEPS}")
  endif()
  file(GLOB candidates ${deps}/venv/lib/python3*/site-packages/torch)
  if(NOT candidates)
    message(FATAL_ERROR "LibTorch was not found in ${deps}/venv/lib/python3*/site-packages/torch: run scripts/setup.sh, or name your own with -DWARI_LIBTORCH=FOLDER "
      "(the folder 'torch' of a wheel torch==${WARI_TORCH_VERSION}, or an unpacked LibTorch ${WARI_TORCH_VERSION}; it contains include/ and lib/)")
  endif()
  list(GET candidates 0 torch_folder)
endif()
get_filename_component(torch_folder "${torch_folder}" ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
foreach(part include/torch/csrc/api/include/torch/torch.h lib/libtorch_cpu.so lib/libc10.so)
  if(NOT EXISTS "${torch_folder}/${part}")
    message(FATAL_ERROR "No LibTorch at '${torch_folder}': ${part} is missing there; run scripts/setup.sh, or correct WARI_LIBTORCH")
  endif()
endforeach()

# Another version may lack what we call or train to other bits: refused rather than tried.
set(torch_version "unknown")
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS "${torch_folder}/include/${header}")
    file(STRINGS "${torch_folder}/include/${header}" lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" torch_version "${lines}")
    if(lines)
      break()
    endif()
  endif()
endforeach()
if(NOT torch_version VERSION_EQUAL WARI_TORCH_VERSION)
  message(FATAL_ERROR "LibTorch ${torch_version} at '${torch_folder}' is not supported: ${WARI_TORCH_VERSION} is (cmake/torch_requirements.txt); run scripts/setup.sh or name that version with WARI_LIBTORCH")
endif()

add_library(wari_torch INTERFACE)
add_library(wari::torch ALIAS wari_torch)
# The wheel's folder also holds a newer fmt; -idirafter puts it behind the system's folders, so that all rooms see the same fmt.
target_compile_options(wari_torch INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${torch_folder}/include>" "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${torch_folder}/include/torch/csrc/api/include>")
target_link_libraries(wari_torch INTERFACE ${torch_folder}/lib/libtorch_cpu.so ${torch_folder}/lib/libc10.so)

# LibTorch's CUDA side, loaded when it is wanted, needs the cublasLt of exactly its own cuBLAS; our products use whichever is loaded first, so a toolkit's must not come before it.
file(GLOB torch_nvidia_folders ${torch_folder}/../nvidia/cu[0-9]*/lib)
list(APPEND CMAKE_BUILD_RPATH ${torch_folder}/lib ${torch_nvidia_folders})

# The libraries of Debian (yaml-cpp) use the C++11 ABI of std::string; a LibTorch built with the old one links to nothing that passes strings.
if(NOT WARI_TORCH_ABI_CHECKED STREQUAL torch_folder)
  set(probe ${CMAKE_BINARY_DIR}/torch_abi_probe.cpp)
  file(WRITE ${probe} "#include <cstdint>\n#include <string>\nnamespace c10::detail { [[noreturn]] void torchCheckFail(const char*, const char*, uint32_t, const std::string&); }\n"
    "int main(int argc, char**) { if (argc > 1) c10::detail::torchCheckFail(\"\", \"\", 0, std::string()); }\n")
  try_compile(WARI_TORCH_ABI_OK ${CMAKE_BINARY_DIR}/torch_abi_probe ${probe} LINK_LIBRARIES ${torch_folder}/lib/libc10.so CXX_STANDARD 20 OUTPUT_VARIABLE probe_output)
  if(NOT WARI_TORCH_ABI_OK)
    message(FATAL_ERROR "LibTorch at '${torch_folder}' cannot be linked, most likely because it was built with the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), which does not fit this "
      "system's libraries: take the PyPI wheel torch==${WARI_TORCH_VERSION} (scripts/setup.sh)\n${probe_output}")
  endif()
  set(WARI_TORCH_ABI_CHECKED ${torch_folder} CACHE INTERNAL "LibTorch whose ABI was found to fit")
endif()
message(STATUS "LibTorch ${torch_version}: ${torch_folder}")
