#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <regex>
#include <string>
#include <vector>

#include "app/uci/session.h"
#include "core/error.h"
#include "tests/app/fake_thinker.h"
#include "tests/app/run_wari.h"

// Conversations with the protocol's session over a search of known speed: what is said, in which order, and what is not said.
namespace wari {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class Talk {
 public:
  explicit Talk(const FakeThinkerSettings& thinker = {}, const UciOptions& options = {})
      : session_(options, "wari test", 1, {[this, thinker](const EngineSettings& settings) { return load(settings, thinker); }, [this](const std::string& line) { hear(line); }, {}}) {}
  ~Talk() {
    session_.end_of_input();
    session_.wait_until_over();
  }

  void send(const std::string& line) { session_.line(line); }
  void end_input() { session_.end_of_input(); }
  void wait_until_over() { session_.wait_until_over(); }

  // The next line that is no report of a search ("info depth ..."); empty: none came in time.
  std::string next(milliseconds patience = milliseconds(2000)) {
    std::unique_lock lock(mutex_);
    if (!heard_changed_.wait_for(lock, patience, [this] { return !heard_.empty(); })) return "";
    const std::string line = heard_.front();
    heard_.pop_front();
    return line;
  }

  int reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  std::string last_report() {
    const std::lock_guard lock(mutex_);
    return last_report_;
  }
  FakeThinkerLog& log() { return log_; }

 private:
  Engine load(const EngineSettings& settings, const FakeThinkerSettings& thinker) {
    if (settings.table.ends_with("broken.table")) throw Error("a broken table: 'broken': build another");
    return fake_engine(settings, thinker, log_);
  }

