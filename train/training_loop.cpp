#include "train/training_loop.h"

#include <algorithm>
#include <chrono>

#include "core/log.h"
#include "selfplay/record.h"
#include "train/metrics.h"
#include "train/run_evaluation.h"
#include "train/run_length.h"
#include "train/run_reporter.h"
#include "train/run_state.h"
#include "train/stop_request.h"

// The whole circle. An iteration plays games with the newest network (a fixed number of waves, all lanes busy to the last), takes what finished into the replay
// window, learns from it, hands the new weights to the engines, now and then measures them against references, and publishes a checkpoint.
namespace wari {
namespace {

// At signals: well under a second on either side. A GPU stands still while its last moves are put together.
constexpr int kWavesBetweenLooks = 16, kWavesBetweenLooksOfDevice = 128;

// Adds the time until its end to a stage.
class StageTimer {
 public:
  explicit StageTimer(double& seconds) : seconds_(seconds) {}
  ~StageTimer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class TrainingLoop {
 public:
  // `shards`: to learn from, in order; empty: self-play.
  TrainingLoop(RunState& run, std::vector<std::filesystem::path> shards, const StopRequest& stop)
      : settings_(run.settings), run_(run), stop_(stop), length_(settings_, run.counters.seconds_used), shards_(std::move(shards)) {}

  bool has_ended() const { return length_.has_ended(run_.counters.iteration, run_.counters.seconds_used) || all_records_taken(); }

  bool all_records_taken() const { return !shards_.empty() && next_shard() == nullptr; }

  // False where a signal came: what was under way is dropped, and the next start makes it again.
  bool iterate() {
    report_ = {};
    report_.iteration = run_.counters.iteration + 1;
    const bool done = (shards_.empty() ? play() : take_records()) && learn() && hand_over() && evaluate();
    if (done) publish();
    return done;
  }

 private:
  bool play() {
    std::vector<GameRecord> games;
    const EngineCounters before = run_.selfplay->counters();
    {
      const StageTimer timer(report_.seconds.selfplay);
      const int between_looks = run_.on_device ? kWavesBetweenLooksOfDevice : kWavesBetweenLooks;
      for (int wave = 0; wave < settings_.iteration_waves; wave += between_looks) {
        if (stop_.requested()) return false;
        if (wave > 0 && is_time_over()) break;
        run_.selfplay->run(std::min(between_looks, settings_.iteration_waves - wave), games);
        show("self-play", wave, settings_.iteration_waves);
      }
    }
    const StageTimer timer(report_.seconds.replay);
    report_.engine = counters_between(before, run_.selfplay->counters());
    report_.games = game_statistics(games);
    run_.replay->add(report_.iteration, std::move(games));
    return true;
  }

  // Instead of playing: the next shard of what somebody else has played.
  bool take_records() {
    const StageTimer timer(report_.seconds.replay);
    const std::filesystem::path& shard = *next_shard();
    report_.games = game_statistics(read_records(shard).games);
    run_.replay->add_recorded(report_.iteration, shard);
    run_.counters.records_taken.push_back(shard.string());
    return true;
  }

  const std::filesystem::path* next_shard() const {
    const auto& taken = run_.counters.records_taken;
    const auto found = std::find_if(shards_.begin(), shards_.end(),
                                    [&taken](const auto& shard) { return std::find(taken.begin(), taken.end(), shard.string()) == taken.end(); });
    return found == shards_.end() ? nullptr : &*found;
  }

  // As many optimiser steps as the new positions have earned; the rest is carried to the next iteration.
  bool learn() {
    {
      const StageTimer timer(report_.seconds.training);
      StepBudget budget{run_.counters.carried_samples};
      const std::int64_t steps =
          run_.replay->ready() ? budget.take_steps(run_.replay->newest_statistics().positions, settings_.replay.reuse, settings_.trainer.batch) : 0;
      for (std::int64_t step = 0; step < steps; ++step) {
        if (stop_.requested()) return false;
        if (is_time_over()) {
          budget.carried_samples += static_cast<double>((steps - step) * settings_.trainer.batch);  // for whoever goes on with more time
          break;
        }
        if (settings_.trainer.schedule_steps == 0) run_.trainer->set_progress(length_.share_used());
        report_.learning_rate = run_.trainer->learning_rate();
        report_.training.add(run_.trainer->step(*run_.replay));
        show("training", step, steps);
      }
      report_.training.add(run_.trainer->finish());
      run_.counters.carried_samples = budget.carried_samples;
    }
    return true;
  }

  // The new weights go to the engines; where a gate is set, once they have shown that they do not lose to those that play.
  bool hand_over() {
    if (!run_.selfplay || report_.training.steps == 0) return true;
    const GateSettings& gate = settings_.evaluation.gate;
    if (gate.rule != GateRule::none) {
      if (run_.counters.accepted > 0 && report_.iteration % gate.every != 0) return true;
      const StageTimer timer(report_.seconds.evaluation);
      report_.gate = judge_newest(run_, report_.iteration, [this](const MatchProgress& match) {
        show("gate", match.finished, match.games);
        return !stop_.requested();
      });
      if (!report_.gate) return false;
      if (!report_.gate->accepted) return true;
      run_.counters.accepted = report_.iteration;
    }
    const StageTimer timer(report_.seconds.checkpoint);
    run_.selfplay->set_evaluator(*run_.selfplay_evaluator());
    return true;
  }

  // Where max_minutes ends the run, its last checkpoint is measured too.
  bool evaluate() {
    const bool last = settings_.evaluation.every > 0 && length_.is_time_used(report_.iteration, length_.seconds_used() + seconds_of_last_commit_);
    if (!last && !is_evaluated(settings_.evaluation, report_.iteration)) return true;
    const StageTimer timer(report_.seconds.evaluation);
    report_.evaluation = evaluate_run(run_, report_.iteration, [this](const MatchProgress& match) {
      show("evaluation", match.finished, match.games);
      return !stop_.requested();
    });
    return report_.evaluation.has_value();
  }

  // The checkpoint holds the metrics line, so the time that writing it takes is the one thing that the line cannot tell; it goes to the next one.
  void publish() {
    run_.counters.add(report_, length_.seconds_used());
    report_.seconds.checkpoint += seconds_of_last_commit_;
    seconds_of_last_commit_ = 0;
    complete_report(run_, report_);
    const nlohmann::ordered_json line = metrics_line(report_);
    {
      const StageTimer timer(seconds_of_last_commit_);
      commit_run(run_, line, report_.evaluation ? &*report_.evaluation : nullptr);
    }
    reporter_.iteration(line, length_.time_left(report_.iteration));
  }

  bool is_time_over() const { return length_.share_used() >= 1; }

  void show(const char* stage, std::int64_t done, std::int64_t of) {
    reporter_.stage(report_.iteration, stage, done, of, length_.time_left(run_.counters.iteration));
  }

  const TrainingSettings& settings_;
  RunState& run_;
  const StopRequest& stop_;
  RunLength length_;
  std::vector<std::filesystem::path> shards_;  // of --records, in order; empty: self-play
  IterationReport report_;                     // of the iteration under way
  RunReporter reporter_;
  double seconds_of_last_commit_ = 0;
};

}  // namespace

TrainingResult run_training(const TrainingRequest& request) {
  const StopRequest stop;
  std::vector<std::filesystem::path> shards;
  if (request.records.empty())
    require_end(request.settings);
  else
    shards = usable_shards(request.records, make_rules_mix(request.settings.rules).rules);
  const std::unique_ptr<RunState> run = open_run(request);
  TrainingLoop loop(*run, std::move(shards), stop);
  const std::int64_t before = run->counters.iteration;
  if (loop.has_ended()) {
    const char* const why = loop.all_records_taken() ? "all shards of --records were learned from" : request.settings.iterations > 0 && before >= request.settings.iterations
                                                           ? "it has its iterations; raise iterations to go on"
                                                           : "its time is used; raise max_minutes to go on";
    log_info("nothing is left to do: '{}' has {} iterations: {}", request.run.string(), before, why);
  } else {
    if (!start_run(*run, request, stop)) return {run->last_line, 0, stop.signal()};
    if (request.records.empty() && !run->counters.records_taken.empty()) log_warning("this run learned from records so far; without --records it plays games of its own from here");
    while (!stop.requested() && !loop.has_ended() && loop.iterate()) {
    }
    if (loop.has_ended() && run->trainer->steps() == 0) {
      log_warning("nothing was learned yet: the window holds {} of the {} positions that training waits for (replay.min_positions): the same command with more {} goes on",
                  run->last_line.at("replay").at("window_positions").dump(), request.settings.replay.min_positions, request.settings.max_minutes > 0 ? "max_minutes" : "iterations");
    }
  }
  return {run->last_line, run->counters.iteration - before, loop.has_ended() ? 0 : stop.signal()};
}

}  // namespace wari
