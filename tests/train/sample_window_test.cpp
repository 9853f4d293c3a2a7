#include "train/sample_window.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/cuda/machine_code.h"
#include "tests/cuda/needs_gpu.h"
#include "tests/selfplay/fake_games.h"
#include "tests/train/sample_windows.h"
#include "tests/train/training_samples.h"
#include "train/device_self_test.h"
#include "train/learner.h"
#include "train/replay.h"

// Batches from a copy of the window on a device are bit by bit those that the host encodes.
namespace wari {
namespace {

using test::FakeDevice;
using test::FakeDeviceArray;
using test::FakeStream;
using test::FakeWindowDevice;
using test::HostWindowDevice;
using test::SmallWindowDevice;
using test::TemporaryFolder;

constexpr float kShare = 0.3f;

const std::vector<Rules>& three_rule_sets() {
  static const std::vector<Rules> rules = {parse_rules("abapa"), parse_rules("warri"), parse_rules("relay,seeds_per_pit=2")};
  return rules;
}

ReplaySettings small_window() {
  ReplaySettings settings;
  settings.min_positions = 500;
  settings.window_min = 2000;
  settings.window_max = 4000;
  return settings;
}

Replay make_replay(const TemporaryFolder& folder) { return Replay(small_window(), three_rule_sets(), 3, folder / "replay", "run"); }

std::vector<GameRecord> games_of(std::int64_t iteration, std::int64_t count) {
  std::vector<GameRecord> games;
  for (std::int64_t number = count * iteration; number < count * (iteration + 1); ++number) {
    const auto set = static_cast<std::size_t>(number % 3);
    games.push_back(test::fake_game(three_rule_sets()[set], number));
    games.back().rules_index = static_cast<std::uint8_t>(set);
  }
  return games;
}

GatheredBatch encoded(std::span<const Sample> samples, std::span<const Rules> rules) {
  GatheredBatch batch{std::vector<Token>(samples.size() * kBatchIntegers), std::vector<float>(samples.size() * kBatchNumbers)};
  for (std::size_t row = 0; row < samples.size(); ++row)
    encode_sample(sowing_tables(), rules[samples[row].rules_index], kShare, samples[row], &batch.integers[row * kBatchIntegers], &batch.numbers[row * kBatchNumbers]);
  return batch;
}

bool same(const GatheredBatch& a, const GatheredBatch& b) {
  return a.integers == b.integers && a.numbers.size() == b.numbers.size() && std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof(float)) == 0;
}

// The fake device's stream between the calls of one test.
FakeStream& the_stream() {
  static FakeStream stream;
  return stream;
}

GatheredBatch gather_on_fake_device(SampleWindow& window, std::span<const std::uint32_t> places) {
  const FakeDeviceArray<std::uint32_t> device_places(places.size());
  const FakeDeviceArray<Token> integers(places.size() * kBatchIntegers, "batch", Contents::unset);
  const FakeDeviceArray<float> numbers(places.size() * kBatchNumbers, "batch", Contents::unset);
  device_places.write(places);
  window.gather(device_places.data(), static_cast<int>(places.size()), integers.data(), numbers.data(), &the_stream());
  the_stream().synchronize();
  return {integers.read(), numbers.read()};
}

// Its copies and kernels go to the_stream(), whatever stream they are given.
class FakeWindow final : public SampleWindow {
 public:
  explicit FakeWindow(float share = kShare) : ring_(share) {}
  std::int64_t end() const override { return ring_.end(); }
  void follow(const WindowView& view, void*) override { ring_.follow(view, &the_stream()); }
  std::uint32_t place_of(std::int64_t number) const override { return ring_.place_of(number); }
  void gather(const std::uint32_t* places, int rows, Token* integers, float* numbers, void*) override { ring_.gather(places, rows, integers, numbers, &the_stream()); }

