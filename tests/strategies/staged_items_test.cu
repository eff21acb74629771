// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modern producer-consumer form for items of all sizes from any address: the ends of an array, which bulk copies
// cannot bring, are loaded in another way, and nothing beyond the array is read.
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

/// Three bytes, each an affine map modulo 16.
struct three_bytes {
  byte_affine part[3];
  static three_bytes random(random_source& source) {
    return {{byte_affine::random(source), byte_affine::random(source), byte_affine::random(source)}};
  }
  friend bool operator==(const three_bytes&, const three_bytes&) = default;
};
struct compose_three {
  __host__ __device__ three_bytes operator()(const three_bytes& f, const three_bytes& g) const {
    constexpr compose_bytes op{};
    return {{op(f.part[0], g.part[0]), op(f.part[1], g.part[1]), op(f.part[2], g.part[2])}};
  }
};

using staged_shuffle =
    wf::strategy<wf::block::shuffle<32>, wf::grid::bulk_producer_consumer<1, 1, 2>, wf::finish::last_block>;
using staged_tree =
    wf::strategy<wf::block::tree<32>, wf::grid::bulk_producer_consumer<1, 2, 2>, wf::finish::last_block>;

/// All offsets from a 16-byte boundary that items can have; sizes of one, two and many data-blocks.
template <class S, class T, class Make, class Op> void expect_every_offset(Make make, Op op) {
  if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
  const std::int64_t d = wf::facts_of<S, T, Op>(1).data_block_items;
  const std::vector<T> items = make(4 * d + 3);
  const std::vector<T> expected = prefixes(items, op);
  const device_array<T> out(1);
  for (std::int64_t offset = 0; offset < (sizeof(T) % 16 == 0 ? 1 : 16); ++offset)
    for (const std::int64_t size :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{17}, d - 1, d, d + 1, 2 * d, 4 * d + 3}) {
      const device_array<T> in(std::span<const T>(items).first(static_cast<std::size_t>(size)), offset);
      wf::reduce<S>(in.items(), out.data(), op, {.max_blocks = 2});
      ASSERT_TRUE(equal_values{}(out.value(), expected[static_cast<std::size_t>(size - 1)]))
          << size << " items, offset " << offset;
    }
}

template <class T> auto random_maker() {
  return [](std::int64_t count) { return random_items<T>(count, 5); };
}

TEST(strategies_staged_items, of_one_byte) {
  expect_every_offset<staged_shuffle, byte_affine>(random_maker<byte_affine>(), compose_bytes{});
  expect_every_offset<staged_tree, byte_affine>(random_maker<byte_affine>(), compose_bytes{});
}
TEST(strategies_staged_items, of_two_bytes) {
  using item = affine<std::uint8_t>;
  expect_every_offset<staged_shuffle, item>(random_maker<item>(), compose{});
}
TEST(strategies_staged_items, of_three_bytes) {
  expect_every_offset<staged_shuffle, three_bytes>(random_maker<three_bytes>(), compose_three{});
  expect_every_offset<staged_tree, three_bytes>(random_maker<three_bytes>(), compose_three{});
}
TEST(strategies_staged_items, of_eight_bytes) {
  expect_every_offset<staged_shuffle, affine<>>(random_maker<affine<>>(), compose{});
}
TEST(strategies_staged_items, of_twenty_bytes) {
  using item = interval<std::int32_t, 20>;
  expect_every_offset<staged_shuffle, item>(&interval_items<item>, join{});
}
TEST(strategies_staged_items, of_forty_bytes) {
  using item = interval<std::int64_t, 40>;
  expect_every_offset<staged_shuffle, item>(&interval_items<item>, join{});
}
TEST(strategies_staged_items, of_more_than_a_chunk) {
  using item = interval<std::int64_t, 136>;
  expect_every_offset<staged_shuffle, item>(&interval_items<item>, join{});
}

/// Wraps, as plus does.
struct weigh {
  __host__ __device__ std::int64_t operator()(std::int8_t weight, std::int64_t value) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(weight) * static_cast<std::uint64_t>(value));
  }
};

/// Two inputs of different sizes and alignments: a stage each.
TEST(strategies_staged_items, of_two_inputs) {
  if (!runs_here<staged_shuffle>()) GTEST_SKIP() << needs_bulk_copies;
  const std::int64_t count = 10'007;
  const auto weights = random_items<std::int8_t>(count, 1);
  const auto values = random_items<std::int64_t>(count, 2);
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) expected = wf::plus{}(expected, weigh{}(weights[i], values[i]));
  for (const std::int64_t offset : {0, 1, 5}) {
    const device_array<std::int8_t> left(weights, offset);
    const device_array<std::int64_t> right(values, offset % 2), out(1);
    wf::transform_reduce<staged_shuffle>(left.items(), right.items(), out.data(), wf::plus{}, weigh{},
                                         {.max_blocks = 2});
    EXPECT_EQ(out.value(), expected) << "offset " << offset;
    wf::transform_reduce<staged_tree>(left.items(), right.items(), out.data(), wf::plus{}, weigh{}, {.max_blocks = 2});
    EXPECT_EQ(out.value(), expected) << "offset " << offset;
  }
}

}  // namespace
}  // namespace wf_test
