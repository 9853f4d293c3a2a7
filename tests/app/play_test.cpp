#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/terminal/board_view.h"
#include "app/terminal/evaluation_view.h"
#include "app/terminal/line_input.h"
#include "core/error.h"
#include "core/notation.h"
#include "core/ogn.h"
#include "tests/app/driven_play.h"
#include "tests/app/run_wari.h"

// The board in the terminal: drawn, driven line by line, and as a program.
namespace wari {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Game game_at(const std::string& position, const std::string& line = "", const std::string& rules = "abapa") {
  Game game(parse_rules(rules), parse_position(position, parse_rules(rules)));
  play_line(game, line);
  return game;
}

SessionSettings at(const std::string& position, HumanSide side = HumanSide::south, const std::string& rules = "abapa") {
  SessionSettings settings;
  settings.position = position;
  settings.engine.rules = parse_rules(rules);
  settings.side = side;
  return settings;
}

TEST(BoardView, DrawsSeedsStoresAndTheLastMove) {
  const Game game = game_at("0-0-0-0-4-1-1-0-0-0-0-14-20-8-S", "F");
  EXPECT_EQ(board_view(game, {{}, false, true}),
            "              f       e       d       c       b      xa\n"
            "          +-------+-------+-------+-------+-------+-------+\n"
            "          | ooooo |       |       |       |       |       |\n"
            "* North   | oooo+ |       |       |       |       |       |\n"
            "    8     |  14   |   0   |   0   |   0   |   0   |   0   |\n"
            "          +-------+-------+-------+-------+-------+-------+\n"
            "          |       |       |       |       | oooo  |       |\n"
            "          |       |       |       |       |       |       |    South\n"
            "          |   0   |   0   |   0   |   0   |   4   |   0   |     22\n"
            "          +-------+-------+-------+-------+-------+-------+\n"
            "              A       B       C       D       E      (F)\n");
  EXPECT_EQ(last_move_text(game), "South played F and captured 2 from a");
  const std::string turned = board_view(game, {{}, true, true});
  EXPECT_LT(turned.find("South"), turned.find("North")) << "whoever plays North has it below";
  EXPECT_THAT(turned, HasSubstr("            (F)      E       D       C       B       A\n"));
}

TEST(BoardView, ColoursAndDotsStandOnlyWhereTheyAreAskedFor) {
  const Game game = game_at("0-0-0-0-4-1-1-0-0-0-0-14-20-8-S", "F");
  EXPECT_THAT(board_view(game, {{true, true}, false, true}), AllOf(HasSubstr("\x1b[1;31m"), HasSubstr("●"), HasSubstr("┼")));
  EXPECT_THAT(board_view(game, {{false, true}, false, true}), AllOf(Not(HasSubstr("\x1b")), HasSubstr("●")));
  for (const char c : board_view(game, {{}, false, true})) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 127));
}

TEST(BoardView, TellsWhatHappened) {
  EXPECT_EQ(last_move_text(Game(Rules{})), "");
  EXPECT_EQ(last_move_text(game_at("0-0-0-0-4-1-1-0-0-0-0-14-20-8-S", "F-", "awale")), "South played F- and declined to capture");
  EXPECT_THAT(last_move_text(game_at("0-0-0-0-8-1-1-0-0-0-0-0-18-20-S", "F", "warri")), HasSubstr("the same player moves again"));
  EXPECT_EQ(outcome_text(game_at("0-0-0-0-1-1-1-0-0-0-0-4-23-18-S", "F")), "South wins 25 to 18 (a store holds more than half of the seeds)");
  EXPECT_THAT(outcome_text(game_at("1-1-0-0-0-2-0-0-0-0-0-0-22-22-N")), HasSubstr("South wins 26 to 22 (no legal move"));
  EXPECT_THAT(outcome_text(game_at("1-1-0-0-0-0-0-0-0-0-0-0-22-24-N")), HasSubstr("a draw, 24 to 24"));
}

TEST(EvaluationView, GivesShareAndMarginOfTheSides) {
  RootResult result;
  result.wdl[0] = 0.75f, result.wdl[1] = 0.1f, result.wdl[2] = 0.15f;
  result.margin = 3.25f;
  const Game south(Rules{}), north = game_at("4-4-4-4-4-4-4-4-4-4-4-4-0-0-N");
  EXPECT_EQ(evaluation_line(south, result, {}), "South [########################------] North  South 75 %, draw 10 %, North 15 %; South by 3.2 seeds\n");
  EXPECT_EQ(evaluation_line(north, result, {}), "South [######------------------------] North  South 15 %, draw 10 %, North 75 %; North by 3.2 seeds\n");
}

