#include "core/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace wari {

namespace fs = std::filesystem;

namespace {

// An open descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// What a write to `file` is to replace: what symbolic links lead to.
fs::path file_to_replace(const fs::path& file) {
  std::error_code failed;
  const fs::file_type kind = fs::status(file, failed).type();
  if (kind == fs::file_type::directory) throw Error("a folder, not a file: '" + file.string() + "': give the name of a file");
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found && kind != fs::file_type::none)
    throw Error("a device or a pipe, which no file can replace: '" + file.string() + "': give the name of a file");
  if (!fs::is_symlink(file, failed)) return file;
  if (kind == fs::file_type::regular) return fs::canonical(file);
  const fs::path link = fs::read_symlink(file, failed);  // leads to nothing yet
  return link.is_absolute() ? link : file.parent_path() / link;
}

bool transient(int error) { return error == EIO || error == EAGAIN; }

[[noreturn]] void fail(const std::string& what, const fs::path& file, int error) {
  std::string advice = "check the path and its permissions";
  if (error == ENOSPC || error == EDQUOT) advice = "free some space and run the command again; what was saved before is intact";
  if (error == EIO) advice = "the device reported an error twice; what was saved before is intact";
  throw system_error(what + ": '" + file.string() + "': " + std::strerror(error) + "; " + advice);
}

// 0, or the error number of the call that failed.
int write_all(int descriptor, std::string_view bytes, const FileCalls& calls) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = (calls.write ? calls.write : ::write)(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<std::size_t>(count);
  }
  return (calls.sync ? calls.sync : ::fsync)(descriptor) == 0 ? 0 : errno;
}

}  // namespace

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() < 0) fail("cannot open the folder", folder, errno);
  if (::fsync(descriptor.number()) != 0 && errno != EINVAL) fail("cannot sync the folder", folder, errno);
}

Replacement begin_replacement(const fs::path& file) {
  Replacement replacement{file_to_replace(file), {}, -1};
  struct stat old {};
  const bool replaces = ::stat(replacement.target.c_str(), &old) == 0;
  constexpr int kMostTaken = 1000;
  for (int taken = 0; replacement.descriptor < 0; ++taken) {
    replacement.temporary = replacement.target.string() + (taken == 0 ? "" : "." + std::to_string(taken)) + ".tmp";
    replacement.descriptor = ::open(replacement.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (replacement.descriptor < 0 && (errno != EEXIST || taken == kMostTaken)) fail("cannot write", file, errno);
  }
  if (replaces) ::fchmod(replacement.descriptor, old.st_mode & 07777);  // where the owner is another the mode stays what it is
  return replacement;
}

void write_file_durably(const fs::path& file, std::string_view bytes, const FileCalls& calls) {
  const Replacement replacement = begin_replacement(file);
  int error = 0;
  {
    const Descriptor descriptor(replacement.descriptor);
    error = write_all(descriptor.number(), bytes, calls);
    if (transient(error)) error = ::ftruncate(descriptor.number(), 0) != 0 || ::lseek(descriptor.number(), 0, SEEK_SET) != 0 ? errno : write_all(descriptor.number(), bytes, calls);
  }
  if (error == 0 && ::rename(replacement.temporary.c_str(), replacement.target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(replacement.temporary.c_str());
    fail("cannot write " + std::to_string(bytes.size()) + " bytes", file, error);
  }
  sync_folder(replacement.target.parent_path());
}

void append_durably(const fs::path& file, std::string_view bytes, const FileCalls& calls) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (descriptor.number() < 0) fail("cannot write", file, errno);
  const off_t before = ::lseek(descriptor.number(), 0, SEEK_END);
  int error = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    error = write_all(descriptor.number(), bytes, calls);
    if (error == 0) return;
    if (::ftruncate(descriptor.number(), before) != 0) break;
    if (!transient(error)) break;
  }
  fail("cannot add " + std::to_string(bytes.size()) + " bytes", file, error);
}

void append_line_durably(const fs::path& file, std::string_view line, const FileCalls& calls) {
  append_durably(file, std::string(line) + "\n", calls);
}

std::string read_whole_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw Error("this is a folder, not a file: '" + file.string() + "': name a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("cannot read the file: '" + file.string() + "': " + std::strerror(errno) + "; check its name and permissions");
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw system_error("reading failed: '" + file.string() + "': " + std::strerror(errno));
  return std::move(text).str();
}

}  // namespace wari
