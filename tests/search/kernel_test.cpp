#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/notation.h"
#include "core/random.h"
#include "search/cpu_executor.h"
#include "search/plain_kernel.h"
#include "tests/core/rule_mixes.h"

// The processor's own kernel (AVX where there is one) against the plain one, bit by bit.
namespace wari {
namespace {

using Kernel = CpuExecutor::Kernel;

float random_float(std::uint32_t index, float scale) { return (random_unit(random_bits(3, index, 0, Purpose::test, 0)) - 0.5f) * 2.0f * scale; }

template <class N>
N poisoned_node(std::uint32_t seed) {
  N node;
  std::memset(static_cast<void*>(&node), 0xa5, sizeof node);
  node.legal = static_cast<std::uint16_t>(random_bits(4, seed, 0, Purpose::test, 0) & ((1u << N::kEdges) - 1));
  if (node.legal == 0) node.legal = 1;
  return node;
}

template <class N>
void expect_same_edges(const N& a, const N& b) {
  for (int e = 0; e < N::kEdges; ++e) {
    EXPECT_EQ(a.prior[e], b.prior[e]);
    EXPECT_EQ(a.edge_visits[e], b.edge_visits[e]);
    EXPECT_EQ(bits_of_float(a.edge_value[e]), bits_of_float(b.edge_value[e]));
    EXPECT_EQ(bits_of_float(a.edge_urgency[e]), bits_of_float(b.edge_urgency[e]));
    EXPECT_EQ(a.child[e], b.child[e]);
  }
}

// Eight lanes and three more with a leaf each, opened by the processor's step and by the plain one.
template <class N>
struct OpenedLanes {
  static constexpr int kLanes = 11;
  SearchParameters parameters;
  std::vector<SearchLane> lanes = std::vector<SearchLane>(kLanes);
  std::vector<N> nodes = std::vector<N>(2 * kLanes);
  std::vector<float> outputs = std::vector<float>(kLanes * kOutputs), value = std::vector<float>(kLanes, 7.0f), draw = value, margin = value;
  std::vector<std::uint8_t> bad = std::vector<std::uint8_t>(kLanes, 77);

  explicit OpenedLanes(std::uint32_t seed) {
    parameters.margin_weight = seed % 3 == 0 ? 0.1f : 0.0f;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      lanes[i].leaf = i == seed % 16 ? kNoLeaf : static_cast<std::int32_t>(i % 2);
      nodes[2 * i] = nodes[2 * i + 1] = poisoned_node<N>(seed * kLanes + i);
      for (std::uint32_t k = 0; k < kOutputs; ++k) outputs[i * kOutputs + k] = random_float((seed * kLanes + i) * kOutputs + k, i % 4 == 0 ? 100.0f : 3.0f);
    }
  }

  SearchView<N> view() {
    SearchView<N> view;
    view.parameters = &parameters;
    view.lanes = lanes.data();
    view.nodes = nodes.data();
    view.node_stride = 2;
    view.leaves.outputs = outputs.data();
    view.leaves.value = value.data();
    view.leaves.draw = draw.data();
    view.leaves.margin = margin.data();
    view.leaves.bad = bad.data();
    return view;
  }
};

template <class N>
void compare_opened(OpenedLanes<N> fast, const char* what) {
  OpenedLanes<N> plain = fast;
  CpuExecutor::run(CpuExecutor::OpenStep<N>{fast.view()}, 0, OpenedLanes<N>::kLanes);
  for (int lane = 0; lane < OpenedLanes<N>::kLanes; ++lane) OpenStep<PlainKernel, N>{plain.view()}(lane);
  for (std::size_t i = 0; i < OpenedLanes<N>::kLanes; ++i) {
    if (fast.lanes[i].leaf < 0) continue;
    const N& node = fast.nodes[2 * i + static_cast<std::size_t>(fast.lanes[i].leaf)];
    expect_same_edges(node, plain.nodes[2 * i + static_cast<std::size_t>(fast.lanes[i].leaf)]);
    EXPECT_EQ(std::memcmp(&fast.nodes[2 * i + 1 - static_cast<std::size_t>(fast.lanes[i].leaf)], &plain.nodes[2 * i + 1 - static_cast<std::size_t>(fast.lanes[i].leaf)], sizeof(N)), 0);
    EXPECT_EQ(bits_of_float(fast.value[i]), bits_of_float(plain.value[i])) << what << " lane " << i;
    EXPECT_EQ(bits_of_float(fast.draw[i]), bits_of_float(plain.draw[i])) << what << " lane " << i;
    EXPECT_EQ(bits_of_float(fast.margin[i]), bits_of_float(plain.margin[i])) << what << " lane " << i;
    EXPECT_EQ(fast.bad[i], plain.bad[i]) << what << " lane " << i;
    int sum = 0;
    for (int e = 0; e < N::kEdges; ++e) {
      const bool legal = (node.legal >> e) & 1;
      EXPECT_EQ(node.prior[e] != 0, legal);  // illegal priors are zero, legal ones never
      EXPECT_EQ(std::signbit(node.edge_urgency[e]), legal);
      sum += node.prior[e];
    }
    EXPECT_NEAR(sum, 65535, N::kEdges + 1);
  }
}

template <class N>
void compare_choices(std::uint32_t seed) {
  N node = poisoned_node<N>(seed);
  for (int e = 0; e < N::kEdges; ++e) {
    const std::uint32_t index = seed * 100 + static_cast<std::uint32_t>(e) * 4;
    const bool legal = (node.legal >> e) & 1;
    const bool visited = random_float(index, 1) > 0;
    // A coarse grid, so that ties occur.
    node.edge_value[e] = legal ? std::round(random_float(index + 1, 3)) * 0.25f : -INFINITY;
    node.edge_urgency[e] = legal ? (visited ? 1.0f : -1.0f) * std::round(std::fabs(random_float(index + 2, 3))) * 0.125f : 0.0f;
    if (legal && !visited) node.edge_urgency[e] -= 0.125f;
    node.child[e] = static_cast<typename N::Count>(random_bits(5, index, 0, Purpose::test, 0));  // vectors of eight reach into them
    node.edge_visits[e] = 0;
    node.prior[e] = legal;
  }
  N fast = node, plain = node;
  const float exploration = std::fabs(random_float(seed, 4)), first_play = random_float(seed + 1, 1);
  const int edge = Kernel::choose_edge(fast, exploration, first_play);
  EXPECT_EQ(edge, PlainKernel::choose_edge(plain, exploration, first_play));
  EXPECT_TRUE((node.legal >> edge) & 1);
  const int updated = edge;
  EXPECT_EQ(Kernel::update_and_choose(fast, updated, -0.25f, 0.125f, exploration, first_play), PlainKernel::update_and_choose(plain, updated, -0.25f, 0.125f, exploration, first_play));
  expect_same_edges(fast, plain);
}

TEST(Kernel, OpensNodesLikeThePlainOne) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    compare_opened(OpenedLanes<NarrowNode6>(seed), "narrow 6");
    compare_opened(OpenedLanes<NarrowNode12>(seed), "narrow 12");
    compare_opened(OpenedLanes<WideNode6>(seed), "wide 6");
    compare_opened(OpenedLanes<WideNode12>(seed), "wide 12");
  }
}

