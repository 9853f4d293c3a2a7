#include "app/commands.h"
#include "core/error.h"
#include "train/training_loop.h"

namespace wari {
namespace {

struct TrainOptions {
  std::string config, run, from;
  std::vector<std::string> records, overrides;
};

int run_train(const TrainOptions& options, Output& out) {
  TrainingRequest request;
  request.settings = read_training_settings(options.config, options.overrides);
  request.run = options.run;
  request.from = options.from;
  request.records.assign(options.records.begin(), options.records.end());
  const TrainingResult result = run_training(request);
  out.document(result.last_line);
  if (result.stopped_by != 0) {
    out.print("stopped; the same command continues the run\n");
    return kSignalExit + result.stopped_by;
  }
  if (result.iterations_done == 0) return 0;  // the log has said why
  const auto in_all = result.last_line.value("iteration", std::int64_t{result.iterations_done});
  out.print("{} {} done{}; checkpoints, metrics and results are in {}\n", in_all, in_all == 1 ? "iteration" : "iterations",
            in_all == result.iterations_done ? "" : fmt::format(", {} of them now", result.iterations_done), options.run);
  const std::string rules = rules_name(make_rules_mix(request.settings.rules).rules.front());
  out.print("  measure it     wari match --a search:checkpoint={} --b alphabeta:depth=8 --games 200 --rules {}\n", options.run, rules);
  out.print("  ask it         wari analyze --checkpoint {} --rules {} --visits 1000\n", options.run, rules);
  out.print("  its curves     tensorboard --logdir {}    (pip install tensorboard)\n", options.run);
  return 0;
}

}  // namespace

void add_train_command(CommandLine& line) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App& command =
      line.add("train", "trains a network by self-play; continues the run if it exists",
               "wari train --config configs/cpu.yaml --run runs/first --set max_minutes=15", [options](Output& out) { return run_train(*options, out); });
  command.add_option("--config", options->config, "configuration file")->required();
  command.add_option("--run", options->run, "folder of the run; made if missing")->required();
  command.add_option("--from", options->from, "a new run begins with this checkpoint's weights");
  command.add_option("--records", options->records, "learn from these folders of game records (wari selfplay) and play none");
  command.add_option("--set", options->overrides, "KEY=VALUE, overrides the file; any number of times");
}

}  // namespace wari
