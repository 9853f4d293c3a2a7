#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rules.h"
#include "endgame/table.h"
#include "selfplay/game_record.h"
#include "selfplay/sample.h"
#include "train/sample_window.h"

namespace wari {

// Keys under `replay`.
struct ReplaySettings {
  std::int64_t min_positions = 20'000;
  std::int64_t window_min = 200'000;
  std::int64_t window_max = 4'000'000;
  double window_growth = 0.5;
  double window_exponent = 1.0;
  double reuse = 4.0;
  double surprise_share = 0.5;
  bool value_only = true;
  bool keep_all_shards = false;
  double disk_max_mb = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("min_positions", min_positions, std::int64_t{1}, std::int64_t{1} << 32, "positions in the window before the first optimiser step");
    v.number("window_min", window_min, std::int64_t{1}, std::int64_t{1} << 31, "positions: up to this many all are learned from");
    v.number("window_max", window_max, std::int64_t{1}, std::int64_t{1} << 31, "positions that the window grows to (whole shards: up to one more); 64 bytes of memory each");
    v.number("window_growth", window_growth, 0.0, 1.0, "slope with which the window grows once window_min is passed; 0.5: half of all further positions");
    v.number("window_exponent", window_exponent, 0.1, 1.0, "the window grows with this power of all positions played; 1: in proportion");
    v.number("reuse", reuse, 0.01, 100.0, "times that a position is learned from, on average over its time in the window");
    v.number("surprise_share", surprise_share, 0.0, 1.0, "share of the weight that goes to positions by how much the search changed the network's policy; 0: all alike");
    v.flag("value_only", value_only, "positions without a policy target (capped searches, forced moves) teach the value heads");
    v.flag("keep_all_shards", keep_all_shards, "keep the records on disk after their positions have left the window");
    v.number("disk_max_mb", disk_max_mb, 0.0, 1e9, "millions of bytes that the records may take on disk; 0: what the window needs. Those outside the window go first, then its oldest, down to min_positions; what older checkpoints need stays besides");
  }
};

// Throws Error where keys contradict each other: for the start of a run, before anything is written.
void check_replay(const ReplaySettings& settings);

// The shards of --records by their canonical paths, in order: what was learned from is remembered by its path, which must not depend on the working directory.
// Throws Error where a file is not of game records, is damaged, or holds a rule set that is none of `rules`: before a run begins, and for every file.
std::vector<std::filesystem::path> usable_shards(std::span<const std::filesystem::path> folders, std::span<const Rules> rules);

// One iteration's games on disk: what a checkpoint lists, so that the window can be made again.
struct ShardInfo {
  std::string file;             // name inside the replay folder
  std::int64_t iteration = 0;
  std::int64_t games = 0;
  std::int64_t positions = 0;   // samples made from it
  std::int64_t bytes = 0;
  std::string hash;             // of the whole file
  bool operator==(const ShardInfo&) const = default;
};

// How alike the positions of one iteration are: a network that sees one opening a thousand times learns that opening.
struct SampleStatistics {
  std::int64_t positions = 0;
  double distinct_share = 1;            // different positions among them
  double most_common_share = 0;         // share of the most frequent one
  std::int64_t by_ply[16] = {};         // histogram of the ply, 16 plies a bin, the last open
  double policy_share = 0;              // share with a policy target
  double root_value_error = 0;          // mean of |the search's value - outcome in -1..1| where there was a search: how well it foresees
};

// The positions that the trainer learns from: the newest ones of finished games, in memory, backed by one shard an iteration on disk. Shards enter and leave the
// window as a whole. Policy-surprise weighting as in KataGo (Wu 2019): a position stands in the window 0, 1, 2, ... times (at most kMaxCopies) by its weight,
// `1 - surprise_share + surprise_share * surprise / mean surprise of its game` (1 without a policy target), rounded at random by (seed, game, ply); what is drawn is uniform over these.
class Replay {
 public:
  static constexpr int kMaxCopies = 8;

