#include "core/ogn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "core/error.h"
#include "core/notation.h"
#include "core/playout.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A game as Aualé saves it: Variant first, the result left out of the moves while there is none, what the end of the game adds counted into the last capture.
constexpr const char* kSaved = R"([Variant "Oware Abapa"]
[Event "Club \"Awalé\" \\ evening"]
[Site "?"]
[Date "2026.11.30"]
[Round "3"]
[South "Ana"]
[North "Kofi"]
[Result "*"]
[Opening "unknown to us"]

1. F e 2. D { a quiet
  move } f 3. E a
)";

std::vector<OgnGame> read(const std::string& text, const std::optional<Rules>& rules = {}) { return read_ogn(text, "file.ogn", rules); }

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

// A random game, unfinished after at most `plies`.
Game random_game(const Rules& rules, const Position& start, std::uint64_t number, int plies) {
  Game game(rules, start);
  for (std::uint64_t seed = mix64(number); !game.is_over() && game.plies() < plies; seed += 0x9e3779b97f4a7c15ULL)
    game.play(random_action(sowing_tables(), game.legal(), mix64(seed)));
  return game;
}

// Games of every kind: from the start and from positions, whole and unfinished, with all that can stand beside the moves.
OgnGame random_ogn(const Rules& rules, std::uint64_t number) {
  const Position start = number % 2 == 0 ? start_position(rules) : random_position(rules, number);
  OgnGame game(random_game(rules, start, number, number % 3 == 0 ? static_cast<int>(number % 40) : 1000));
  if (number % 4 == 1) game.set_tag("Event", "a \"quoted\" \\ event");
  if (number % 5 == 1) game.set_tag("Engine_2", "x, [y] {z}");
  if (number % 7 == 0) game.comment = "before the first move, in words that fill more than one line of the file when they are written one after another";
  if (!game.game.is_over() && number % 2 == 1) game.ended = number % 3 == 0 ? "table" : "resigned";
  if (!game.game.is_over() && number % 5 == 2) game.result = "3-0.5";
  for (int ply = 0; ply < game.game.plies(); ++ply) {
    if (test_draw(number, 100 + static_cast<std::uint32_t>(ply), 9) == 0) game.note(ply) = {"! $14", "a bad face, said Ada (+0.25) % [x]", "(F e (a b) { ) } c)"};
  }
  return game;
}

// How many moves stand there for a program that knows no rule set but its own and takes every letter outside of tags, comments and variations for a move.
std::string letters_of_moves(const std::string& text) {
  std::string letters;
  for (std::size_t at = text.find("\n\n"); at < text.size(); ++at) {
    if (text[at] == '{') at = text.find('}', at);
    if (text[at] == '(') at = text.find(')', at);
    if ((text[at] >= 'a' && text[at] <= 'f') || (text[at] >= 'A' && text[at] <= 'F')) letters += text[at];
  }
  return letters;
}

TEST(Ogn, ACommentBehindTheResultIsOfThatGame) {
  const std::vector<OgnGame> games = read("[Rules \"warri\"]\n\n1. F e *  { agreed }\n; and so on\n");
  ASSERT_EQ(games.size(), 1u);
  EXPECT_EQ(games[0].notes.at(1).comment, "agreed and so on");
}

TEST(Ogn, ManyTagsAreRefusedAndNotComparedForEver) {
  std::string tags;
  for (int i = 0; i < 78000; ++i) tags += "[a" + std::to_string(i) + " \"\"]\n";
  EXPECT_THAT(refusal(tags + "\n1. F *\n"), testing::HasSubstr("more than 1000 tags"));
}

TEST(Ogn, AGameAsOtherProgramsSaveItIsRead) {
  const std::vector<OgnGame> games = read(kSaved);
  ASSERT_EQ(games.size(), 1u);
  const OgnGame& game = games.front();
  EXPECT_TRUE(game.game.rules() == Rules{});
  EXPECT_EQ(line_text(game.game), "FeDfEa");
  EXPECT_EQ(*game.tag("Event"), "Club \"Awalé\" \\ evening");
  EXPECT_EQ(*game.tag("South"), "Ana");
  EXPECT_EQ(*game.tag("Opening"), "unknown to us");
  EXPECT_EQ(game.tag("Result"), nullptr);
  EXPECT_EQ(game.line, 1);
  ASSERT_EQ(game.notes.size(), 3u);
  EXPECT_EQ(game.notes[2].comment, "a quiet move");
  EXPECT_EQ(game.result, "");
}

