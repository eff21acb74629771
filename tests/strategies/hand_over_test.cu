// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-over between producers and consumers, both forms: producers that fall behind, consumers that fall behind,
// and both, at random; under several schedules.
#include "common/interval.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = interval<>;

/// Now and then, for long.
__device__ inline void dawdle(std::uint32_t key) {
  key *= 0x9e3779b9u;
  const int naps = (key >> 16) % 61 == 0 ? static_cast<int>(key >> 24) : 0;
  for (int i = 0; i < naps; ++i) __nanosleep(200);
}

/// Item i is [i, i]. Producers compute it where an input is no array.
template <bool Slow> struct counting {
  using value_type = item;
  using difference_type = std::int64_t;
  std::uint32_t salt;

  __device__ item operator[](std::int64_t i) const {
    if constexpr (Slow) dawdle(static_cast<std::uint32_t>(i) + salt);
    return item::of(i);
  }
};

template <bool Slow> struct joining {
  std::uint32_t salt;
  __device__ item operator()(const item& a, const item& b) const {
    if constexpr (Slow) dawdle(static_cast<std::uint32_t>(a.first * 31 + b.last) + salt);
    return join{}(a, b);
  }
};

template <class S> class strategies_hand_over : public testing::Test {
 protected:
  static constexpr int most_blocks = 2;

  template <bool SlowProducers, bool SlowConsumers> static void expect_order() {
    if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
    const std::int64_t d = wf::facts_of<S, item, join>(1).data_block_items;
    const device_array<item> out(1);
    for (int seed = 1; seed <= (emulated ? 18 : 100); ++seed) {
      const schedule_seed schedule(static_cast<std::uint64_t>(seed));
      const auto salt = static_cast<std::uint32_t>(seed);
      const std::int64_t count = (seed % 9 + 1) * d + seed;
      wf::reduce<S>(counting<SlowProducers>{salt}, count, out.data(), joining<SlowConsumers>{salt},
                    {.max_blocks = most_blocks});
      ASSERT_EQ(out.value(), item::of(0, count - 1)) << "seed " << seed;
    }
  }

  /// From an array: the modern form's producers are then the copy engine, which the emulator delays.
  template <bool SlowConsumers> static void expect_order_of_array() {
    if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
    const std::int64_t d = wf::facts_of<S, item, join>(1).data_block_items;
    const auto items = interval_items<item>(10 * d + 20);
    const device_array<item> out(1);
    for (int seed = 1; seed <= (emulated ? 18 : 100); ++seed) {
      const schedule_seed schedule(static_cast<std::uint64_t>(seed));
      const auto count = static_cast<std::size_t>((seed % 9 + 1) * d + seed % 20);
      const device_array<item> in(std::span<const item>(items).first(count), seed % 2);
      wf::reduce<S>(in.items(), out.data(), joining<SlowConsumers>{static_cast<std::uint32_t>(seed)},
                    {.max_blocks = most_blocks});
      ASSERT_EQ(out.value(), item::of(0, static_cast<std::int64_t>(count) - 1)) << "seed " << seed;
    }
  }
};

template <class Algorithm, class Schedule> using to_last = wf::strategy<Algorithm, Schedule, wf::finish::last_block>;
using hand_overs = testing::Types<to_last<small_matrix, wf::grid::producer_consumer<8, 1>>,
                                  to_last<wf::block::tree<32>, wf::grid::producer_consumer<1, 3>>,
                                  to_last<wf::block::shuffle<32>, wf::grid::producer_consumer<2, 1>>,
                                  to_last<small_matrix, wf::grid::bulk_producer_consumer<1, 1, 2>>,
                                  to_last<wf::block::tree<32>, wf::grid::bulk_producer_consumer<3, 2, 4>>,
                                  to_last<wf::block::shuffle<32>, wf::grid::bulk_producer_consumer<2, 1, 3>>,
                                  to_last<wf::block::shuffle<96>, wf::grid::bulk_producer_consumer<1, 3, 5>>>;
TYPED_TEST_SUITE(strategies_hand_over, hand_overs);

TYPED_TEST(strategies_hand_over, waits_for_slow_producers) { this->template expect_order<true, false>(); }
TYPED_TEST(strategies_hand_over, waits_for_slow_consumers) { this->template expect_order<false, true>(); }
TYPED_TEST(strategies_hand_over, waits_where_both_are_slow) { this->template expect_order<true, true>(); }
TYPED_TEST(strategies_hand_over, waits_for_copies) { this->template expect_order_of_array<false>(); }
TYPED_TEST(strategies_hand_over, copies_wait_for_slow_consumers) { this->template expect_order_of_array<true>(); }

/// Slow in the first warp, where it joins results of other warps.
struct join_results_slowly {
  int batch_items;
  __device__ item operator()(const item& a, const item& b) const {
    if (threadIdx.x < 32 && b.last - b.first + 1 >= batch_items)
      for (int i = 0; i < 100; ++i) __nanosleep(20);
    return join{}(a, b);
  }
};

/// The warps of shuffle meet once in 32 data-blocks; until the list has been read, none may start the next one.
TEST(strategies_shuffle_list, is_read_before_it_is_written_again) {
  using S = to_last<wf::block::shuffle<64, 16>, wf::grid::persistent>;
  const std::int64_t d = wf::facts_of<S, item, join>(1).data_block_items, count = 300 * d + 3;
  const device_array<item> in(interval_items<item>(count)), out(1);
  for (int seed = 1; seed <= 10; ++seed) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    wf::reduce<S>(in.items(), out.data(), join_results_slowly{static_cast<int>(d / 2)}, {.max_blocks = 1});
    ASSERT_EQ(out.value(), item::of(0, count - 1)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wf_test
