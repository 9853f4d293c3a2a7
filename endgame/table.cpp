#include "endgame/table.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "endgame/endgame_rules.h"

namespace wari {
namespace {

constexpr std::array<char, 8> kMagic{'W', 'A', 'R', 'I', 'E', 'N', 'D', 'G'};
constexpr std::uint32_t kFormat = 1;  // of the header, the numbering and the values

// As it stands in the file (little-endian).
struct Header {
  std::array<char, 8> magic;
  std::uint32_t format;
  std::uint32_t seeds;
  std::uint8_t capture, grand_slam, no_feeding_move, unused;
  std::uint32_t boards;
  std::uint64_t level_hash[kMostTableSeeds + 1];  // [seeds] of each level's bytes; 0 above `seeds`
  std::uint64_t header_hash;                      // of all before
};
static_assert(sizeof(Header) == 232);

std::string_view bytes_of(const Header& header) { return {reinterpret_cast<const char*>(&header), sizeof header}; }
std::uint64_t hash_of(const Header& header) { return short_hash(bytes_of(header).substr(0, offsetof(Header, header_hash))); }

std::string_view level_bytes(std::string_view values, int seeds) {
  const std::uint32_t first = first_board(endgame_numbering(), seeds);
  return values.substr(first, first_board(endgame_numbering(), seeds + 1) - first);
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what, const std::string& advice) {
  throw Error(what + ": '" + file.string() + "': " + advice);
}
constexpr const char* kBuildAgain = "remove it and build it again with 'wari endgame build'";

Header read_header(const std::filesystem::path& file, std::string_view bytes) {
  Header header;
  const std::string_view magic(kMagic.data(), kMagic.size());
  if (bytes.substr(0, magic.size()) != magic) refuse(file, "this is no endgame table", "name a file that 'wari endgame build' made");
  if (bytes.size() < sizeof header) refuse(file, "the endgame table is cut short", kBuildAgain);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.format != kFormat)
    refuse(file, "the endgame table has format " + std::to_string(header.format) + ", this program reads " + std::to_string(kFormat), "build it again with this program");
  if (header.header_hash != hash_of(header) || header.seeds > kMostTableSeeds) refuse(file, "the endgame table's header is damaged", kBuildAgain);
  if (bytes.size() != sizeof header + header.boards)
    refuse(file, "the endgame table has " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(sizeof header + header.boards), kBuildAgain);
  return header;
}

}  // namespace

struct EndgameTable::Mapping {
  const char* bytes = nullptr;
  std::size_t size = 0;

  explicit Mapping(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) refuse(file, "cannot read the endgame table", std::string(std::strerror(errno)) + "; check its name, or build it with 'wari endgame build'");
    struct stat status {};
    const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    size = regular ? static_cast<std::size_t>(status.st_size) : 0;
    void* const address = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    ::close(descriptor);
    if (address == MAP_FAILED) refuse(file, "this is no endgame table", regular && size > 0 ? std::strerror(errno) : "it is empty, or no regular file");
    bytes = static_cast<const char*>(address);
  }
  ~Mapping() { ::munmap(const_cast<char*>(bytes), size); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
};

EndgameTable::EndgameTable(EndgameTable&&) noexcept = default;
EndgameTable& EndgameTable::operator=(EndgameTable&&) noexcept = default;
EndgameTable::~EndgameTable() = default;

EndgameTable EndgameTable::open(const std::filesystem::path& file) {
  EndgameTable table;
  table.file_ = file;
  table.mapping_ = std::make_unique<Mapping>(file);
  const std::string_view bytes(table.mapping_->bytes, table.mapping_->size);
  const Header header = read_header(file, bytes);
  const std::string_view values = bytes.substr(sizeof header);
  const auto seeds = static_cast<int>(header.seeds);
  for (int level = 0; level <= seeds; ++level) {
    if (short_hash(level_bytes(values, level)) != header.level_hash[level])
      refuse(file, "the endgame table is damaged in its values of " + std::to_string(level) + " seeds", kBuildAgain);
  }
  table.rules_.capture = static_cast<Capture>(header.capture);
  table.rules_.grand_slam = static_cast<GrandSlam>(header.grand_slam);
  table.rules_.no_feeding_move = static_cast<NoFeedingMove>(header.no_feeding_move);
  table.view_ = {&endgame_numbering(), reinterpret_cast<const std::uint8_t*>(values.data()), seeds};
  table.id_ = content_hash(bytes_of(header));
  return table;
}

std::shared_ptr<const EndgameTable> open_table_for(const Rules& rules, const std::filesystem::path& file) {
  auto table = std::make_shared<EndgameTable>(EndgameTable::open(file));
  if (shares_endings(table->rules(), rules)) return table;
  throw Error(fmt::format("the endgame table is for '{}': '{}': it says nothing about '{}'; build one with 'wari endgame build --rules {}'", rules_name(table->rules()), file.string(),
                          rules_name(rules), rules_name(rules)));
}

EndgameView endgame_view(const EndgameTables& tables, const Rules& rules) {
  if (!endgame_time_left(rules, 0)) return {};
  for (const auto& table : tables) {
    if (shares_endings(table->rules(), rules)) return table->view();
  }
  return {};
}

void write_endgame_table(const std::filesystem::path& file, const Rules& rules, int seeds, EndgameValues values) {
  Header header{};
  header.magic = kMagic;
  header.format = kFormat;
  header.seeds = static_cast<std::uint32_t>(seeds);
  header.capture = static_cast<std::uint8_t>(rules.capture);
  header.grand_slam = static_cast<std::uint8_t>(rules.grand_slam);
  header.no_feeding_move = static_cast<std::uint8_t>(rules.no_feeding_move);
  header.boards = static_cast<std::uint32_t>(values.split.size());
  for (std::size_t board = 0; board < values.split.size(); ++board) {
    values.split[board] = static_cast<std::int8_t>(values.split[board] * 2 + (values.low[board] == values.high[board] ? 1 : 0));
  }
  values.low = {};
  values.high = {};
  const std::string_view bytes(reinterpret_cast<const char*>(values.split.data()), values.split.size());
  for (int level = 0; level <= seeds; ++level) header.level_hash[level] = short_hash(level_bytes(bytes, level));
  header.header_hash = hash_of(header);
  std::string whole;
  whole.reserve(sizeof header + bytes.size());
  whole += bytes_of(header);
  whole += bytes;
  values = {};
  write_file_durably(file, whole);
}

}  // namespace wari