TEST(Ogn, AGameIsWrittenAsOtherProgramsReadIt) {
  OgnGame game(Game(Rules{}));
  play_line(game.game, "FbEaD");
  game.set_tag("North", "Kofi");
  game.set_tag("South", "Ana");
  game.set_tag("Engine", "wari");
  game.note(1).comment = "of } braces";
  EXPECT_EQ(ogn_text(game),
            "[Variant \"Oware Abapa\"]\n[Event \"?\"]\n[Site \"?\"]\n[Date \"?\"]\n[Round \"?\"]\n[South \"Ana\"]\n[North \"Kofi\"]\n[Result \"*\"]\n[Rules \"abapa\"]\n[Engine \"wari\"]\n\n"
            "1. F b { of ) braces } 2. E a 3. D+3 *\n");
}

TEST(Ogn, CapturesDeclinedCapturesAndSecondMovesCarryTheirMarks) {
  const auto moves_of = [](const std::string& rules, const std::string& position, const std::string& line) {
    OgnGame game(Game(parse_rules(rules), parse_position(position, parse_rules(rules))));
    play_line(game.game, line);
    const std::string text = ogn_text(game);
    EXPECT_EQ(line_text(read(text).at(0).game), line);
    return text.substr(text.find("\n\n") + 2);
  };
  EXPECT_EQ(moves_of("abapa", "0-0-0-0-0-1-1-0-0-0-0-4-20-22-S", "F"), "1. F+2 *\n");
  EXPECT_EQ(moves_of("awale", "0-0-0-0-0-1-1-0-0-0-0-4-20-22-S", "F-f"), "1. F- f *\n");
  // The slam gives South another move; North's comes in the same round.
  EXPECT_EQ(moves_of("warri", "0-0-0-0-8-1-1-0-0-0-0-0-18-20-S", "FEa"), "1. F+2& E a *\n");
  EXPECT_EQ(moves_of("warri", "1-0-0-0-0-0-0-0-0-0-8-1-20-18-N", "feA"), "1. f+2& e A *\n");
}

TEST(Ogn, WhatIsWrittenIsReadBackTheSame) {
  std::uint64_t number = 0;
  for (const Rules& rules : fixed_rule_sets(40)) {
    std::string file;
    std::vector<OgnGame> games;
    for (int count = 0; count < 12; ++count) {
      games.push_back(random_ogn(rules, number++));
      file += (file.empty() ? "" : "\n") + ogn_text(games.back());
    }
    const std::vector<OgnGame> again = read(file);
    ASSERT_EQ(again.size(), games.size());
    for (std::size_t i = 0; i < games.size(); ++i) {
      SCOPED_TRACE(ogn_text(games[i]));
      EXPECT_TRUE(again[i].game.rules() == rules);
      EXPECT_TRUE(again[i].game.start() == games[i].game.start());
      EXPECT_EQ(line_text(again[i].game), line_text(games[i].game));
      EXPECT_EQ(ogn_text(again[i]), ogn_text(games[i]));
      EXPECT_EQ(again[i].comment, games[i].comment);
      EXPECT_EQ(again[i].ended, games[i].ended);
      EXPECT_EQ(again[i].result, games[i].result);
      EXPECT_TRUE(again[i].notes == games[i].notes);
      for (const OgnTag& tag : games[i].tags) EXPECT_EQ(*again[i].tag(tag.name), tag.value);
      if (again[i].notes.empty()) {
        std::string line = line_text(games[i].game);
        line.erase(std::remove(line.begin(), line.end(), '-'), line.end());
        EXPECT_EQ(letters_of_moves(ogn_text(games[i])), line) << "other programs would see other moves";
      }
    }
  }
}

TEST(Ogn, LinesAreShort) {
  std::uint64_t longest = 0, number = 0;
  for (const Rules& rules : fixed_rule_sets(5)) {
    std::string text = ogn_text(random_ogn(rules, 7 * number++));
    text = text.substr(text.find("\n\n") + 2);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      longest = std::max(longest, end - begin);
      begin = end + 1;
    }
  }
  EXPECT_GT(longest, 70u);
  EXPECT_LE(longest, 79u);
}

