#include <algorithm>
#include <cmath>
#include <utility>

#include "arena/player.h"
#include "core/error.h"
#include "core/tokens.h"
#include "cuda/batch_search.h"
#include "endgame/endgame_rules.h"

namespace wari {
namespace {

class SearchPlayer final : public Player {
 public:
  SearchPlayer(std::string name, const SearchPlayerSettings& settings, const Evaluator& evaluator) : name_(std::move(name)), visits_(settings.visits), tables_(settings.tables) {
    BatchSearchSettings batch;
    batch.search = settings.search;
    batch.search.gumbel_noise = 0;
    batch.search.dirichlet_share = 0;
    batch.tables = settings.tables;
    batch.lanes = settings.lanes;
    batch.workers = settings.workers;
    search_ = make_batch_search(batch, evaluator);
  }
  std::string name() const override { return name_; }

  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) override {
    std::vector<RootRequest> requests;
    if (!games.empty()) check_tables(games.front()->rules());
    for (std::size_t i = 0; i < games.size(); ++i) requests.push_back({games[i]->rules(), games[i]->since_capture(), visits_, keys[i]});
    std::vector<int> actions;
    for (const RootResult& result : search_->search(requests)) actions.push_back(result.best);
    return actions;
  }

 private:
  void check_tables(const Rules& rules) const {
    const bool fits = std::any_of(tables_.begin(), tables_.end(), [&](const auto& table) { return shares_endings(table->rules(), rules); });
    if (!tables_.empty() && !fits)
      throw Error("the endgame table '" + tables_.front()->file().string() + "' is for '" + rules_name(tables_.front()->rules()) + "': player '" + name_ + "' under '" + rules_name(rules) +
                  "': build one with 'wari endgame build --rules " + rules_name(rules) + "'");
  }

  std::string name_;
  int visits_;
  EndgameTables tables_;
  std::unique_ptr<BatchSearch> search_;
};

// No search: one evaluation of the position itself.
class PolicyPlayer final : public Player {
 public:
  PolicyPlayer(std::string name, std::unique_ptr<Evaluator> evaluator) : name_(std::move(name)), evaluator_(std::move(evaluator)) {}
  std::string name() const override { return name_; }

  std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t>) override {
    std::vector<int> actions;
    for (std::size_t first = 0; first < games.size(); first += kRows) choose_some(games.subspan(first, std::min(kRows, games.size() - first)), actions);
    return actions;
  }

 private:
  static constexpr std::size_t kRows = 256;  // batches of one size, idle rows padded: a row's bits must not depend on how many others there are

  void choose_some(std::span<const Game* const> games, std::vector<int>& actions) {
    const Rules& rules = games.front()->rules();
    positions_.assign(kRows, games.front()->position());
    quiet_plies_.assign(kRows, 0);
    rules_index_.assign(kRows, 0);
    active_.assign(kRows, 0);
    tokens_.assign(kRows * kBoardTokens, 0);
    outputs_.assign(kRows * kOutputs, 0);
    for (std::size_t row = 0; row < kRows; ++row) {
      const Game& game = *games[std::min(row, games.size() - 1)];
      if (!(game.rules() == rules)) throw Error("games of different rule sets in one batch: a policy player plays one at a time", ErrorKind::system);
      positions_[row] = game.position();
      quiet_plies_[row] = static_cast<std::uint16_t>(game.quiet_plies());
      active_[row] = row < games.size() ? 1 : 0;
      if (evaluator_->needs_tokens()) encode_board(sowing_tables(), rules, game.position(), game.quiet_plies(), &tokens_[row * kBoardTokens]);
    }
    EvaluationBatch batch;
    batch.rows = static_cast<int>(kRows);
    batch.positions = positions_.data();
    batch.quiet_plies = quiet_plies_.data();
    batch.rules_index = rules_index_.data();
    batch.rules = {&rules, 1};
    batch.board_tokens = evaluator_->needs_tokens() ? tokens_.data() : nullptr;
    batch.active = active_.data();
    evaluator_->evaluate(batch, outputs_.data());
    for (std::size_t row = 0; row < games.size(); ++row) actions.push_back(best_legal(*games[row], &outputs_[row * kOutputs + kPolicyOutput]));
  }

  // The first legal action with the highest logit; numbers that are none count as lowest.
  static int best_legal(const Game& game, const float* logits /* [kActions] */) {
    int best = -1;
    for (int action = 0; action < kActions; ++action) {
      if (((game.legal() >> action) & 1) == 0) continue;
      if (best < 0 || (!std::isnan(logits[action]) && (std::isnan(logits[best]) || logits[action] > logits[best]))) best = action;
    }
    return best;
  }

  std::string name_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<Position> positions_;         // [kRows]
  std::vector<std::uint16_t> quiet_plies_;  // [kRows]
  std::vector<std::uint8_t> rules_index_;   // [kRows]
  std::vector<std::uint8_t> active_;        // [kRows]
  std::vector<Token> tokens_;               // [kRows, kBoardTokens]
  std::vector<float> outputs_;              // [kRows, kOutputs]
};

}  // namespace

SearchSettings playing_search() {
  SearchSettings search;
  search.algorithm = Algorithm::puct;
  search.c_puct = 0.8;
  search.root_uniform_share = 0.6;
  search.gumbel_noise = 0;
  search.dirichlet_share = 0;
  return search;
}

std::unique_ptr<Player> make_search_player(std::string name, const SearchPlayerSettings& settings, const Evaluator& evaluator) {
  return std::make_unique<SearchPlayer>(std::move(name), settings, evaluator);
}

std::unique_ptr<Player> make_policy_player(std::string name, std::unique_ptr<Evaluator> evaluator) {
  return std::make_unique<PolicyPlayer>(std::move(name), std::move(evaluator));
}

}  // namespace wari
