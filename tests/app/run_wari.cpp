#include "tests/app/run_wari.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wari {

namespace {

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Ran run_wari(const std::vector<std::string>& arguments, const std::string& input) {
  TestFolder folder;
  std::string command = "cd " + shell_quoted(WARI_SOURCE_DIR) + " && " + shell_quoted(std::string(WARI_BINARY_DIR) + "/wari");
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  command += " >" + folder.path() + "/out 2>" + folder.path() + "/err <" + folder.file("in", input);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(folder.path() + "/out"), content(folder.path() + "/err")};
}

TestFolder::TestFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "wari_test_XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::file(const std::string& name, const std::string& text) const {
  std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  return path_ + "/" + name;
}

}  // namespace wari
