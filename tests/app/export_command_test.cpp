#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/run_wari.h"
#include "tests/train/python_packages.h"

// wari export as a person runs it, and the program of docs/export.md on what it wrote.
namespace wari {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class ExportCommand : public testing::Test {
 protected:
  // One short run serves all tests of this process: rule sets in which captures are declined, slams move again or end the game, turns have laps, cycles are halved.
  static void SetUpTestSuite() {
    shared_ = new TestFolder;
    run_ = shared_->path() + "/run";
    const Ran ran = run_wari({"train", "--config", "configs/smoke.yaml", "--run", run_, "--set", "iterations=1", "--set", "iteration_waves=400", "--set", "selfplay.lanes=768", "--set",
                              "selfplay.simulations=4", "--set", "network.width=16", "--set", "network.blocks=1", "--set",
                              "rules={abapa: 1, warri: 1, awale: 1, relay: 1, awari: 1, 'abapa,grand_slam=opponent_takes_rest': 1}"});
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  static void TearDownTestSuite() { delete shared_; }

  std::string out(const std::string& name) const { return folder_.path() + "/" + name; }

  static void expect_refused(const std::vector<std::string>& arguments, const std::string& said) {
    std::vector<std::string> all{"export"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ran ran = run_wari(all);
    EXPECT_EQ(ran.status, 2) << said << ": " << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, testing::StartsWith("wari: "));
    EXPECT_THAT(ran.err, HasSubstr(said));
  }

  static TestFolder* shared_;
  static std::string run_;
  TestFolder folder_;
};
TestFolder* ExportCommand::shared_ = nullptr;
std::string ExportCommand::run_;

TEST_F(ExportCommand, TellsInAndOutputsAndMetadataInJson) {
  for (const std::string format : {"onnx", "safetensors"}) {
    const std::string file = out("model." + format);
    const Ran ran = run_wari({"export", "--checkpoint", run_, "--format", format, "--out", file, "--json"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const nlohmann::json told = nlohmann::json::parse(ran.out);
    EXPECT_EQ(told.at("bytes"), fs::file_size(file));
    EXPECT_EQ(told.at("inputs")[0].at("name"), "tokens");
    EXPECT_EQ(told.at("inputs")[0].at("shape"), nlohmann::json({"batch", 35}));
    EXPECT_EQ(told.at("inputs")[0].at("type"), "int32");
    std::map<std::string, nlohmann::json> shapes;
    for (const nlohmann::json& output : told.at("outputs")) shapes[output.at("name")] = output.at("shape");
    EXPECT_EQ(shapes.at("policy"), nlohmann::json({"batch", 12}));
    EXPECT_EQ(shapes.at("wdl"), nlohmann::json({"batch", 3}));
    EXPECT_EQ(shapes.at("margin"), nlohmann::json::array({"batch"}));
    EXPECT_EQ(shapes.at("margin_classes"), nlohmann::json({"batch", 145}));
    EXPECT_EQ(shapes.at("plies_left"), nlohmann::json::array({"batch"}));
    EXPECT_EQ(told.at("metadata").at("rules").size(), 6u);
    EXPECT_EQ(told.at("metadata").at("rules")[3].at("name"), "relay");
    EXPECT_EQ(told.at("metadata").at("network").at("kind"), "mlp");
  }
  EXPECT_THAT(run_wari({"export", "--checkpoint", run_, "--format", "onnx", "--out", out("model.onnx")}).out, testing::AllOf(HasSubstr("mlp_1x16"), HasSubstr("margin_classes")));
}

TEST_F(ExportCommand, WrongUseIsNamedAndNothingIsWritten) {
  const std::string file = out("model");
  expect_refused({"--checkpoint", run_, "--format", "onxx", "--out", file}, "'onxx'");
  expect_refused({"--checkpoint", run_, "--out", file}, "--format");
  expect_refused({"--checkpoint", run_ + "/none", "--format", "onnx", "--out", file}, "no such checkpoint");
  expect_refused({"--checkpoint", folder_.path(), "--format", "onnx", "--out", file}, "no checkpoint");
  expect_refused({"--checkpoint", run_, "--format", "onnx", "--out", folder_.path()}, "a folder, not a file");
  expect_refused({"--checkpoint", run_, "--format", "onnx", "--out", out("none/model")}, "no such folder");
  expect_refused({"--checkpoint", run_, "--format", "onnx", "--out", run_ + "/checkpoints/000001/weights.safetensors"}, "a checkpoint's folder");
  const std::string configuration = content(run_ + "/config.yaml");
  expect_refused({"--checkpoint", run_, "--format", "onnx", "--out", run_ + "/config.yaml"}, "may be no model");
  EXPECT_EQ(content(run_ + "/config.yaml"), configuration);
  const std::string pipe = out("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refused({"--checkpoint", run_, "--format", "onnx", "--out", pipe}, "not a file that can be replaced");
  EXPECT_TRUE(fs::is_fifo(pipe)) << "it would be gone had the file been renamed to it";
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(run_wari({"export", "--checkpoint", run_ + "/checkpoints/000001", "--format", "onnx", "--out", file}).status, 0);
}

TEST_F(ExportCommand, DamagedWeightsAreRefusedByName) {
  fs::copy(run_ + "/checkpoints/000001", out("000001"));
  std::string bytes = content(out("000001/weights.safetensors"));
  bytes[bytes.size() / 2] ^= 1;
  folder_.file("000001/weights.safetensors", bytes);
  expect_refused({"--checkpoint", out("000001"), "--format", "onnx", "--out", out("model")}, "weights.safetensors");
}

TEST_F(ExportCommand, AFileThatCannotBeWrittenLeavesTheOldOne) {
  const std::string file = folder_.file("model.onnx", "the model of yesterday");
  // The shell stands for a full disk: no file may grow beyond a block or two.
  const std::string command = "ulimit -f 2; '" + std::string(WARI_BINARY_DIR) + "/wari' export --checkpoint '" + run_ + "' --format onnx --out '" + file + "' 2>" + out("err") + " >" + out("out");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);
  EXPECT_THAT(content(out("err")), testing::AllOf(testing::StartsWith("wari: cannot write"), HasSubstr("model.onnx")));
  EXPECT_EQ(content(file), "the model of yesterday");
  EXPECT_FALSE(fs::exists(file + ".tmp"));
}

TEST_F(ExportCommand, AnExportedFileIsNoCheckpointToGoOnFrom) {
  const std::string file = out("model.safetensors");
  ASSERT_EQ(run_wari({"export", "--checkpoint", run_, "--format", "safetensors", "--out", file}).status, 0);
  const Ran ran = run_wari({"train", "--config", "configs/smoke.yaml", "--run", out("next"), "--from", file});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("not a checkpoint"));
  EXPECT_THAT(ran.err, HasSubstr("nothing to go on from"));
}

TEST_F(ExportCommand, TheProgramInTheDocumentPlaysLegalGamesOfEveryRuleSet) {
  WARI_NEEDS_PYTHON();
  const std::string model = out("model.onnx");
  ASSERT_EQ(run_wari({"export", "--checkpoint", run_, "--format", "onnx", "--out", model}).status, 0);
  const std::string program = std::string(WARI_SOURCE_DIR) + "/docs/examples/play_onnx.py";
  for (const std::string rules : {"", "abapa", "warri", "awale", "relay", "awari", "abapa,grand_slam=opponent_takes_rest"}) {
    std::vector<std::string> arguments{program, model};
    if (!rules.empty()) arguments.push_back(rules);
    const PythonRan ran = run_python(arguments);
    ASSERT_EQ(ran.status, 0) << rules << ": " << ran.err;
    const nlohmann::json game = nlohmann::json::parse(ran.out);
    EXPECT_GT(game.at("plies"), 5) << rules;
    EXPECT_THAT(ran.err, HasSubstr("win"));
    const Ran checked = run_wari({"check-rules", folder_.file("game.jsonl", ran.out), "--json"});
    EXPECT_EQ(checked.status, 0) << rules << ": " << checked.out << checked.err;
    EXPECT_EQ(nlohmann::json::parse(checked.out).at("checked"), 1);
  }
  EXPECT_NE(run_python({program, model, "short"}).status, 0) << "it was not trained on these rules";
}

}  // namespace
}  // namespace wari
