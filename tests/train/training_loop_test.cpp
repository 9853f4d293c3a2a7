#include "train/training_loop.h"

#include <gmock/gmock.h>

#include "arena/match.h"
#include "selfplay/record.h"
#include "tests/train/training_runs.h"
#include "train/checkpoint_evaluator.h"
#include "train/metrics.h"

// The whole circle, small.
namespace wari {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TrainingLoop : public TrainingRuns {};

TEST_F(TrainingLoop, ToyGameIsLearnedWellEnoughToBeatRandomPlay) {
  TrainingSettings settings = tiny_settings("abapa,seeds_per_pit=2");
  settings.iterations = 8;
  settings.selfplay.play.simulations = 16;
  settings.iteration_waves = 1000;
  settings.network.width = 32;
  settings.replay.reuse = 2;
  train(settings, "toy");
  SearchPlayerSettings search;
  search.visits = 16;
  search.search.algorithm = Algorithm::puct;
  const auto learned = make_search_player("learned", search, *load_checkpoint_evaluator(base_ / "toy"));
  const auto random = make_random_player();
  MatchSettings match;
  match.rules = parse_rules("abapa,seeds_per_pit=2");
  match.games = 200;
  match.opening_plies = 2;
  const MatchResult result = play_match(match, *learned, *random);
  EXPECT_GT(result.total.score(), 0.9) << result.total.wins << " won, " << result.total.draws << " drawn, " << result.total.losses << " lost";
}

// With endgame tables: built on first use, looked up, games end by them, choices are compared with a larger one; and a run that was stopped goes on to the same bits.
TEST_F(TrainingLoop, UsesEndgameTables) {
  TrainingSettings settings = tiny_settings("abapa,seeds_per_pit=2");
  settings.iterations = 4;
  settings.selfplay.endgame.seeds = 7;
  settings.evaluation.every = 2;
  settings.evaluation.games = 4;
  settings.evaluation.visits = 8;
  settings.evaluation.references = {"random"};
  settings.evaluation.table_seeds = 9;
  settings.evaluation.truth_positions = 20;
  const TrainingResult whole = train(settings, "whole");
  EXPECT_TRUE(fs::exists(base_ / "whole" / "tables" / "abapa-7.table"));
  EXPECT_TRUE(fs::exists(base_ / "whole" / "tables" / "abapa-9.table"));
  EXPECT_GT(whole.last_line.at("games").at("ends").at("table").get<double>(), 0.1);
  const auto& truth = whole.last_line.at("evaluation").at("truth");
  for (const char* player : {"policy", "search"}) {
    EXPECT_EQ(truth.at(player).at("positions"), 40);  // of eight and of nine seeds
    EXPECT_GT(truth.at(player).at("optimal_share").get<double>(), 0.2);
    EXPECT_GT(truth.at(player).at("mean_seeds_lost").get<double>(), 0.0);
  }
  EXPECT_THAT(metrics_text(whole.last_line), HasSubstr("best endgame moves: policy"));
  settings.iterations = 1;
  train(settings, "parts");
  settings.iterations = 4;
  train(settings, "parts");
  EXPECT_EQ(outcome("parts"), outcome("whole"));
}

TEST_F(TrainingLoop, RefusesTablesThatTellNothing) {
  const auto refused = [](const std::string& keys, const std::string& rules) {
    return message([&] {
      TrainingSettings settings;
      load_config(settings, ConfigSource::from_text("rules: \"" + rules + "\"\n" + keys, "tables.yaml"));
      resolve_settings(settings);
    });
  };
  EXPECT_THAT(refused("selfplay: {endgame: {seeds: 12}}\nevaluation: {table_seeds: 12}\n", "abapa"), HasSubstr("table_seeds"));
  EXPECT_THAT(refused("evaluation: {table_seeds: 10}\n", "relay"), HasSubstr("single lap"));
  EXPECT_THAT(refused("selfplay: {endgame: {seeds: 30}}\n", "abapa"), HasSubstr("24"));
}

class RuleSet : public TrainingRuns, public testing::WithParamInterface<std::string> {};

TEST_P(RuleSet, TrainsAndPlays) {
  TrainingSettings settings = tiny_settings(GetParam());
  settings.iterations = 2;
  settings.iteration_waves = 1500;  // the longest games (relay-literal) take some hundred plies
  settings.evaluation.every = 2;
  settings.evaluation.games = 4;
  settings.evaluation.visits = 4;
  settings.evaluation.references = {"random"};
  const TrainingResult result = train(settings, "run");
  EXPECT_EQ(result.iterations_done, 2);
  EXPECT_GT(result.last_line.at("games").at("total").get<int>(), 0);
  EXPECT_GT(result.last_line.at("training").at("steps").get<int>(), 0);
  EXPECT_TRUE(result.last_line.at("training").at("policy_loss").is_number());
  EXPECT_EQ(result.last_line.at("training").at("skipped_steps"), 0);
  EXPECT_TRUE(result.last_line.at("elo").is_number());
  EXPECT_EQ(result.last_line.at("evaluation").at("matches").at("random").at("games"), 4);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, rules] : rule_presets()) names.push_back(name);
  names.push_back("warri,laps=two");
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, RuleSet, testing::ValuesIn(preset_names()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST_F(TrainingLoop, SeveralRuleSetsAreLearnedByOneNetwork) {
  TrainingSettings settings = tiny_settings();
  settings.rules = {{"abapa,seeds_per_pit=2", 1}, {"warri,seeds_per_pit=2", 1}};
  settings.selfplay.lanes = 256;
  train(settings, "mix");
  EXPECT_THAT(iterations("mix"), ElementsAre(1, 2, 3));
  const auto rules = nlohmann::json::parse(read_whole_file(newest_checkpoint("mix") / "checkpoint.json")).at("rules");
  EXPECT_EQ(rules.size(), 2u);
}

TEST_F(TrainingLoop, FolderHoldsWhatTheContractNames) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 5;
  settings.checkpoints.keep = 2;
  settings.evaluation.every = 2;
  settings.evaluation.games = 2;
  settings.evaluation.references = {"random"};
  train(settings, "run");
  for (const char* name : {"config.yaml", "metrics.jsonl", "results.sqlite", "tensorboard", "replay"}) EXPECT_TRUE(fs::exists(base_ / "run" / name)) << name;
  for (const char* name : {"weights.safetensors", "optimizer.safetensors", "lanes.bin", "checkpoint.json"})
    EXPECT_TRUE(fs::exists(base_ / "run" / "checkpoints" / "000005" / name)) << name;
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(base_ / "run" / "checkpoints")) kept.push_back(entry.path().filename().string());
  EXPECT_THAT(kept, testing::UnorderedElementsAre("000002", "000004", "000005")) << "the newest two, and those on the Elo curve";
  TrainingSettings read;
  load_config(read, ConfigSource::from_file(base_ / "run" / "config.yaml"));
  EXPECT_EQ(config_values(read), config_values(settings));
}