TEST(EvaluationView, TheExpectedLineFitsATerminal) {
  RootResult result;
  for (const char pit : std::string("FfEeDd")) result.line.push_back((pit | 0x20) - 'a');
  EXPECT_EQ(expected_line(Game(Rules{}), result), "F f E e D d");
  EXPECT_EQ(expected_line(Game(Rules{}), result, 3), "F f E ...");
}

TEST(PlaySession, LettersPlayAndTheEngineAnswers) {
  Driven driven;
  EXPECT_THAT(driven.said, AllOf(HasSubstr("random games by the rules 'abapa'"), HasSubstr("South ["), Not(HasSubstr("> "))));
  EXPECT_THAT(driven("F"), AllOf(HasSubstr("North played "), HasSubstr("(")));
  EXPECT_EQ(driven.game().plies(), 2);
  EXPECT_THAT(driven("F"), HasSubstr("illegal move 'F': the pit is empty"));
  driven("c");
  EXPECT_EQ(driven.game().plies(), 4) << "a small letter that is no command plays too";
  EXPECT_THAT(driven("C-"), HasSubstr("illegal move 'C-'"));
  EXPECT_THAT(driven("G"), HasSubstr("'G' is nothing to play"));
  EXPECT_THAT(driven("play a good move, please"), HasSubstr("nothing to play"));
  EXPECT_EQ(driven(""), "");
  EXPECT_EQ(driven.game().plies(), 4);
}

TEST(PlaySession, TakesBackToTheOwnMove) {
  Driven driven;
  EXPECT_THAT(driven("u"), HasSubstr("you have not moved yet"));
  driven("F");
  driven("E");
  const std::string first_two = line_text(driven.game()).substr(0, 2);
  driven("u");
  EXPECT_EQ(line_text(driven.game()), first_two);
  driven("u");
  EXPECT_EQ(driven.game().plies(), 0);
  Driven both([] { SessionSettings s; s.side = HumanSide::both; return s; }());
  both("F"), both("f"), both("u");
  EXPECT_EQ(line_text(both.game()), "F") << "two people take back one move";
}

TEST(PlaySession, NorthAnswersTheEngineAndSidesCanBeSwitched) {
  Driven driven([] { SessionSettings s; s.side = HumanSide::north; return s; }());
  EXPECT_EQ(driven.game().plies(), 1);
  EXPECT_THAT(driven.said, HasSubstr("South played "));
  driven("F");
  EXPECT_EQ(line_text(driven.game())[1], 'f');
  EXPECT_EQ(driven.game().plies(), 3);
  driven("e-");
  EXPECT_EQ(driven.game().plies(), 3) << "nothing to decline";
  EXPECT_THAT(driven("o"), HasSubstr("you play South now"));
  EXPECT_EQ(driven.game().plies(), 4) << "the engine moves for the other side at once";
}

TEST(PlaySession, HintsAnalysisAndTheBar) {
  Driven driven;
  EXPECT_THAT(driven("h"), AllOf(HasSubstr("hint: "), HasSubstr("expected: "), HasSubstr("South [")));
  const std::string table = driven("v");
  EXPECT_THAT(table, AllOf(HasSubstr("move     visits"), HasSubstr("\nA "), HasSubstr("\nF "), HasSubstr("for South")));
  EXPECT_THAT(driven("g"), HasSubstr("the gauge is off"));
  EXPECT_THAT(driven("F"), Not(HasSubstr("South [")));
  EXPECT_THAT(driven("g"), HasSubstr("South ["));
  EXPECT_EQ(driven.game().plies(), 2);
  EXPECT_THAT(driven("?"), AllOf(HasSubstr("takes your last move back"), HasSubstr("quits")));
}

