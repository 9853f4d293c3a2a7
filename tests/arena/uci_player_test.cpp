#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "arena/match.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/notation.h"

// Programs of others, played by small scripts that behave well or badly.
namespace wari {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Speaks the dialect and knows the rules of abapa; what stands in for MISBEHAVE is done where it is to choose a move.
constexpr const char* kEngine = R"(#!/usr/bin/env python3
import os, sys, time
def say(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
def sow(board, move):
    pits, side = list(board[0]), board[1]
    pit = move; seeds = pits[pit]; pits[pit] = 0; at = pit
    while seeds:
        at = (at + 1) % 12
        if at != pit:
            pits[at] += 1; seeds -= 1
    other = range(6, 12) if side == 0 else range(0, 6)
    taken = list(pits)
    while at in other and taken[at] in (2, 3):
        taken[at] = 0; at -= 1
    if any(taken[i] for i in other):
        pits = taken
    return (pits, 1 - side)
def legal(board):
    own = range(0, 6) if board[1] == 0 else range(6, 12)
    other = range(6, 12) if board[1] == 0 else range(0, 6)
    moves = [m for m in own if board[0][m]]
    if not any(board[0][i] for i in other):
        moves = [m for m in moves if any(sow(board, m)[0][i] for i in other)]
    return moves
LETTERS = "ABCDEFabcdef"
board, plies, games = None, 0, 0
SETUP
for line in sys.stdin:
    line = line.rstrip("\n")
    words = line.split()
    with open(sys.argv[0] + ".log", "a") as log: log.write(str(os.getpid()) + " " + line + "\n")
    if words[:1] == ["uci"]:
        say("id name stand-in 1.0"); say("id author nobody")
        AT_UCI
        say("uciok")
    elif words == ["isready"]: say("readyok")
    elif words == ["ucinewgame"]: games += 1
    elif words[:1] == ["position"]:
        board = ([4] * 12, 0)
        if words[1] == "fen":
            numbers = words[2].split("-")
            board = ([int(n) for n in numbers[:12]], 0 if numbers[14] == "S" else 1)
        moves = words[words.index("moves") + 1] if "moves" in words else ""
        plies = len(moves)
        for letter in moves: board = sow(board, LETTERS.index(letter))
    elif words[:1] == ["go"]:
        moves = legal(board)
        best = LETTERS[moves[-1]]
        MISBEHAVE
        say("info depth 1 score cp 0 pv " + best)
        say("bestmove " + best)
    elif words == ["quit"]: break
)";

class UciPlayer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("wari-uci-" + std::to_string(getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  // Nothing that a test started is left, not even as a zombie.
  void TearDown() override {
    errno = 0;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
    EXPECT_EQ(errno, ECHILD);
    fs::remove_all(folder_);
  }

  std::string file(const std::string& text, const std::string& name = "engine", bool executable = true) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), executable ? 0755 : 0644);
    return path.string();
  }
  // Python with four, and more, spaces in front of further lines.
  std::string engine(const std::string& misbehave = "pass", const std::string& at_uci = "pass", const std::string& setup = "pass") {
    std::string text = kEngine;
    for (const auto& [place, code] : {std::pair<std::string, std::string>{"MISBEHAVE", misbehave}, {"AT_UCI", at_uci}, {"SETUP", setup}})
      text.replace(text.find(place), place.size(), code);
    return file(text);
  }
  std::unique_ptr<Player> player(const std::string& path, const std::string& options = "movetime_ms=2000", int workers = 1) {
    PlayerEnvironment environment;
    environment.workers = workers;
    environment.stop_requested = stop_requested_;
    return make_player("uci:command=" + path + (options.empty() ? "" : "," + options), environment);
  }
  MatchResult play(Player& a, int games = 4) {
    MatchSettings settings;
    settings.games = games;
    const auto random = make_random_player();
    return play_match(settings, a, *random);
  }
  std::string error(const std::string& path, const std::string& options = "movetime_ms=2000") {
    try {
      player(path, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // What the program was sent, without the process' number.
  std::vector<std::string> sent(const std::string& path) {
    std::vector<std::string> lines;
    std::istringstream log(read_whole_file(path + ".log"));
    for (std::string line; std::getline(log, line);) lines.push_back(line.substr(line.find(' ') + 1));
    return lines;
  }

  fs::path folder_;
  std::function<bool()> stop_requested_;
};

TEST_F(UciPlayer, PlaysWholeGamesByTheDialect) {
  const std::string path = engine();
  {
    const auto a = player(path);
    EXPECT_EQ(a->name(), "uci:command=" + path + ",movetime_ms=2000");
    EXPECT_THAT(a->version(), HasSubstr("stand-in 1.0 ["));
    EXPECT_EQ(a->games_at_once(), 1);
    const MatchResult result = play(*a);
    EXPECT_EQ(result.total.games(), 4);
    EXPECT_EQ(result.a_forfeits.total(), 0);
    EXPECT_GT(result.mean_plies, 20);
  }
  const std::vector<std::string> lines = sent(path);
  ASSERT_GT(lines.size(), 20u);
  EXPECT_EQ(lines[0], "uci");
  EXPECT_EQ(lines[1], "isready");
  EXPECT_EQ(lines[2], "ucinewgame");
  EXPECT_EQ(lines[3], "isready");
  EXPECT_THAT(lines[4], testing::MatchesRegex("position startpos moves [A-Fa-f]{4}"));
  EXPECT_EQ(lines[5], "go movetime 2000");
  EXPECT_THAT(lines[6], testing::MatchesRegex("position startpos moves [A-Fa-f]{6}"));  // the same game: no ucinewgame between
  EXPECT_EQ(lines.back(), "quit");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "ucinewgame"), 4);
}

