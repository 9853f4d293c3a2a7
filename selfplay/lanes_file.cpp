#include "selfplay/lanes_file.h"

#include <fmt/core.h>

#include "core/content_hash.h"
#include "core/error.h"
#include "selfplay/record_codec.h"
#include "selfplay/replay_game.h"

namespace wari {
namespace {

// File: magic (8 bytes), format (4), lanes (4), rule sets (4), a hash each (8), packed length (8), length of the contents (8), the packed contents, xxh3 of all before (8).
constexpr std::string_view kMagic{"WARILANE"};
constexpr std::uint32_t kFormat = 1;
constexpr std::uint64_t kMostContents = std::uint64_t{1} << 34;
constexpr std::size_t kHashBytes = 8;
constexpr const char* kAdvice = "continue from an older checkpoint";

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw Error(fmt::format("{}: '{}': {}", why, name, kAdvice)); }

void check_rules(ByteReader& in, std::span<const Rules> rules, const std::string& name) {
  const auto count = in.get<std::uint32_t>();
  bool same = count == rules.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto hash = in.get<std::uint64_t>();
    same = same && hash == rules_hash(rules[i]);
  }
  if (!same) throw Error(fmt::format("the games in flight follow other rule sets than the configuration: '{}': start a new run", name));
}

void check_lane(const GameRecord& game, std::span<const Rules> rules, const std::string& name) {
  if (game.game < 0) return;
  if (game.rules_index >= rules.size()) refuse(name, fmt::format("damaged (game {} names no rule set)", game.game));
  try {
    if (resume_game(game, rules[game.rules_index]).is_over()) refuse(name, fmt::format("damaged (game {} is over)", game.game));
  } catch (const Error& e) {
    refuse(name, fmt::format("damaged ({})", e.what()));
  }
}

}  // namespace

std::string pack_lanes(std::span<const GameRecord> lanes, std::span<const Rules> rules) {
  ByteWriter contents;
  for (const GameRecord& game : lanes) pack_game(game, contents);
  const std::string packed = compress(contents.bytes());
  ByteWriter out;
  out.put_bytes(kMagic);
  out.put(kFormat);
  out.put(static_cast<std::uint32_t>(lanes.size()));
  out.put(static_cast<std::uint32_t>(rules.size()));
  for (const Rules& set : rules) out.put(rules_hash(set));
  out.put(static_cast<std::uint64_t>(packed.size()));
  out.put(static_cast<std::uint64_t>(contents.bytes().size()));
  out.put_bytes(packed);
  out.put(short_hash(out.bytes()));
  return std::move(out.bytes());
}

std::vector<GameRecord> unpack_lanes(std::string_view bytes, std::span<const Rules> rules, const std::string& name) {
  if (bytes.empty()) refuse(name, "the file is empty");
  if (bytes.substr(0, kMagic.size()) != kMagic) refuse(name, "not a file of games in flight");
  if (bytes.size() < kMagic.size() + kHashBytes) refuse(name, "the file is truncated");
  ByteReader in(bytes.substr(kMagic.size(), bytes.size() - kMagic.size() - kHashBytes), name);
  const auto format = in.get<std::uint32_t>();
  if (format != kFormat) refuse(name, fmt::format("games in flight of format {}, this program reads format {}", format, kFormat));
  std::uint64_t hash;
  std::memcpy(&hash, bytes.data() + bytes.size() - kHashBytes, kHashBytes);
  if (short_hash(bytes.substr(0, bytes.size() - kHashBytes)) != hash) refuse(name, "truncated or damaged (checksum)");
  const auto count = in.get<std::uint32_t>();
  check_rules(in, rules, name);
  const auto packed_bytes = in.get<std::uint64_t>();
  const auto contents_bytes = in.get<std::uint64_t>();
  if (contents_bytes > kMostContents) refuse(name, "damaged (impossible size)");
  const std::string contents = decompress(in.get_bytes(packed_bytes), contents_bytes, name);
  ByteReader games(contents, name);
  std::vector<GameRecord> lanes;
  for (std::uint32_t i = 0; i < count; ++i) {
    lanes.push_back(unpack_game(games));
    check_lane(lanes.back(), rules, name);
  }
  return lanes;
}

LaneState lane_state(const GameRecord& record, std::span<const Rules> rules) {
  LaneState lane;
  lane.game = record.game;
  if (record.game < 0) return lane;
  lane.rules_index = record.rules_index;
  const Game game = resume_game(record, rules[record.rules_index]);
  lane.ply = static_cast<std::uint16_t>(game.plies());
  lane.since_capture = game.since_capture();
  return lane;
}

}  // namespace wari