TEST(PlaySession, DeclinedCapturesAndSecondMovesArePlayed) {
  Driven decline(at("0-0-0-0-4-1-1-0-0-0-0-14-20-8-S", HumanSide::both, "awale"));
  EXPECT_THAT(decline("F-"), HasSubstr("declined to capture"));
  Driven again(at("0-0-0-0-8-1-1-0-0-0-0-0-18-20-S", HumanSide::south, "warri"));
  EXPECT_THAT(again("F"), AllOf(HasSubstr("the same player moves again"), HasSubstr("* South")));
  EXPECT_EQ(again.game().plies(), 1) << "the engine waits for the second move";
  again("E");
  EXPECT_GE(again.game().plies(), 3);
  again("u");
  EXPECT_EQ(line_text(again.game()), "F");
}

TEST(PlaySession, AFinishedGameSaysWhoWonAndGoesOnFromATakeBack) {
  Driven driven(at("0-0-0-0-1-1-1-0-0-0-0-4-23-18-S"));
  EXPECT_THAT(driven("F"), HasSubstr("South wins 25 to 18"));
  EXPECT_TRUE(driven.session.finished());
  EXPECT_THAT(driven("E"), HasSubstr("the game is over"));
  EXPECT_THAT(driven("h"), HasSubstr("the game is over"));
  driven("u");
  EXPECT_FALSE(driven.session.finished());
  driven("n");
  EXPECT_EQ(position_text(driven.game().start()), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
}

// Two seeds that run after each other: without the repetition rule only the quiet plies would end it.
TEST(PlaySession, AGameThatGoesInCirclesCanBeEnded) {
  Driven driven(at("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", HumanSide::both, "abapa,repetition.occurrences=3"));
  EXPECT_THAT(driven("x"), HasSubstr("does not go in circles yet"));
  std::string said;
  for (int ply = 0; ply < 30 && said.find("x ends the game") == std::string::npos && !driven.session.finished(); ++ply) {
    int action = 0;
    while (((driven.game().legal() >> action) & 1) == 0) ++action;
    said = driven(std::string(1, static_cast<char>('A' + action)));
  }
  EXPECT_THAT(said, HasSubstr("this position was there before: x ends the game here"));
  EXPECT_THAT(driven("x"), HasSubstr("a draw, 24 to 24"));
  EXPECT_TRUE(driven.session.finished());
  EXPECT_EQ(driven.session.result(), "24-24");
  EXPECT_EQ(driven.session.ended(), "limit");
  EXPECT_THAT(driven("A"), HasSubstr("the game was ended"));
  driven("u");
  EXPECT_FALSE(driven.session.finished()) << "also that can be taken back";
}

TEST(PlaySession, RulesPositionsAndLinesComeInAndGoOut) {
  Driven driven([] { SessionSettings s; s.side = HumanSide::both; return s; }());
  EXPECT_THAT(driven("r"), AllOf(HasSubstr("'abapa'"), HasSubstr(" warri"), HasSubstr(" awari")));
  driven("r awale,quiet_plies=30");
  EXPECT_TRUE(driven.game().rules() == parse_rules("awale,quiet_plies=30"));
  EXPECT_THAT(driven("r awal"), HasSubstr("'awale'"));
  driven("m FbEa");
  EXPECT_THAT(driven("p"), AllOf(HasSubstr("moves    FbEa"), HasSubstr("rules    awale,quiet_plies=30"), HasSubstr("\nposition ")));
  driven("m FbX");
  EXPECT_EQ(line_text(driven.game()), "FbEa") << "a line that is wrong somewhere is not played at all";
  driven("p 0-0-0-0-4-1-1-0-0-0-0-14-20-8-S");
  EXPECT_EQ(position_text(driven.game().position()), "0-0-0-0-4-1-1-0-0-0-0-14-20-8-S");
  EXPECT_THAT(driven("p 1-2-3"), HasSubstr("'1-2-3'"));
}

TEST(LineInput, WhatIsLongerThanAnyLineIsCutAndItsRestDropped) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string typed = std::string(70000, 'x') + "F\nE\n" + std::string(66000, 'y');
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    ::close(ends[1]);
  });
  LineInput input(ends[0]);
  const auto go_on = [] { return false; };
  const std::optional<std::string> cut = input.next(go_on);
  ASSERT_TRUE(cut);
  EXPECT_GE(cut->size(), 65536u);
  EXPECT_EQ(cut->find_first_not_of('x'), std::string::npos);
  EXPECT_EQ(input.next(go_on), "E");
  EXPECT_EQ(input.next(go_on)->front(), 'y');
  EXPECT_EQ(input.next(go_on), std::nullopt);
  writer.join();
  ::close(ends[0]);
}

