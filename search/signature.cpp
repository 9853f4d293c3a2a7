#include "search/signature.h"

#include <span>
#include <string_view>
#include <vector>

#include "core/game.h"
#include "core/notation.h"
#include "core/random.h"
#include "search/batch_search.h"
#include "search/exact_math.h"
#include "search/node.h"
#include "search/selfplay_engine.h"

namespace wari {
namespace {

std::uint64_t add(std::uint64_t signature, std::uint64_t number) { return mix64(signature ^ (number + 0x9e3779b97f4a7c15ULL)); }

// Line of moves to the position, by rule set.
struct SignaturePosition {
  const char* rules;
  const char* line;
};

constexpr SignaturePosition kPositions[] = {
    {"abapa", ""}, {"abapa", "FfEbCa"}, {"wari", "DdEe"}, {"warri", "FcDa"}, {"awale", ""}, {"awale", "EdBfCa"}, {"two-lap", ""}, {"relay", ""}, {"relay-literal", ""}, {"short", "AaBb"}, {"zillions", "CcFf"}, {"awari", "BaFe"},
};

// The line as far as it is legal, so that positions stay valid when a rule set differs.
Game play_while_legal(const Rules& rules, std::string_view line) {
  Game game(rules);
  for (const char letter : line) {
    const int action = letter >= 'a' ? letter - 'a' : letter - 'A';
    if (game.is_over() || ((game.legal() >> action) & 1) == 0) break;
    game.play(action);
  }
  return game;
}

std::uint64_t of_searches(Algorithm algorithm, int simulations, bool noise, std::span<const SignaturePosition> positions = kPositions) {
  BatchSearchSettings settings;
  settings.search.algorithm = algorithm;
  settings.noise = noise;
  std::vector<RootRequest> requests;
  for (const SignaturePosition& position : positions) {
    const Game game = play_while_legal(parse_rules(position.rules), position.line);
    requests.push_back({game.rules(), game.since_capture(), simulations, requests.size()});
  }
  std::uint64_t signature = 0;
  for (const RootResult& result : make_cpu_batch_search(settings, *make_hash_evaluator())->search(requests)) {
    signature = add(signature, static_cast<std::uint64_t>(result.best + 1));
    signature = add(signature, bits_of_float(result.value));
    for (const RootAction& action : result.actions) {
      signature = add(signature, static_cast<std::uint64_t>(action.visits));
      signature = add(signature, bits_of_float(action.value));
      signature = add(signature, bits_of_float(action.policy));
    }
  }
  return signature;
}

std::uint64_t of_games(Algorithm algorithm) {
  SelfplayEngineSettings settings;
  settings.search.algorithm = algorithm;
  settings.play.full_search_share = 0.5;
  settings.rules = {parse_rules("abapa"), parse_rules("awale"), parse_rules("warri")};
  settings.rules_cycle = {0, 1, 2};
  settings.lanes = 12;
  settings.total_lanes = 12;
  settings.first_game = 122;  // six games of the first rule set, six of the second
  settings.games_end = 134;
  const auto engine = make_cpu_selfplay_engine(settings, make_hash_evaluator());
  std::vector<MoveRecord> log;
  while (!engine->all_idle()) engine->run(100, log);
  std::uint64_t signature = 0;
  for (const MoveRecord& record : log) {
    // A sum, so that the order in which lanes finish does not matter.
    std::uint64_t move = add(record.game, record.ply);
    for (const std::uint16_t share : record.policy) move = add(move, share);
    move = add(move, record.action * 256u + record.end);
    signature += add(move, static_cast<std::uint16_t>(record.root_value));
  }
  return signature;
}

}  // namespace

std::uint64_t search_signature() {
  std::uint64_t signature = 0;
  for (const Algorithm algorithm : {Algorithm::gumbel, Algorithm::puct}) {
    signature = add(signature, of_searches(algorithm, 64, true));
    signature = add(signature, of_searches(algorithm, 500, false));
    signature = add(signature, of_searches(algorithm, kNarrowSimulations + 1, false, std::span(kPositions).subspan(3, 2)));
    signature = add(signature, of_games(algorithm));
  }
  return signature;
}

}  // namespace wari
