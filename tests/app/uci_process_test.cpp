#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "arena/child_process.h"
#include "core/game.h"
#include "core/notation.h"
#include "core/random.h"
#include "tests/app/run_wari.h"

// `wari uci` as another program runs it.
namespace wari {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class UciProgram {
 public:
  explicit UciProgram(const std::string& flags = "") {
    const std::string script = folder_.file("engine", "#!/bin/sh\nexec " + std::string(WARI_BINARY_DIR) + "/wari uci --hash 64 --seed 7 " + flags + "\n");
    ::chmod(script.c_str(), 0755);
    process_ = std::make_unique<ChildProcess>(script);
  }

  void send(const std::string& line) { process_->write_line(line); }

  // The next line that begins with `word`, all before it passed over; empty: none came in time, or the program has ended.
  std::string until(const std::string& word, milliseconds patience = milliseconds(10000)) {
    const auto end = Clock::now() + patience;
    while (true) {
      for (std::string line; process_->take_line(line);) {
        passed_ += line + "\n";
        if (line.starts_with(word)) return line;
      }
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
      if (left <= 0 || process_->output_closed()) return "";
      pollfd ready[] = {{process_->output_descriptor(), POLLIN, 0}, {process_->error_descriptor(), POLLIN, 0}};
      ::poll(ready, 2, static_cast<int>(left));
      process_->read_available();
    }
  }

  bool ends(int patience_ms) { return process_->wait_for_end(patience_ms); }
  std::string exit_text() const { return process_->exit_text(); }
  std::string all() const { return passed_; }

