#include "core/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "core/rules_options.h"
#include "tests/core/rule_mixes.h"

namespace wari {
namespace {

std::vector<Token> encode(const Rules& rules, const Position& position, int quiet_plies) {
  std::vector<Token> tokens(kTokens);
  encode_board(sowing_tables(), rules, position, quiet_plies, tokens.data());
  encode_rules(rules, tokens.data() + kBoardTokens);
  return tokens;
}

// First row and number of rows of each token's place.
std::vector<std::pair<int, int>> ranges() {
  std::vector<std::pair<int, int>> ranges;
  for (int pit = 0; pit < kPitTokens; ++pit) ranges.emplace_back(kPitOffset + pit * kPitRange, kPitRange);
  for (int store = 0; store < kStoreTokens; ++store) ranges.emplace_back(kStoreOffset + store * kStoreRange, kStoreRange);
  ranges.emplace_back(kQuietOffset, kQuietRange);
  for (int pit = 0; pit < kCaptureTokens; ++pit) ranges.emplace_back(kCaptureOffset + pit * kCaptureRange, kCaptureRange);
  int offset = kRuleOffset;
  for (const int range : kRuleRanges) {
    ranges.emplace_back(offset, range);
    offset += range;
  }
  EXPECT_EQ(offset, kVocabulary);
  return ranges;
}

TEST(Tokens, EveryTokenStaysInItsOwnRowsOfTheTable) {
  const auto places = ranges();
  ASSERT_EQ(places.size(), static_cast<std::size_t>(kTokens));
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(200)) {
    for (int count = 0; count < 50; ++count) {
      const int quiet = static_cast<int>(test_draw(number, 9000, static_cast<std::uint32_t>(rules.quiet_plies) + 1));
      const std::vector<Token> tokens = encode(rules, random_position(rules, number++), quiet);
      for (std::size_t place = 0; place < tokens.size(); ++place) {
        ASSERT_GE(tokens[place], places[place].first) << place;
        ASSERT_LT(tokens[place], places[place].first + places[place].second) << place;
      }
    }
  }
}

TEST(Tokens, SayWhatIsOnTheBoard) {
  const Position position = {0x0000'1f07'0605'0003ULL | Row{5} << kStoreShift, 0x0000'0201'0000'0000ULL | Row{7} << kStoreShift | Row{1} << kOwnerShift};
  const std::vector<Token> tokens = encode(Rules{}, position, 100);
  const int seeds[12] = {3, 0, 5, 6, 7, 31, 0, 0, 0, 0, 1, 2};
  for (int pit = 0; pit < 12; ++pit) EXPECT_EQ(tokens[static_cast<std::size_t>(pit)], pit * 32 + seeds[pit]);
  EXPECT_EQ(tokens[12], kStoreOffset + 5);
  EXPECT_EQ(tokens[13], kStoreOffset + 73 + 7);
  EXPECT_EQ(tokens[14], kQuietOffset + 4);  // 100 of 400 plies
  EXPECT_EQ(tokens[16], kCaptureOffset + 32 + kEmptyPit);
}

TEST(Tokens, AreTheSameForBothColours) {
  std::uint64_t number = 0;
  for (const Rules& rules : many_rule_sets(100)) {
    for (int count = 0; count < 20; ++count) {
      const Position position = random_position(rules, number++);
      ASSERT_EQ(encode(rules, position, 3), encode(rules, other_colours(position), 3));
    }
  }
}

TEST(Tokens, DifferWhereThePositionOrTheRulesDo) {
  const Rules abapa;
  const Position start = start_position(abapa);
  EXPECT_NE(encode(abapa, start, 0), encode(abapa, start, 25));
  EXPECT_EQ(encode(abapa, start, 0), encode(abapa, start, 24));
  Game game(abapa);
  game.play(0);
  EXPECT_NE(encode(abapa, start, 0), encode(abapa, game.position(), 0));
  for (const auto& [name, rules] : rule_presets()) {
    if (rules != abapa) {
      EXPECT_NE(encode(rules, start_position(rules), 0), encode(abapa, start, 0)) << name;
    }
  }
}

// A choice has a token for each of its values; of a number the token may be the same for some.
TEST(Tokens, EveryRuleOptionIsSeen) {
  for (const auto& [name, preset] : rule_presets()) {
    for (const RuleOption& option : rule_options()) {
      std::set<std::vector<Token>> seen;
      for (int value = 0; value <= (option.words.empty() ? 10000 : static_cast<int>(option.words.size()) - 1); ++value) {
        if (!option.valid(value)) continue;
        Rules changed = preset;
        option.set(changed, value);
        std::vector<Token> tokens(kTokens);
        encode_rules(changed, tokens.data());
        seen.insert(tokens);
      }
      EXPECT_GE(seen.size(), std::max<std::size_t>(2, option.words.size())) << name << ", " << option.key << ": encode_rules()";
    }
  }
}

TEST(Tokens, LargestCountsAreClamped) {
  const Rules rules = parse_rules("short");
  const std::vector<Token> tokens = encode(rules, Position{72, Row{1} << kOwnerShift}, 0);
  EXPECT_EQ(tokens[0], 31);
  const std::vector<Token> stores = encode(rules, Position{0, Row{72} << kStoreShift | Row{1} << kOwnerShift}, 0);
  EXPECT_EQ(stores[13], kStoreOffset + 73 + 72);
}

// Networks are trained on this layout: a change needs a new kTokenVersion and a new number here.
TEST(Tokens, LayoutHasNotChanged) {
  std::uint64_t hash = 0;
  std::uint64_t number = 0;
  for (const Rules& rules : fixed_rule_sets(50)) {
    for (int count = 0; count < 20; ++count) {
      for (const Token token : encode(rules, random_position(rules, number++), count)) hash = mix64(hash ^ token) + 1;
    }
  }
  EXPECT_EQ(kTokenVersion, 1);
  EXPECT_EQ(kVocabulary, 981);
  EXPECT_EQ(hash, 9363999503049151344ULL);
}

TEST(Random, DrawsAreFunctionsOfTheirArguments) {
  EXPECT_EQ(random_bits(1, 2, 3, Purpose::gumbel, 4), random_bits(1, 2, 3, Purpose::gumbel, 4));
  const std::uint64_t base = random_bits(1, 2, 3, Purpose::gumbel, 4);
  EXPECT_NE(base, random_bits(2, 2, 3, Purpose::gumbel, 4));
  EXPECT_NE(base, random_bits(1, 3, 3, Purpose::gumbel, 4));
  EXPECT_NE(base, random_bits(1, 2, 4, Purpose::gumbel, 4));
  EXPECT_NE(base, random_bits(1, 2, 3, Purpose::dirichlet, 4));
  EXPECT_NE(base, random_bits(1, 2, 3, Purpose::gumbel, 5));
  EXPECT_EQ(base, 12665572694471317991ULL);  // games on disk depend on it
}

TEST(Random, UnitsAreInsideTheIntervalAndSpreadEvenly) {
  EXPECT_GT(random_unit(0), 0.0f);
  EXPECT_LT(random_unit(~std::uint64_t{0}), 1.0f);
  EXPECT_EQ(random_below(~std::uint64_t{0}, 7), 6u);
  EXPECT_EQ(random_below(0, 7), 0u);
  double sum = 0;
  int counts[7] = {};
  for (std::uint32_t index = 0; index < 70'000; ++index) {
    const std::uint64_t bits = random_bits(5, 6, 7, Purpose::test, index);
    sum += random_unit(bits);
    ++counts[random_below(bits, 7)];
  }
  EXPECT_NEAR(sum / 70'000, 0.5, 0.005);
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

}  // namespace
}  // namespace wari