TEST_F(UciPlayer, PositionsAndDepthsAreSentAsTheDialectSays) {
  const std::string path = engine();
  {
    const auto a = player(path, "depth=5");
    const Rules rules;
    Game game(rules, parse_position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-N", rules));
    const Game* games[] = {&game};
    const std::uint64_t keys[] = {1};
    EXPECT_EQ(a->choose(games, keys), std::vector<int>{5});
    play_line(game, "fA");
    a->choose(games, keys);
  }
  const std::vector<std::string> lines = sent(path);
  EXPECT_EQ(lines[4], "position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-N");
  EXPECT_EQ(lines[5], "go depth 5");
  EXPECT_EQ(lines[6], "position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-N moves fA");
}

TEST_F(UciPlayer, EachWorkerHasAProcessAndNoMoreGamesAreInPlay) {
  const std::string path = engine();
  {
    const auto a = player(path, "movetime_ms=2000", 3);
    EXPECT_EQ(play(*a, 6).a_forfeits.total(), 0);
  }
  std::set<std::string> processes;
  std::istringstream log(read_whole_file(path + ".log"));
  for (std::string line; std::getline(log, line);) processes.insert(line.substr(0, line.find(' ')));
  EXPECT_EQ(processes.size(), 3u);
  const std::vector<std::string> lines = sent(path);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "ucinewgame"), 6);  // each game stays with one process
}

TEST_F(UciPlayer, ACrashLosesTheGameAndTheProgramIsStartedAgain) {
  const auto a = player(engine("if plies > 20: sys.exit(3)"));
  const MatchResult result = play(*a, 6);
  EXPECT_EQ(result.a_forfeits, (ForfeitCounts{6, 0, 0}));
  EXPECT_EQ(result.total, (GameCounts{0, 0, 6}));
  EXPECT_EQ(result.b_forfeits.total(), 0);
}

TEST_F(UciPlayer, ACrashInOneGameDoesNotTouchTheOthers) {
  // Once: the file says that it has happened.
  const auto a = player(engine("if plies > 20 and not os.path.exists(sys.argv[0] + '.crashed'):\n            open(sys.argv[0] + '.crashed', 'w'); os.abort()"));
  const MatchResult result = play(*a, 6);
  EXPECT_EQ(result.a_forfeits, (ForfeitCounts{1, 0, 0}));
  EXPECT_EQ(result.total.games(), 6);
}

TEST_F(UciPlayer, AHangLosesOnTimeAndTheProgramIsStartedAgain) {
  const auto a = player(engine("if plies > 4: time.sleep(1000)"), "movetime_ms=50,margin_ms=50");
  const MatchResult result = play(*a, 2);
  EXPECT_EQ(result.a_forfeits, (ForfeitCounts{0, 2, 0}));
}

