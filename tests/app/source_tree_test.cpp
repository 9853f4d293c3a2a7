#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

// The house rules that a machine can check: which room includes which, and how long a file may be.
namespace wari {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kRooms{"core", "endgame", "search", "cuda", "selfplay", "arena", "train", "app"};  // in dependency order
constexpr int kMostLines = 400;

struct Source {
  fs::path path;     // absolute
  std::string name;  // from the root
  int room = 0;      // of the file, or of what it tests
  std::vector<std::string> lines;
};

std::vector<Source> sources() {
  std::vector<Source> found;
  const fs::path root = WARI_SOURCE_DIR;
  for (std::size_t room = 0; room < kRooms.size(); ++room) {
    for (const fs::path& folder : {root / kRooms[room], root / "tests" / kRooms[room]}) {
      if (!fs::exists(folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
        Source source{entry.path(), fs::relative(entry.path(), root).string(), static_cast<int>(room), {}};
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);) source.lines.push_back(line);
        found.push_back(std::move(source));
      }
    }
  }
  return found;
}

TEST(SourceTree, RoomsIncludeOnlyRoomsAboveThem) {
  const std::regex include("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
  int checked = 0;
  for (const Source& source : sources()) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(source.lines[i], match, include)) continue;
      const std::string where = source.name + ":" + std::to_string(i + 1) + ": " + source.lines[i];
      const std::string target = match[2];
      EXPECT_EQ(target.find("../"), std::string::npos) << where << ": include from the root";
      const bool torch = target.rfind("torch/", 0) == 0 || target.rfind("ATen/", 0) == 0 || target.rfind("c10/", 0) == 0;
      EXPECT_TRUE(!torch || kRooms[static_cast<std::size_t>(source.room)] == "train") << where << ": only train includes Torch";
      const bool cuda = target.rfind("cuda", 0) == 0 && match[1] == "<";
      EXPECT_TRUE(!cuda || source.path.extension() == ".cu") << where << ": CUDA headers belong into a .cu";
      if (match[1] == "<") continue;
      EXPECT_TRUE(fs::exists(fs::path(WARI_SOURCE_DIR) / target)) << where << ": not a file from the root";
      const std::string room = target.substr(0, target.find('/'));
      const auto place = std::find(kRooms.begin(), kRooms.end(), room);
      if (place == kRooms.end()) {
        EXPECT_TRUE(room == "tests" && source.name.rfind("tests/", 0) == 0) << where << ": no room of that name";
        continue;
      }
      EXPECT_LE(place - kRooms.begin(), source.room) << where << ": a room includes only rooms above it";
      ++checked;
    }
  }
  EXPECT_GT(checked, 100) << "the test found hardly any includes";
}

TEST(SourceTree, FilesStayShort) {
  for (const Source& source : sources()) EXPECT_LE(source.lines.size(), std::size_t{kMostLines}) << source.name << ": split it by stage";
}

TEST(SourceTree, HeadersAreGuarded) {
  for (const Source& source : sources()) {
    if (source.path.extension() != ".h") continue;
    EXPECT_TRUE(std::find(source.lines.begin(), source.lines.end(), "#pragma once") != source.lines.end()) << source.name;
  }
}

TEST(SourceTree, NothingIsLeftToDoInComments) {
  const std::regex left("\\b(TODO|FIXME|XXX)\\b");
  for (const Source& source : sources()) {
    if (source.name == "tests/app/source_tree_test.cpp") continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) EXPECT_FALSE(std::regex_search(source.lines[i], left)) << source.name << ":" << i + 1;
  }
}

// ctest's label `gpu` goes by the name of the suite (cmake/rooms.cmake).
TEST(SourceTree, SuitesNamedGpuAreThoseThatNeedOne) {
  const std::regex test("^TEST(_F|_P)?\\((\\w+), (\\w+)\\).*"), needs("^\\s*WARI_NEEDS_GPU\\(\\);");
  int gpu_tests = 0;
  for (const Source& source : sources()) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(source.lines[i], match, test)) continue;
      const bool asks = i + 1 < source.lines.size() && std::regex_search(source.lines[i + 1], needs), named = match[2].str().starts_with("Gpu");
      EXPECT_EQ(asks, named) << source.name << ":" << i + 1 << ": suites named Gpu..., and no others, begin their tests with WARI_NEEDS_GPU()";
      gpu_tests += asks ? 1 : 0;
    }
  }
  EXPECT_GE(gpu_tests, 10);
}

TEST(Configs, EveryKeyCarriesAComment) {
  const fs::path folder = fs::path(WARI_SOURCE_DIR) / "configs";
  if (!fs::exists(folder)) GTEST_SKIP() << "no configs yet";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path());
    std::string before;
    int number = 0;
    for (std::string line; std::getline(in, line); before = line) {
      ++number;
      const std::size_t start = line.find_first_not_of(' ');
      if (start == std::string::npos || line[start] == '#') continue;
      const bool group = line.back() == ':';
      const std::size_t before_start = before.find_first_not_of(' ');
      const bool above = before_start != std::string::npos && before[before_start] == '#';
      EXPECT_TRUE(group || above || line.find(" #") != std::string::npos) << entry.path().filename() << ":" << number << ": " << line;
    }
  }
}

}  // namespace
}  // namespace wari
