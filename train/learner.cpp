#include "train/learner.h"

namespace wari {

TrainReport Learner::step_from(const Replay& replay, std::uint64_t number, int batch, const StepRates& rates) {
  drawn_.resize(static_cast<std::size_t>(batch));
  replay.draw(number, drawn_);
  return step(drawn_, replay.rules(), rates);
}

}  // namespace wari
