#include "train/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/random.h"
#include "search/move_log.h"
#include "selfplay/record.h"
#include "selfplay/samples.h"
#include "train/replay_statistics.h"
#include "train/sample_targets.h"

namespace wari {
namespace {

constexpr std::uint32_t kCopiesDraw = 0, kStratumDraw = 1;  // the index of random_bits()

// The samples of one shard, and how often each stands in the window.
struct Chunk {
  ShardInfo info;
  std::int64_t first = 0;              // number of the first sample
  std::vector<Sample> samples;
  std::vector<std::uint32_t> entries;  // indices into `samples`, ascending, a sample as often as it has copies
};

// What a row of a batch draws: an index into the samples of a chunk.
struct DrawnEntry {
  const Chunk* chunk;
  const std::uint32_t* entry;
};
constexpr std::size_t kGroup = 32;  // of rows that are drawn together

double mean_surprise(std::span<const Sample> samples) {
  double sum = 0;
  int count = 0;
  for (const Sample& sample : samples) {
    if (!has_policy_target(sample)) continue;
    sum += sample.surprise;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// Appends the copies of one game's samples, the last ones of the chunk from `first` on.
void add_entries(Chunk& chunk, std::size_t first, std::int64_t game, std::uint64_t seed, double share) {
  const std::span<const Sample> samples(chunk.samples.begin() + static_cast<std::ptrdiff_t>(first), chunk.samples.end());
  const double mean = mean_surprise(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const double weight = mean > 0 && has_policy_target(sample) ? 1 - share + share * sample.surprise / mean : 1;
    const float unit = random_unit(random_bits(seed, static_cast<std::uint64_t>(game), sample.ply, Purpose::replay_sample, kCopiesDraw));
    const int copies = std::min(static_cast<int>(std::floor(weight + unit)), Replay::kMaxCopies);
    chunk.entries.insert(chunk.entries.end(), static_cast<std::size_t>(copies), static_cast<std::uint32_t>(first + i));
  }
}

// Where the rule sets of a shard stand in the run's list.
std::vector<std::uint8_t> rules_places(std::span<const Rules> shard, std::span<const Rules> run, const std::string& name) {
  std::vector<std::uint8_t> places;
  for (const Rules& rules : shard) {
    const auto found = std::find(run.begin(), run.end(), rules);
    if (found == run.end()) {
      throw Error(fmt::format("games of the rule set '{}', which this run does not play: '{}': add it to 'rules' or leave the file out", rules_name(rules), name));
    }
    places.push_back(static_cast<std::uint8_t>(found - run.begin()));
  }
  return places;
}

}  // namespace

struct Replay::State {
  ReplaySettings settings;
  std::vector<Rules> rules;
  std::uint64_t seed;
  std::filesystem::path folder;
  std::string run_id;
  EndgameTables tables;
  std::vector<EndgameView> endgames;        // [rule sets]
  std::deque<Chunk> chunks;                 // oldest first
  std::vector<std::int64_t> first_entry;    // [chunks + 1], sums of their entries
  std::vector<ShardInfo> shards;            // of `chunks`
  std::int64_t positions = 0, total_positions = 0, rejected = 0;
  std::int64_t end_number = 0;              // behind the newest sample
  std::int64_t bytes = 0;                   // of the window's shards in `folder`
  bool bound_was_told = false;
  SampleStatistics statistics;

  // Samples of games whose rule sets are `places` in the run's list. Strict: a game that does not replay is an Error; otherwise it is counted and left out.
  Chunk make_chunk(std::span<const GameRecord> games, std::span<const std::uint8_t> places, bool strict, const std::string& name) {
    Chunk chunk;
    std::size_t plies = 0;
    for (const GameRecord& game : games) plies += game.plies.size();
    chunk.samples.reserve(plies);
    chunk.entries.reserve(plies + plies / 8);
    for (const GameRecord& game : games) {
      const std::size_t first = chunk.samples.size();
      const std::uint8_t place = places[game.rules_index];
      const std::string wrong = append_samples(game, rules[place], place, settings.value_only, chunk.samples, endgames[place]);
      if (!wrong.empty()) {
        if (strict) throw Error(fmt::format("a game that breaks the rules ({}): '{}': restore the file from a copy", wrong, name));
        ++rejected;
        continue;
      }
      add_entries(chunk, first, game.game, seed, settings.surprise_share);
      ++chunk.info.games;
    }
    chunk.info.positions = static_cast<std::int64_t>(chunk.samples.size());
    return chunk;
  }

  bool above_bound(std::int64_t bytes_on_disk) const { return settings.disk_max_mb > 0 && static_cast<double>(bytes_on_disk) > settings.disk_max_mb * 1e6; }
  // Others' records are not ours to bound.
  static std::int64_t own_bytes(const ShardInfo& shard) { return std::filesystem::path(shard.file).is_absolute() ? 0 : shard.bytes; }

  void append(Chunk chunk) {
    positions += chunk.info.positions;
    bytes += own_bytes(chunk.info);
    chunk.first = end_number;
    end_number += static_cast<std::int64_t>(chunk.samples.size());
    chunks.push_back(std::move(chunk));
  }

  // Whole shards leave, as long as the window wanted stays full; where they take too much of the disk, as long as training can go on.
  void trim() {
    const std::int64_t wanted = replay_window(settings, total_positions);
    while (chunks.size() > 1 && positions - chunks.front().info.positions >= (above_bound(bytes) ? settings.min_positions : wanted)) {
      positions -= chunks.front().info.positions;
      bytes -= own_bytes(chunks.front().info);
      chunks.pop_front();
    }
    if (above_bound(bytes) && !std::exchange(bound_was_told, true)) {
      log_warning("the newest {} positions take {:.1f} MB on disk, more than replay.disk_max_mb ({:g}): they stay, for training needs {} (replay.min_positions)", positions,
                  static_cast<double>(bytes) / 1e6, settings.disk_max_mb, settings.min_positions);
    }
    index();
  }

  void index() {
    first_entry.assign(1, 0);
    shards.clear();
    for (const Chunk& chunk : chunks) {
      first_entry.push_back(first_entry.back() + static_cast<std::int64_t>(chunk.entries.size()));
      shards.push_back(chunk.info);
    }
  }

  // The entries of rows [first, first + count) of a batch, group by group: take(the group's first row counted from `first`, entries). They lie far apart in memory, so a group's
  // are found and fetched ahead.
  template <class Take>
  void draw(std::uint64_t step, std::int64_t first, std::int64_t batch_size, std::size_t count, const Take& take) const {
    const std::int64_t entries = first_entry.back();
    if (entries == 0) throw system_error("the replay window is empty: training: play games first");
    DrawnEntry drawn[kGroup];
    std::size_t chunk = 0;
    for (std::size_t begin = 0; begin < count; begin += kGroup) {
      const std::size_t group = std::min(kGroup, count - begin);
      for (std::size_t i = 0; i < group; ++i) {
        const std::int64_t index = first + static_cast<std::int64_t>(begin + i);
        const std::int64_t low = entries * index / batch_size, high = entries * (index + 1) / batch_size;
        const std::uint64_t bits = random_bits(seed, step, static_cast<std::uint32_t>(index), Purpose::replay_sample, kStratumDraw);
        const std::int64_t place = low + random_below(bits, static_cast<std::uint32_t>(std::max<std::int64_t>(high - low, 1)));
        while (place >= first_entry[chunk + 1]) ++chunk;
        drawn[i] = {&chunks[chunk], chunks[chunk].entries.data() + (place - first_entry[chunk])};
        __builtin_prefetch(drawn[i].entry);
      }
      take(begin, std::span<const DrawnEntry>(drawn, group));
    }
  }

  void take_in(Chunk chunk) {
    statistics = sample_statistics(chunk.samples);
    total_positions += chunk.info.positions;
    append(std::move(chunk));
    trim();
  }

  std::vector<std::uint8_t> own_places() const {
    std::vector<std::uint8_t> places(rules.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i);
    return places;
  }
};

void check_replay(const ReplaySettings& settings) {
  if (settings.window_min > settings.window_max) throw Error("replay.window_min is above replay.window_max: configuration: give a smaller one");
  if (settings.min_positions > settings.window_min) throw Error("replay.min_positions is above replay.window_min, so training might never begin: configuration: give a smaller one");
}

std::vector<std::filesystem::path> usable_shards(std::span<const std::filesystem::path> folders, std::span<const Rules> rules) {
  std::vector<std::filesystem::path> shards = record_shards(folders);
  for (std::filesystem::path& shard : shards) {
    shard = std::filesystem::weakly_canonical(shard);
    rules_places(read_record_header(shard).rules, rules, shard.string());
  }
  return shards;
}

Replay::Replay(const ReplaySettings& settings, std::vector<Rules> rules, std::uint64_t seed, std::filesystem::path folder, std::string run_id, const EndgameTables& tables)
    : state_(new State{settings, std::move(rules), seed, std::move(folder), std::move(run_id), tables, {}, {}, {}, {}, 0, 0, 0, 0, 0, false, {}}) {
  check_replay(settings);
  for (const Rules& set : state_->rules) state_->endgames.push_back(endgame_view(tables, set));
  state_->index();
}

Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;

ShardInfo Replay::add(std::int64_t iteration, std::vector<GameRecord> games) {
  State& s = *state_;
  if (games.empty()) {
    s.statistics = {};
    return {};
  }
  std::sort(games.begin(), games.end(), [](const GameRecord& a, const GameRecord& b) { return a.game < b.game; });
  const std::string name = fmt::format("{:06}{}", iteration, kRecordExtension);
  Chunk chunk = s.make_chunk(games, s.own_places(), true, name);
  std::filesystem::create_directories(s.folder);
  RecordHeader header;
  header.run_id = s.run_id;
  header.rules = s.rules;
  const WrittenFile written = write_records(s.folder / name, header, games);
  chunk.info = {name, iteration, chunk.info.games, chunk.info.positions, written.bytes, written.hash};
  const ShardInfo info = chunk.info;
  s.take_in(std::move(chunk));
  return info;
}

ShardInfo Replay::add_recorded(std::int64_t iteration, const std::filesystem::path& file) {
  State& s = *state_;
  const std::string name = std::filesystem::absolute(file).string();
  const RecordShard shard = read_records(file);
  Chunk chunk = s.make_chunk(shard.games, rules_places(shard.header.rules, s.rules, name), false, name);
  chunk.info = {name, iteration, chunk.info.games, chunk.info.positions, shard.file.bytes, shard.file.hash};
  const ShardInfo info = chunk.info;
  s.take_in(std::move(chunk));
  return info;
}

void Replay::restore(std::span<const ShardInfo> shards, std::int64_t total_positions) {
  State& s = *state_;
  s.chunks.clear();
  s.positions = 0;
  s.bytes = 0;
  for (const ShardInfo& info : shards) {
    const std::filesystem::path file = s.folder / info.file;  // an absolute path stays itself
    const RecordShard shard = read_records(file, info.hash);
    const bool own = !std::filesystem::path(info.file).is_absolute();
    Chunk chunk = s.make_chunk(shard.games, rules_places(shard.header.rules, s.rules, file.string()), own, file.string());
    if (chunk.info.positions != info.positions) {
      throw Error(fmt::format("{} positions where the checkpoint counted {}: '{}': continue with the settings of 'replay' that wrote it", chunk.info.positions, info.positions, file.string()));
    }
    chunk.info = info;
    s.append(std::move(chunk));
  }
  s.total_positions = total_positions;
  s.index();
}

const std::vector<ShardInfo>& Replay::shards() const { return state_->shards; }

void Replay::remove_old_shards(std::span<const std::string> also_keep) const {
  const State& s = *state_;
  const bool keep_what_fits = s.settings.keep_all_shards;
  if ((keep_what_fits && s.settings.disk_max_mb == 0) || !std::filesystem::is_directory(s.folder)) return;
  std::vector<std::filesystem::path> old;
  std::int64_t bytes = 0;  // of all shards
  for (const auto& entry : std::filesystem::directory_iterator(s.folder)) {
    const std::string name = entry.path().filename().string();
    const bool in_window = std::any_of(s.shards.begin(), s.shards.end(), [&](const ShardInfo& info) { return info.file == name; });
    const bool kept = std::find(also_keep.begin(), also_keep.end(), name) != also_keep.end();
    if (entry.path().extension() != kRecordExtension) continue;
    bytes += static_cast<std::int64_t>(entry.file_size());
    if (!in_window && !kept) old.push_back(entry.path());
  }
  // Oldest first: their names are numbers, the longer the later.
  std::sort(old.begin(), old.end(), [](const auto& a, const auto& b) { return std::pair(a.native().size(), a.native()) < std::pair(b.native().size(), b.native()); });
  for (const auto& file : old) {
    if (keep_what_fits && !s.above_bound(bytes)) break;
    bytes -= static_cast<std::int64_t>(std::filesystem::file_size(file));
    std::filesystem::remove(file);
  }
}

std::int64_t Replay::positions() const { return state_->positions; }
std::int64_t Replay::total_positions() const { return state_->total_positions; }
std::int64_t Replay::window_size() const { return replay_window(state_->settings, state_->total_positions); }
bool Replay::ready() const { return state_->positions >= state_->settings.min_positions; }
std::int64_t Replay::rejected_games() const { return state_->rejected; }
const SampleStatistics& Replay::newest_statistics() const { return state_->statistics; }
const std::vector<Rules>& Replay::rules() const { return state_->rules; }

void Replay::draw(std::uint64_t step, std::int64_t first, std::int64_t batch_size, std::span<Sample> part) const {
  state_->draw(step, first, batch_size, part.size(), [&](std::size_t begin, std::span<const DrawnEntry> drawn) {
    const Sample* samples[kGroup];
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      samples[i] = drawn[i].chunk->samples.data() + *drawn[i].entry;
      __builtin_prefetch(samples[i]);
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) part[begin + i] = *samples[i];
  });
}

void Replay::draw_numbers(std::uint64_t step, std::span<std::int64_t> batch) const {
  state_->draw(step, 0, static_cast<std::int64_t>(batch.size()), batch.size(), [&](std::size_t begin, std::span<const DrawnEntry> drawn) {
    for (std::size_t i = 0; i < drawn.size(); ++i) batch[begin + i] = drawn[i].chunk->first + *drawn[i].entry;
  });
}

WindowView Replay::view() const {
  WindowView view;
  for (const Chunk& chunk : state_->chunks) view.runs.push_back({chunk.first, chunk.samples});
  view.places = window_places(state_->settings);
  view.rules = state_->rules;
  return view;
}

std::int64_t Replay::end_number() const { return state_->end_number; }

std::int64_t replay_window(const ReplaySettings& settings, std::int64_t total) {
  const auto least = static_cast<double>(settings.window_min);
  const double ratio = std::max(static_cast<double>(total) / least, 1.0);
  const double size = least * (1 + settings.window_growth * (std::pow(ratio, settings.window_exponent) - 1) / settings.window_exponent);
  return static_cast<std::int64_t>(std::min(size, static_cast<double>(settings.window_max)));
}

}  // namespace wari
