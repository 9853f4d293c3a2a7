#pragma once

#include <functional>
#include <optional>

#include "train/run_state.h"

namespace wari {

// Whether iteration `iteration` is on the Elo curve.
bool is_evaluated(const EvaluationSettings& settings, std::int64_t iteration);

// What a checkpoint is called in the results.
std::string checkpoint_player_name(std::int64_t iteration);

// The newest weights against the references and the checkpoint evaluated before; a mix of rule sets is measured on its first one. Nothing where `watch` stopped
// it; what was played until then is played again by the next start.
std::optional<Evaluation> evaluate_run(RunState& run, std::int64_t iteration, const std::function<bool(const MatchProgress&)>& watch);

// Whether the weights of iteration `iteration`, just learned, may play: a match against the network that plays. Nothing where `watch` stopped it.
std::optional<GateReport> judge_newest(const RunState& run, std::int64_t iteration, const std::function<bool(const MatchProgress&)>& watch);

}  // namespace wari