TEST(PlayCommand, IsDrivenThroughAPipeAndEndsWithItsInput) {
  const TestFolder folder;
  const std::string file = folder.path() + "/game.ogn";
  const Ran ran = run_wari({"play", "--visits", "20", "--threads", "1", "--save", file}, "F\nE\nh\nv\ng\nu\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("North played "), HasSubstr("hint: "), HasSubstr("the gauge is off"), Not(HasSubstr("\x1b")), Not(HasSubstr("South> "))));
  EXPECT_EQ(read_ogn(content(file), file).at(0).game.plies(), 2);
  const auto json = nlohmann::json::parse(run_wari({"play", "--visits", "20", "--side", "both", "--load", file, "--json"}, "q\n").out);
  EXPECT_EQ(json["moves"].get<std::string>().size(), 2u);
  EXPECT_EQ(json["result"], "*");
  EXPECT_FALSE(json["over"].get<bool>());
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& said) {
    const Ran wrong = run_wari(arguments);
    EXPECT_EQ(wrong.status, 2) << said;
    EXPECT_THAT(wrong.err, AllOf(testing::StartsWith("wari: "), HasSubstr(said)));
  };
  refused({"play", "--save", file}, "the file exists");
  refused({"play", "--load", file, "--rules", "warri"}, "leave --rules out");
  refused({"play", "--position", "4-4"}, "'4-4'");
  refused({"play", "--strength", "9000"}, "'9000'");
  refused({"play", "--checkpoint", folder.path() + "/none"}, "none");
  refused({"play", "--side", "east"}, "'east'");
}

// A play in a terminal of its own: everything it writes until it ends.
struct Terminal {
  explicit Terminal(const std::vector<std::string>& environment) {
    process = ::forkpty(&descriptor, nullptr, nullptr, nullptr);
    if (process != 0) return;
    for (const std::string& variable : environment) ::putenv(const_cast<char*>(variable.c_str()));
    const std::string binary = std::string(WARI_BINARY_DIR) + "/wari";
    ::execl(binary.c_str(), "wari", "play", "--visits", "20", "--threads", "1", nullptr);
    ::_exit(127);
  }
  ~Terminal() { ::close(descriptor); }
  // Reads until `text` has come (or the program has ended).
  std::string until(const std::string& text) {
    char bytes[4096];
    while (written.find(text) == std::string::npos) {
      const ssize_t got = ::read(descriptor, bytes, sizeof bytes);
      if (got <= 0) break;
      written.append(bytes, static_cast<std::size_t>(got));
    }
    return written;
  }
  void type(const std::string& text) const { EXPECT_EQ(::write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size())); }
  int status() {
    until("\x01 never");
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  int descriptor = -1;
  pid_t process = 0;
  std::string written;
};

TEST(PlayCommand, ATerminalGetsColoursUnlessTheyAreUnwanted) {
  Terminal coloured({"TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR="});
  EXPECT_THAT(coloured.until("South> "), AllOf(HasSubstr("\x1b["), HasSubstr("●")));
  coloured.type("F\n");
  coloured.written.clear();
  EXPECT_THAT(coloured.until("South> "), HasSubstr("North played "));
  coloured.type("q\n");
  EXPECT_EQ(coloured.status(), 0);
  Terminal plain({"TERM=xterm", "LC_ALL=C", "NO_COLOR=1"});
  EXPECT_THAT(plain.until("South> "), AllOf(Not(HasSubstr("\x1b[")), HasSubstr("ooo")));
  plain.type("\x04");
  EXPECT_EQ(plain.status(), 0) << "the end of input quits";
}

TEST(PlayCommand, ASignalLeavesTheTerminalInOrder) {
  Terminal terminal({"TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR="});
  terminal.until("South> ");
  ::kill(terminal.process, SIGTERM);
  EXPECT_EQ(terminal.status(), 143);
  EXPECT_EQ(terminal.written.back(), '\n');
  const std::size_t last = terminal.written.rfind("\x1b[");
  EXPECT_EQ(terminal.written.substr(last, 4), "\x1b[0m") << "no colour is left on";
}

}  // namespace
}  // namespace wari