  void hear(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (line.starts_with("info depth")) {
      ++reports_;
      last_report_ = line;
      return;
    }
    heard_.push_back(line);
    heard_changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable heard_changed_;
  std::deque<std::string> heard_;
  int reports_ = 0;
  std::string last_report_;
  FakeThinkerLog log_;
  UciSession session_;  // last: its thread calls back
};

// A transcript: "> line" is sent, "< pattern" must be the whole next line heard, "silence" means that nothing is heard for a while.
struct Transcript {
  std::string name;
  FakeThinkerSettings thinker;
  std::vector<std::string> lines;
};

void play(const Transcript& transcript) {
  SCOPED_TRACE(transcript.name);
  Talk talk(transcript.thinker);
  for (const std::string& line : transcript.lines) {
    if (line == "silence") {
      ASSERT_EQ(talk.next(milliseconds(60)), "");
    } else if (line.starts_with("> ")) {
      talk.send(line.substr(2));
    } else {
      const std::string heard = talk.next();
      ASSERT_TRUE(std::regex_match(heard, std::regex(line.substr(2)))) << "expected " << line.substr(2) << ", heard " << heard;
    }
  }
  ASSERT_EQ(talk.next(milliseconds(20)), "") << "more than expected";
}

const std::string kOver = "0-0-0-0-0-0-0-0-0-0-0-0-25-23-S";
const std::string kOneMove = "1-0-0-0-0-0-0-0-0-0-0-1-23-23-S";

TEST(UciSession, TranscriptsHoldLineByLine) {
  const std::vector<Transcript> transcripts = {
      {"a game", {}, {"> isready", "< readyok", "> ucinewgame", "> position startpos", "> go movetime 60", "< bestmove A.*", "> position startpos moves Aa", "> go movetime 60", "< bestmove B.*"}},
      {"from a position, North to move", {}, {"> position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-N", "> go nodes 50", "< bestmove a ponder A"}},
      {"depth", {}, {"> go depth 2", "< bestmove A ponder a"}},
      {"a depth that is never reached ends with the tree", {milliseconds(1), 0, 200}, {"> go depth 99", "< bestmove A ponder a"}},
      {"nodes", {}, {"> go nodes 30", "< bestmove A ponder a"}},
      {"a clock", {}, {"> go wtime 1000 btime 1000 winc 50 binc 50", "< bestmove A.*"}},
      {"no limit: two seconds would pass, but it is stopped", {}, {"> go", "silence", "> stop", "< bestmove A ponder a"}},
      {"endless until stop", {}, {"> go infinite", "silence", "> isready", "< readyok", "> stop", "< bestmove A ponder a", "> stop", "silence"}},
      {"endless on a solved position", {milliseconds(1), 20, 0}, {"> go infinite", "silence", "> stop", "< bestmove A ponder a"}},
      {"limits on a solved position", {milliseconds(1), 20, 0}, {"> go movetime 60000", "< bestmove A ponder a", "> go depth 50", "< bestmove A ponder a", "> go nodes 1000000", "< bestmove A ponder a"}},
      {"pondering waits for the guess", {}, {"> position startpos moves Aa", "> go ponder movetime 60", "silence", "silence", "> ponderhit", "< bestmove B.*"}},
      {"pondering on a solved position", {milliseconds(1), 20, 0}, {"> go ponder movetime 60", "silence", "> ponderhit", "< bestmove A ponder a"}},
      {"pondering in vain", {}, {"> go ponder wtime 1000 btime 1000", "silence", "> stop", "< bestmove A ponder a", "> ponderhit", "< info string nothing is pondered.*"}},
      {"pondering, hit, then stop", {}, {"> go ponder movetime 60000", "> ponderhit", "silence", "> stop", "< bestmove A ponder a"}},
      {"an endless search does not end by ponderhit", {}, {"> go infinite", "> ponderhit", "< info string nothing is pondered.*", "silence", "> stop", "< bestmove A ponder a"}},
      {"a finished game", {}, {"> position fen " + kOver, "> go movetime 100", "< bestmove 0000", "> go depth 3", "< bestmove 0000", "> go infinite", "silence", "> stop", "< bestmove 0000", "> go ponder", "silence", "> ponderhit", "< bestmove 0000"}},
      {"one legal move", {milliseconds(5), 0, 0}, {"> position fen " + kOneMove, "> go movetime 60000", "< bestmove A.*", "> go wtime 600000 btime 600000", "< bestmove A.*", "> go nodes 20", "< bestmove A.*"}},
      {"two go in a row: one bestmove each", {}, {"> go infinite", "> position startpos moves Aa", "> go movetime 60", "< bestmove A.*", "< bestmove B.*"}},
      {"stop, position, go without waiting", {}, {"> go infinite", "> stop", "> position startpos moves Aa", "> go movetime 60", "< bestmove A.*", "< bestmove B.*"}},
      {"stop before any result", {milliseconds(30), 0, 0}, {"> go infinite", "> stop", "< bestmove A.*"}},
      {"the position may change while thinking", {}, {"> go movetime 60", "> position startpos moves A", "< bestmove A ponder a", "> go movetime 60", "< bestmove a.*"}},
      {"wait holds lines back", {}, {"> go movetime 100", "> wait", "> isready", "> nonsense", "< bestmove A.*", "< readyok", "< info string unknown command 'nonsense'.*"}},
      {"wait lets stop pass", {}, {"> go movetime 60000", "> wait", "> isready", "silence", "> stop", "< bestmove A.*", "< readyok"}},
      {"wait without a search", {}, {"> wait", "> isready", "< readyok"}},
      {"wait for an endless search", {}, {"> go infinite", "> wait", "< info string the search has no end.*", "> stop", "< bestmove A.*"}},
      {"keywords that have no effect", {}, {"> go mate 3 nodes 20", "< info string 'mate' has no effect.*", "< bestmove A.*", "> go searchmoves A B nodes 20", "< info string 'searchmoves'.*", "< bestmove A.*"}},
      {"a declined capture", {}, {"> setoption name Rules value awale", "> position fen 1-0-0-0-0-2-1-1-0-0-0-4-19-20-S moves F-", "> go nodes 20", "< bestmove a.*"}},
      {"two moves of one player", {}, {"> setoption name Rules value warri", "> position fen 0-0-0-0-2-2-1-1-0-0-0-0-20-22-S moves F", "> go nodes 20", "< bestmove E.*"}},
      {"quit ends a search with its move", {}, {"> go infinite", "> quit", "< bestmove A.*"}},
      {"blanks and tabs", {}, {">   isready \t ", "< readyok", "> ", "> \t", "> go   nodes\t20", "< bestmove A.*"}},
  };
  for (const Transcript& transcript : transcripts) play(transcript);
}

// Each line is answered by one "info string" and changes nothing: the next search is still of the position after Aa.
TEST(UciSession, NonsenseIsAnsweredAndChangesNothing) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"nonsense", "unknown command 'nonsense'"},
      {"postion startpos", "'position'"},
      {"go depth", "a number is missing: go depth"},
      {"go depth many", "bad number 'many'"},
      {"go depth 0", "bad number '0'"},
      {"go nodes -5", "bad number '-5'"},
      {"go movetime 1e3", "bad number '1e3'"},
      {"go movetime 99999999999999999999", "bad number '99999999999999999999'"},
      {"go sideways", "unknown word 'sideways'"},
      {"go depth 3 extra", "unknown word 'extra'"},
      {"position", "bad position"},
      {"position here", "bad position 'here'"},
      {"position fen", "position ''"},
      {"position fen 1-2-3", "it ends in '3'"},
      {"position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0", "it ends in '0'"},
      {"position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-X", "'X'"},
      {"position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-S", "13 numbers"},
      {"position fen 4-4-4-4-4-4-4-4-4-4-4-4-0-1-S", "add up to 49"},
      {"position fen 4-4-4-4-4-4-4-4-4-4-4-3-0-0-S", "add up to 47"},
      {"position fen -4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "position '-4"},
      {"position fen 44444444444444-0-0-0-0-0-0-0-0-0-0-0-0-0-S", "is not a number"},
      {"position startpos moves ZZZ", "illegal move 1: 'Z'"},
      {"position startpos moves f", "illegal move 1: 'f'"},
      {"position startpos moves FfF", "illegal move 3: 'F'"},
      {"position startpos moves A-", "illegal move 1: 'A-'"},
      {"position startpos Ff", "unknown word 'Ff'"},
      {"position fen " + kOver + " moves A", "the game is over"},
      {"setoption", "a name is missing"},
      {"setoption name", "a name is missing"},
      {"setoption name Nope value 1", "unknown option 'Nope'"},
      {"setoption name Treads value 2", "'Threads'"},
      {"setoption name Threads", "bad number ''"},
      {"setoption name Threads value -1", "bad number '-1'"},
      {"setoption name Rules value abapo", "'abapo'"},
      {"setoption name Checkpoint value /nowhere", "'/nowhere'"},
      {"setoption name Table value /nowhere", "'/nowhere'"},
      {"setoption name UCI_LimitStrength value yes", "'yes'"},
      {"debug perhaps", "'perhaps'"},
      {"ponderhit", "nothing is pondered"},
      {"\x01\x02\x7f\xff\xfe", "unknown command"},
  };
  Talk talk;
  talk.send("position startpos moves Aa");
  for (const auto& [line, said] : lines) {
    talk.send(line);
    const std::string heard = talk.next();
    EXPECT_THAT(heard, testing::StartsWith("info string ")) << line;
    EXPECT_THAT(heard, HasSubstr(said)) << line;
    EXPECT_EQ(std::count_if(heard.begin(), heard.end(), [](unsigned char c) { return c < 32; }), 0) << line;
  }
  talk.send("go nodes 20");
  EXPECT_EQ(talk.next(), "bestmove B ponder a");
}

