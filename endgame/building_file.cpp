#include "endgame/building_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "endgame/numbering.h"

namespace wari {
namespace {

constexpr std::string_view kFirstLine = "wari endgame build, format 1, for ";

std::string header_of(const Rules& rules) { return std::string(kFirstLine) + rules_name(rules) + "\n"; }

std::uint64_t hash_of(std::span<const std::int8_t> values) { return short_hash({reinterpret_cast<const char*>(values.data()), values.size()}); }

std::string part_of(std::span<const std::int8_t> values) {
  const std::uint64_t hash = hash_of(values);
  std::string part;
  part.reserve(sizeof hash + values.size());
  part.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  part.append(reinterpret_cast<const char*>(values.data()), values.size());
  return part;
}

// Reads one part to the end of `values`; returns false if it is not there whole.
bool read_part(std::ifstream& in, std::vector<std::int8_t>& values, std::size_t count) {
  std::uint64_t hash = 0;
  const std::size_t before = values.size();
  values.resize(before + count);
  in.read(reinterpret_cast<char*>(&hash), sizeof hash);
  in.read(reinterpret_cast<char*>(values.data() + before), static_cast<std::streamsize>(count));
  return in && hash_of(std::span(values).subspan(before)) == hash;
}

std::uint32_t level_size(int level) { return first_board(endgame_numbering(), level + 1) - first_board(endgame_numbering(), level); }

}  // namespace

BuildingFile::BuildingFile(std::filesystem::path file, const Rules& rules) : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  const std::string name = "'" + file_.string() + "'";
  if (descriptor_ < 0) throw Error("cannot write: " + name + ": " + std::strerror(errno) + "; check the folder and its permissions");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw Error("another build is at work: " + name + ": wait for its end, or stop it");
  }
  const std::string wanted = header_of(rules);
  std::string line;
  std::ifstream in(file_, std::ios::binary);
  std::getline(in, line);
  if (in.eof() && wanted.starts_with(line)) {  // new, or killed within its first line
    if (::ftruncate(descriptor_, 0) != 0) throw system_error("cannot begin: " + name + ": " + std::strerror(errno));
    append_durably(file_, wanted);
  } else if (line + "\n" != wanted) {
    ::close(descriptor_);
    if (line.starts_with(kFirstLine))
      throw Error("a build for '" + line.substr(kFirstLine.size()) + "' was begun here: " + name + ": finish that one, remove the file, or choose another --out");
    throw Error("this is not the file of an endgame build: " + name + ": move it away, or choose another --out");
  }
}

BuildingFile::~BuildingFile() { ::close(descriptor_); }

int BuildingFile::read(EndgameValues& values, int most) {
  std::ifstream in(file_, std::ios::binary);
  std::string line;
  std::getline(in, line);
  auto whole = static_cast<std::streamoff>(in.tellg());
  for (int level = 0; level <= most; ++level) {
    const std::uint32_t count = level_size(level);
    if (in.peek() != std::ifstream::traits_type::eof() && read_part(in, values.split, count) && read_part(in, values.low, count) && read_part(in, values.high, count)) {
      whole = in.tellg();
      continue;
    }
    for (auto* all : {&values.split, &values.low, &values.high}) all->resize(first_board(endgame_numbering(), level));
    in.clear();
    in.seekg(0, std::ios::end);
    if (in.tellg() > whole) log_warning("'{}' is damaged from {} seeds on: they are solved again", file_.string(), level);
    if (::ftruncate(descriptor_, whole) != 0) throw system_error("cannot cut off what is damaged: '" + file_.string() + "': " + std::strerror(errno));
    return level;
  }
  return most + 1;
}

void BuildingFile::append(const EndgameValues& values, int level) {
  for (const auto* all : {&values.split, &values.low, &values.high}) append_durably(file_, part_of(std::span(*all).subspan(first_board(endgame_numbering(), level))));
}

void BuildingFile::remove() {
  std::filesystem::remove(file_);
  sync_folder(file_.parent_path());
}

}  // namespace wari