TEST_F(UciPlayer, AClockRunsThroughAGameAndIsSetAgainForTheNext) {
  const std::string path = engine("time.sleep(0.02)");
  {
    const auto a = player(path, "time_ms=5000,increment_ms=10");
    EXPECT_EQ(play(*a, 2).a_forfeits.total(), 0);
  }
  std::vector<int> clocks;
  for (const std::string& line : sent(path)) {
    int south = 0, north = 0, south_increment = 0, north_increment = 0;
    if (std::sscanf(line.c_str(), "go wtime %d btime %d winc %d binc %d", &south, &north, &south_increment, &north_increment) != 4) continue;
    EXPECT_EQ(south, north);
    EXPECT_EQ(south_increment, 10);
    EXPECT_EQ(north_increment, 10);
    clocks.push_back(south);
  }
  ASSERT_GT(clocks.size(), 20u);
  EXPECT_LE(clocks[1], 4990);  // twenty were used, ten came back
  EXPECT_EQ(std::count(clocks.begin(), clocks.end(), 5000), 2);
  for (std::size_t i = 1; i < clocks.size(); ++i) EXPECT_TRUE(clocks[i] < clocks[i - 1] || clocks[i] == 5000) << i;
}

TEST_F(UciPlayer, AClockThatHasRunOutLosesTheGame) {
  // Each answer alone is quick enough.
  EXPECT_EQ(play(*player(engine("time.sleep(0.06)"), "time_ms=300,increment_ms=5"), 2).a_forfeits, (ForfeitCounts{0, 2, 0}));
  EXPECT_EQ(play(*player(engine("time.sleep(1000)"), "time_ms=100"), 2).a_forfeits, (ForfeitCounts{0, 2, 0}));
}

TEST_F(UciPlayer, ClocksAreChecked) {
  const std::string path = engine();
  EXPECT_THAT(error(path, "increment_ms=10"), HasSubstr("time_ms"));
  EXPECT_THAT(error(path, "time_ms=1000,movetime_ms=100"), HasSubstr("a clock and a time for each move"));
  EXPECT_THAT(error(path, "time_ms=0"), HasSubstr("'0'"));
}

TEST_F(UciPlayer, ALateAnswerLosesOnTimeAndTheProgramIsKept) {
  const std::string path = engine("if plies > 4: time.sleep(0.4)");
  {
    const auto a = player(path, "movetime_ms=50,margin_ms=100");
    EXPECT_EQ(play(*a, 2).a_forfeits, (ForfeitCounts{0, 2, 0}));
  }
  const std::vector<std::string> lines = sent(path);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "uci"), 1);
  EXPECT_GE(std::count(lines.begin(), lines.end(), "stop"), 2);
}

TEST_F(UciPlayer, AnAnswerWithinTheMarginCounts) {
  const auto a = player(engine("time.sleep(0.02)"), "movetime_ms=1,margin_ms=2000");
  EXPECT_EQ(play(*a, 2).a_forfeits.total(), 0);
}

TEST_F(UciPlayer, AnIllegalMoveOrNoneLosesTheGame) {
  for (const char* move : {"Z", "0000", "", "AA", "a b"}) {
    const auto a = player(engine(std::string("best = '") + move + "' if plies > 10 else best"));
    EXPECT_EQ(play(*a, 2).a_forfeits, (ForfeitCounts{0, 0, 2})) << move;
  }
  const auto wrong_side = player(engine("best = best.swapcase()"));
  EXPECT_EQ(play(*wrong_side, 2).a_forfeits, (ForfeitCounts{0, 0, 2}));
}

TEST_F(UciPlayer, GarbageIsPassedOver) {
  const auto a =
      player(engine("say(''); say('info string bestmove Z'); say(' xbestmove Z'); sys.stdout.buffer.write(b'\\xff\\x00\\xfe\\r\\n'); say('readyok'); "
                    "say('uciok'); say('y' * 200000);"
                    " sys.stderr.write('oops\\n' * 100)",
                    "say('option name Hash type spin'); say('bestmove A')"));
  const MatchResult result = play(*a, 2);
  EXPECT_EQ(result.a_forfeits.total(), 0);
  EXPECT_EQ(result.total.games(), 2);
}

TEST_F(UciPlayer, ASlowStartIsWaitedFor) {
  const auto a = player(engine("pass", "time.sleep(0.7)"), "movetime_ms=2000,start_ms=20000");
  EXPECT_EQ(play(*a, 2).a_forfeits.total(), 0);
}

