#include <gtest/gtest.h>

#include "search/inspected_engine.h"
#include "search/selfplay_lanes.h"
#include "tests/search/fake_device.h"
#include "train/network.h"
#include "train/network_evaluator.h"

// Trees of a device and of the host under a real network: its answers are taken from the device and replayed on the host, so that trees must be equal to the last bit.
namespace wari {
namespace {

// A network of the CPU that works when the fake device's stream comes to it.
class NetworkOnFakeDevice final : public Evaluator {
 public:
  explicit NetworkOnFakeDevice(std::unique_ptr<Evaluator> network) : network_(std::move(network)) {}
  bool needs_tokens() const override { return true; }
  bool on_device() const override { return true; }
  void evaluate(const EvaluationBatch& batch, float* outputs) override {
    static_cast<test::FakeStream*>(batch.stream)->add([this, batch, outputs] { network_->evaluate(batch, outputs); });
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<NetworkOnFakeDevice>(network_->clone()); }

 private:
  std::unique_ptr<Evaluator> network_;
};

TEST(ReplayedNetwork, TreesOfADeviceAreTheHostsUnderARealNetwork) {
  for (const TrunkKind kind : {TrunkKind::mlp, TrunkKind::conv}) {
    SelfplayEngineSettings settings;
    settings.play.simulations = 32;
    settings.rules = {parse_rules("abapa"), parse_rules("warri")};
    settings.rules_cycle = {0, 1};
    settings.first_game = 120;
    settings.lanes = settings.total_lanes = 17;
    const NetworkLayout layout({kind, 32, 2});
    const auto network_of = [&](std::uint64_t seed) {
      return std::make_unique<NetworkOnFakeDevice>(make_network_evaluator(fold_network(layout, initial_weights(layout, seed)), settings.rules, "float32"));
    };
    using Lanes = SelfplayLanes<test::FakeDeviceExecutor<true, 1>, NarrowNode6>;
    const auto engine = make_comparing_engine(settings, std::make_unique<Lanes>(settings, network_of(1)));
    std::vector<MoveRecord> log;
    engine->run(300, log);
    engine->restart_searches();
    engine->set_evaluator(network_of(2));
    engine->run(300, log);
    EXPECT_GT(log.size(), 200u);
  }
}

}  // namespace
}  // namespace wari
