// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies as callers meet them: scratch, graphs, the forms that return a value, iterators, what is refused.
#include <cmath>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "expect_fold.cuh"
#include "reduce/stream.cuh"

namespace wf_test {
namespace {

using passes = wf::strategy<small_tree, wf::grid::multi_pass>;
using last = wf::strategy<small_shuffle, wf::grid::persistent, wf::finish::last_block>;
using twice = wf::strategy<small_matrix, wf::grid::producer_consumer<2, 1>, wf::finish::two_launch>;
using atomic = wf::strategy<small_warp_tree, wf::grid::persistent, wf::finish::block_atomic>;
using modern = wf::strategy<small_shuffle, wf::grid::bulk_producer_consumer<1, 2, 3>, wf::finish::last_block>;
using some_strategies = testing::Types<passes, last, twice, atomic, modern>;

constexpr int count = 30'011;

/// 0 + 1 + … + (n - 1).
constexpr int sum_below(int n) { return n * (n - 1) / 2; }

std::vector<int> ascending(int n) {
  std::vector<int> items;
  for (int i = 0; i < n; ++i) items.push_back(i);
  return items;
}

template <class S> class strategies_host : public testing::Test {
 protected:
  void SetUp() override {
    if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
  }
  device_array<int> in{ascending(count)}, out{1};
};
TYPED_TEST_SUITE(strategies_host, some_strategies, composition_names);

TYPED_TEST(strategies_host, uses_callers_scratch) {
  const device_array<std::byte> bytes(static_cast<std::int64_t>(wf::workspace_bytes<TypeParam, int>(count)));
  const wf::workspace_ref scratch = wf::initialize_workspace({bytes.data(), bytes.size()});
  for (const int size : {count, 100, count}) {
    wf::reduce<TypeParam>(this->in.data(), size, this->out.data(), {.workspace = scratch});
    EXPECT_EQ(this->out.value(), sum_below(size));
  }
}

TYPED_TEST(strategies_host, brings_scratch_that_grows) {
  for (const int size : {100, 5000, count, 77, count}) {
    wf::reduce<TypeParam>(this->in.data(), size, this->out.data());
    EXPECT_EQ(this->out.value(), sum_below(size));
  }
}

TYPED_TEST(strategies_host, can_be_captured) {
  const graph recorded([&](cudaStream_t stream) {
    wf::reduce<TypeParam>(this->in.items(), this->out.data(), wf::plus{}, {.stream = stream, .init = 5});
  });
  EXPECT_EQ(recorded.nodes(), static_cast<std::size_t>(wf::facts_of<TypeParam, int, wf::plus>(count).launches));
  const stream own;
  for (int replay = 0; replay < 3; ++replay) {
    this->out.set(0, -1);
    recorded.launch(own);
    own.wait();
    EXPECT_EQ(this->out.value(), sum_below(count) + 5);
  }
}

TYPED_TEST(strategies_host, returns_values) {
  EXPECT_EQ(wf::reduce_value<TypeParam>(this->in.items()), sum_below(count));
  EXPECT_EQ(wf::reduce_value<TypeParam>(this->in.items(), wf::maximum{}, {.init = 7}), count - 1);
}

struct twice_as_much {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};
TYPED_TEST(strategies_host, transforms) {
  wf::transform_reduce<TypeParam>(this->in.items(), this->out.data(), wf::plus{}, twice_as_much{});
  EXPECT_EQ(this->out.value(), 2 * sum_below(count));
  const auto half = this->in.items().subspan(1, 9001);
  const auto product =
      wf::transform_reduce_value<TypeParam>(half, this->in.items().first(9001), wf::plus{}, wf::minimum{});
  EXPECT_EQ(product, sum_below(9001));
}

struct counting {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i); }
};
TYPED_TEST(strategies_host, takes_iterators) {
  wf::reduce<TypeParam>(counting{}, count, this->out.data());
  EXPECT_EQ(this->out.value(), sum_below(count));
}

