#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace wari {

// A file that grows beside its place, as FILE.tmp, and gets its own name when it is whole (begin_replacement() of durable_file.h). Without publish() nothing of it is left.
class GrowingFile {
 public:
  // Throws Error where a folder, a device or a pipe stands there, or nothing can be written.
  explicit GrowingFile(std::filesystem::path file);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void append(std::string_view bytes);
  void publish();  // synced, renamed, the folder synced

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path file_, temporary_;
  std::FILE* out_ = nullptr;
};

}  // namespace wari
