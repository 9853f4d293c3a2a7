#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/notation.h"
#include "search/signature.h"
#include "tests/search/one_search.h"

// A whole small tree per variant of the search, as text under golden/, so that a change of behaviour shows as a readable difference. Written anew only when
// WARI_REWRITE_GOLDEN=1 is set; the commit that does so names the new signature.
namespace wari {
namespace {

std::string hexadecimal(float value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", bits_of_float(value));
  return text;
}

template <class N>
std::string tree_text(const OneSearch<N>& search) {
  std::ostringstream text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(search.node_count()); ++i) {
    const N& node = search.node(i);
    text << i << " from " << node.parent << ' ' << move_text(search.node(node.parent).position, node.parent_edge) << "  " << position_text(node.position) << " quiet " << node.quiet_plies << " visits "
         << node.visits << " value " << hexadecimal(node.value) << (node.flags & kNodeProven ? " proven" : "") << (node.flags & kNodeTerminal ? " over" : "") << '\n';
    if ((node.flags & kNodeTerminal) != 0) continue;
    for (int e = 0; e < N::kEdges; ++e) {
      if (((node.legal >> e) & 1) == 0) continue;
      text << "  " << move_text(node.position, e) << " prior " << node.prior[e] << " visits " << node.edge_visits[e] << " value " << hexadecimal(node.edge_value[e]) << " child " << node.child_index(e) << '\n';
    }
  }
  text << "policy";
  for (int e = 0; e < N::kEdges; ++e) text << ' ' << hexadecimal(search.summary().policy[e]);
  text << "\nbest " << search.best() << '\n';
  return text.str();
}

void compare_with_file(const std::string& name, const std::string& text) {
  const std::string file = std::string(WARI_SOURCE_DIR) + "/tests/search/golden/" + name + ".txt";
  const char* const rewrite = std::getenv("WARI_REWRITE_GOLDEN");
  if (rewrite != nullptr && std::string(rewrite) == "1") {
    std::ofstream(file) << text;
    return;
  }
  std::ifstream in(file);
  ASSERT_TRUE(in.good()) << file << " is missing: run once with WARI_REWRITE_GOLDEN=1";
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(golden.str(), text) << "the search behaves differently; if that is meant, run with WARI_REWRITE_GOLDEN=1 and say so in the commit";
}

struct Variant {
  const char* name;
  Algorithm algorithm;
  const char* rules;
  const char* position;  // "" is the start
  bool noisy;
};

constexpr Variant kVariants[] = {
    {"puct", Algorithm::puct, "abapa", "", false},
    {"puct_noise", Algorithm::puct, "abapa", "", true},
    {"gumbel", Algorithm::gumbel, "abapa", "", false},
    {"gumbel_noise", Algorithm::gumbel, "abapa", "", true},
    {"puct_endgame", Algorithm::puct, "awari", "1-0-0-2-0-1-1-0-0-1-0-0-21-21-N", false},
    {"gumbel_moves_again", Algorithm::gumbel, "warri", "1-0-0-0-0-2-1-0-0-0-0-0-22-22-S", false},
    {"puct_declines", Algorithm::puct, "awale", "4-4-0-5-5-5-5-4-4-1-4-7-0-0-S", false},
};

class GoldenTrees : public testing::TestWithParam<Variant> {};

TEST_P(GoldenTrees, TheTreeIsAsItWas) {
  const Variant& variant = GetParam();
  const Rules rules = parse_rules(variant.rules);
  const Game game = variant.position[0] == 0 ? Game(rules) : Game(rules, parse_position(variant.position, rules));
  ASSERT_FALSE(game.is_over());
  SearchSettings settings;
  settings.algorithm = variant.algorithm;
  const auto evaluator = make_hash_evaluator();
  if (rules.action_count() > kPits) {
    compare_with_file(variant.name, tree_text(OneSearch<NarrowNode12>(settings, game, 24, *evaluator, variant.noisy, 1)));
  } else {
    compare_with_file(variant.name, tree_text(OneSearch<NarrowNode6>(settings, game, 24, *evaluator, variant.noisy, 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, GoldenTrees, testing::ValuesIn(kVariants), [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Signature, IsTheOneOfTheLastCommitThatChangedIt) { EXPECT_EQ(search_signature(), kSearchSignature) << std::hex << search_signature(); }

}  // namespace
}  // namespace wari