TEST(Kernel, OutputsThatAreNoNumbersGiveEvenPriorsAndAnEvenGame) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY, 1e35f}) {
    for (std::size_t place = 0; place < kOutputs; ++place) {
      OpenedLanes<NarrowNode6> lanes(16);
      for (NarrowNode6& node : lanes.nodes) node.legal = 0b101101;
      for (std::size_t lane = 2; lane < lanes.kLanes; lane += 3) lanes.outputs[lane * kOutputs + place] = bad;
      compare_opened(lanes, "not finite");
      CpuExecutor::run(CpuExecutor::OpenStep<NarrowNode6>{lanes.view()}, 0, lanes.kLanes);
      const NarrowNode6& node = lanes.nodes[2 * 2];
      const bool policy = place < 6, ignored = (policy && ((node.legal >> place) & 1) == 0) || (place >= 6 && place < 12);
      EXPECT_EQ(lanes.bad[2], ignored ? 0 : 1) << place;  // what an evaluator says of illegal moves does not matter
      EXPECT_EQ(lanes.bad[3], 0);
      if (policy && !ignored) {
        for (int e = 0; e < 6; ++e) EXPECT_EQ(node.prior[e], (node.legal >> e) & 1 ? 16384 : 0);
      }
      if (place >= 12) {
        EXPECT_EQ(lanes.value[2], 0.0f);
        EXPECT_FLOAT_EQ(lanes.draw[2], 1.0f / 3.0f);
      }
    }
  }
}

TEST(Kernel, EncodesPositionsLikeThePlainOne) {
  for (const Rules& rules : many_rule_sets(40)) {
    SearchLane lane;
    lane.leaf = 0;
    NarrowNode6 node{};
    SearchParameters parameters;
    parameters.sowing = &sowing_tables();
    parameters.rules = &rules;
    Position row_position;
    std::uint16_t row_quiet;
    std::uint8_t row_rules, row_active;
    Token tokens[kBoardTokens + 1], expected[kBoardTokens];
    tokens[kBoardTokens] = 0xabcd;  // belongs to the next row
    SearchView<NarrowNode6> view;
    view.parameters = &parameters;
    view.lanes = &lane;
    view.nodes = &node;
    view.node_stride = 1;
    view.leaves.positions = &row_position;
    view.leaves.quiet_plies = &row_quiet;
    view.leaves.rules_index = &row_rules;
    view.leaves.active = &row_active;
    view.leaves.tokens = tokens;
    for (std::uint64_t number = 0; number < 2000; ++number) {
      node.position = random_position(rules, number);
      node.quiet_plies = static_cast<std::uint16_t>(number % (rules.quiet_plies + 1u));
      CpuExecutor::EncodeStep<NarrowNode6>{view}(0);
      encode_board(sowing_tables(), rules, node.position, node.quiet_plies, expected);
      ASSERT_EQ(std::memcmp(tokens, expected, sizeof expected), 0) << rules_name(rules) << ' ' << position_text(node.position);
      ASSERT_EQ(tokens[kBoardTokens], 0xabcd);
    }
  }
}

TEST(Kernel, ChoosesEdgesLikeThePlainOne) {
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    compare_choices<NarrowNode6>(seed);
    compare_choices<NarrowNode12>(seed);
    compare_choices<WideNode6>(seed);
    compare_choices<WideNode12>(seed);
  }
}

}  // namespace
}  // namespace wari