// Files in the wild and what people type.
TEST(Ogn, HarmlessDifferencesAreRead) {
  const auto line_of = [](const std::string& text) {
    const std::vector<OgnGame> games = read(text);
    return games.size() == 1 ? line_text(games[0].game) : std::to_string(games.size()) + " games";
  };
  EXPECT_EQ(line_of("1. F e 2. D f"), "FeDf") << "no tags";
  EXPECT_EQ(line_of("FeDf"), "FeDf") << "a line";
  EXPECT_EQ(line_of("1.F e 1... 2.D f *"), "FeDf") << "numbers close to moves";
  EXPECT_EQ(line_of("\xef\xbb\xbf[Variant \"Abapa\"]\r\n\r\n1. F e\r\n2. D f\r\n"), "FeDf") << "byte order mark, DOS lines";
  EXPECT_EQ(line_of("% a line for programs\n[Variant \"oware\"] [South \"x\"]\n1. F ; a comment to the end: f\n e"), "Fe");
  EXPECT_EQ(line_of("F (E e { ) } (D f)) e ! $5"), "Fe") << "variations and annotations";
  EXPECT_EQ(line_of("[Variant \"?\"]\nF e"), "Fe");
  EXPECT_EQ(line_of(""), "0 games");
  EXPECT_EQ(line_of(" \n\n"), "0 games");
  EXPECT_EQ(line_of("F e *\nF e *"), "2 games") << "a result ends a game";
  EXPECT_EQ(line_of("F e [South \"x\"] F e"), "2 games") << "tags begin one";
  EXPECT_TRUE(read("[Variant \"Warri\"]")[0].game.rules() == parse_rules("warri"));
  EXPECT_TRUE(read("[Variant \"Oware Abapa\"]\n[Rules \"awale,quiet_plies=30\"]")[0].game.rules() == parse_rules("awale,quiet_plies=30")) << "options decide";
  EXPECT_TRUE(read("F", parse_rules("awale"))[0].game.rules() == parse_rules("awale"));
  EXPECT_TRUE(read("[Variant \"House rules\"] F", parse_rules("awale"))[0].game.rules() == parse_rules("awale"));
}

// North has nothing to move, so it is over at once: South gets 26.
constexpr const char* kLastMove = "[FEN \"1-1-0-0-0-2-0-0-0-0-0-0-22-22-N\"]\n";

TEST(Ogn, ResultsAndLastCapturesFitTheGameInAnyUsualForm) {
  for (const char* result : {"26-22", "1-0", "*", "?"}) EXPECT_EQ(refusal(std::string(kLastMove) + "[Result \"" + result + "\"]"), "accepted") << result;
  EXPECT_THAT(refusal(std::string(kLastMove) + "[Result \"22-26\"]"), AllOf(HasSubstr("file.ogn:2"), HasSubstr("'22-26'"), HasSubstr("26-22")));
  EXPECT_THAT(refusal(std::string(kLastMove) + "0-1"), HasSubstr("the game ended 26-22"));
  // F takes 2 and the majority; others sweep what is left.
  const std::string majority = "[FEN \"0-0-0-0-1-1-1-0-0-0-0-4-23-18-S\"]\n";
  for (const char* moves : {"F 25-18", "F+2 26-22", "F+2", "F+2 1-0", "F+2 *"}) EXPECT_EQ(refusal(majority + moves), "accepted") << moves;
  EXPECT_THAT(refusal(majority + "F+2 27-21"), HasSubstr("'27-21'"));
  // The first move is the last, and South takes the own row of 20 by it.
  const std::string sweep = "[Rules \"abapa,quiet_plies=1\"]\n";
  for (const char* moves : {"F", "F+0", "F+20 20-28", "F 0-1"}) EXPECT_EQ(refusal(sweep + moves), "accepted") << moves;
  EXPECT_THAT(refusal(sweep + "F+19"), AllOf(HasSubstr("file.ogn:2"), HasSubstr("'F+19'")));
  EXPECT_EQ(read("F e 20-18")[0].result, "20-18") << "players agreed";
  EXPECT_EQ(read("[Result \"1-0\"] F e 1-0")[0].result, "1-0");
  EXPECT_THAT(refusal("[Result \"1-0\"] F e\n0-1"), AllOf(HasSubstr("file.ogn:2"), HasSubstr("'0-1'")));
}