TEST(UciSession, PositionsAreReadWithBlanksToo) {
  for (const std::string position : {"startpos moves F f", "startpos moves Ff", "fen 4-4-4-4-4-0-5-5-5-5-4-4-0-0-N moves f", "fen 4 4 4 4 4 0 5 5 5 5 4 4 0 0 N moves f", "fen 4-4-4-4-4-0-5-5-5-5-4-4-0-0 N moves  f "}) {
    Talk talk;
    talk.send("position " + position);
    talk.send("d");
    std::string all;
    for (std::string line = talk.next(); !line.empty(); line = talk.next(milliseconds(10))) all += line + "\n";
    EXPECT_THAT(all, HasSubstr("position 5-5-5-5-4-0-5-5-5-5-4-0-0-0-S\n")) << position;
  }
}

TEST(UciSession, EveryBestmoveFollowsAnInfoLine) {
  Talk talk;
  for (const std::string go : {"go depth 1", "go nodes 1", "go movetime 1", "go wtime 1 btime 1", "go infinite", "go ponder"}) {
    const int before = talk.reports();
    talk.send(go);
    talk.send("stop");
    EXPECT_THAT(talk.next(), testing::StartsWith("bestmove A")) << go;
    EXPECT_GT(talk.reports(), before) << go;
  }
  talk.send("position fen " + kOver);
  const int before = talk.reports();
  talk.send("go depth 1");
  EXPECT_EQ(talk.next(), "bestmove 0000");
  EXPECT_EQ(talk.reports(), before + 1);
}

TEST(UciSession, ReportsHaveAllFields) {
  Talk talk;
  talk.send("go nodes 100");
  EXPECT_EQ(talk.next(), "bestmove A ponder a");
  EXPECT_THAT(talk.last_report(), testing::MatchesRegex("info depth 3 nodes 100 nps [0-9]+ score cp 125 hashfull 0 time [0-9]+ pv AaB"));
  talk.send("setoption name UCI_ShowWDL value true");
  talk.send("go nodes 100");
  talk.next();
  EXPECT_THAT(talk.last_report(), HasSubstr("score cp 125 wdl 500 300 200 hashfull"));
}

