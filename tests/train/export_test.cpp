#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/rules_files.h"
#include "selfplay/record.h"
#include "selfplay/replay_game.h"
#include "tests/core/rule_mixes.h"
#include "tests/train/python_packages.h"
#include "tests/train/training_runs.h"
#include "train/checkpoint.h"
#include "train/export_onnx.h"
#include "train/export_safetensors.h"
#include "train/network_module.h"

// Exported networks against LibTorch, read by the Python packages that other people have.
namespace wari {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr double kAllowed = 1e-4;
constexpr int kPositions = 1000;

std::string bytes_of(const auto& values) { return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])}; }

class Exports : public TrainingRuns {
 protected:
  // A run of three rule sets, so short that it plays badly and so long that its weights are none that it began with. Returns its folder.
  fs::path trained(TrunkKind kind) {
    TrainingSettings settings = tiny_settings();
    settings.rules = {{"abapa,seeds_per_pit=2", 1}, {"warri,laps=two,seeds_per_pit=3", 1}, {"awale,seeds_per_pit=2", 1}};
    settings.selfplay.lanes = 384;  // 128 of each rule set
    settings.network = {kind, kind == TrunkKind::mlp ? 32 : 16, 2};
    settings.replay.reuse = 4;
    train(settings, "run");
    return base_ / "run";
  }

  // Positions of the run's own games, evenly spread over all of them: [positions, kTokens].
  std::vector<std::int32_t> positions_of(const fs::path& run) {
    std::vector<std::int32_t> all;
    std::vector<int> seen(3);
    for (const auto& entry : fs::directory_iterator(run / "replay")) {
      const RecordShard shard = read_records(entry.path());
      for (const GameRecord& game : shard.games) {
        const Rules& rules = shard.header.rules[game.rules_index];
        std::vector<ReplayedPly> plies;
        EXPECT_EQ(replay_game(game, rules, plies), "");
        for (const ReplayedPly& ply : plies) {
          Token tokens[kTokens];
          encode_board(sowing_tables(), rules, ply.position, ply.quiet_plies, tokens);
          encode_rules(rules, tokens + kBoardTokens);
          all.insert(all.end(), tokens, tokens + kTokens);
        }
        seen[game.rules_index] += static_cast<int>(plies.size());
      }
    }
    for (const int count : seen) EXPECT_GT(count, kPositions) << "of each rule set";
    const std::size_t stride = all.size() / kTokens / kPositions;
    std::vector<std::int32_t> taken;
    for (std::size_t position = 0; position < kPositions; ++position) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(position * stride * kTokens);
      taken.insert(taken.end(), first, first + kTokens);
    }
    return taken;
  }

  // [positions, kHeadOutputs] as LibTorch computes them.
  static std::vector<float> libtorch(const NetworkLayout& layout, const std::vector<float>& weights, const std::vector<std::int32_t>& tokens) {
    const torch::NoGradGuard no_grad;
    NetworkModule module(layout.settings());
    module.set_weights(weights);
    module.eval();
    const auto rows = static_cast<std::int64_t>(tokens.size()) / kTokens;
    const torch::Tensor input = torch::from_blob(const_cast<std::int32_t*>(tokens.data()), {rows, kTokens}, torch::kInt).to(torch::kLong);
    const torch::Tensor output = module.forward(input).contiguous();
    return {output.data_ptr<float>(), output.data_ptr<float>() + output.numel()};
  }

  static float greatest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    float greatest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::fabs(a[i] - b[i]));
    return greatest;
  }

  void expect_equal_everywhere(TrunkKind kind) {
    const fs::path run = trained(kind);
    const CheckpointWeights checkpoint = read_checkpoint_weights(resolve_checkpoint(run.string()));
    const ExportedModel model = load_exported_model(run.string());
    const std::vector<std::int32_t> tokens = positions_of(run);
    const std::vector<float> expected = libtorch(model.layout, model.weights, tokens);
    ASSERT_EQ(expected.size(), std::size_t{kPositions} * kHeadOutputs);
    // What must not be taken for it would be seen: the weights that the optimiser moves, and those it began with.
    EXPECT_GT(greatest_difference(expected, libtorch(model.layout, flat_weights(checkpoint, false), tokens)), 100 * kAllowed);
    EXPECT_GT(greatest_difference(expected, libtorch(model.layout, initial_weights(model.layout, 1), tokens)), 100 * kAllowed);

    const fs::path folder = base_ / "files";
    fs::create_directories(folder);
    write_file_durably(folder / "model.onnx", onnx_file(model));
    write_file_durably(folder / "model.safetensors", safetensors_file(model));
    write_file_durably(folder / "tokens", bytes_of(tokens));
    write_file_durably(folder / "expected", bytes_of(expected));
    const PythonRan ran = run_python({std::string(WARI_SOURCE_DIR) + "/tests/train/compare_export.py", folder.string()});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const nlohmann::json told = nlohmann::json::parse(ran.out);
    EXPECT_EQ(told.at("positions"), kPositions);
    ASSERT_EQ(told.at("onnx").size(), 4u);
    for (const auto& [batch, difference] : told.at("onnx").items()) EXPECT_LT(difference.get<double>(), kAllowed) << "batch " << batch;
    EXPECT_LT(told.at("safetensors").get<double>(), kAllowed);
    expect_described(told, model);
  }

  // What the files say of themselves, as the packages read it.
  static void expect_described(const nlohmann::json& told, const ExportedModel& model) {
    const auto expect_ports = [](const nlohmann::json& ports, const std::vector<ModelPort>& wanted) {
      ASSERT_EQ(ports.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        nlohmann::json shape = {"batch"};
        for (const std::int64_t extent : wanted[i].shape) shape.push_back(extent);
        EXPECT_EQ(ports[i], nlohmann::json({{"name", wanted[i].name}, {"shape", shape}, {"type", wanted[i].type}}));
      }
    };
    expect_ports(told.at("inputs"), model_inputs());
    expect_ports(told.at("outputs"), model_outputs());
    EXPECT_EQ(told.at("onnx_metadata"), nlohmann::json(metadata_texts(model)));
    EXPECT_EQ(told.at("safetensors_metadata"), nlohmann::json(metadata_texts(model)));
    ASSERT_EQ(told.at("tensors").size(), model.layout.tensors().size());
    for (const TensorPlace& place : model.layout.tensors()) EXPECT_EQ(told.at("tensors").at(place.name), nlohmann::json(place.shape)) << place.name;
  }
};

