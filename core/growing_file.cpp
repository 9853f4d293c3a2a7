#include "core/growing_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {

GrowingFile::GrowingFile(std::filesystem::path file) : file_(std::move(file)), partial_(file_.string() + ".partial") {
  std::error_code ignored;
  if (std::filesystem::is_directory(file_, ignored)) throw Error("a folder, not a file: '" + file_.string() + "': give the name of a file");
  out_ = std::fopen(partial_.c_str(), "wb");
  if (out_ == nullptr) throw Error("cannot write the file (" + std::string(std::strerror(errno)) + "): '" + file_.string() + "': give another place");
}

GrowingFile::~GrowingFile() {
  if (out_ != nullptr) std::fclose(out_);
  std::error_code ignored;
  if (!partial_.empty()) std::filesystem::remove(partial_, ignored);
}

void GrowingFile::fail() const {
  throw system_error("cannot write the file (" + std::string(std::strerror(errno)) + "): '" + partial_.string() + "': free some space or give another place");
}

void GrowingFile::append(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) fail();
}

void GrowingFile::publish() {
  if (std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0) fail();
  if (std::fclose(std::exchange(out_, nullptr)) != 0) fail();
  std::filesystem::rename(partial_, file_);
  partial_.clear();
  sync_folder(file_.has_parent_path() ? file_.parent_path() : ".");
}

}  // namespace wari