 private:
  TestFolder folder_;
  std::unique_ptr<ChildProcess> process_;
  std::string passed_;
};

// What the program says to an input that ends.
std::string answer_to(const std::string& input, int& status) {
  const TestFolder folder;
  const std::string command = std::string(WARI_BINARY_DIR) + "/wari uci --hash 64 <" + folder.file("input", input) + " 2>/dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char block[4096];
  for (std::size_t count = 0; (count = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, count);
  status = ::pclose(pipe);
  return text;
}

TEST(UciProcess, GreetsThinksAndQuits) {
  UciProgram program;
  program.send("uci\r");  // as from another system
  EXPECT_EQ(program.until("uciok"), "uciok");
  EXPECT_THAT(program.all(), HasSubstr("id name wari "));
  program.send("isready\r");
  EXPECT_EQ(program.until("readyok"), "readyok");
  const auto start = Clock::now();
  program.send("position startpos moves FfEb");
  program.send("go movetime 500");
  const std::string best = program.until("bestmove");
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start).count();
  EXPECT_THAT(best, testing::MatchesRegex("bestmove [A-F]( ponder [a-f])?"));
  EXPECT_GT(took, 300);
  EXPECT_LT(took, 800);
  EXPECT_THAT(program.all(), HasSubstr("info depth "));
  program.send("quit");
  EXPECT_TRUE(program.ends(5000));
  EXPECT_EQ(program.exit_text(), "exited with 0");
}

TEST(UciProcess, AnswersWhileItThinks) {
  UciProgram program;
  program.send("isready");
  ASSERT_EQ(program.until("readyok"), "readyok");
  program.send("go infinite");
  ASSERT_THAT(program.until("info depth"), HasSubstr(" pv "));
  std::vector<long> took;
  for (int i = 0; i < 21; ++i) {
    const auto start = Clock::now();
    program.send("isready");
    ASSERT_EQ(program.until("readyok"), "readyok");
    took.push_back(std::chrono::duration_cast<milliseconds>(Clock::now() - start).count());
  }
  std::sort(took.begin(), took.end());
  EXPECT_LT(took[10], 100);  // the machine may have hiccups
  const auto start = Clock::now();
  program.send("stop");
  EXPECT_THAT(program.until("bestmove"), testing::MatchesRegex("bestmove [A-F].*"));
  EXPECT_LT(std::chrono::duration_cast<milliseconds>(Clock::now() - start).count(), 400);
}

TEST(UciProcess, PlaysWholeGamesOfEveryRuleSet) {
  UciProgram program;
  for (const auto& [name, rules] : rule_presets()) {
    program.send("setoption name Rules value " + name);
    program.send("ucinewgame");
    Game game(rules);
    while (!game.is_over() && game.plies() < 200) {
      program.send("position startpos" + (game.plies() > 0 ? " moves " + line_text(game) : ""));
      program.send("go nodes 16");
      const std::string best = program.until("bestmove");
      ASSERT_GT(best.size(), 9u) << name << " " << line_text(game);
      const std::string move = best.substr(9, best.find(' ', 9) - 9);
      ASSERT_NO_THROW(game.play(parse_move(game, move))) << name << ": " << best << " after " << line_text(game);
    }
    EXPECT_GT(game.plies(), 10) << name;
  }
  for (const std::string position : {"0-0-0-0-0-3-0-0-0-0-0-1-22-22-S", "0-0-0-0-0-0-0-0-0-0-0-0-25-23-N"}) {
    program.send("setoption name Rules value warri,capture=optional");
    program.send("position fen " + position);
    program.send("go movetime 50");
    EXPECT_THAT(program.until("bestmove"), testing::MatchesRegex("bestmove ([A-F]-?|0000).*"));
  }
}

// The order of commands of Aualé: a position is sent from its last capture on, each move begins with `ucinewgame` and `isready`, and whoever has moved ponders until stopped.
// Its grammar knows a bestmove as a letter, and pv as a word of letters.
TEST(UciProcess, PlaysAsADesktopProgramAsks) {
  UciProgram programs[2];
  for (UciProgram& program : programs) {
    program.send("uci");
    ASSERT_EQ(program.until("uciok"), "uciok");
  }
  Game game((Rules()));
  std::vector<Position> positions = {game.position()};
  bool pondering[2] = {};
  while (!game.is_over() && game.plies() < 200) {
    const int mover = north_moves(game.position()) ? 1 : 0;
    std::size_t from = positions.size() - 1;
    const auto stores = [&](std::size_t i) { return store_seeds(positions[i].mover) + store_seeds(positions[i].opponent); };
    while (from > 0 && stores(from - 1) == stores(positions.size() - 1)) --from;
    Game since(game.rules(), positions[from]);
    for (const std::uint8_t action : game.actions().subspan(from)) since.play(action);
    const std::string position = (from == 0 ? "position startpos" : "position fen " + position_text(positions[from])) + (since.plies() > 0 ? " moves " + line_text(since) : "");
    if (pondering[mover]) {
      programs[mover].send("stop");
      ASSERT_THAT(programs[mover].until("bestmove"), testing::ContainsRegex("^bestmove [A-Fa-f]"));
    }
    if (game.plies() > 0) {
      programs[1 - mover].send(position);
      programs[1 - mover].send("go ponder");
      pondering[1 - mover] = true;
    }
    programs[mover].send("ucinewgame");
    programs[mover].send("isready");
    ASSERT_EQ(programs[mover].until("readyok", milliseconds(8000)), "readyok");
    programs[mover].send(position);
    programs[mover].send("go depth 4 movetime 20");
    pondering[mover] = false;
    const std::string best = programs[mover].until("bestmove");
    ASSERT_THAT(best, testing::MatchesRegex("bestmove [A-Fa-f]( ponder [A-Fa-f])?")) << line_text(game);
    ASSERT_NO_THROW(game.play(parse_move(game, best.substr(9, 1)))) << best << " after " << line_text(game);
    positions.push_back(game.position());
  }
  EXPECT_GT(game.plies(), 20);
  EXPECT_THAT(programs[0].all(), testing::ContainsRegex("info depth [0-9]+ nodes [0-9]+ nps [0-9]+ score cp -?[0-9]+ hashfull [0-9]+ time [0-9]+ pv [A-Fa-f]+\n"));
}

// The last report before the bestmove, and how many visits it tells of.
std::int64_t nodes_of_last_report(const std::string& all) {
  const std::size_t report = all.rfind("info depth "), nodes = all.find(" nodes ", report);
  return std::stoll(all.substr(nodes + 7));
}

TEST(UciProcess, WithoutTimeTheMoveIsTheOneThatIsKnown) {
  UciProgram program;
  program.send("go nodes 3000");
  const std::string known = program.until("bestmove");
  ASSERT_GE(nodes_of_last_report(program.all()), 3000);
  program.send("go wtime 1 btime 1");
  EXPECT_EQ(program.until("bestmove").substr(0, 10), known.substr(0, 10));
  EXPECT_GE(nodes_of_last_report(program.all()), 3000);
  program.send("position fen 1-0-0-0-0-2-1-1-0-0-0-4-19-20-S");  // of this one nothing is known: the capture, at first sight
  program.send("go wtime 1 btime 1");
  EXPECT_EQ(program.until("bestmove"), "bestmove F");
  EXPECT_EQ(nodes_of_last_report(program.all()), 0);
}

TEST(UciProcess, ABoundOfTheStrengthHoldsHoweverItIsAsked) {
  UciProgram program;
  program.send("go nodes 3000");
  program.until("bestmove");
  program.send("setoption name Strength value 20");
  for (const std::string go : {"go infinite", "go ponder", "go movetime 100", "go nodes 5000", "go wtime 100000 btime 100000"}) {
    program.send(go);
    if (go == "go infinite" || go == "go ponder") {
      std::this_thread::sleep_for(milliseconds(100));
      program.send("stop");
    }
    ASSERT_NE(program.until("bestmove"), "");
    EXPECT_LE(nodes_of_last_report(program.all()), 20) << go;
  }
}

TEST(UciProcess, ACheckpointThatIsGoneChangesNothing) {
  const TestFolder folder;
  const std::string run = folder.path() + "/run";
  ASSERT_EQ(run_wari({"train", "--config", "configs/smoke.yaml", "--run", run, "--set", "iterations=1", "--set", "iteration_waves=400", "--set", "selfplay.lanes=768", "--set", "selfplay.simulations=4",
                      "--set", "network.width=16", "--set", "network.blocks=1", "--set", "rules=warri"}).status, 0);
  UciProgram program("--checkpoint " + run + "/checkpoints/000001");
  program.send("go nodes 100");
  ASSERT_NE(program.until("bestmove"), "");
  std::filesystem::remove_all(run + "/checkpoints/000001");  // a run that trains removes old ones
  program.send("setoption name UCI_ShowWDL value true");
  program.send("go nodes 200");
  ASSERT_NE(program.until("bestmove"), "");
  program.send("setoption name Threads value 1");
  EXPECT_THAT(program.until("info string"), HasSubstr("checkpoint"));
  program.send("ucinewgame");
  program.send("d");
  EXPECT_EQ(program.until("rules"), "rules warri");
  program.send("go nodes 100");
  ASSERT_NE(program.until("bestmove"), "");
  EXPECT_THAT(program.all(), testing::Not(HasSubstr("random games")));
}

// As a shell or a program that shares its terminal leaves them.
TEST(UciProcess, ReadsAndWritesWhereNothingBlocks) {
  int in[2], out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  for (const int descriptor : {in[0], out[1]}) ASSERT_EQ(::fcntl(descriptor, F_SETFL, O_NONBLOCK), 0);
  const std::string command = std::string(WARI_BINARY_DIR) + "/wari uci --hash 16 --log warning <&" + std::to_string(in[0]) + " >&" + std::to_string(out[1]) + " &";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ::close(in[0]);
  ::close(out[1]);
  std::this_thread::sleep_for(milliseconds(200));  // it finds nothing to read
  constexpr int kAsked = 300;                      // each answered by more than a kilobyte: more than a pipe holds
  std::string asked;
  for (int i = 0; i < kAsked; ++i) asked += "uci\n";
  asked += "go nodes 10\nquit\n";
  ASSERT_EQ(::write(in[1], asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
  std::this_thread::sleep_for(milliseconds(300));  // its pipe is full
  std::string answer;
  char block[4096];
  for (ssize_t count = 0; (count = ::read(out[0], block, sizeof block)) > 0;) answer.append(block, static_cast<std::size_t>(count));
  ::close(in[1]);
  ::close(out[0]);
  int answered = 0;
  for (std::size_t place = 0; (place = answer.find("uciok\n", place)) != std::string::npos; ++place) ++answered;
  EXPECT_EQ(answered, kAsked);
  EXPECT_THAT(answer, HasSubstr("bestmove "));
}

TEST(UciProcess, AThousandGoAndStop) {
  UciProgram program;
  for (int i = 0; i < 1000; ++i) {
    program.send("go infinite");
    program.send("stop");
  }
  for (int i = 0; i < 1000; ++i) ASSERT_THAT(program.until("bestmove", milliseconds(20000)), testing::MatchesRegex("bestmove [A-F].*")) << i;
  program.send("isready");
  EXPECT_EQ(program.until("readyok"), "readyok");
  EXPECT_EQ(program.until("bestmove", milliseconds(50)), "");
}

TEST(UciProcess, TheEndOfTheInputEndsIt) {
  int status = -1;
  const std::string text = answer_to("position startpos\ngo infinite\n", status);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(text, HasSubstr("\nbestmove "));
  EXPECT_EQ(answer_to("", status), "");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(answer_to("isready", status), "readyok\n");  // a last line without an end
  EXPECT_THAT(answer_to("go nodes 300\nwait\nposition startpos moves F\ngo nodes 300\nwait\nquit\n", status), testing::ContainsRegex("bestmove [A-F].*\n(.*\n)*bestmove [a-f]"));
}

// Lines made from good ones by the changes that broken programs and cables make.
std::string mutated(const std::vector<std::string>& lines, std::uint32_t number) {
  std::uint32_t index = 0;
  const auto draw = [&](std::uint32_t below) { return random_below(random_bits(11, number, 0, Purpose::test, index++), below); };
  std::string line = lines[draw(static_cast<std::uint32_t>(lines.size()))];
  for (std::uint32_t change = draw(4); change > 0; --change) {
    const std::uint32_t at = draw(static_cast<std::uint32_t>(line.size()) + 1);
    const char any = static_cast<char>(draw(256));
    switch (draw(6)) {
      case 0: line.insert(at, 1, any == '\n' ? ' ' : any); break;
      case 1: line.erase(at, 1 + draw(5)); break;
      case 2: line.resize(at); break;
      case 3: line += " " + lines[draw(static_cast<std::uint32_t>(lines.size()))]; break;
      case 4: line.insert(at, std::to_string(draw(1u << 31))); break;
      default: line.insert(at, line.substr(0, draw(20))); break;
    }
  }
  return line;
}

TEST(UciProcess, TenThousandMutatedLinesDoNotStopIt) {
  const std::vector<std::string> lines = {"uci", "isready", "debug on", "debug off", "ucinewgame", "position startpos", "position startpos moves FfEbDd", "position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-N moves fF",
                                          "position fen 0-0-0-0-0-0-0-0-0-0-0-0-25-23-S", "position fen 1-0-0-0-0-0-0-0-0-0-0-1-23-23-S", "go depth 2", "go nodes 10", "go movetime 1", "go infinite", "go ponder",
                                          "go wtime 100 btime 100 winc 5 binc 5 movestogo 3", "stop", "ponderhit", "wait", "d", "setoption name Strength value 20", "setoption name Threads value 2",
                                          "setoption name Rules value awale", "setoption name Rules value warri,laps=two", "setoption name UCI_Elo value 700", "setoption name UCI_LimitStrength value true",
                                          "setoption name Table value <none>", "setoption name UCI_ShowWDL value true"};
  UciProgram program;
  for (std::uint32_t number = 0; number < 10'000; ++number) {
    const std::string line = mutated(lines, number);
    if (line.find("quit") != std::string::npos || line.find("LogFile") != std::string::npos) continue;
    program.send(line);
    if (number % 100 != 99) continue;
    program.send("isready");
    std::string ready;
    for (int i = 0; i < 100 && ready.empty(); ++i) {  // `wait` may hold it back, behind searches that have to be stopped
      program.send("stop");
      ready = program.until("readyok", milliseconds(200));
    }
    ASSERT_EQ(ready, "readyok") << number << ": " << line;
  }
  program.send("stop");
  program.send("setoption name Rules value abapa");
  program.send("position startpos moves Ff");
  program.send("isready");
  ASSERT_EQ(program.until("readyok"), "readyok");
  program.send("go depth 2");
  std::string best;
  while (!(best = program.until("bestmove", milliseconds(3000))).empty() && best.find_first_of("ABCDE", 9) != 9) {
  }
  EXPECT_THAT(best, testing::MatchesRegex("bestmove [A-E].*"));
}

TEST(UciProcess, NoiseWithoutLinesDoesNotStopIt) {
  std::string noise;
  for (std::uint32_t i = 0; i < 300'000; ++i) noise += static_cast<char>(random_bits(12, i, 0, Purpose::test, 0));
  std::erase(noise, '\n');
  int status = -1;
  EXPECT_THAT(answer_to(noise + "\nisready\n", status), testing::EndsWith("readyok\n"));
  EXPECT_EQ(status, 0);
}

TEST(UciProcess, WhatIsWrongFromTheStartIsSaidBothWays) {
  const Ran ran = run_wari({"uci", "--checkpoint", "/nowhere"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, testing::MatchesRegex("info string error: no such checkpoint: '/nowhere'.*\n"));
  EXPECT_THAT(ran.err, testing::StartsWith("wari: no such checkpoint"));
  EXPECT_EQ(run_wari({"uci", "--json"}).status, 2);
  EXPECT_EQ(run_wari({"uci", "--rules", "abapo"}).status, 2);
  EXPECT_EQ(run_wari({"uci", "--log-file", "/nowhere/log"}).status, 2);
}

TEST(UciProcess, TheLogFileHoldsBothSides) {
  const TestFolder folder;
  const std::string file = folder.path() + "/log";
  {
    UciProgram program("--log-file " + file);
    program.send("isready");
    program.until("readyok");
    program.send("nonsense");
    program.until("info string");
    program.send("quit");
    EXPECT_TRUE(program.ends(5000));
  }
  std::string text;
  if (std::FILE* log = std::fopen(file.c_str(), "r")) {
    char block[4096];
    text.assign(block, std::fread(block, 1, sizeof block, log));
    std::fclose(log);
  }
  EXPECT_THAT(text, testing::ContainsRegex("[0-9:.]+ < isready\n[-0-9:. ]+ > readyok\n[-0-9:. ]+ < nonsense\n[-0-9:. ]+ > info string unknown command"));
}

}  // namespace
}  // namespace wari