 private:
  SampleRing<FakeWindowDevice> ring_;
};

// What a trainer's step draws, from the copy and from the window itself.
void expect_same_batch(const Replay& replay, SampleWindow& window, std::uint64_t step) {
  std::vector<Sample> samples(257);
  std::vector<std::int64_t> numbers(samples.size());
  replay.draw(step, samples);
  replay.draw_numbers(step, numbers);
  std::vector<std::uint32_t> places;
  for (const std::int64_t number : numbers) places.push_back(window.place_of(number));
  EXPECT_TRUE(same(gather_on_fake_device(window, places), encoded(samples, replay.rules()))) << "step " << step << ", samples up to " << replay.end_number();
}

TEST(SampleWindow, HoldsTheReplayWindowAsItGrowsAndWrapsAround) {
  const TemporaryFolder folder("sample-window");
  Replay replay = make_replay(folder);
  FakeWindow window;
  FakeWindowDevice::samples_copied = 0;
  for (std::int64_t iteration = 1; iteration <= 60; ++iteration) {
    replay.add(iteration, games_of(iteration, 3 + iteration % 3));
    window.follow(replay.view(), nullptr);
    EXPECT_EQ(window.end(), replay.end_number());
    expect_same_batch(replay, window, static_cast<std::uint64_t>(iteration));
  }
  EXPECT_GT(replay.end_number(), 3 * window_places(small_window())) << "it wrapped around several times";
  EXPECT_EQ(FakeWindowDevice::samples_copied, replay.end_number()) << "each sample once";
  window.follow(replay.view(), nullptr);
  EXPECT_EQ(FakeWindowDevice::samples_copied, replay.end_number()) << "nothing is new";
}

TEST(SampleWindow, ManyShardsBetweenTwoLooksAreNotMissed) {
  const TemporaryFolder folder("sample-window-late");
  Replay replay = make_replay(folder);
  FakeWindow window;
  for (std::int64_t iteration = 1; iteration <= 100; ++iteration) {
    replay.add(iteration, games_of(iteration, 4));
    if (iteration % 33 != 1) continue;  // meanwhile more come than the window holds
    window.follow(replay.view(), nullptr);
    expect_same_batch(replay, window, static_cast<std::uint64_t>(iteration));
  }
}

TEST(SampleWindow, ShardsLargerThanTheRingMakeALargerOne) {
  const TemporaryFolder folder("sample-window-large");
  Replay replay = make_replay(folder);
  FakeWindow window;
  replay.add(1, games_of(1, 45));
  window.follow(replay.view(), nullptr);
  replay.add(2, games_of(2, 45));
  ASSERT_EQ(replay.shards().size(), 2u) << "of what is in the window some was on the device before";
  ASSERT_GT(replay.positions(), window_places(small_window()));
  window.follow(replay.view(), nullptr);
  expect_same_batch(replay, window, 7);
  replay.add(3, games_of(30, 5));
  window.follow(replay.view(), nullptr);
  expect_same_batch(replay, window, 8);
}

TEST(SampleWindow, ARestoredRunGathersWhatItWouldHave) {
  const TemporaryFolder folder("sample-window-restored");
  Replay replay = make_replay(folder);
  FakeWindow window;
  for (std::int64_t iteration = 1; iteration <= 40; ++iteration) {
    replay.add(iteration, games_of(iteration, 4));
    window.follow(replay.view(), nullptr);
  }
  Replay resumed = make_replay(folder);
  resumed.restore(replay.shards(), replay.total_positions());
  FakeWindow again;
  again.follow(resumed.view(), nullptr);
  expect_same_batch(resumed, again, 5);
  // The same object restored: its samples get new numbers, and nothing old is taken for them.
  const std::int64_t before = replay.end_number();
  replay.restore(std::vector<ShardInfo>(replay.shards()), replay.total_positions());
  EXPECT_EQ(replay.end_number(), before + replay.positions());
  window.follow(replay.view(), nullptr);
  expect_same_batch(replay, window, 5);
}

TEST(SampleWindow, EveryRuleSetIsEncodedOnADeviceAsOnTheHost) {
  std::vector<Rules> rules;
  std::vector<Sample> samples;
  for (const auto& [name, preset] : rule_presets()) {
    for (const Sample& sample : random_samples(preset, 150, 9, static_cast<std::uint8_t>(rules.size()))) samples.push_back(sample);
    rules.push_back(preset);
  }
  WindowView view;
  view.runs = {{1000, samples}};
  view.rules = rules;
  FakeWindow window;
  window.follow(view, nullptr);
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < samples.size(); ++i) places.push_back(window.place_of(1000 + static_cast<std::int64_t>(i)));
  const GatheredBatch expected = encoded(samples, rules);
  EXPECT_TRUE(same(gather_on_fake_device(window, places), expected));

  GatheredBatch got{std::vector<Token>(expected.integers.size()), std::vector<float>(expected.numbers.size())};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint32_t>(i);
  CpuExecutor::each(static_cast<int>(samples.size()), GatherStep{&sowing_tables(), rules.data(), samples.data(), places.data(), kShare, got.integers.data(), got.numbers.data()});
  EXPECT_TRUE(same(got, expected));
}

