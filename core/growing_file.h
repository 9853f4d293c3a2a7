#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace wari {

// A file that grows under the name FILE.partial and gets its own name when it is whole. Without publish() nothing of it is left.
class GrowingFile {
 public:
  // Throws Error where `file` is a folder or cannot be written.
  explicit GrowingFile(std::filesystem::path file);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void append(std::string_view bytes);
  void publish();  // synced, renamed, the folder synced

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path file_, partial_;
  std::FILE* out_ = nullptr;
};

}  // namespace wari