TEST_F(TrainingLoop, TooFewPositionsTrainNothingButLeaveTheirLineAndCheckpoint) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 2;
  settings.iteration_waves = 20;
  settings.replay.min_positions = 5'000;
  const TrainingResult result = train(settings, "run");
  EXPECT_EQ(result.last_line.at("step"), 0);
  EXPECT_TRUE(result.last_line.at("training").at("policy_loss").is_null());
  EXPECT_THAT(iterations("run"), ElementsAre(1, 2));
  EXPECT_EQ(newest_checkpoint("run").filename(), "000002");
}

TEST_F(TrainingLoop, TimeEndsARunAndTheScheduleFollowsIt) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 0;
  settings.max_minutes = 3.0 / 60;
  settings.trainer.schedule_steps = 0;
  settings.trainer.warmup_steps = 1;
  train(settings, "timed");
  auto lines = metrics("timed");
  EXPECT_LT(lines.back().at("time").at("seconds_used").get<double>(), 8);
  std::erase_if(lines, [](const auto& line) { return line.at("training").at("learning_rate").is_null(); });  // the last may have been cut off before a step
  ASSERT_GE(lines.size(), 2u);
  EXPECT_LT(lines.back().at("training").at("learning_rate").get<double>(), lines.front().at("training").at("learning_rate").get<double>());
  EXPECT_EQ(train(settings, "timed").iterations_done, 0);
}

TEST_F(TrainingLoop, TimeCutsALongIterationShortAndTheLastCheckpointIsMeasured) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 0;
  settings.iteration_waves = 1'000'000;  // minutes
  settings.max_minutes = 1.0 / 60;
  settings.evaluation.every = 1000;
  settings.evaluation.games = 2;
  settings.evaluation.references = {"random"};
  const TrainingResult result = train(settings, "cut");
  EXPECT_EQ(result.iterations_done, 1);
  EXPECT_LT(result.last_line.at("time").at("seconds_used").get<double>(), 5);
  EXPECT_TRUE(result.last_line.at("elo").is_number());
  EXPECT_EQ(train(settings, "cut").iterations_done, 0);
}

