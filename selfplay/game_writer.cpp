#include "selfplay/game_writer.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "core/error.h"

namespace wari {
namespace {

constexpr int kWavesBetweenQuestions = 256;

// True where the folder was made.
bool prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder)) throw Error(fmt::format("not a folder: '{}': give the name of a new one", folder.string()));
  const bool made = std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder ({}): '{}': give another one", error.message(), folder.string()));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == kRecordExtension) {
      throw Error(fmt::format("the folder holds game records already: '{}': give a new one; training takes several (--records)", folder.string()));
    }
  }
  return made;
}

}  // namespace

GameWriter::GameWriter(std::filesystem::path folder, const std::filesystem::path& jsonl, RecordHeader header, const std::filesystem::path& ogn)
    : folder_(std::move(folder)), header_(std::move(header)) {
  const bool made = prepare_folder(folder_);  // before the files, which may lie in it
  try {
    if (!jsonl.empty()) jsonl_ = std::make_unique<GrowingFile>(jsonl);
    if (!ogn.empty()) ogn_ = std::make_unique<GrowingFile>(ogn);
  } catch (const Error&) {
    jsonl_.reset();
    std::error_code ignored;
    if (made) std::filesystem::remove(folder_, ignored);
    throw;
  }
}

void GameWriter::add(std::vector<GameRecord> games) {
  for (GameRecord& game : games) waiting_.emplace(game.game, std::move(game));
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    shard_.push_back(std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
    ++next_;
    ++written_;
    plies_ += shard_.back().length();
    write_text(shard_.back());
    if (shard_.size() == kGamesPerShard) write_shard();
  }
}

void GameWriter::write_text(const GameRecord& game) {
  const Rules& rules = header_.rules.at(game.rules_index);
  if (jsonl_) jsonl_->append(game_json(game, rules) + "\n");
  if (ogn_) ogn_->append((written_ > 1 ? "\n" : "") + record_ogn(game, rules, header_.run_id));
}

void GameWriter::write_shard() {
  if (shard_.empty()) return;
  write_records(folder_ / fmt::format("{:06}{}", ++shards_, kRecordExtension), header_, shard_);
  shard_.clear();
}

void GameWriter::finish() {
  write_shard();
  if (jsonl_) jsonl_->publish();
  if (ogn_) ogn_->publish();
}

GenerationReport generate_games(Selfplay& selfplay, GameWriter& writer, const std::function<bool(const GenerationReport&)>& go_on) {
  const auto start = std::chrono::steady_clock::now();
  const auto report = [&] {
    const EngineCounters counters = selfplay.counters();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return GenerationReport{writer.games(), writer.plies(), counters.simulations, counters.evaluations, seconds};
  };
  for (;;) {
    selfplay.hold_games_from(writer.games() + std::int64_t{kGamesAhead} * selfplay.lanes());
    if (selfplay.all_idle()) break;
    std::vector<GameRecord> finished;
    selfplay.run(kWavesBetweenQuestions, finished);
    writer.add(std::move(finished));
    if (!go_on(report())) break;
  }
  writer.finish();
  return report();
}

}  // namespace wari
