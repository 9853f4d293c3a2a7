#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

// Which libraries the program would load.
namespace wari {
namespace {

namespace fs = std::filesystem;

// Where `file` finds the library of this name; empty: it needs none.
fs::path found_by(const fs::path& file, const std::string& library) {
  std::FILE* const pipe = ::popen(("ldd '" + file.string() + "' 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  fs::path found;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    const std::string line = buffer;
    const std::size_t arrow = line.find(" => ");
    if (line.find("\t" + library + " ") == 0 && arrow != std::string::npos) found = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
  }
  ::pclose(pipe);
  return found;
}

TEST(Libraries, CublasLtIsTheOneThatLibTorchsCudaSideNeeds) {
  const fs::path wari = fs::path(WARI_BINARY_DIR) / "wari";
  const std::string name = "libcublasLt.so.13";
  const fs::path torch = found_by(wari, "libc10.so").parent_path() / "libtorch_cuda.so", own = found_by(wari, name);
  if (own.empty() || !fs::exists(torch)) GTEST_SKIP() << "built without CUDA, or this LibTorch has no CUDA side";
  EXPECT_EQ(fs::canonical(own), fs::canonical(found_by(torch, name))) << "whichever is loaded first serves both";
}

}  // namespace
}  // namespace wari
