#include "selfplay/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/rules_files.h"
#include "core/tokens.h"
#include "selfplay/record_codec.h"

namespace wari {
namespace {

// File: magic (8 bytes), format (4), length of the JSON header (4), packed length (8), length of the contents (8), xxh3 of the packed contents (8), xxh3 of all
// bytes so far and the JSON header (8); the JSON header; the packed contents.
constexpr std::string_view kMagic{"WARIGAME"};
constexpr std::size_t kFixedBytes = 48;
constexpr std::size_t kHashedBytes = 40;
constexpr std::uint64_t kMostContents = std::uint64_t{1} << 34;

[[noreturn]] void refuse(const std::string& name, const std::string& why, const std::string& advice) {
  throw Error(fmt::format("{}: '{}': {}", why, name, advice));
}

std::string header_json(const RecordHeader& header, std::span<const GameRecord> games) {
  nlohmann::ordered_json json;
  std::int64_t plies = 0;
  for (const GameRecord& game : games) plies += game.length();
  json["token_version"] = kTokenVersion;
  json["run_id"] = header.run_id;
  json["games"] = games.size();
  json["plies"] = plies;
  json["rules"] = nlohmann::ordered_json::array();
  for (const Rules& rules : header.rules) json["rules"].push_back({{"name", rules_name(rules)}, {"options", rules_to_json(rules)}});
  return json.dump();
}

RecordHeader parse_header(std::string_view text, const std::string& name) {
  RecordHeader header;
  try {
    const auto json = nlohmann::json::parse(text);
    header.token_version = json.at("token_version").get<int>();
    header.run_id = json.at("run_id").get<std::string>();
    header.games = json.at("games").get<std::int64_t>();
    header.plies = json.at("plies").get<std::int64_t>();
    for (const auto& rules : json.at("rules")) header.rules.push_back(rules_from_json(rules.at("options"), name));
  } catch (const nlohmann::json::exception& e) {
    refuse(name, fmt::format("the header cannot be read ({})", e.what()), "the file was written by another program");
  }
  return header;
}

// A header of a version that is known here.
RecordHeader known_header(std::string_view text, const std::string& name) {
  RecordHeader header = parse_header(text, name);
  if (header.token_version > kTokenVersion) {
    refuse(name, fmt::format("game records of token version {}, this program knows {}", header.token_version, kTokenVersion), "use the newer wari that wrote it");
  }
  return header;
}

struct Envelope {
  std::string_view json;
  std::string_view packed;
  std::uint64_t contents_bytes;
};

Envelope open_envelope(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) refuse(name, "the file is empty", "restore it from a copy or remove it");
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) refuse(name, "not a file of game records", "give a file that 'wari selfplay' or 'wari train' wrote");
  if (bytes.size() < kFixedBytes) refuse(name, "the file is truncated", "restore it from a copy or remove it");
  ByteReader in(bytes, name);
  in.get_bytes(kMagic.size());
  const auto format = in.get<std::uint32_t>();
  if (format != kRecordFormat) {
    refuse(name, fmt::format("game records of format {}, this program reads format {}", format, kRecordFormat),
           format > kRecordFormat ? "use the newer wari that wrote it" : "write the records again");
  }
  const auto json_bytes = in.get<std::uint32_t>();
  const auto packed_bytes = in.get<std::uint64_t>();
  const auto contents_bytes = in.get<std::uint64_t>();
  const auto packed_hash = in.get<std::uint64_t>();
  const auto header_hash = in.get<std::uint64_t>();
  if (in.left() < json_bytes) refuse(name, "the file is truncated", "restore it from a copy or remove it");
  const std::string_view json = in.get_bytes(json_bytes);
  if (short_hash(std::string(bytes.substr(0, kHashedBytes)).append(json)) != header_hash) refuse(name, "damaged (checksum of the header)", "restore it from a copy or remove it");
  if (in.left() != packed_bytes) {
    refuse(name, in.left() < packed_bytes ? fmt::format("the file is truncated, {} bytes are missing", packed_bytes - in.left()) : "the file has bytes after its end", "restore it from a copy or remove it");
  }
  const std::string_view packed = in.get_bytes(packed_bytes);
  if (short_hash(packed) != packed_hash || contents_bytes > kMostContents) refuse(name, "damaged (checksum of the games)", "restore it from a copy or remove it");
  return {json, packed, contents_bytes};
}

}  // namespace

WrittenFile write_records(const std::filesystem::path& file, const RecordHeader& header, std::span<const GameRecord> games) {
  ByteWriter contents;
  for (const GameRecord& game : games) pack_game(game, contents);
  const std::string packed = compress(contents.bytes());
  const std::string json = header_json(header, games);
  ByteWriter out;
  out.put_bytes(kMagic);
  out.put(static_cast<std::uint32_t>(kRecordFormat));
  out.put(static_cast<std::uint32_t>(json.size()));
  out.put(static_cast<std::uint64_t>(packed.size()));
  out.put(static_cast<std::uint64_t>(contents.bytes().size()));
  out.put(short_hash(packed));
  out.put(short_hash(out.bytes() + json));
  out.put_bytes(json);
  out.put_bytes(packed);
  write_file_durably(file, out.bytes());
  return {static_cast<std::int64_t>(out.bytes().size()), content_hash(out.bytes())};
}

RecordShard read_records(const std::filesystem::path& file, const std::string& expected_hash) {
  const std::string name = file.string();
  const std::string bytes = read_whole_file(file);
  const Envelope envelope = open_envelope(bytes, name);
  RecordShard shard;
  shard.file = {static_cast<std::int64_t>(bytes.size()), content_hash(bytes)};
  if (!expected_hash.empty() && shard.file.hash != expected_hash) refuse(name, "not the file that the checkpoint lists (another checksum)", "restore it from a copy");
  shard.header = known_header(envelope.json, name);
  const std::string contents = decompress(envelope.packed, envelope.contents_bytes, name);
  ByteReader in(contents, name);
  shard.games.reserve(std::min<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(shard.header.games, 0)), contents.size() / kLeastGameBytes));
  while (in.left() > 0) shard.games.push_back(unpack_game(in));
  if (static_cast<std::int64_t>(shard.games.size()) != shard.header.games) refuse(name, "damaged (another number of games than the header says)", "restore it from a copy or remove it");
  for (const GameRecord& game : shard.games) {
    if (game.rules_index >= shard.header.rules.size()) refuse(name, fmt::format("game {} names a rule set that the header does not hold", game.game), "the file was written by another program");
  }
  return shard;
}

RecordHeader read_record_header(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  return known_header(open_envelope(bytes, file.string()).json, file.string());
}

std::vector<std::filesystem::path> record_shards(std::span<const std::filesystem::path> folders) {
  std::vector<std::filesystem::path> shards;
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::is_regular_file(folder)) {
      shards.push_back(folder);
      continue;
    }
    if (!std::filesystem::is_directory(folder)) throw Error(fmt::format("no such folder: '{}': give one that 'wari selfplay --out' wrote", folder.string()));
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == kRecordExtension) inside.push_back(entry.path());
    }
    if (inside.empty()) throw Error(fmt::format("no game records (*{}): '{}': give a folder that 'wari selfplay --out' wrote", kRecordExtension, folder.string()));
    std::sort(inside.begin(), inside.end());
    shards.insert(shards.end(), inside.begin(), inside.end());
  }
  return shards;
}

}  // namespace wari
