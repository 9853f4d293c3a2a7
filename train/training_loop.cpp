#include "train/training_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/log.h"
#include "selfplay/record.h"
#include "train/checkpoint_evaluator.h"
#include "train/metrics.h"
#include "train/run_state.h"
#include "train/stop_request.h"

// The whole circle. An iteration plays games with the newest network (a fixed number of waves, all lanes busy to the last), takes what finished into the replay
// window, learns from it, hands the new weights to the engines, now and then measures them against references, and publishes a checkpoint.
namespace wari {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kWavesBetweenLooks = 16;  // at signals: well under a second
constexpr double kSecondsPerMinute = 60;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class TrainingLoop {
 public:
  TrainingLoop(const TrainingRequest& request, RunState& run, const StopRequest& stop) : settings_(run.settings), run_(run), stop_(stop), seconds_before_(run.counters.seconds_used) {
    if (!request.records.empty()) shards_ = record_shards(request.records);
  }

  std::int64_t finished_iterations() const { return run_.counters.iteration; }

  bool has_ended() const {
    const RunCounters& counters = run_.counters;
    if (settings_.iterations > 0 && counters.iteration >= settings_.iterations) return true;
    if (!shards_.empty() && !next_shard()) return true;
    // Half an iteration too much or too little: the last one is begun if most of it fits.
    const double mean_seconds = counters.iteration > 0 ? counters.seconds_used / static_cast<double>(counters.iteration) : 0;
    return settings_.max_minutes > 0 && counters.seconds_used + mean_seconds / 2 >= settings_.max_minutes * kSecondsPerMinute;
  }

  // False where a signal came: what was under way is dropped, and the next start makes it again.
  bool iterate() {
    report_ = {};
    report_.iteration = run_.counters.iteration + 1;
    if (!gather_games() || !learn() || !evaluate()) return false;
    publish();
    return true;
  }

 private:
  bool gather_games() {
    const auto start = Clock::now();
    std::vector<GameRecord> games;
    if (run_.selfplay) {
      const EngineCounters before = run_.selfplay->counters();
      for (int wave = 0; wave < settings_.iteration_waves; wave += kWavesBetweenLooks) {
        if (stop_.requested()) return false;
        run_.selfplay->run(std::min(kWavesBetweenLooks, settings_.iteration_waves - wave), games);
        show("self-play", wave, settings_.iteration_waves);
      }
      report_.engine = counters_between(before, run_.selfplay->counters());
      report_.games = game_statistics(games);
    }
    report_.seconds.selfplay = seconds_since(start);
    const auto taken = Clock::now();
    if (run_.selfplay) run_.replay->add(report_.iteration, std::move(games));
    else take_records();
    report_.samples = run_.replay->newest_statistics();
    report_.seconds.replay = seconds_since(taken);
    return true;
  }

  void take_records() {
    const std::filesystem::path shard = *next_shard();
    report_.games = game_statistics(read_records(shard).games);
    run_.replay->add_recorded(report_.iteration, shard);
    run_.counters.records_taken.push_back(shard.string());
  }

  const std::filesystem::path* next_shard() const {
    const auto& taken = run_.counters.records_taken;
    const auto found = std::find_if(shards_.begin(), shards_.end(), [&taken](const auto& shard) { return std::find(taken.begin(), taken.end(), shard.string()) == taken.end(); });
    return found == shards_.end() ? nullptr : &*found;
  }

  bool learn() {
    const auto start = Clock::now();
    StepBudget budget{run_.counters.carried_samples};
    const int batch_size = settings_.trainer.batch;
    const std::int64_t steps = run_.replay->ready() ? budget.take_steps(report_.samples.positions, settings_.replay.reuse, batch_size) : 0;
    std::vector<Sample> batch(static_cast<std::size_t>(batch_size));
    for (std::int64_t step = 0; step < steps; ++step) {
      if (stop_.requested()) return false;
      if (settings_.max_minutes > 0 && settings_.trainer.schedule_steps == 0) run_.trainer->set_progress(std::min(1.0, seconds_used() / (settings_.max_minutes * kSecondsPerMinute)));
      run_.replay->draw(static_cast<std::uint64_t>(run_.trainer->steps()), batch);
      report_.learning_rate = run_.trainer->learning_rate();
      report_.training.add(run_.trainer->step(batch, run_.replay->rules()));
      show("training", step, steps);
    }
    run_.counters.carried_samples = budget.carried_samples;
    report_.seconds.training = seconds_since(start);
    const auto handed = Clock::now();
    if (run_.selfplay && steps > 0) run_.selfplay->set_evaluator(*run_.evaluator());
    report_.seconds.checkpoint = seconds_since(handed);
    return true;
  }

  bool evaluate() {
    const auto& wanted = settings_.evaluation;
    if (wanted.every == 0 || report_.iteration % wanted.every != 0) return true;
    const auto start = Clock::now();
    const PlayerEnvironment environment{settings_.workers, 256, settings_.seed, {}};
    const auto player = [&](std::int64_t iteration, const Evaluator& evaluator) {
      SearchPlayerSettings search;
      search.visits = wanted.visits;
      search.search.algorithm = Algorithm::puct;
      search.workers = settings_.workers;
      return make_search_player(fmt::format("iteration {}", iteration), search, evaluator);
    };
    std::unique_ptr<Player> previous;
    if (wanted.previous && !run_.counters.evaluated.empty()) {
      const std::int64_t iteration = run_.counters.evaluated.back();
      previous = player(iteration, *load_checkpoint_evaluator(run_.folder.checkpoint(iteration), {settings_.precision, true, run_.rules.rules}));
    }
    const std::unique_ptr<Player> newest = player(report_.iteration, *run_.evaluator());
    const auto watch = [this](const MatchProgress& match) {
      show("evaluation", match.finished, match.games);
      return !stop_.requested();
    };
    report_.evaluation =
        evaluate_player(wanted, run_.rules.rules.front(), settings_.seed, static_cast<int>(report_.iteration), *newest, previous.get(), environment, *run_.results, watch);
    if (!report_.evaluation->complete) return false;
    run_.counters.evaluated.push_back(report_.iteration);
    report_.seconds.evaluation = seconds_since(start);
    return true;
  }

  // The checkpoint holds the metrics line, so the time that writing it takes is the one thing that the line cannot tell; it goes to the next one.
  void publish() {
    RunCounters& counters = run_.counters;
    counters.iteration = report_.iteration;
    counters.games += report_.games.games;
    counters.plies += report_.games.plies;
    counters.simulations += report_.engine.simulations;
    counters.evaluations += report_.engine.evaluations;
    counters.total_positions = run_.replay->total_positions();
    counters.seconds_used = seconds_used();
    report_.step = run_.trainer->steps();
    report_.seconds_used = counters.seconds_used;
    report_.total_games = counters.games;
    report_.window_positions = run_.replay->positions();
    report_.total_positions = counters.total_positions;
    report_.min_positions = settings_.replay.min_positions;
    report_.rejected_games = run_.replay->rejected_games();
    report_.seconds.checkpoint += seconds_of_last_commit_;
    const nlohmann::ordered_json line = metrics_line(report_);
    const auto start = Clock::now();
    commit_run(run_, line, report_.evaluation ? &*report_.evaluation : nullptr);
    seconds_of_last_commit_ = seconds_since(start);
    progress_.clear();
    log_info("{}; {}", metrics_text(line), time_left());
    for (const std::string& warning : metrics_warnings(line)) log_warning("iteration {}: {}", report_.iteration, warning);
  }

  double seconds_used() const { return seconds_before_ + seconds_since(began_); }

  std::string time_left() const {
    const double used = seconds_used(), done = static_cast<double>(std::max<std::int64_t>(run_.counters.iteration, 1));
    double left = settings_.max_minutes > 0 ? settings_.max_minutes * kSecondsPerMinute - used : 1e18;
    if (settings_.iterations > 0) left = std::min(left, used / done * static_cast<double>(settings_.iterations - run_.counters.iteration));
    if (left > 1e17) return fmt::format("{} chunks left", shards_.size() - run_.counters.records_taken.size());
    return fmt::format("{:.0f}:{:02.0f} left", std::floor(std::max(left, 0.0) / 60), std::floor(std::fmod(std::max(left, 0.0), 60.0)));
  }

  void show(const char* stage, std::int64_t done, std::int64_t of) { progress_.update(fmt::format("iteration {}, {}: {} %, {}", report_.iteration, stage, 100 * done / std::max<std::int64_t>(of, 1), time_left())); }

  const TrainingSettings& settings_;
  RunState& run_;
  const StopRequest& stop_;
  std::vector<std::filesystem::path> shards_;   // of --records, in order
  IterationReport report_;                      // of the iteration under way
  Progress progress_;
  double seconds_before_ = 0;                   // used by earlier processes
  double seconds_of_last_commit_ = 0;
  Clock::time_point began_ = Clock::now();
};

bool settings_never_decay(const TrainingSettings& settings) {
  return settings.trainer.schedule == Schedule::cosine && settings.trainer.schedule_steps == 0 && settings.max_minutes == 0;
}

}  // namespace

TrainingResult run_training(const TrainingRequest& request) {
  const StopRequest stop;
  if (request.records.empty()) require_end(request.settings);
  if (settings_never_decay(request.settings)) log_warning("the learning rate stays at its peak: trainer.schedule is cosine, but neither trainer.schedule_steps nor max_minutes says where it ends");
  const std::unique_ptr<RunState> run = open_run(request);
  TrainingLoop loop(request, *run, stop);
  const std::int64_t before = run->counters.iteration;
  if (!loop.has_ended()) {
    start_run(*run, request);
    log_info("{}: {} on cpu, {} worker(s), {} lanes, from iteration {}", request.run.string(), network_name(run->settings.network), run->settings.workers,
             run->selfplay ? run->settings.selfplay.lanes : 0, before);
    while (!stop.requested() && !loop.has_ended() && loop.iterate()) {}
  } else {
    log_info("nothing is left to do: '{}' has its {} iterations", request.run.string(), before);
  }
  return {run->last_line, run->counters.iteration - before, loop.has_ended() ? 0 : stop.signal()};
}

}  // namespace wari