  // `folder` is made when the first shard is written. `run_id` is written into the shards. `tables` correct what positions learn (append_samples()).
  Replay(const ReplaySettings& settings, std::vector<Rules> rules, std::uint64_t seed, std::filesystem::path folder, std::string run_id, const EndgameTables& tables = {});
  ~Replay();
  Replay(Replay&&) noexcept;
  Replay& operator=(Replay&&) noexcept;

  // Writes the games (any order; sorted by number first) as the shard of `iteration`, takes their positions into the window and lets the oldest shards go.
  // Where the window's own shards take more than disk_max_mb, the oldest go too, down to min_positions.
  // No games: nothing is written, `positions` of the result is 0. Throws Error (kind system) on a full disk, leaving the window as it was.
  ShardInfo add(std::int64_t iteration, std::vector<GameRecord> games);
  // The same without writing: the games come from a shard elsewhere (`--records`), which the result names by its absolute path. Games that do not replay by the
  // rules are left out and counted in rejected_games(). Throws Error when the shard is damaged or holds rule sets that the run does not.
  ShardInfo add_recorded(std::int64_t iteration, const std::filesystem::path& shard);

  // Makes the window of a checkpoint again. Shards that came from add_recorded() hold their full path in `file`. Throws Error naming the shard that is missing or damaged.
  void restore(std::span<const ShardInfo> shards, std::int64_t total_positions);

  // The shards in the window, oldest first: what the checkpoint lists. Those with games but none left in the window are gone from it.
  const std::vector<ShardInfo>& shards() const;
  // Deletes shard files of the folder that neither the window nor `also_keep` (file names) holds; with keep_all_shards only the oldest, until disk_max_mb holds. Call it after the
  // checkpoint is written.
  void remove_old_shards(std::span<const std::string> also_keep) const;

  std::int64_t positions() const;              // in the window
  std::int64_t total_positions() const;        // ever taken in
  std::int64_t window_size() const;            // positions wanted for total_positions()
  bool ready() const;                          // positions() >= min_positions
  std::int64_t rejected_games() const;

  // Fills `batch` with the samples of optimiser step `step`: a function of (seed, step, index, window) only; may be called from several threads, each with its
  // own part of the batch (`first` of `batch_size`). Drawn by strata, so a batch repeats a position only when the window is hardly larger.
  void draw(std::uint64_t step, std::int64_t first, std::int64_t batch_size, std::span<Sample> part) const;
  void draw(std::uint64_t step, std::span<Sample> batch) const { draw(step, 0, static_cast<std::int64_t>(batch.size()), batch); }
  // The numbers of the same samples, for who has a copy of the window.
  void draw_numbers(std::uint64_t step, std::span<std::int64_t> batch) const;
  // What such a copy follows. Valid until the window changes.
  WindowView view() const;
  std::int64_t end_number() const;             // of view()

  const SampleStatistics& newest_statistics() const;   // of the last add()
  const std::vector<Rules>& rules() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Optimiser steps that new positions give: whole batches of positions x reuse, the rest (in samples) is carried. Nothing is owed while the window is not ready.
struct StepBudget {
  double carried_samples = 0;
  std::int64_t take_steps(std::int64_t new_positions, double reuse, std::int64_t batch) {
    carried_samples += static_cast<double>(new_positions) * reuse;
    const auto steps = static_cast<std::int64_t>(carried_samples / static_cast<double>(batch));
    carried_samples -= static_cast<double>(steps) * static_cast<double>(batch);
    return steps;
  }
};

// Samples that a copy of the window should have room for: a quarter more than the most, for the shard that passes it.
inline std::int64_t window_places(const ReplaySettings& settings) { return settings.window_max + settings.window_max / 4; }

// The positions wanted in the window when `total` have been played (KataGo's power law).
std::int64_t replay_window(const ReplaySettings& settings, std::int64_t total);

}  // namespace wari
