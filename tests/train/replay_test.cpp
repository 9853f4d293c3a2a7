#include "train/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "core/durable_file.h"
#include "selfplay/record.h"
#include "selfplay/samples.h"
#include "tests/selfplay/fake_games.h"

namespace wari {
namespace {

using test::error_of;
using test::fake_games;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

ReplaySettings small_window() {
  ReplaySettings settings;
  settings.min_positions = 500;
  settings.window_min = 2000;
  settings.window_max = 6000;
  return settings;
}

Replay make_replay(const ReplaySettings& settings, const TemporaryFolder& folder, std::uint64_t seed = 3) { return Replay(settings, {Rules{}}, seed, folder / "replay", "run"); }

std::vector<Sample> batch_of(const Replay& replay, std::uint64_t step, std::size_t size = 256) {
  std::vector<Sample> batch(size);
  replay.draw(step, batch);
  return batch;
}

bool same(const std::vector<Sample>& a, const std::vector<Sample>& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Sample)) == 0; }

TEST(Replay, TheWindowGrowsByItsPowerLaw) {
  ReplaySettings settings;
  EXPECT_EQ(replay_window(settings, 0), 200'000);
  EXPECT_EQ(replay_window(settings, 200'000), 200'000);
  EXPECT_EQ(replay_window(settings, 1'200'000), 700'000);  // half of what is beyond the least
  EXPECT_EQ(replay_window(settings, 100'000'000), 4'000'000);
  settings.window_exponent = 0.5;
  EXPECT_NEAR(static_cast<double>(replay_window(settings, 800'000)), 200'000 * (1 + 0.5 * (2 - 1) / 0.5), 1);
}

TEST(Replay, OldShardsLeaveWhileTheWindowStaysFull) {
  const TemporaryFolder folder("window");
  Replay replay = make_replay(small_window(), folder);
  EXPECT_FALSE(replay.ready());
  std::int64_t total = 0;
  for (std::int64_t iteration = 1; iteration <= 40; ++iteration) {
    const ShardInfo info = replay.add(iteration, fake_games(Rules{}, 5 * iteration, 5));
    total += info.positions;
    EXPECT_EQ(replay.total_positions(), total);
    EXPECT_GE(replay.positions(), std::min(total, replay.window_size()));
    EXPECT_LT(replay.positions(), replay.window_size() + 5 * 400) << "at most one shard more";
    EXPECT_EQ(replay.shards().back(), info);
    replay.remove_old_shards({});
  }
  EXPECT_TRUE(replay.ready());
  EXPECT_LT(replay.shards().size(), 40u);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "replay")) files += entry.is_regular_file();
  EXPECT_EQ(files, replay.shards().size());
}

std::int64_t bytes_of(std::span<const ShardInfo> shards) {
  std::int64_t bytes = 0;
  for (const ShardInfo& shard : shards) bytes += shard.bytes;
  return bytes;
}

std::int64_t bytes_in(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += static_cast<std::int64_t>(entry.file_size());
  return bytes;
}

TEST(Replay, TheWindowShrinksFromItsOldEndWhereItsShardsTakeTooMuchOfTheDisk) {
  const TemporaryFolder folder("bytes"), free_folder("bytes-free");
  Replay free = make_replay(small_window(), free_folder);
  for (std::int64_t iteration = 1; iteration <= 40; ++iteration) free.add(iteration, fake_games(Rules{}, 5 * iteration, 5));
  const std::int64_t bound = bytes_of(free.shards()) / 2;
  ReplaySettings settings = small_window();
  settings.disk_max_mb = static_cast<double>(bound) / 1e6;
  Replay replay = make_replay(settings, folder);
  std::vector<ShardInfo> all;
  for (std::int64_t iteration = 1; iteration <= 40; ++iteration) {
    all.push_back(replay.add(iteration, fake_games(Rules{}, 5 * iteration, 5)));
    replay.remove_old_shards({});
    EXPECT_EQ(bytes_in(folder / "replay"), bytes_of(replay.shards()));
    EXPECT_LE(bytes_in(folder / "replay"), bound);
    const std::size_t left = all.size() - replay.shards().size();
    EXPECT_TRUE(std::equal(replay.shards().begin(), replay.shards().end(), all.begin() + static_cast<std::ptrdiff_t>(left))) << "the newest stay";
    if (left > 0) {
      EXPECT_GT(bytes_of(replay.shards()) + all[left - 1].bytes, bound) << "no more than must leave";
    }
  }
  EXPECT_LT(replay.shards().size(), free.shards().size());
  EXPECT_TRUE(replay.ready());

  Replay resumed = make_replay(settings, folder);
  resumed.restore(replay.shards(), replay.total_positions());
  for (std::int64_t iteration = 41; iteration <= 44; ++iteration) {
    replay.add(iteration, fake_games(Rules{}, 5 * iteration, 5));
    resumed.add(iteration, fake_games(Rules{}, 5 * iteration, 5));
    EXPECT_EQ(resumed.shards(), replay.shards());
  }
}

TEST(Replay, WhatTrainingNeedsStaysWhateverItTakesAndOneLineSaysSo) {
  const TemporaryFolder folder("bytes-least");
  ReplaySettings settings = small_window();
  settings.disk_max_mb = 1e-6;
  Replay replay = make_replay(settings, folder);
  testing::internal::CaptureStderr();
  for (std::int64_t iteration = 1; iteration <= 20; ++iteration) {
    replay.add(iteration, fake_games(Rules{}, 5 * iteration, 5));
    EXPECT_TRUE(replay.ready() || iteration < 10);
    EXPECT_LT(replay.positions() - replay.shards().front().positions, settings.min_positions);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_THAT(said, HasSubstr("replay.disk_max_mb"));
}

TEST(Replay, OfAllShardsThoseStayThatFitTheDisk) {
  const TemporaryFolder folder("bytes-all");
  ReplaySettings settings = small_window();
  settings.keep_all_shards = true;
  std::vector<ShardInfo> all;
  {
    Replay replay = make_replay(settings, folder);
    for (std::int64_t iteration = 1; iteration <= 40; ++iteration) all.push_back(replay.add(iteration, fake_games(Rules{}, 5 * iteration, 5)));
    replay.remove_old_shards({});
    EXPECT_EQ(bytes_in(folder / "replay"), bytes_of(all)) << "no bound";
  }
  // Room for all but the second to the fourth; the first is needed.
  settings.disk_max_mb = static_cast<double>(bytes_of(all) - bytes_of(std::span(all).subspan(1, 3))) / 1e6;
  Replay replay = make_replay(settings, folder);
  replay.restore(std::span(all).subspan(30), 100'000);
  replay.remove_old_shards(std::vector<std::string>{all[0].file});
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(std::filesystem::exists(folder / "replay" / all[i].file), i == 0 || i > 3) << i;
}

TEST(Replay, WhatIsDrawnDependsOnSeedAndStepAlone) {
  const TemporaryFolder folder("drawn");
  Replay replay = make_replay(small_window(), folder);
  std::vector<GameRecord> games = fake_games(Rules{}, 0, 30);
  std::reverse(games.begin(), games.end());  // the order in which games finished plays no part
  replay.add(1, games);
  const TemporaryFolder second("drawn-again");
  Replay other = make_replay(small_window(), second), reseeded = make_replay(small_window(), folder, 4);
  other.add(1, fake_games(Rules{}, 0, 30));
  reseeded.add(1, games);
  EXPECT_TRUE(same(batch_of(replay, 17), batch_of(other, 17)));
  EXPECT_FALSE(same(batch_of(replay, 17), batch_of(replay, 18)));
  EXPECT_FALSE(same(batch_of(replay, 17), batch_of(reseeded, 17)));
  // In parts, as several threads ask for it.
  std::vector<Sample> parts(256);
  replay.draw(17, 0, 256, std::span(parts).first(100));
  replay.draw(17, 100, 256, std::span(parts).subspan(100));
  EXPECT_TRUE(same(parts, batch_of(replay, 17)));
}

TEST(Replay, ResumingMakesTheSameWindow) {
  const TemporaryFolder folder("resume");
  Replay replay = make_replay(small_window(), folder);
  for (std::int64_t iteration = 1; iteration <= 20; ++iteration) replay.add(iteration, fake_games(Rules{}, 6 * iteration, 6));
  Replay resumed = make_replay(small_window(), folder);
  resumed.restore(replay.shards(), replay.total_positions());
  EXPECT_EQ(resumed.positions(), replay.positions());
  EXPECT_EQ(resumed.shards(), replay.shards());
  for (std::uint64_t step = 0; step < 5; ++step) EXPECT_TRUE(same(batch_of(replay, step), batch_of(resumed, step)));
  replay.add(21, fake_games(Rules{}, 500, 6));
  resumed.add(21, fake_games(Rules{}, 500, 6));
  EXPECT_EQ(resumed.shards(), replay.shards());
  EXPECT_TRUE(same(batch_of(replay, 9), batch_of(resumed, 9)));
}

TEST(Replay, ADamagedOrMissingShardOfTheCheckpointIsRefused) {
  const TemporaryFolder folder("damaged-shard");
  Replay replay = make_replay(small_window(), folder);
  replay.add(1, fake_games(Rules{}, 0, 6));
  const std::vector<ShardInfo> shards = replay.shards();
  const auto file = folder / "replay" / shards[0].file;
  const std::string good = read_whole_file(file);
  const auto message = [&] { return error_of([&] { make_replay(small_window(), folder).restore(shards, 1); }); };
  EXPECT_EQ(message(), "");
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << flipped;
  EXPECT_THAT(message(), AllOf(HasSubstr("000001.games"), HasSubstr("damaged")));
  std::ofstream(file, std::ios::binary) << good.substr(0, good.size() - 1);
  EXPECT_THAT(message(), AllOf(HasSubstr("000001.games"), HasSubstr("truncated")));
  EXPECT_TRUE(std::filesystem::exists(file)) << "nothing is deleted";
  std::filesystem::remove(file);
  EXPECT_THAT(message(), HasSubstr("000001.games"));
}

TEST(Replay, RecordsAloneTeachAndForeignGamesAreRejectedAndCounted) {
  const TemporaryFolder folder("recorded");
  std::vector<GameRecord> games = fake_games(Rules{}, 0, 10);
  games[3].plies[8].action = 11;
  ++games[6].south_half_seeds;
  RecordHeader header;
  header.rules = {parse_rules("warri"), Rules{}};  // its own list: places are translated
  for (GameRecord& game : games) game.rules_index = 1;
  write_records(folder / "x.games", header, games);
  Replay replay = make_replay(small_window(), folder);
  EXPECT_THAT(error_of([&] { replay.add_recorded(1, folder / "x.games"); }), AllOf(HasSubstr("'warri'"), HasSubstr("x.games")));
  header.rules[0] = Rules{};
  write_records(folder / "x.games", header, games);
  const ShardInfo info = replay.add_recorded(1, folder / "x.games");
  EXPECT_EQ(info.games, 8);
  EXPECT_EQ(replay.rejected_games(), 2);
  Replay resumed = make_replay(small_window(), folder);
  resumed.restore(replay.shards(), replay.total_positions());
  EXPECT_TRUE(same(batch_of(replay, 1), batch_of(resumed, 1)));
  for (const Sample& sample : batch_of(replay, 1)) EXPECT_EQ(sample.rules_index, 0);
}

// Half of the weight uniform, half by surprise: on average a position is drawn in proportion to its weight.
TEST(Replay, SurprisingPositionsAreDrawnMoreOften) {
  const TemporaryFolder folder("surprise");
  const std::vector<GameRecord> games = fake_games(Rules{}, 0, 40);
  ReplaySettings settings = small_window();
  Replay weighted = make_replay(settings, folder);
  settings.surprise_share = 0;
  Replay uniform = make_replay(settings, folder);
  weighted.add(1, games);
  uniform.add(1, games);
  const auto mean_surprise = [](const Replay& replay) {
    double sum = 0;
    int count = 0;
    for (std::uint64_t step = 0; step < 200; ++step) {
      for (const Sample& sample : batch_of(replay, step)) {
        if (sample.flags & kFlagFull) sum += sample.surprise, ++count;
      }
    }
    return sum / count;
  };
  // Uniform surprise on [0, M]: mean M/2 uniformly, M/3 + M/4 = 7/12 M with half the weight by surprise.
  EXPECT_NEAR(mean_surprise(uniform) / 4096, 1.0 / 2, 0.02);
  EXPECT_NEAR(mean_surprise(weighted) / 4096, 7.0 / 12, 0.02);
}

TEST(Replay, ABatchTakesNoPositionMuchMoreOftenThanItsShare) {
  const TemporaryFolder folder("strata");
  ReplaySettings settings = small_window();
  settings.surprise_share = 0;
  Replay replay = make_replay(settings, folder);
  replay.add(1, fake_games(Rules{}, 0, 40));
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> drawn;
  const int rounds = 50;
  const auto size = static_cast<std::size_t>(replay.positions());
  for (std::uint64_t step = 0; step < rounds; ++step) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> once;
    for (const Sample& sample : batch_of(replay, step, size / 4)) {
      const auto key = std::make_pair(sample.position.mover ^ sample.ply, sample.position.opponent ^ static_cast<std::uint64_t>(sample.plies_left));
      ++drawn[key];
      if (sample.ply <= 12) continue;  // later positions are distinct here
      EXPECT_EQ(++once[key], 1);
    }
  }
  EXPECT_GT(static_cast<double>(drawn.size()), 0.9 * static_cast<double>(size)) << "in the end every position has been seen";
}

TEST(Replay, AlarmsOnEqualPositions) {
  const TemporaryFolder folder("equal");
  Replay replay = make_replay(small_window(), folder);
  replay.add(1, fake_games(Rules{}, 0, 20));
  EXPECT_GT(replay.newest_statistics().distinct_share, 0.9);
  std::vector<GameRecord> same_games(20, test::fake_game(Rules{}, 3));
  replay.add(2, same_games);
  const SampleStatistics& statistics = replay.newest_statistics();
  EXPECT_NEAR(statistics.distinct_share, 1.0 / 20, 0.01);
  EXPECT_NEAR(statistics.most_common_share * static_cast<double>(statistics.positions), 20, 1e-6);
  std::int64_t sum = 0;
  for (const std::int64_t bin : statistics.by_ply) sum += bin;
  EXPECT_EQ(sum, statistics.positions);
  EXPECT_GT(statistics.policy_share, 0.5);
  EXPECT_LT(statistics.policy_share, 1.0);
}

TEST(Replay, AnIterationWithoutGamesWritesNothing) {
  const TemporaryFolder folder("none");
  Replay replay = make_replay(small_window(), folder);
  EXPECT_EQ(replay.add(1, {}), ShardInfo{});
  EXPECT_FALSE(std::filesystem::exists(folder / "replay"));
  EXPECT_TRUE(replay.shards().empty());
}

TEST(Replay, SettingsUnderWhichTrainingWouldNeverBeginAreRefused) {
  const TemporaryFolder folder("settings");
  ReplaySettings settings = small_window();
  settings.min_positions = 3000;
  EXPECT_THAT(error_of([&] { make_replay(settings, folder); }), HasSubstr("replay.min_positions"));
  settings = small_window();
  settings.window_min = 7000;
  EXPECT_THAT(error_of([&] { make_replay(settings, folder); }), HasSubstr("replay.window_min"));
}

TEST(StepBudget, WholeBatchesAreTakenAndTheRestIsCarried) {
  StepBudget budget;
  EXPECT_EQ(budget.take_steps(100, 4, 256), 1);
  EXPECT_DOUBLE_EQ(budget.carried_samples, 144);
  EXPECT_EQ(budget.take_steps(28, 4, 256), 1);
  EXPECT_DOUBLE_EQ(budget.carried_samples, 0);
  std::int64_t steps = 0;
  for (int i = 0; i < 1000; ++i) steps += budget.take_steps(7, 2.5, 64);
  EXPECT_EQ(steps, static_cast<std::int64_t>(1000 * 7 * 2.5 / 64));
}

}  // namespace
}  // namespace wari
