#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arena/evaluation.h"
#include "core/config.h"
#include "selfplay/selfplay.h"
#include "train/network.h"
#include "train/replay.h"
#include "train/trainer.h"

// The whole configuration file: what `wari train` and `wari selfplay` read.
namespace wari {

struct CheckpointSettings {
  int keep = 3;  // newest checkpoints on disk; those on the Elo curve stay besides

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("keep", keep, 1, 1'000'000, "newest checkpoints that stay on disk; evaluated ones stay for ever");
  }
};

struct TrainingSettings {
  std::uint64_t seed = 1;
  std::string device = "auto";
  int workers = 0;
  std::int64_t iterations = 0;
  double max_minutes = 0;
  Weights rules = {{"abapa", 1}};
  std::string precision = "auto";
  int iteration_waves = 1024;
  SelfplaySettings selfplay;
  NetworkSettings network;
  TrainerSettings trainer;
  ReplaySettings replay;
  EvaluationSettings evaluation;
  CheckpointSettings checkpoints;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("seed", seed, std::uint64_t{0}, std::uint64_t{1} << 62, "of all random numbers: weights, games, batches");
    v.choice("device", device, {"auto", "cpu", "cuda"}, "where games are played and the network learns: cuda, cpu; auto: on a GPU that computes as the CPU does, else on the CPU with a word why");
    v.number("workers", workers, 0, 1024, "threads, at most; 0: one per core");
    v.number("iterations", iterations, std::int64_t{0}, std::int64_t{1} << 40, "the run ends after this many in all; 0: no such end");
    v.number("max_minutes", max_minutes, 0.0, 1e7, "the run ends when it has used this much time in all, in minutes; 0: no such end");
    v.weights("rules", rules, "rule set, or a mix with whole weights");
    v.choice("precision", precision, {"auto", "float32", "int8"},
             "arithmetic of the network in self-play; auto: the fastest that keeps its accuracy on this processor, on a GPU bfloat16; int8: on the CPU alone");
    v.number("iteration_waves", iteration_waves, 1, 10'000'000,
             "waves of one iteration's self-play; in a wave each lane judges one position, so about simulations + 1 waves are a move of every lane");
    v.group("selfplay", selfplay, "how games are played");
    v.group("network", network, "what judges positions");
    v.group("trainer", trainer, "how the network learns");
    v.group("replay", replay, "which positions it learns from");
    v.group("evaluation", evaluation, "how strong it is by now");
    v.group("checkpoints", checkpoints, "what stays on disk");
  }
};

// Fills in what the configuration leaves to the machine (workers) and throws Error where keys contradict each other or the device is missing. To be called
// before anything is written.
void resolve_settings(TrainingSettings& settings);
// Where a configuration names no end, `wari train` would never stop.
void require_end(const TrainingSettings& settings);

// Reads FILE with the overrides of --set and resolves it.
TrainingSettings read_training_settings(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace wari
