// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of nothing is +0, by every function and strategy. The sum of items that are -0 stays -0, although missing
// items are padded.
#include <gtest/gtest.h>

#include <warpfold/strategies.cuh>
#include <warpfold/warpfold.cuh>

#include "common/device.cuh"
#include "common/same_bits.hpp"

namespace wf = warpfold;
using wf_test::same_bits;

namespace {

template <class T> class empty_sum : public testing::Test {
 protected:
  const wf_test::device_array<T> out_{std::vector<T>(1, T(7))};
  const std::span<const T> nothing_{};
};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(empty_sum, real_types);

TYPED_TEST(empty_sum, of_reduce) {
  using T = TypeParam;
  wf::reduce(this->nothing_, this->out_.data());
  EXPECT_TRUE(same_bits(this->out_.value(), T(0)));
  EXPECT_TRUE(same_bits(wf::reduce_value(this->nothing_), T(0)));
  EXPECT_TRUE(same_bits(wf::reduce_value(this->nothing_, {.init = T(-0.0)}), T(-0.0)));
}

TYPED_TEST(empty_sum, of_a_named_accumulator) {
  const wf_test::device_array<double> out(std::vector<double>{7});
  wf::reduce(this->nothing_, out.data(), wf::accumulate_in<double>(wf::plus{}));
  EXPECT_TRUE(same_bits(out.value(), 0.0));
}

TYPED_TEST(empty_sum, of_segments_between_others) {
  using T = TypeParam;
  constexpr int segments = 3000;  // of 0, 1, 2, 0, 1, 2, … items, all -0
  std::vector<int> offsets{0};
  for (int s = 0; s < segments; ++s) offsets.push_back(offsets.back() + s % 3);
  const wf_test::device_array<T> in(std::vector<T>(static_cast<std::size_t>(offsets.back()), T(-0.0))),
      out(std::vector<T>(segments, T(7)));
  const wf_test::device_array<int> on_device(offsets);
  wf::segmented_reduce(in.items(), on_device.items(), std::span<T>(out.data(), out.size()));
  const std::vector<T> sums = out.to_host();
  int wrong = 0;
  for (std::size_t s = 0; s < segments; ++s) wrong += !same_bits(sums[s], s % 3 == 0 ? T(0) : T(-0.0));
  EXPECT_EQ(wrong, 0);
}

template <class Finish> using strategy = wf::strategy<wf::block::shuffle<128>, wf::grid::persistent, Finish>;

TYPED_TEST(empty_sum, of_strategies) {
  using T = TypeParam;
  const wf_test::device_array<T> in(std::vector<T>(1000, T(-0.0)));
  const auto sum = [&]<class S>(std::type_identity<S>, std::span<const T> items) {
    wf::reduce<S>(items, this->out_.data());
    return this->out_.value();
  };
  constexpr std::type_identity<strategy<wf::finish::last_block>> joined;
  constexpr std::type_identity<strategy<wf::finish::block_atomic>> atomic;
  EXPECT_TRUE(same_bits(sum(joined, this->nothing_), T(0)));
  EXPECT_TRUE(same_bits(sum(atomic, this->nothing_), T(0)));
  EXPECT_TRUE(same_bits(sum(joined, in.items()), T(-0.0)));
  EXPECT_TRUE(same_bits(sum(atomic, in.items()), T(-0.0)));
}

}  // namespace
