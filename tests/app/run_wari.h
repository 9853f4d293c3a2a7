#pragma once

#include <string>
#include <vector>

namespace wari {

// What a run of the binary gave.
struct Ran {
  int status = 0;
  std::string out, err;
};

// Runs build/.../wari with these arguments and this standard input.
Ran run_wari(const std::vector<std::string>& arguments, const std::string& input = "");

// A folder of its own, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace wari
