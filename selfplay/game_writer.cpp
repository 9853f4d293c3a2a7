#include "selfplay/game_writer.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/durable_file.h"
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

GameWriter::GameWriter(std::filesystem::path folder, std::filesystem::path jsonl, RecordHeader header)
    : folder_(std::move(folder)), jsonl_(std::move(jsonl)), header_(std::move(header)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(jsonl_, ignored)) throw Error(fmt::format("a folder, not a file: '{}': give the name of a file for the lines", jsonl_.string()));
  const bool made = prepare_folder(folder_);  // before the file, which may lie in it
  if (jsonl_.empty()) return;
  partial_jsonl_ = jsonl_.string() + ".partial";
  lines_ = std::fopen(partial_jsonl_.c_str(), "wb");
  if (lines_) return;
  const std::string why = std::strerror(errno);
  if (made) std::filesystem::remove(folder_, ignored);
  throw Error(fmt::format("cannot write the file ({}): '{}': give another place", why, jsonl_.string()));
}

GameWriter::~GameWriter() {
  if (lines_) std::fclose(lines_);
  std::error_code ignored;
  if (!partial_jsonl_.empty()) std::filesystem::remove(partial_jsonl_, ignored);
}

void GameWriter::fail_lines() const {
  throw system_error(fmt::format("cannot write the file ({}): '{}': free some space or give another place", std::strerror(errno), partial_jsonl_.string()));
}

void GameWriter::add(std::vector<GameRecord> games) {
  for (GameRecord& game : games) waiting_.emplace(game.game, std::move(game));
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    shard_.push_back(std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
    ++next_;
    ++written_;
    plies_ += shard_.back().length();
    if (lines_) write_line(shard_.back());
    if (shard_.size() == kGamesPerShard) write_shard();
  }
}

void GameWriter::write_line(const GameRecord& game) {
  const std::string line = game_json(game, header_.rules.at(game.rules_index)) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), lines_) != line.size()) fail_lines();
}

void GameWriter::write_shard() {
  if (shard_.empty()) return;
  write_records(folder_ / fmt::format("{:06}{}", ++shards_, kRecordExtension), header_, shard_);
  shard_.clear();
}

void GameWriter::finish() {
  write_shard();
  if (!lines_) return;
  if (std::fflush(lines_) != 0 || fsync(fileno(lines_)) != 0) fail_lines();
  if (std::fclose(std::exchange(lines_, nullptr)) != 0) fail_lines();
  std::filesystem::rename(partial_jsonl_, jsonl_);
  partial_jsonl_.clear();
  sync_folder(jsonl_.has_parent_path() ? jsonl_.parent_path() : ".");
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