TEST_F(Exports, OfAnMlpEqualLibTorchOnPositionsOfItsGamesAtEverySizeOfTheBatch) {
  WARI_NEEDS_PYTHON();
  expect_equal_everywhere(TrunkKind::mlp);
}

TEST_F(Exports, OfAConvEqualLibTorchOnPositionsOfItsGamesAtEverySizeOfTheBatch) {
  WARI_NEEDS_PYTHON();
  expect_equal_everywhere(TrunkKind::conv);
}

TEST_F(Exports, SayWhereTheyComeFromAndAreTheSameEveryTime) {
  const fs::path run = trained(TrunkKind::mlp), checkpoint = newest_checkpoint("run");
  const CheckpointInfo info = read_checkpoint_info(checkpoint);
  const ExportedModel model = load_exported_model(run.string());
  const nlohmann::ordered_json& metadata = model.metadata;
  EXPECT_EQ(metadata.at("format_version"), kExportFormat);
  EXPECT_EQ(metadata.at("token_version"), kTokenVersion);
  EXPECT_EQ(metadata.at("network"), nlohmann::ordered_json({{"kind", "mlp"}, {"blocks", 2}, {"width", 32}}));
  EXPECT_EQ(metadata.at("iteration"), 3);
  EXPECT_EQ(metadata.at("step"), info.step);
  EXPECT_EQ(metadata.at("run_id"), info.run_id);
  EXPECT_EQ(metadata.at("checkpoint_hash"), info.hashes.at("weights.safetensors"));
  ASSERT_EQ(metadata.at("rules").size(), 3u);
  for (std::size_t set = 0; set < 3; ++set) {
    const Rules& rules = info.rules[set].first;
    EXPECT_EQ(metadata.at("rules")[set].at("name"), rules_name(rules));
    EXPECT_EQ(metadata.at("rules")[set].at("options"), rules_to_json(rules));
    Token tokens[kRuleTokens];
    encode_rules(rules, tokens);
    EXPECT_EQ(metadata.at("rules")[set].at("tokens"), nlohmann::ordered_json(tokens));
  }
  const ExportedModel again = load_exported_model(checkpoint.string());
  EXPECT_EQ(onnx_file(again), onnx_file(model));
  EXPECT_EQ(safetensors_file(again), safetensors_file(model));
}

