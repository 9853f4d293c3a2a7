#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "search/exact_math.h"
#include "search/inspected_engine.h"
#include "search/lane_fields.h"

namespace wari {
namespace {

using Answers = std::vector<float>;  // [lanes, kOutputs]

// Says again what another evaluator said.
class ReplayingEvaluator final : public Evaluator {
 public:
  ReplayingEvaluator(std::shared_ptr<const Answers> answers, bool needs_tokens) : answers_(std::move(answers)), needs_tokens_(needs_tokens) {}
  bool needs_tokens() const override { return needs_tokens_; }
  void evaluate(const EvaluationBatch&, float* outputs) override { std::copy(answers_->begin(), answers_->end(), outputs); }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<ReplayingEvaluator>(answers_, needs_tokens_); }

 private:
  std::shared_ptr<const Answers> answers_;
  bool needs_tokens_;
};

void sort_moves(std::vector<MoveRecord>& log) {
  std::sort(log.begin(), log.end(), [](const MoveRecord& a, const MoveRecord& b) { return std::tuple(a.game, a.ply) < std::tuple(b.game, b.ply); });
}

std::string difference(const std::vector<LaneField>& host, const std::vector<LaneField>& device) {
  for (std::size_t i = 0; i < std::min(host.size(), device.size()); ++i) {
    if (host[i].name != device[i].name) return host[i].name + ": the GPU has " + device[i].name + " in its place";
    if (host[i].bits != device[i].bits) return host[i].name + ": CPU " + host[i].value + ", GPU " + device[i].value;
  }
  return "no field that is listed";
}

class ComparingEngine final : public SelfplayEngine {
 public:
  ComparingEngine(const SelfplayEngineSettings& settings, std::unique_ptr<InspectedEngine> device)
      : device_(std::move(device)), answers_(std::make_shared<Answers>()), host_(make_inspected_cpu_engine(settings, std::make_unique<ReplayingEvaluator>(answers_, device_->needs_tokens()))) {
    compare();
  }

  void run(int waves, std::vector<MoveRecord>& log) override {
    for (int i = 0; i < waves && !device_->all_idle(); ++i, ++wave_) {
      std::vector<MoveRecord> device_log, host_log;
      device_->run(1, device_log);
      *answers_ = device_->outputs();
      host_->run(1, host_log);
      compare();
      compare_moves(host_log, device_log);
      log.insert(log.end(), device_log.begin(), device_log.end());
    }
  }

  bool all_idle() const override { return device_->all_idle(); }
  void set_games_end(std::int64_t games_end) override {
    device_->set_games_end(games_end);
    host_->set_games_end(games_end);
  }
  void restart_searches() override {
    device_->restart_searches();
    host_->restart_searches();
  }
  std::vector<LaneState> save() const override { return device_->save(); }
  void load(std::span<const LaneState> lanes) override {
    device_->load(lanes);
    host_->load(lanes);
  }
  void set_evaluator(std::unique_ptr<Evaluator> evaluator) override { device_->set_evaluator(std::move(evaluator)); }
  EngineCounters counters() const override { return device_->counters(); }

 private:
  void compare() const {
    const std::vector<std::uint64_t> host = host_->checksums(), device = device_->checksums();
    const auto first = std::mismatch(host.begin(), host.end(), device.begin()).first;
    if (first == host.end()) return;
    const auto lane = static_cast<int>(first - host.begin());
    std::size_t lanes = 0;
    for (std::size_t i = 0; i < host.size(); ++i) lanes += host[i] != device[i] ? 1 : 0;
    throw system_error("the GPU searches otherwise than the CPU: lane " + std::to_string(lane) + ", wave " + std::to_string(wave_) + ", " + difference(host_->fields(lane), device_->fields(lane)) + " (" +
                       std::to_string(lanes) + " of " + std::to_string(host.size()) + " lanes differ): report this, and try WARI_CUDA=compare,no-graphs");
  }

  void compare_moves(std::vector<MoveRecord>& host, std::vector<MoveRecord>& device) const {
    sort_moves(host);
    sort_moves(device);
    const auto same = [](const MoveRecord& a, const MoveRecord& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
    if (std::equal(host.begin(), host.end(), device.begin(), device.end(), same)) return;
    const auto at = static_cast<std::size_t>(std::mismatch(host.begin(), host.end(), device.begin(), device.end(), same).first - host.begin());
    const MoveRecord* const record = at < host.size() ? &host[at] : &device[at];
    throw system_error("the GPU logs other moves than the CPU: wave " + std::to_string(wave_) + ", game " + std::to_string(record->game) + ", ply " + std::to_string(record->ply) +
                       ": the trees are the same, so the log was taken away wrongly: report this");
  }

  std::unique_ptr<InspectedEngine> device_;
  std::shared_ptr<Answers> answers_;
  std::unique_ptr<InspectedEngine> host_;
  std::int64_t wave_ = 0;  // the one that is run next
};

}  // namespace

std::vector<LaneField> lane_fields(std::span<const RawField> fields) {
  std::vector<LaneField> named;
  for (const RawField& field : fields) {
    std::string name = field.node < 0 ? field.name : fmt::format("node {} {}", field.node, field.name);
    if (field.place >= 0) name += fmt::format("[{}]", field.place);
    named.push_back({std::move(name), field.bits, field.is_float ? fmt::format("{}", float_from_bits(static_cast<std::uint32_t>(field.bits))) : fmt::format("{}", static_cast<std::int64_t>(field.bits))});
  }
  return named;
}

std::unique_ptr<SelfplayEngine> make_comparing_engine(const SelfplayEngineSettings& settings, std::unique_ptr<InspectedEngine> device) {
  return std::make_unique<ComparingEngine>(settings, std::move(device));
}

}  // namespace wari
