#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "selfplay/game_record.h"

// Game records on disk: one shard is a header (magic, format, token version, run, rule sets with all options) and the games, packed and zstd-compressed, all
// under checksums (docs/file-formats.md). A shard is written under a temporary name, synced and renamed, so a file with the final name is whole.
namespace wari {

inline constexpr int kRecordFormat = 1;
inline constexpr const char* kRecordExtension = ".games";

struct RecordHeader {
  std::string run_id;            // of the run or command that played the games
  std::vector<Rules> rules;      // GameRecord::rules_index points here
  // Set by the writer:
  int format = kRecordFormat;
  int token_version = 0;
  std::int64_t games = 0;
  std::int64_t plies = 0;
};

// A file's size and hash: kept by a checkpoint, checked when it is read again.
struct WrittenFile {
  std::int64_t bytes = 0;
  std::string hash;              // xxh3, 128 bits, hexadecimal, of the whole file
};

struct RecordShard {
  RecordHeader header;
  std::vector<GameRecord> games;
  WrittenFile file;
};

// Throws Error of kind system when the disk is full or the folder cannot be written; nothing of the final name is left then.
WrittenFile write_records(const std::filesystem::path& file, const RecordHeader& header, std::span<const GameRecord> games);

// Throws Error naming the file and why: missing, truncated, damaged, another format, a newer version. `expected_hash`: refused when the file has another
// (empty: not looked at). The games are decoded, not replayed: see verify_game().
RecordShard read_records(const std::filesystem::path& file, const std::string& expected_hash = {});

// The header alone, of a file whose checksums are right; the games are not decoded.
RecordHeader read_record_header(const std::filesystem::path& file);

// All shards of these folders (and files given themselves), in order of name within each folder. Throws Error where a folder does not exist or holds none.
std::vector<std::filesystem::path> record_shards(std::span<const std::filesystem::path> folders);

// Replays a finished game by the rules. Empty: the record is right; otherwise what is wrong ("game 17, ply 3: action 4 is illegal").
std::string verify_game(const GameRecord& game, const Rules& rules);

// One line in the format of rules/games.jsonl (without the newline).
std::string game_json(const GameRecord& game, const Rules& rules);
// The same as OGN, with the search's values of the moves in comments (core/ogn.h).
std::string record_ogn(const GameRecord& game, const Rules& rules, const std::string& run_id);

}  // namespace wari