TEST(ExportedModel, HoldsEveryTokenOfAPlaceBetweenItsOffsetAndTheNext) {
  const std::vector<int> offsets = token_offsets();
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(kTokens));
  std::vector<int> least(kTokens, kVocabulary);
  std::uint64_t number = 0;
  for (const Rules& rules : fixed_rule_sets(200)) {
    Token tokens[kTokens];
    encode_board(sowing_tables(), rules, random_position(rules, number), static_cast<int>(number % 3) * 5, tokens);
    encode_rules(rules, tokens + kBoardTokens);
    for (std::size_t place = 0; place < kTokens; ++place) {
      ASSERT_GE(tokens[place], offsets[place]) << place;
      ASSERT_LT(tokens[place], place + 1 < kTokens ? offsets[place + 1] : kVocabulary) << place;
      least[place] = std::min<int>(least[place], tokens[place]);
    }
    ++number;
  }
  for (std::size_t place = 0; place < kPitTokens; ++place) EXPECT_EQ(least[place], offsets[place]) << "an empty pit is the offset itself";
}

TEST(ExportedModel, LargerThanAnOnnxFileCanBeIsRefused) {
  const ExportedModel model{NetworkLayout({TrunkKind::mlp, 4096, 40}), {}, {}};
  try {
    onnx_file(model);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("mlp_40x4096"), HasSubstr("--format safetensors")));
  }
}

// The program of docs/export.md holds the rules and the encoder once more.
TEST_F(Exports, TheProgramInTheDocumentAgreesWithTheEngine) {
  WARI_NEEDS_PYTHON();
  std::string lines;
  std::uint64_t number = 0;
  for (const Rules& rules : fixed_rule_sets(300)) {
    Token rule_tokens[kRuleTokens];
    encode_rules(rules, rule_tokens);
    const nlohmann::json model = {{"options", rules_to_json(rules)}, {"rule_tokens", rule_tokens}, {"token_offsets", token_offsets()}};
    for (int count = 0; count < 20; ++count, ++number) {
      const Position position = random_position(rules, number);
      const int quiet = static_cast<int>(test_draw(number, 9000, static_cast<std::uint32_t>(rules.quiet_plies) + 1));
      Token tokens[kTokens];
      encode_board(sowing_tables(), rules, position, quiet, tokens);
      encode_rules(rules, tokens + kBoardTokens);
      nlohmann::json legal = nlohmann::json::array(), pits = nlohmann::json::array();
      const std::uint16_t mask = legal_actions(sowing_tables(), rules, position);
      for (int action = 0; action < kActions; ++action) {
        if ((mask >> action & 1) != 0) legal.push_back(action);
      }
      for (int pit = 0; pit < 2 * kPits; ++pit) pits.push_back(pit_seeds(pit < kPits ? position.mover : position.opponent, pit % kPits));
      lines += nlohmann::json({{"model", model},
                               {"pits", pits},
                               {"stores", {store_seeds(position.mover), store_seeds(position.opponent)}},
                               {"quiet", quiet},
                               {"tokens", tokens},
                               {"legal", legal}})
                   .dump() +
               "\n";
    }
  }
  write_file_durably(base_ / "positions", lines);
  const std::string source = WARI_SOURCE_DIR;
  const PythonRan ran = run_python({source + "/tests/train/check_example.py", (base_ / "positions").string(), source + "/tests/data/rules/games.jsonl"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json told = nlohmann::json::parse(ran.out);
  EXPECT_EQ(told.at("positions"), number);
  EXPECT_GT(told.at("games"), 100);
}

}  // namespace
}  // namespace wari