TEST_F(TrainingLoop, RunWithoutAnEndIsRefusedAndLeavesNothing) {
  TrainingSettings settings = tiny_settings();
  settings.iterations = 0;
  EXPECT_THAT(message([&] { train(settings, "endless"); }), HasSubstr("max_minutes"));
  EXPECT_FALSE(fs::exists(base_ / "endless"));
}

TEST_F(TrainingLoop, NewRunBeginsWithOldWeights) {
  train(tiny_settings(), "old");
  TrainingSettings settings = tiny_settings();
  settings.iterations = 1;
  settings.seed = 2;
  run_training({settings, base_ / "new", (base_ / "old").string(), {}});
  EXPECT_TRUE(fs::exists(base_ / "new" / "checkpoints" / "000000" / "checkpoint.json"));
  EXPECT_THAT(iterations("new"), ElementsAre(1));
  EXPECT_EQ(run_training({settings, base_ / "new", (base_ / "old").string(), {}}).iterations_done, 0) << "the same command continues it";
  settings.iterations = 2;
  EXPECT_EQ(train(settings, "new").iterations_done, 1);
  train(settings, "other");
  EXPECT_THAT(message([&] { run_training({settings, base_ / "other", (base_ / "old").string(), {}}); }), HasSubstr("did not begin with"));
  settings.network.width = 24;
  EXPECT_THAT(message([&] { run_training({settings, base_ / "wider", (base_ / "old").string(), {}}); }), AllOf(HasSubstr("16"), HasSubstr("24")));
  EXPECT_FALSE(fs::exists(base_ / "wider"));
  settings = tiny_settings();
  const auto before = files("other");
  std::ofstream(newest_checkpoint("old") / "weights.safetensors", std::ios::app) << "x";
  for (const char* name : {"fresh", "other"})
    EXPECT_THAT(message([&] { run_training({settings, base_ / name, (base_ / "old").string(), {}}); }), HasSubstr("weights.safetensors"));
  EXPECT_FALSE(fs::exists(base_ / "fresh"));
  EXPECT_EQ(files("other"), before);
}

TEST_F(TrainingLoop, LearnsFromRecordsAlone) {
  train(tiny_settings(), "played");
  const std::vector<fs::path> folders = {base_ / "played" / "replay"};
  const auto shards = record_shards(folders);
  ASSERT_GE(shards.size(), 2u);
  TrainingSettings settings = tiny_settings();
  settings.iterations = 0;
  const TrainingResult result = run_training({settings, base_ / "taught", "", folders});
  EXPECT_EQ(result.iterations_done, static_cast<std::int64_t>(shards.size())) << "one iteration a shard";
  EXPECT_GT(result.last_line.at("step").get<int>(), 0);
  EXPECT_EQ(result.last_line.at("games").at("rejected"), 0);
  EXPECT_EQ(run_training({settings, base_ / "taught", "", folders}).iterations_done, 0);
  EXPECT_EQ(run_training({settings, base_ / "taught", "", {base_ / "taught" / ".." / "played" / "replay"}}).iterations_done, 0) << "the same files by another path";
  // In two parts it is the same.
  settings.iterations = 1;
  run_training({settings, base_ / "parts", "", folders});
  settings.iterations = 0;
  run_training({settings, base_ / "parts", "", folders});
  EXPECT_EQ(outcome("parts"), outcome("taught"));
  TrainingSettings foreign = tiny_settings("warri,seeds_per_pit=2");
  EXPECT_THAT(message([&] { run_training({foreign, base_ / "foreign", "", folders}); }), HasSubstr("'abapa,seeds_per_pit=2'"));
  std::ofstream(base_ / "text.games") << "hello";
  fs::create_directory(base_ / "empty");
  for (const fs::path& wrong : {base_ / "text.games", base_ / "empty", base_ / "nowhere"})
    EXPECT_THAT(message([&] { run_training({settings, base_ / "foreign", "", {wrong}}); }), HasSubstr(wrong.string()));
  EXPECT_FALSE(fs::exists(base_ / "foreign")) << "what is refused leaves nothing behind";
}

TEST_F(TrainingLoop, SettingsThatContradictEachOtherAreSeenBeforeAnythingIsWritten) {
  TrainingSettings settings = tiny_settings();
  settings.replay.min_positions = settings.replay.window_min + 1;
  EXPECT_THAT(message([&] { resolve_settings(settings); }), HasSubstr("replay.min_positions is above replay.window_min"));
}

}  // namespace
}  // namespace wari
