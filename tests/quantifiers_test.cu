// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// any_of, all_of, none_of and count_if. Small cases of every way through the kernel, also for compute-sanitizer.
#include <gtest/gtest.h>

#include <vector>
#include <warpfold/quantifiers.cuh>
#include <warpfold/workspace.cuh>

#include "common/device.cuh"

namespace quantifier_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// Items are 7, and 3 is looked for. Any other value is not the input's, and stops the kernel.
struct is_three {
  template <class T> __host__ __device__ bool operator()(const T& item) const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    if (item != T(3) && item != T(7)) __trap();
#endif
    return item == T(3);
  }
};
struct is_seven {
  template <class T> __host__ __device__ bool operator()(const T& item) const { return !is_three{}(item); }
};

template <class T> void expect_at_every_place(std::int64_t size, int max_blocks) {
  std::vector<T> items(static_cast<std::size_t>(size), T(7));
  const wf::workspace workspace;
  const wf::call_options options{.workspace = workspace, .max_blocks = max_blocks};
  for (const std::int64_t place : {std::int64_t{-1}, std::int64_t{0}, size / 2, size - 1}) {
    if (place >= 0) items[static_cast<std::size_t>(place)] = T(3);
    for (const int offset : {0, 1}) {
      const device_array<T> in(items, offset);
      EXPECT_EQ(wf::any_of_value(in.items(), is_three{}, options), place >= 0) << size << ' ' << place;
      EXPECT_EQ(wf::none_of_value(in.items(), is_three{}, options), place < 0);
      EXPECT_EQ(wf::all_of_value(in.data(), size, is_seven{}, options), place < 0);
    }
    if (place >= 0) items[static_cast<std::size_t>(place)] = T(7);
  }
}

TEST(quantifiers, wherever_the_item_is) {
  for (const std::int64_t size : {1, 5, 127, 512, 513, 4096, 4100}) expect_at_every_place<float>(size, 0);
  expect_at_every_place<float>(20'011, 2);
  expect_at_every_place<std::int8_t>(9001, 1);
}

TEST(quantifiers, under_several_schedules) {
  const device_array<int> in(std::vector<int>(30'000, 7));
  const device_array<bool> out(2);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const wf_test::schedule_seed schedule(seed);
    wf::any_of(in.items(), out.data(), is_seven{}, {.max_blocks = 4});  // every block finds one
    wf::any_of(in.items(), out.data() + 1, is_three{}, {.max_blocks = 4});
    EXPECT_TRUE(out.value(0));
    EXPECT_FALSE(out.value(1)) << "the flag of the call before is gone";
  }
}

TEST(quantifiers, of_nothing) {
  const std::span<const int> none;
  EXPECT_FALSE(wf::any_of_value(none, is_three{}));
  EXPECT_TRUE(wf::all_of_value(none, is_three{}));
  EXPECT_TRUE(wf::none_of_value(none, is_three{}));
  EXPECT_EQ(wf::count_if_value(none, is_three{}), 0);
}

/// 3, 7, 7, 3, 7, 7, …: an iterator that is no pointer.
struct threes_and_sevens {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return i % 3 == 0 ? 3 : 7; }
};

TEST(quantifiers, counts_and_iterators) {
  const device_array<std::int64_t> count(1);
  wf::count_if(threes_and_sevens{}, 3001, count.data(), is_three{});
  EXPECT_EQ(count.value(), 1001);
  EXPECT_EQ(wf::count_if_value(threes_and_sevens{}, 3001, is_seven{}), 2000);
  EXPECT_TRUE(wf::any_of_value(threes_and_sevens{}, 3001, is_three{}));
  EXPECT_FALSE(wf::all_of_value(threes_and_sevens{}, 3001, is_seven{}));
  const device_array<std::int8_t> bytes(std::vector<std::int8_t>(5000, 3), 1);
  wf::count_if(bytes.items(), count.data(), is_three{}, {.max_blocks = 1});
  EXPECT_EQ(count.value(), 5000);
}

TEST(quantifiers, errors) {
  const device_array<bool> out(1);
  const int* const null = nullptr;
  EXPECT_THROW(wf::any_of(null, 3, out.data(), is_three{}), std::invalid_argument);
  EXPECT_THROW(wf::any_of(null, -1, out.data(), is_three{}), std::invalid_argument);
  EXPECT_THROW(wf::all_of(null, 0, static_cast<bool*>(nullptr), is_three{}), std::invalid_argument);
  EXPECT_THROW(wf::any_of(null, 0, out.data(), is_three{}, {.max_blocks = -1}), std::invalid_argument);
}

}  // namespace quantifier_tests