TEST_F(UciPlayer, WhatDoesNotStartIsOneClearError) {
  EXPECT_THAT(error((folder_ / "missing").string()), HasSubstr("no such program: '" + (folder_ / "missing").string() + "'"));
  EXPECT_THAT(error(folder_.string()), HasSubstr("a folder"));
  EXPECT_THAT(error(file("#!/bin/sh\n", "plain", false)), HasSubstr("chmod +x"));
  EXPECT_THAT(error(file("\x7f not a program", "binary")), HasSubstr("cannot run a program"));
  EXPECT_THAT(error(file("#!/no/such/interpreter\n", "script")), HasSubstr("cannot run a program"));
  EXPECT_THAT(error(file("#!/bin/sh\necho loading >&2\necho 'cannot open the book' >&2\nexit 7\n", "dying")),
              testing::AllOf(HasSubstr("exited with 7"), HasSubstr("cannot open the book"), HasSubstr("dying")));
  EXPECT_THAT(error(file("#!/bin/sh\nsleep 1000\n", "silent"), "start_ms=200"),
              testing::AllOf(HasSubstr("not ready after 200 ms"), HasSubstr("it said nothing")));
  EXPECT_THAT(error(file("#!/bin/sh\nread line\necho I am another program\nkill -9 $$\n", "killed")),
              testing::AllOf(HasSubstr("signal 9"), HasSubstr("another program")));
}

TEST_F(UciPlayer, AProgramThatStartsOnlyOnceEndsTheMatchWithAnError) {
  const auto a = player(engine("if plies > 20: sys.exit(3)", "pass", "if os.path.exists(sys.argv[0] + '.log'): sys.exit('the licence has expired')"));
  try {
    play(*a, 4);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the licence has expired"));
  }
}

TEST_F(UciPlayer, OptionsAreReadStrictly) {
  for (const char* text :
       {"uci", "uci:movetime_ms=5", "uci:command=x,depth=0", "uci:command=x,movetime_ms=0", "uci:command=x,margin_ms=-1", "uci:command=x,movetime=5"}) {
    EXPECT_THROW(make_player(text, {}), Error) << text;
  }
}

TEST_F(UciPlayer, ARequestToStopIsHeardWhileAProgramThinks) {
  const std::string path = engine("time.sleep(1000)");
  bool armed = false;
  int looks = 0;
  stop_requested_ = [&] { return armed && ++looks > 4; };
  const auto a = player(path, "movetime_ms=60000");
  const Rules rules;
  const Game game(rules);
  const Game* games[] = {&game};
  const std::uint64_t keys[] = {1};
  armed = true;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(a->choose(games, keys), std::vector<int>{kNotChosen});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  const std::vector<std::string> lines = sent(path);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "go movetime 60000"), 1);
}

// A script that starts a program of its own, and does not end when asked to.
TEST_F(UciPlayer, WhatAProgramStartedEndsWithIt) {
  const std::string number = (folder_ / "number").string();
  {
    const auto a = player(file("#!/bin/sh\nsleep 1000 &\necho $! > " + number +
                               "\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) sleep 1000;; esac; done\n"));
  }
  const std::string state = "/proc/" + std::to_string(std::stoi(read_whole_file(number))) + "/stat";
  for (int i = 0; i < 100 && fs::exists(state); ++i) {
    if (read_whole_file(state).find(") Z ") != std::string::npos) return;  // ended; whoever adopted it has not looked yet
    ::usleep(20000);
  }
  EXPECT_FALSE(fs::exists(state));
}

// Not a test of its own: the next one runs it in a process that it can kill.
TEST(UciProcess, HoldsAPlayerUntilKilled) {
  const char* path = std::getenv("WARI_TEST_ENGINE");
  if (path == nullptr) GTEST_SKIP() << "run by UciPlayer.AKilledMatchLeavesNoProgram";
  const auto a = make_player(std::string("uci:command=") + path, {});
  ::pause();
}

TEST_F(UciPlayer, AKilledMatchLeavesNoProgram) {
  // Deaf to the end of its input: it would stay.
  const std::string path = file(
      "#!/usr/bin/env python3\nimport os, sys, time\nopen(sys.argv[0] + '.pid', 'w').write(str(os.getpid()))\nprint('uciok\\nreadyok', "
      "flush=True)\ntime.sleep(1000)\n");
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("WARI_TEST_ENGINE", path.c_str(), 1);
    ::execl(self.c_str(), self.c_str(), "--gtest_filter=UciProcess.*", "--gtest_brief=1", nullptr);
    ::_exit(127);
  }
  std::string number;
  for (int i = 0; i < 500 && number.empty(); ++i) {
    ::usleep(20000);
    if (fs::exists(path + ".pid")) number = read_whole_file(path + ".pid");
  }
  ASSERT_FALSE(number.empty());
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const std::string state = "/proc/" + number + "/stat";
  for (int i = 0; i < 100 && fs::exists(state); ++i) {
    if (read_whole_file(state).find(") Z ") != std::string::npos) return;
    ::usleep(20000);
  }
  EXPECT_FALSE(fs::exists(state));
}

}  // namespace
}  // namespace wari