TEST(Ogn, FaultsAreNamedWithTheirLine) {
  const auto expect = [](const std::string& text, const std::string& place, const std::string& said) {
    EXPECT_THAT(refusal(text), AllOf(HasSubstr("file.ogn:" + place), HasSubstr(said))) << text;
  };
  expect("1. F e\n2. D b+3\n", "2", "wrong capture 'b+3'");
  expect("1. F e\n2. D b+3\n", "2", "captures 0");
  expect("[FEN \"0-0-0-0-0-1-1-0-0-0-0-4-20-22-S\"]\n\nF+3", "3", "captures 2");
  expect("F e F", "1", "illegal move 'F'");
  expect("F e\n\ne", "3", "illegal move 'e'");
  expect("F- e", "1", "illegal move 'F-'");
  expect("F& e", "1", "F& says that the same player moves again");
  expect("F+ e", "1", "'F+'");
  expect("F+999 e", "1", "'F+999'");
  expect("[Event \"x]\nF e", "1", "closing quote");
  expect("[Event x]\nF e", "1", "not in quotes");
  expect("[ \"x\"]", "1", "without a name");
  expect("[Event \"x\" F e", "1", "closing bracket");
  expect("[Event \"x\"]\n[Event \"y\"]", "2", "given twice");
  expect("F e\n{ open", "2", "closing brace");
  expect("F e\n( open { ) }", "2", "closing parenthesis");
  expect("F e\n} D", "2", "'}'");
  expect("F x", "1", "'x'");
  expect("F 25 e", "1", "'25' is neither");
  expect("F e 1-", "1", "'1-' is neither");
  expect("F e 40-20", "1", "no result: '40-20'");
  expect("[Result \"won\"] F", "1", "'won'");
  expect("[Variant \"House rules\"]\nF", "1", "unknown variant 'House rules'");
  expect("\n[Rules \"wari,lap=two\"]\nF", "2", "did you mean 'laps'?");
  expect("[Rules \"@/etc/passwd\"]\nF", "1", "names a file");
  expect("[FEN \"4-4-4\"]\nF", "1", "'4-4-4'");
  expect("[Rules \"short\"]\n[FEN \"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\"]\nF", "2", "72 seeds");
  expect("[Ended \"tabel\"]\nF", "1", "did you mean 'table'?");
  expect(std::string(kLastMove) + "[Ended \"limit\"]", "2", "the rules ended this game");
  expect(std::string(kLastMove) + "A", "2", "the game is over");
}

TEST(Ogn, ACheckGoesOnAfterEachFault) {
  const std::string good = kSaved, bad_move = "[Event \"a\"]\n\n1. F e\n2. D b+3\n3. E { [x }\n\n", bad_tag = "[Event \"x]\n[Site \"y\"]\n\nF e *\n\n", bad_result = "[Result \"*\"]\n\nF e 99-0\n";
  const OgnCheck check = check_ogn(good + "\n" + bad_move + bad_tag + good + bad_result + good + "{ open", "file.ogn");
  EXPECT_EQ(check.games, 2);
  EXPECT_EQ(check.plies, 12);
  ASSERT_EQ(check.faults.size(), 4u);
  EXPECT_THAT(check.faults[0], HasSubstr("file.ogn:17: "));
  EXPECT_THAT(check.faults[1], AllOf(HasSubstr("file.ogn:20: "), HasSubstr("closing quote")));
  EXPECT_THAT(check.faults[2], HasSubstr("99-0"));
  EXPECT_THAT(check.faults[3], HasSubstr("closing brace"));
}

// Whatever a file holds, reading it ends with games or with an Error that names the file.
TEST(Ogn, TenThousandSpoiltFilesAreReadOrRefused) {
  std::string whole;
  std::uint64_t number = 0;
  for (const Rules& rules : fixed_rule_sets(0)) {
    for (int count = 0; count < 2; ++count) whole += ogn_text(random_ogn(rules, 3 * number++)) + "\n";
  }
  constexpr std::string_view kLikely = "[]{}()\"\\;%*+-&!?$.0123456789AFafxZ \n\r\t\0\xff";
  int read_whole = 0, refused = 0;
  const int files = shared_out(10'000);
  for (int file = 0; file < files; ++file) {
    std::uint32_t draws = 0;
    const auto draw = [&](std::size_t count) { return test_draw(static_cast<std::uint64_t>(file) + (std::uint64_t{1} << 50), draws++, static_cast<std::uint32_t>(count)); };
    std::string text = whole.substr(draw(whole.size()), 200 + draw(3000));
    if (file % 2 == 0) text.insert(0, "[Event \"x\"]\n");
    for (std::uint32_t change = draw(6); change > 0; --change) {
      const std::size_t at = draw(text.size());
      const std::uint32_t kind = draw(4);
      if (kind == 0) text[at] = kLikely[draw(kLikely.size())];
      if (kind == 1) text.insert(at, 1, kLikely[draw(kLikely.size())]);
      if (kind == 2) text.erase(at, 1 + draw(30));
      if (kind == 3) text.insert(at, text.substr(draw(text.size()), draw(100)));
    }
    try {
      read(text);
      ++read_whole;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.ogn:"));
      ++refused;
    }
    const OgnCheck check = check_ogn(text, "file.ogn");
    EXPECT_LE(check.faults.size(), text.size());
  }
  EXPECT_GT(refused, files / 4);
  EXPECT_GT(read_whole, 0);
}

}  // namespace
}  // namespace wari
