#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/growing_file.h"
#include "selfplay/record.h"
#include "selfplay/selfplay.h"

namespace wari {

// Writes games that finish in any order as records in order of their numbers: the same files at any number of lanes and workers.
class GameWriter {
 public:
  // Makes the folder. Throws Error when it holds records already (they would mix with these), or cannot be written. `jsonl`, `ogn`: files of the same games as
  // text, empty: none; they appear when finish() is called.
  GameWriter(std::filesystem::path folder, const std::filesystem::path& jsonl, RecordHeader header, const std::filesystem::path& ogn = {});
  GameWriter(const GameWriter&) = delete;
  GameWriter& operator=(const GameWriter&) = delete;

  void add(std::vector<GameRecord> games);
  // Writes what is complete up to the first game that is missing. Without gaps that is every game.
  void finish();
  std::int64_t games() const { return written_; }
  std::size_t waiting() const { return waiting_.size(); }  // finished before an earlier game
  std::int64_t plies() const { return plies_; }

 private:
  static constexpr std::size_t kGamesPerShard = 4096;

  void write_shard();
  void write_text(const GameRecord& game);

  std::filesystem::path folder_;
  RecordHeader header_;
  std::map<std::int64_t, GameRecord> waiting_;
  std::vector<GameRecord> shard_;
  std::unique_ptr<GrowingFile> jsonl_, ogn_;     // null: not asked for
  std::int64_t next_ = 0;                        // number of the game that comes next
  std::int64_t shards_ = 0, written_ = 0, plies_ = 0;
};

struct GenerationReport {
  std::int64_t games = 0, plies = 0, simulations = 0, evaluations = 0;
  double seconds = 0;
};

// Games that a lane may be ahead of the first one that is not written yet. Lanes drift apart like the square root of their games, and all that is ahead waits in
// memory: this bounds it. With games of a spread of 40 % and 512 lanes 16 would cost 2 % of the lanes' time and 32 nothing.
inline constexpr int kGamesAhead = 24;

// Plays games 0 .. games_end - 1 of `selfplay` and writes them. `go_on` is asked and told after every few waves; where it answers no, what is complete is written.
GenerationReport generate_games(Selfplay& selfplay, GameWriter& writer, const std::function<bool(const GenerationReport& so_far)>& go_on);

}  // namespace wari
