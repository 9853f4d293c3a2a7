#include "arena/truth.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "arena/judge.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr std::size_t kChunk = 512;  // positions searched between two looks at `watch`
constexpr int kBins = 10;

// Agresti and Coull 1998: of use also where all or none succeed.
double error_of_share(double successes, double count) {
  const double share = (successes + 2) / (count + 4);
  return 1.96 * std::sqrt(share * (1 - share) / (count + 4));
}

// What was lost at each position; a large number where `watch` stopped it is never seen.
std::vector<int> lost_seeds(const std::vector<TruthPosition>& positions, Player& player, const std::function<bool(double)>& watch, bool& complete) {
  std::vector<int> lost;
  for (std::size_t first = 0; first < positions.size() && complete; first += kChunk) {
    std::vector<const Game*> games;
    std::vector<std::uint64_t> keys;
    for (std::size_t i = first; i < std::min(first + kChunk, positions.size()); ++i) {
      games.push_back(&positions[i].game);
      keys.push_back(mix64(i));
    }
    const std::vector<int> actions = player.choose(games, keys);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const TruthPosition& position = positions[first + i];
      const auto move = std::find_if(position.moves.begin(), position.moves.end(), [&](const EndgameMove& m) { return m.action == actions[i]; });
      lost.push_back(position.best - move->seeds);
    }
    if (watch) complete = watch(static_cast<double>(lost.size()) / static_cast<double>(positions.size()));
  }
  return lost;
}

// The results over the positions for which `wanted` holds.
template <class Wanted>
TruthResult result_over(const std::vector<TruthPosition>& positions, const std::vector<int>& lost, int seeds, int budget, const Wanted& wanted) {
  TruthResult result{seeds, budget};
  int optimal = 0, sum = 0;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    if (!wanted(positions[i])) continue;
    ++result.positions;
    optimal += lost[i] == 0;
    sum += lost[i];
  }
  if (result.positions == 0) return result;
  result.optimal_share = static_cast<double>(optimal) / result.positions;
  result.error_95 = error_of_share(optimal, result.positions);
  result.mean_seeds_lost = static_cast<double>(sum) / result.positions;
  return result;
}

int board_seeds(const TruthPosition& position) { return row_seeds(position.game.position().mover) + row_seeds(position.game.position().opponent); }

double predicted_value(const std::array<float, kOutputs>& outputs) {
  const float* const wdl = outputs.data() + kWdlOutput;
  const double best = std::max({wdl[0], wdl[1], wdl[2]});
  const double win = std::exp(wdl[0] - best), draw = std::exp(wdl[1] - best), loss = std::exp(wdl[2] - best);
  return (win - loss) / (win + draw + loss);
}

std::vector<CalibrationBin> calibrate(const std::vector<JudgedPosition>& judged, Evaluator& evaluator) {
  std::vector<const Game*> games;
  for (const JudgedPosition& position : judged) games.push_back(&position.game);
  const auto outputs = judge(evaluator, games);
  std::vector<CalibrationBin> bins(kBins);
  std::vector<double> squares(kBins, 0.0);
  for (int bin = 0; bin < kBins; ++bin) {
    bins[static_cast<std::size_t>(bin)].low = -1.0 + 2.0 * bin / kBins;
    bins[static_cast<std::size_t>(bin)].high = -1.0 + 2.0 * (bin + 1) / kBins;
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const double value = predicted_value(outputs[i]);
    const auto place = static_cast<std::size_t>(std::clamp(static_cast<int>((value + 1) / 2 * kBins), 0, kBins - 1));
    ++bins[place].positions;
    bins[place].predicted += value;
    bins[place].actual += judged[i].result;
    squares[place] += judged[i].result * judged[i].result;
  }
  for (std::size_t place = 0; place < bins.size(); ++place) {
    CalibrationBin& bin = bins[place];
    if (bin.positions == 0) continue;
    const double count = bin.positions;
    bin.predicted /= count;
    bin.actual /= count;
    bin.error_95 = 1.96 * std::sqrt(std::max(squares[place] / count - bin.actual * bin.actual, 1.0 / (count + 4)) / count);
  }
  return bins;
}

}  // namespace

TruthReport measure_truth(const TruthPositions& positions, const std::vector<int>& budgets, const BudgetPlayer& player, Evaluator& evaluator, const std::function<bool(double)>& watch) {
  TruthReport report;
  double work = 0, done = 0;
  for (const int budget : budgets) work += budget + 1;
  for (const int budget : budgets) {
    const auto choosing = player(budget);
    const auto part = [&](double share) { return !watch || watch((done + share * (budget + 1)) / work); };
    const std::vector<int> lost = lost_seeds(positions.choices, *choosing, part, report.complete);
    if (!report.complete) return report;
    done += budget + 1;
    std::map<int, int> levels;
    for (const TruthPosition& position : positions.choices) ++levels[board_seeds(position)];
    for (const auto& [seeds, count] : levels) {
      report.results.push_back(result_over(positions.choices, lost, seeds, budget, [wanted = seeds](const TruthPosition& position) { return board_seeds(position) == wanted; }));
    }
    report.together.push_back(result_over(positions.choices, lost, 0, budget, [](const TruthPosition&) { return true; }));
    report.from_games.push_back(result_over(positions.choices, lost, 0, budget, [](const TruthPosition& position) { return position.from_games; }));
  }
  std::stable_sort(report.results.begin(), report.results.end(), [](const TruthResult& a, const TruthResult& b) { return a.seeds < b.seeds; });
  report.calibration = calibrate(positions.judged, evaluator);
  return report;
}

}  // namespace wari
