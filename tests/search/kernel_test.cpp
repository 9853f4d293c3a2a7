#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/random.h"
#include "search/cpu_executor.h"
#include "search/plain_kernel.h"

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

template <class N>
void compare_opened(const float* outputs, std::uint32_t seed) {
  N fast = poisoned_node<N>(seed), plain = fast;
  float fast_wdl[3], plain_wdl[3];
  EXPECT_EQ(Kernel::open_edges(fast, outputs, fast_wdl), PlainKernel::open_edges(plain, outputs, plain_wdl));
  expect_same_edges(fast, plain);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bits_of_float(fast_wdl[i]), bits_of_float(plain_wdl[i]));
  EXPECT_NEAR(plain_wdl[0] + plain_wdl[1] + plain_wdl[2], 1.0, 1e-6);
  int sum = 0;
  for (int e = 0; e < N::kEdges; ++e) {
    const bool legal = (plain.legal >> e) & 1;
    EXPECT_EQ(plain.prior[e] != 0, legal);  // illegal priors are zero, legal ones never
    EXPECT_EQ(plain.edge_urgency[e] < 0, legal);
    sum += plain.prior[e];
  }
  EXPECT_NEAR(sum, 65535, N::kEdges + 1);
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
    node.child[e] = 0;
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
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    float outputs[kOutputs];
    for (std::uint32_t i = 0; i < kOutputs; ++i) outputs[i] = random_float(seed * 16 + i, seed % 7 == 0 ? 100.0f : 3.0f);
    compare_opened<NarrowNode6>(outputs, seed);
    compare_opened<NarrowNode12>(outputs, seed);
    compare_opened<WideNode6>(outputs, seed);
  }
}

TEST(Kernel, OutputsThatAreNoNumbersGiveEvenPriorsAndAnEvenGame) {
  const float bad_values[] = {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY, 1e35f};
  for (const float bad : bad_values) {
    for (int place = 0; place < kOutputs; ++place) {
      float outputs[kOutputs] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 1, 2, 0.5f};
      outputs[place] = bad;
      NarrowNode6 fast = poisoned_node<NarrowNode6>(1);
      fast.legal = 0b101101;
      NarrowNode6 plain = fast;
      float wdl[3], plain_wdl[3];
      const bool finite = Kernel::open_edges(fast, outputs, wdl);
      EXPECT_EQ(finite, PlainKernel::open_edges(plain, outputs, plain_wdl));
      expect_same_edges(fast, plain);
      const bool illegal = place < 12 && ((fast.legal >> place) & 1) == 0;
      EXPECT_EQ(finite, illegal) << place;  // what an evaluator says of illegal moves does not matter
      if (place < 6 && !illegal) {
        for (int e = 0; e < 6; ++e) EXPECT_EQ(fast.prior[e], (fast.legal >> e) & 1 ? 16384 : 0);
      }
      if (place >= 12) {
        for (const float share : wdl) EXPECT_FLOAT_EQ(share, 1.0f / 3.0f);
      }
    }
  }
}

TEST(Kernel, ChoosesEdgesLikeThePlainOne) {
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    compare_choices<NarrowNode6>(seed);
    compare_choices<NarrowNode12>(seed);
  }
}

}  // namespace
}  // namespace wari