TEST(SampleWindow, TheSelfTestSeesARightWindowAndAWrongOne) {
  FakeWindow window, unlike, shifted;
  EXPECT_EQ(test_batches(window, static_cast<double>(kShare), gather_on_fake_device).fault, "");
  EXPECT_NE(test_batches(unlike, 0.9, gather_on_fake_device).fault, "") << "other targets";
  const auto next_place = [](SampleWindow& of, std::span<const std::uint32_t> places) {
    std::vector<std::uint32_t> wrong(places.begin(), places.end());
    wrong.back() = wrong.front();
    return gather_on_fake_device(of, wrong);
  };
  EXPECT_NE(test_batches(shifted, static_cast<double>(kShare), next_place).fault, "");
}

TEST(SampleWindow, ItsKernelStaysInRegistersAndReadsSixteenBytesAtOnce) {
#ifdef WARI_CUOBJDUMP
  int kernels = 0;
  for (const test::MachineCode& code : test::machine_codes("train")) {
    if (code.function.find("GatherStep") == std::string::npos) continue;
    ++kernels;
    EXPECT_EQ(code.local, 0) << code.architecture;
    EXPECT_EQ(code.stack, 0) << code.architecture;
    EXPECT_LE(code.registers, 64) << code.architecture;
  }
  EXPECT_GE(kernels, 1) << "it was renamed: this test looks for nothing";
  for (const test::Ptx& code : test::intermediate_codes("train")) {
    EXPECT_EQ(code.doubles, 0) << code.function;
    const bool gathers = code.function.find("GatherStep") != std::string::npos;
    EXPECT_GE(code.wide_loads, gathers ? 1 : 0) << code.function;
  }
#else
  GTEST_SKIP() << "no cuobjdump: scripts/setup.sh installs it where nvcc is found";
#endif
}

TEST(GpuSampleWindow, GathersWhatTheHostEncodes) {
  WARI_NEEDS_GPU();
  const SelfTest test = test_device_batches();
  EXPECT_EQ(test.fault, "") << test.detail;
}

// The learner for a GPU, on this processor: its steps on a copy of the window against those on samples.
class WindowedLearner : public testing::Test {
 protected:
  WindowedLearner() : folder_("windowed-learner"), replay_(make_replay(folder_)), layout_({TrunkKind::mlp, 32, 1}) { settings_.root_value_share = static_cast<double>(kShare); }

  std::unique_ptr<Learner> learner(std::unique_ptr<SampleWindow> window) const {
    auto made = make_torch_learner(layout_, settings_, 1, false, std::move(window));
    LearnerState state(layout_.size());
    const std::vector<float> initial = initial_weights(layout_, 1);
    state.weights.assign(initial.begin(), initial.end());
    state.averaged = state.weights;
    made->set_state(state, 0);
    return made;
  }

  // Iterations of both; the states must stay the same to the last bit.
  void expect_same_steps(Learner& plain, Learner& windowed) {
    std::uint64_t step = 0;
    for (std::int64_t iteration = 1; iteration <= 12; ++iteration) {
      replay_.add(iteration, games_of(iteration, 8));
      for (int i = 0; i < 2; ++i, ++step) {
        const StepRates rates{1e-2, static_cast<std::int64_t>(step) + 1, 0.9};
        std::vector<Sample> batch(100);
        replay_.draw(step, batch);
        plain.step(batch, replay_.rules(), rates);
        windowed.step_from(replay_, step, 100, rates);
      }
    }
    EXPECT_EQ(plain.finish().samples, windowed.finish().samples);
    const AlignedVector<float>&a = plain.state().weights, &b = windowed.state().weights;
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  }

  TemporaryFolder folder_;
  Replay replay_;
  NetworkLayout layout_;
  TrainerSettings settings_;
};

TEST_F(WindowedLearner, TakesTheStepsOfOneThatGetsTheSamples) { expect_same_steps(*learner(nullptr), *learner(std::make_unique<SampleRing<HostWindowDevice>>(kShare))); }

TEST_F(WindowedLearner, WithoutAWindowDrawsByItself) { expect_same_steps(*learner(nullptr), *learner(nullptr)); }

TEST_F(WindowedLearner, WhereTheWindowDoesNotFitItEncodesOnTheHostAndSaysSoOnce) {
  SmallWindowDevice::most_samples = 4999;
  ASSERT_EQ(window_places(small_window()), 5000);
  const auto plain = learner(nullptr), windowed = learner(std::make_unique<SampleRing<SmallWindowDevice>>(kShare));
  testing::internal::CaptureStderr();
  expect_same_steps(*plain, *windowed);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t first = said.find("the replay window cannot be kept on the device");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("cannot be kept", first + 40), std::string::npos) << said;
}

}  // namespace
}  // namespace wari
