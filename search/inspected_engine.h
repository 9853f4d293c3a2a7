#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/selfplay_engine.h"

namespace wari {

// A number in a lane's memory.
struct LaneField {
  std::string name;          // "node 5 edge_visits[2]", "budget"
  std::uint64_t bits = 0;
  std::string value;         // as a person reads it
};

struct RawField;
std::vector<LaneField> lane_fields(std::span<const RawField> fields);

// An engine that shows what its lanes hold, so that another's work can be compared with it after any wave.
class InspectedEngine : public SelfplayEngine {
 public:
  virtual std::vector<std::uint64_t> checksums() const = 0;      // [lanes] of everything that fields() lists
  virtual std::vector<LaneField> fields(int lane) const = 0;
  virtual bool needs_tokens() const = 0;
  virtual std::vector<float> outputs() const = 0;                // [lanes, kOutputs] what the evaluator answered last
};

std::unique_ptr<InspectedEngine> make_inspected_cpu_engine(const SelfplayEngineSettings& settings, std::unique_ptr<Evaluator> evaluator);

// Plays on `device` and, wave by wave, the same games on the CPU with the answers of the device's evaluator; the first difference is thrown as an Error that names lane, wave, node and
// field. So it works with a network too, whose answers no two devices give to the last bit. Slow: for finding a fault. `settings`: those that `device` was made with; its log must be
// drained after every wave.
std::unique_ptr<SelfplayEngine> make_comparing_engine(const SelfplayEngineSettings& settings, std::unique_ptr<InspectedEngine> device);

}  // namespace wari
