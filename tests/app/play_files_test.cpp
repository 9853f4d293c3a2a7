#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/notation.h"
#include "core/ogn.h"
#include "tests/app/driven_play.h"
#include "tests/app/run_wari.h"

// The files of a board in the terminal: saved, loaded, followed.
namespace wari {
namespace {

using testing::HasSubstr;

TEST(PlaySession, GamesAreSavedAndLoaded) {
  const TestFolder folder;
  const std::string file = folder.path() + "/my game.ogn", followed = folder.path() + "/followed.ogn";
  SessionSettings settings;
  settings.save = followed;
  Driven driven(settings);
  driven("F"), driven("E");
  const std::string line = line_text(driven.game());
  EXPECT_THAT(driven("s " + file), HasSubstr("saved"));
  EXPECT_THAT(driven("s " + followed + "2"), HasSubstr("saved"));
  const std::string other = folder.file("other.ogn", ogn_text(OgnGame(Game(parse_rules("warri")))) + "\n" + content(file));
  EXPECT_THAT(driven("s " + other), HasSubstr("the file exists"));
  const std::vector<OgnGame> saved = read_ogn(content(file), file), copy = read_ogn(content(followed), followed);
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(line_text(saved[0].game), line);
  EXPECT_EQ(line_text(copy.at(0).game), line) << "--save follows the game";
  EXPECT_EQ(*saved[0].tag("South"), "Human");
  EXPECT_EQ(*saved[0].tag("North"), "random games");
  EXPECT_THAT(saved[0].notes.at(1).comment, HasSubstr(" seeds"));
  driven("n");
  EXPECT_THAT(driven("l " + file), HasSubstr("loaded 4 moves"));
  EXPECT_EQ(line_text(driven.game()), line);
  driven("l " + other);
  EXPECT_TRUE(driven.game().rules() == parse_rules("warri"));
  driven("l " + other + " 2");
  EXPECT_EQ(line_text(driven.game()), line);
  EXPECT_THAT(driven("l " + other + " 3"), HasSubstr("the file holds 2"));
  EXPECT_THAT(driven("l " + folder.path() + "/none"), HasSubstr("none"));
  EXPECT_THAT(driven("l"), HasSubstr("which file"));
  EXPECT_EQ(line_text(driven.game()), line) << "what cannot be loaded changes nothing";
}

TEST(PlaySession, TheFileThatFollowsKeepsTheGamesBefore) {
  const TestFolder folder;
  SessionSettings settings;
  settings.save = folder.path() + "/followed.ogn";
  settings.side = HumanSide::both;
  Driven driven(settings);
  const auto kept = [&] {
    std::vector<std::string> lines;
    for (const OgnGame& game : read_ogn(content(settings.save), settings.save)) lines.push_back(line_text(game.game));
    return lines;
  };
  driven("m FfE");
  EXPECT_THAT(driven("n"), HasSubstr("stays in"));
  EXPECT_THAT(kept(), testing::ElementsAre("FfE"));
  driven("n"), driven("m Aa");
  driven("r warri"), driven("m B");
  driven("p 1-2-0-0-0-3-0-0-4-0-0-5-20-13-S"), driven("F");
  EXPECT_THAT(kept(), testing::ElementsAre("FfE", "Aa", "B", "F"));
  driven("u");
  EXPECT_THAT(kept(), testing::ElementsAre("FfE", "Aa", "B"));
}

TEST(PlaySession, AGameThatWasEndedByAgreementStaysAsItIs) {
  const TestFolder folder;
  SessionSettings settings;
  settings.load = settings.save = folder.file("agreed.ogn", "[South \"Ana\"]\n[North \"Kofi\"]\n[Result \"25-20\"]\n\n1. F 25-20\n");
  settings.side = HumanSide::south;
  Driven driven(settings);
  EXPECT_TRUE(driven.session.finished()) << "the engine would be to move";
  EXPECT_EQ(driven.game().plies(), 1);
  EXPECT_EQ(read_ogn(content(settings.save), settings.save).at(0).result, "25-20");
  driven("u");
  EXPECT_FALSE(driven.session.finished());
}

TEST(PlaySession, NoGameIsLostToFilesThatCannotBeKept) {
  const TestFolder folder;
  const std::string one = ogn_text(OgnGame(Game(Rules{}))), file = folder.file("two.ogn", one + "\n" + one), kept = folder.path() + "/kept";
  SessionSettings settings;
  settings.load = settings.save = file;
  EXPECT_THROW(Driven{settings}, Error) << "the other game would be gone";
  settings.save.clear();
  EXPECT_THAT(Driven(settings)("s " + file), HasSubstr("the file exists"));
  std::filesystem::create_directory(kept);
  SessionSettings following;
  following.save = kept + "/game.ogn";
  Driven driven(following);
  std::filesystem::remove_all(kept);
  EXPECT_THAT(driven("F"), HasSubstr("game.ogn"));
  EXPECT_EQ(driven.game().plies(), 2) << "the engine answers";
  EXPECT_THAT(driven("s " + std::string(300, 'a')), HasSubstr("aaa"));
  EXPECT_EQ(driven.game().plies(), 2);
}

}  // namespace
}  // namespace wari
