#include <algorithm>
#include <cmath>
#include <utility>

#include "arena/judge.h"
#include "arena/player.h"
#include "core/error.h"
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
    batch.table_search = settings.table_search;
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
    const auto outputs = judge(*evaluator_, games);
    for (std::size_t i = 0; i < games.size(); ++i) actions.push_back(best_legal(*games[i], outputs[i].data() + kPolicyOutput));
    return actions;
  }

 private:
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
