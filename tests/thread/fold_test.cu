// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of registers: the canonical tree over any number of values.
#include <warpfold/thread/fold.cuh>

#include <gtest/gtest.h>

#include <utility>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/thread/array.cuh>

#include "common/device.cuh"
#include "common/tree_hash.hpp"

namespace {

using hash = wf_test::tree_hash<8>;
constexpr int most = 17, row = most + 2;  ///< results of one Count: all values, then 1, 2, … of them, Count + 1 at last

template <int Count> __device__ void fold_every_count(hash* results) {
  hash values[Count];
  for (int i = 0; i < Count; ++i) values[i] = hash::of(i);
  results[0] = warpfold::thread::fold(values, wf_test::hash_pair{});
  for (int count = 1; count <= Count + 1; ++count) {
    for (int i = 0; i < Count; ++i) values[i] = i < count ? hash::of(i) : hash::absent();
    results[count] = warpfold::thread::fold(values, wf_test::hash_pair{}, count);
  }
}

template <int... Counts> __device__ void fold_all(std::integer_sequence<int, Counts...>, hash* results) {
  (fold_every_count<Counts + 1>(results + Counts * row), ...);
}

__global__ void fold_kernel(hash* results) { fold_all(std::make_integer_sequence<int, most>{}, results); }

TEST(thread_fold, is_the_canonical_tree_for_every_number_of_values) {
  const wf_test::device_array<hash> results(std::vector<hash>(most * row));
  wf_test::launch_and_wait(&fold_kernel, 1, 1, 0, results.data());
  const auto leaves = wf_test::hash_items<hash>(most);
  const auto folded = results.to_host();
  for (int values = 1; values <= most; ++values)
    for (int count = 0; count <= values + 1; ++count) {
      const int present = count == 0 || count > values ? values : count;
      EXPECT_EQ(folded[static_cast<std::size_t>((values - 1) * row + count)],
                warpfold::canonical_tree::replay(leaves.data(), present, wf_test::hash_pair{}))
          << "values " << values << ", count " << count;
    }
}

TEST(thread_array, has_the_layout_of_an_array_and_no_constructor) {
  struct item {
    double value = 1;
    char tag = 'x';
  };
  using items = warpfold::thread::array<item, 3>;
  EXPECT_EQ(sizeof(items), 3 * sizeof(item));
  EXPECT_EQ(alignof(items), alignof(item));
  EXPECT_TRUE(std::is_trivially_default_constructible_v<items> && std::is_trivially_copyable_v<items>);
}

}  // namespace
