#include "core/growing_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {

GrowingFile::GrowingFile(std::filesystem::path file) {
  const Replacement replacement = begin_replacement(file);
  file_ = replacement.target;
  temporary_ = replacement.temporary;
  out_ = ::fdopen(replacement.descriptor, "wb");
  if (out_ == nullptr) fail();
}

GrowingFile::~GrowingFile() {
  if (out_ != nullptr) std::fclose(out_);
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void GrowingFile::fail() const {
  throw system_error("cannot write the file (" + std::string(std::strerror(errno)) + "): '" + temporary_.string() + "': free some space or give another place");
}

void GrowingFile::append(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) fail();
}

void GrowingFile::publish() {
  if (std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0) fail();
  if (std::fclose(std::exchange(out_, nullptr)) != 0) fail();
  std::filesystem::rename(temporary_, file_);
  temporary_.clear();
  sync_folder(file_.has_parent_path() ? file_.parent_path() : ".");
}

}  // namespace wari