TYPED_TEST(strategies_host, refuses_scratch_that_is_too_small) {
  if (strategy_parts<TypeParam>::is_atomic) return wf::reduce<TypeParam>(this->in.items(), this->out.data());
  const device_array<std::byte> bytes(256);
  this->out.set(0, -1);
  try {
    wf::reduce<TypeParam>(this->in.items(), this->out.data(),
                          {.workspace = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()})});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& refused) {
    EXPECT_NE(std::string(refused.what()).find("workspace has 256 bytes"), std::string::npos) << refused.what();
  }
  EXPECT_EQ(this->out.value(), -1);
}

TYPED_TEST(strategies_host, keeps_to_max_blocks_or_refuses_it) {
  const auto reduce_in_one_block = [&] {
    wf::reduce<TypeParam>(this->in.items(), this->out.data(), {.max_blocks = 1});
  };
  if (!strategy_parts<TypeParam>::is_persistent) EXPECT_THROW(reduce_in_one_block(), std::invalid_argument);
  else {
    reduce_in_one_block();
    EXPECT_EQ(this->out.value(), sum_below(count));
  }
  EXPECT_THROW(wf::reduce<TypeParam>(this->in.items(), this->out.data(), {.max_blocks = -1}), std::invalid_argument);
}

TYPED_TEST(strategies_host, tells_its_facts) {
  const auto facts = wf::facts_of<TypeParam, int, wf::plus>(count);
  EXPECT_EQ(facts.local_bytes, 0);
  EXPECT_GE(facts.blocks_per_multiprocessor, 1);
  EXPECT_GT(facts.occupancy, 0);
  EXPECT_LE(facts.occupancy, 1);
  const std::int64_t data_blocks = (count - 1) / facts.data_block_items + 1;
  if (strategy_parts<TypeParam>::is_persistent) EXPECT_LE(facts.grid_blocks, data_blocks);
  else EXPECT_EQ(facts.grid_blocks, data_blocks);
  EXPECT_GE(facts.launches, 1);
}

template <class S> void expect_output_in_input() {
  const device_array<int> items(ascending(count));
  wf::reduce<S>(items.items(), items.data() + count / 2);
  EXPECT_EQ(items.value(count / 2), sum_below(count));
}
TEST(strategies_output, may_lie_in_the_input) {
  expect_output_in_input<passes>();
  expect_output_in_input<last>();
  expect_output_in_input<twice>();
}

/// Sums round; the bits depend on grid and data-blocks alone.
template <class S> class strategies_same_bits : public testing::Test {};
using rounding_strategies =
    testing::Types<wf::strategy<small_tree, wf::grid::multi_pass>,
                   wf::strategy<small_shuffle, wf::grid::persistent, wf::finish::last_block>,
                   wf::strategy<small_matrix, wf::grid::producer_consumer<2, 1>, wf::finish::two_launch>,
                   wf::strategy<small_warp_tree, wf::grid::bulk_producer_consumer<1, 2, 3>, wf::finish::last_block>>;
TYPED_TEST_SUITE(strategies_same_bits, rounding_strategies, composition_names);

TYPED_TEST(strategies_same_bits, on_every_run) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const auto items = random_items<float>(count, 3);
  long double exact = 0, magnitude = 0;
  for (const float x : items) exact += x, magnitude += std::fabs(x);
  const device_array<float> in(items), out(1);
  wf::reduce<TypeParam>(in.items(), out.data());
  const float first = out.value();
  // Each item goes through at most `count` roundings, of half an epsilon each.
  EXPECT_LE(std::fabs(first - exact), count * 0x1p-24L * magnitude);
  for (int seed = 2; seed < 10; ++seed) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    wf::reduce<TypeParam>(in.items(), out.data());
    EXPECT_TRUE(same_bits(out.value(), first)) << "seed " << seed;
  }
}

#if !defined(__CUDACC__)
struct trapping {
  bool trap;
  __device__ int operator()(int a, int b) const {
    if (trap && a + b > 1'000'000) __trap();
    return a + b;
  }
};
TEST(strategies_scratch, survives_a_kernel_that_stops_midway) {
  const device_array<int> in(ascending(count)), out(1);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW(wf::reduce<last>(in.items(), out.data(), trapping{true}), cuda_emulator::error);
    wf::reduce<last>(in.items(), out.data(), trapping{false});
    EXPECT_EQ(out.value(), sum_below(count));
  }
}
#endif

}  // namespace
}  // namespace wf_test