TEST(UciSession, AThousandGoAndStopGiveAThousandBestmoves) {
  Talk talk;
  for (int i = 0; i < 1000; ++i) {
    talk.send(i % 3 == 0 ? "go infinite" : i % 3 == 1 ? "go ponder" : "go depth 9");
    talk.send("stop");
  }
  for (int i = 0; i < 1000; ++i) ASSERT_THAT(talk.next(milliseconds(5000)), testing::StartsWith("bestmove A")) << i;
  EXPECT_EQ(talk.next(milliseconds(20)), "");
  talk.send("go nodes 20");
  EXPECT_EQ(talk.next(), "bestmove A ponder a");  // no stop is left over
}

TEST(UciSession, EndOfInputGivesTheMovesThatAreOwed) {
  Talk talk;
  talk.send("go infinite");
  talk.send("go infinite");
  talk.end_input();
  talk.wait_until_over();
  EXPECT_THAT(talk.next(milliseconds(1)), testing::StartsWith("bestmove A"));
  EXPECT_THAT(talk.next(milliseconds(1)), testing::StartsWith("bestmove A"));
  EXPECT_EQ(talk.next(milliseconds(1)), "");
  talk.send("go infinite");
  EXPECT_EQ(talk.next(milliseconds(20)), "");
}

TEST(UciSession, TheTreeIsForgottenForANewGameOnly) {
  Talk talk;
  const auto go = [&] {
    talk.send("go nodes 20");
    talk.next();
  };
  go();
  EXPECT_EQ(talk.log().forgotten, 1);  // the first game is new
  talk.send("position startpos moves Aa");
  go();
  EXPECT_EQ(talk.log().forgotten, 1);
  talk.send("ucinewgame");
  go();
  EXPECT_EQ(talk.log().forgotten, 2);
  EXPECT_EQ(talk.log().loaded, 1);
}

TEST(UciSession, TheEngineIsLoadedWhenSomethingAboutItChanged) {
  Talk talk;
  talk.send("isready");
  EXPECT_EQ(talk.next(), "readyok");
  EXPECT_EQ(talk.log().loaded, 1);
  talk.send("setoption name Hash value 64");
  talk.send("setoption name Hash value 32");
  talk.send("setoption name Strength value 10");  // not about the engine
  talk.send("isready");
  EXPECT_EQ(talk.next(), "readyok");
  EXPECT_EQ(talk.log().loaded, 2);
  talk.send("setoption name Threads value 3");
  talk.send("go nodes 20");
  EXPECT_EQ(talk.next(), "bestmove A");  // ten visits, one ply
  EXPECT_EQ(talk.log().loaded, 3);
}

TEST(UciSession, AnEngineThatCannotBeLoadedIsReportedAndAnotherOnePlays) {
  const TestFolder folder;
  const std::string file = folder.file("broken.table", "no table");
  Talk talk;
  talk.send("go nodes 20");
  EXPECT_EQ(talk.next(), "bestmove A ponder a");
  talk.send("setoption name Table value " + file);
  talk.send("isready");
  EXPECT_THAT(talk.next(), HasSubstr("info string error: a broken table"));
  EXPECT_EQ(talk.next(), "readyok");
  talk.send("go nodes 20");
  EXPECT_THAT(talk.next(), HasSubstr("info string error: a broken table"));
  EXPECT_EQ(talk.next(), "bestmove A ponder a");
  EXPECT_EQ(talk.log().loaded, 1);  // the one before goes on
  talk.send("setoption name Rules value awale");
  talk.send("go nodes 20");
  EXPECT_THAT(talk.next(), HasSubstr("info string error: a broken table"));
  EXPECT_EQ(talk.next(), "info string random games judge the positions instead");
  EXPECT_EQ(talk.next(), "bestmove A ponder a");
}

TEST(UciSession, OptionsAreListedWithWhatTheyAreNow) {
  Talk talk;
  talk.send("setoption name move overhead value 77");
  talk.send("setoption name Rules value warri,laps=two");
  talk.send("uci");
  std::vector<std::string> lines;
  for (std::string line = talk.next(); line != "uciok" && !line.empty(); line = talk.next()) lines.push_back(line);
  EXPECT_THAT(lines, testing::IsSupersetOf({"id name wari test", "option name MoveOverhead type spin default 77 min 0 max 60000", "option name Checkpoint type string default <empty>",
                                            "option name Table type string default <auto>", "option name UCI_LimitStrength type check default false"}));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("option name Rules type combo default warri,laps=two var abapa var wari ")));
}

}  // namespace
}  // namespace wari
