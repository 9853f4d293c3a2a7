#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/run_wari.h"

// What the command line promises to scripts: exit statuses, one line for an error, nothing but one document on standard output.
namespace wari {
namespace {

using testing::HasSubstr;

struct BadInput {
  std::string what;
  std::vector<std::string> arguments;
  std::string word;  // that the message must contain
};

void expect_refused(const BadInput& input) {
  const Ran ran = run_wari(input.arguments);
  EXPECT_EQ(ran.status, 2) << input.what << ": " << ran.err;
  EXPECT_EQ(ran.out, "") << input.what;
  const auto lines = std::count(ran.err.begin(), ran.err.end(), '\n');
  EXPECT_TRUE(lines >= 1 && lines <= 4) << input.what << ": " << ran.err;
  EXPECT_EQ(ran.err.rfind("wari: ", 0), 0u) << input.what << ": " << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(input.word)) << input.what;
  for (const char* trace : {"terminate called", "what():", "Assertion", "frame #", "unexpected"})
    EXPECT_THAT(ran.err, testing::Not(HasSubstr(trace))) << input.what;
}

const std::string kStart = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";

TEST(CommandLine, WrongUseNamesTheWordAndTheNearest) {
  const std::vector<BadInput> inputs{
      {"unknown command", {"trian"}, "'train'"},
      {"unknown flag", {"perft", "--rules", "abapa", "--dept", "3"}, "'--depth'"},
      {"unknown flag with a value", {"perft", "--dept=3"}, "'--depth'"},
      {"missing flag", {"perft", "--rules", "abapa"}, "--depth"},
      {"missing value", {"perft", "--rules", "abapa", "--depth"}, "--depth"},
      {"a word for a number", {"perft", "--rules", "abapa", "--depth", "many"}, "'many'"},
      {"a number too large", {"perft", "--rules", "abapa", "--depth", "99999999999999999999"}, "'99999999999999999999'"},
      {"a number out of range", {"match", "--a", "random", "--b", "random", "--games", "1"}, "'1'"},
      {"not a number", {"analyze", "--visits", "5", "--c-puct", "nan"}, "'nan'"},
      {"a share that is none", {"analyze", "--visits", "5", "--uniform", "nan"}, "'nan'"},
      {"a share above 1", {"analyze", "--visits", "5", "--uniform", "1.5"}, "from 0 to 1"},
      {"a single dash", {"bench", "-x"}, "-x"},
      {"an empty command", {""}, "unknown command ''"},
      {"an empty group", {"bench", ""}, "an empty value ''"},
      {"unknown group", {"bench", "serach"}, "'search'"},
      {"unknown row", {"bench", "gpu.mlp_12x256.64"}, "'gpu.mlp_12x256.64k'"},
      {"unknown level", {"bench", "machine", "--log", "loud"}, "'loud'"},
      {"one command after another", {"perft", "--rules", "abapa", "--depth", "2", "extra"}, "'extra'"},
      {"control characters", {"per\nft\x1b[2J"}, "perft"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

TEST(CommandLine, EmptyValuesAreRefusedAndNothingIsMade) {
  const TestFolder folder;
  const std::string run = folder.path() + "/run";
  const std::vector<BadInput> inputs{
      {"checkpoint", {"analyze", "--visits", "8", "--checkpoint", ""}, "--checkpoint"},
      {"position", {"analyze", "--visits", "8", "--position", ""}, "--position"},
      {"position after =", {"analyze", "--position=", "--visits", "8"}, "--position"},
      {"configuration", {"train", "--run", run, "--config", ""}, "--config"},
      {"run", {"train", "--config", "configs/smoke.yaml", "--run", ""}, "--run"},
      {"from", {"train", "--config", "configs/smoke.yaml", "--run", run, "--from", ""}, "--from"},
      {"records", {"train", "--config", "configs/smoke.yaml", "--run", run, "--records", ""}, "--records"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
  EXPECT_FALSE(std::filesystem::exists(run));
  EXPECT_EQ(run_wari({"analyze", "--visits", "8", "--moves", ""}).status, 0) << "no moves are some, too";
}

TEST(CommandLine, BadRulesPositionsAndLinesAreNamed) {
  const auto analyze = [](const std::string& position) {
    return std::vector<std::string>{"analyze", "--rules", "abapa", "--visits", "8", "--position", position};
  };
  const std::vector<BadInput> inputs{
      {"unknown rule set", {"perft", "--rules", "abappa", "--depth", "2"}, "'abapa'"},
      {"unknown option", {"perft", "--rules", "abapa,lapps=two", "--depth", "2"}, "laps"},
      {"unknown value", {"perft", "--rules", "abapa,laps=three", "--depth", "2"}, "two"},
      {"option out of range", {"perft", "--rules", "abapa,seeds_per_pit=9", "--depth", "2"}, "seeds_per_pit"},
      {"wrong sum", analyze("4-4-4-4-4-4-4-4-4-4-4-5-0-0-S"), "49"},
      {"too few numbers", analyze("4-4-4-S"), "4-4-4-S"},
      {"no side", analyze("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X"), "'X'"},
      {"negative", analyze("4-4-4-4-4-4-4-4-4-4-4--4-8-0-S"), "wari: "},
      {"huge", analyze("99999999999999999999-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), "wari: "},
      {"illegal move", {"analyze", "--rules", "abapa", "--visits", "8", "--position", kStart, "--moves", "FfFF"}, "'F'"},
      {"no visits", {"analyze", "--rules", "abapa", "--visits", "0"}, "visits"},
      {"no checkpoint", {"analyze", "--rules", "abapa", "--visits", "8", "--checkpoint", "no/such"}, "no/such"},
      {"no file", {"check-rules", "no/such/file.jsonl"}, "no/such/file.jsonl"},
      {"unknown player", {"match", "--a", "randon", "--b", "random", "--games", "2", "--rules", "abapa"}, "'random'"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

TEST(CommandLine, BadConfigurationsAreNamedAndLeaveNoRunBehind) {
  const TestFolder folder;
  const std::string smoke = "configs/smoke.yaml", run = folder.path() + "/run";
  std::ifstream in(std::string(WARI_SOURCE_DIR) + "/" + smoke);
  ASSERT_TRUE(in) << smoke;
  std::ostringstream text;
  text << in.rdbuf();
  const std::string good = text.str();
  const auto train = [&](const std::string& config, const std::vector<std::string>& settings = {}, const std::string& to = "") {
    std::vector<std::string> arguments{"train", "--config", config, "--run", to.empty() ? run : to};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  };
  const auto lines = std::count(good.begin(), good.end(), '\n');
  const std::vector<BadInput> inputs{
      {"no file", train("no/such.yaml"), "no/such.yaml"},
      {"a folder", train(folder.path()), "folder"},
      {"empty", train(folder.file("empty.yaml", "")), "empty.yaml"},
      {"twice", train(folder.file("twice.yaml", good + "\niterations: 1\n")), "twice.yaml:" + std::to_string(lines + 2)},
      {"mistyped", train(folder.file("line.yaml", good + "iteratons: 3\n")), "line.yaml:" + std::to_string(lines + 1)},
      {"mistyped override", train(smoke, {"iteratons=3"}), "'iterations'"},
      {"out of range", train(smoke, {"selfplay.lanes=0"}), "selfplay.lanes"},
      {"a word for a number", train(smoke, {"selfplay.lanes=many"}), "selfplay.lanes"},
      {"not a number", train(smoke, {"selfplay.lanes=nan"}), "selfplay.lanes"},
      {"beyond 63 bits", train(smoke, {"seed=9223372036854775808"}), "seed"},
      {"unknown rule set", train(smoke, {"rules=abappa"}), "abapa"},
      {"not YAML", train(folder.file("b.yaml", "a: [1, 2\nb: }")), "b.yaml"},
      {"a list", train(folder.file("c.yaml", "- 1\n- 2\n")), "c.yaml"},
      {"unknown override", train(smoke, {"no.such.key=1"}), "no.such.key"},
      {"no value", train(smoke, {"abc"}), "abc"},
      {"run folder is a file", train(smoke, {}, folder.file("file", "x")), "file"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
  if (!std::filesystem::exists("/dev/nvidia0")) expect_refused({"no GPU", train(smoke, {"device=cuda"}), "cuda"});
  EXPECT_FALSE(std::filesystem::exists(run)) << "a refused configuration left a run folder behind";
}

TEST(CommandLine, EveryCommandHasHelpWithAnExample) {
  const Ran all = run_wari({"--help"});
  EXPECT_EQ(all.status, 0);
  for (const std::string command : {"rules", "perft", "check-rules", "analyze", "selfplay", "train", "match", "tournament", "results", "bench"}) {
    EXPECT_THAT(all.out, HasSubstr("\n  " + command + " ")) << "not listed";
    const Ran ran = run_wari({command, "--help"});
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_EQ(ran.err, "") << command;
    EXPECT_THAT(ran.out, HasSubstr("Usage: wari " + command)) << command;
    EXPECT_THAT(ran.out, HasSubstr("Example:\n  wari " + command)) << command;
    EXPECT_THAT(ran.out, HasSubstr("--json")) << command;
  }
}

TEST(CommandLine, AMatchThatIsStoppedTellsWhatItHas) {
  const TestFolder folder;
  const std::string out = folder.path() + "/out";
  // The match would take minutes; `timeout` sends SIGINT after three seconds, which a busy machine may need to start the program.
  const std::string command = "timeout --foreground -s INT 3 " + std::string(WARI_BINARY_DIR) + "/wari match --a alphabeta:depth=9 --b alphabeta:depth=12 --games 1000 --rules abapa --json >" + out + " 2>/dev/null";
  const int status = std::system(command.c_str());
  std::ifstream in(out);
  const nlohmann::json document = nlohmann::json::parse(in);
  EXPECT_EQ(WEXITSTATUS(status), 124);  // timeout's own
  EXPECT_FALSE(document["complete"].get<bool>());
  EXPECT_LT(document["games"].get<int>(), 1000);
  EXPECT_EQ(document["games"].get<int>() % 2, 0);
}

TEST(CommandLine, TheDoctorSaysWhatIsMissing) {
  const Ran fit = run_wari({"doctor", "--device", "cpu", "--json"});
  EXPECT_EQ(fit.status, 0) << fit.out;
  for (const nlohmann::json& check : nlohmann::json::parse(fit.out)["checks"]) {
    EXPECT_FALSE(check["name"].get<std::string>().empty() || check["detail"].get<std::string>().empty());
    EXPECT_TRUE(check["ok"].is_null() || check["ok"].get<bool>()) << check;
  }
  if (!std::filesystem::exists("/dev/nvidia0")) {
    const Ran unfit = run_wari({"doctor", "--device", "cuda"});
    EXPECT_EQ(unfit.status, 1) << unfit.out;
    EXPECT_THAT(unfit.out, HasSubstr("FAIL  GPU"));
  }
  const Ran gpu = run_wari({"doctor", "--device", "cpu", "--config", "configs/gpu.yaml"});
  for (const char* part : {"replay window", "GPU memory", "trees 101 MiB", "trainer"}) EXPECT_THAT(gpu.out, HasSubstr(part));
  const TestFolder folder;
  const Ran huge = run_wari({"doctor", "--device", "cpu", "--config", folder.file("huge.yaml", "iterations: 1\nselfplay: {lanes: 1048576, simulations: 30000}\n"), "--json"});
  EXPECT_EQ(huge.status, 1) << huge.out;
  EXPECT_THAT(huge.out, HasSubstr("lower selfplay.lanes"));
}

TEST(CommandLine, OneRowOfABenchmarkCanBeAskedFor) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "this machine has a GPU";
  const Ran ran = run_wari({"bench", "gpu.mlp_12x256.16k", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(nlohmann::json::parse(ran.out)["results"].empty());
}

TEST(CommandLine, AGpuThatIsNotThereIsRefusedByEveryCommand) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "this machine has a GPU";
  const TestFolder folder;
  const std::string out = folder.path() + "/out";
  expect_refused({"analyze", {"analyze", "--visits", "10", "--device", "cuda", "--checkpoint", out}, "CUDA"});
  expect_refused({"match", {"match", "--a", "random", "--b", "random", "--games", "2", "--device", "cuda"}, "CUDA"});
  expect_refused({"selfplay", {"selfplay", "--config", "configs/smoke.yaml", "--evaluator", "hash", "--games", "2", "--out", out, "--device", "cuda"}, "CUDA"});
  expect_refused({"train", {"train", "--config", "configs/smoke.yaml", "--run", out, "--set", "device=cuda"}, "CUDA"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(CommandLine, NoCommandIsWrongUse) {
  const Ran ran = run_wari({});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("a command is missing"));
}

TEST(CommandLine, VersionNamesTheSearch) {
  const Ran ran = run_wari({"--version"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::MatchesRegex("wari [0-9.]+, search [0-9a-f]{16}, with(out)? CUDA\n"));
}

TEST(CommandLine, AnalysisDrawsTheBoardAndSaysWhoWon) {
  const Ran ran = run_wari({"analyze", "--position", "0-0-0-0-0-1-1-0-0-0-0-2-25-19-N", "--visits", "4"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(" 19   | 2 | 0 | 0 | 0 | 0 | 1 |  North, to move\n"));
  EXPECT_THAT(ran.out, HasSubstr(" 25   | 0 | 0 | 0 | 0 | 0 | 1 |  South\n"));
  EXPECT_THAT(ran.out, HasSubstr("the game is over (majority): South wins by 6 seeds"));
}

TEST(CommandLine, AMatchWithoutALossTellsWhereTheDifferenceLiesAbove) {
  const Ran ran = run_wari({"match", "--a", "alphabeta:depth=5", "--b", "random", "--games", "20"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Elo above +317 (95 %): every game was won"));  // 0.05 to the power 1/20 is a score of 0.861
}

TEST(CommandLine, GameRecordsAreVerifiedAndDamageIsNamed) {
  const TestFolder folder;
  const std::string games = folder.path() + "/games";
  EXPECT_EQ(run_wari({"selfplay", "--config", "configs/smoke.yaml", "--evaluator", "hash", "--games", "6", "--out", games}).status, 0);
  const Ran right = run_wari({"check-rules", games, "--json"});
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_EQ(nlohmann::json::parse(right.out), nlohmann::json::parse(R"({"checked": 6, "mismatches": []})"));
  for (const auto& entry : std::filesystem::directory_iterator(games)) std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 3);
  expect_refused({"a truncated shard", {"check-rules", games}, games});
}

TEST(CommandLine, JsonIsOneDocumentAndAloneOnStandardOutput) {
  const TestFolder folder;
  const std::vector<std::vector<std::string>> commands{
      {"rules"},
      {"rules", "warri"},
      {"perft", "--rules", "abapa", "--depth", "4"},
      {"analyze", "--rules", "abapa", "--visits", "64"},
      {"match", "--a", "random", "--b", "greedy", "--games", "4", "--rules", "abapa"},
      {"tournament", "--player", "random", "--player", "greedy", "--games", "4", "--database", folder.path() + "/results.sqlite"},
      {"results", folder.path() + "/results.sqlite"},
      {"selfplay", "--config", "configs/smoke.yaml", "--evaluator", "hash", "--games", "4", "--out", folder.path() + "/games"},
      {"doctor", "--config", "configs/cpu.yaml"},
  };
  for (auto command : commands) {
    const std::string name = command[0];
    command.push_back("--json");
    const Ran ran = run_wari(command);
    EXPECT_EQ(ran.status, 0) << name << ": " << ran.err;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << name << ": " << ran.out;
    EXPECT_TRUE(nlohmann::json::accept(ran.out)) << name << ": " << ran.out;
  }
}

}  // namespace
}  // namespace wari
