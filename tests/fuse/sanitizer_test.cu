// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small case per kernel with fused operators, for compute-sanitizer.
#include <warpfold/canonical_tree.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace fuse_sanitizer_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::same_bits;

constexpr auto op = wf::fuse(wf::plus{}, wf::maximum{}, wf::moments{});

TEST(fuse_sanitizer, reduces_in_every_shape_of_grid) {
  const std::vector<float> items = wf_test::random_items<float>(40'009);
  const device_array<float> sum(1), most(1);
  const device_array<wf::moments_of<2>> moments(1);
  for (const int count : {5, 3000, 40'009})
    for (const int offset : {0, 1})
      for (const int max_blocks : {0, 2}) {
        const device_array<float> in(std::span<const float>(items).first(static_cast<std::size_t>(count)), offset);
        wf::reduce(in.items(), wf::outputs(sum.data(), most.data(), moments.data()), op, {.max_blocks = max_blocks});
        const auto expected = wf::canonical_tree::replay(items.data(), count, op);
        EXPECT_TRUE(same_bits(sum.value(), get<0>(expected)) && same_bits(most.value(), get<1>(expected)) &&
                    same_bits(moments.value(), get<2>(expected)))
            << count << ' ' << offset;
      }
}

TEST(fuse_sanitizer, segments_runs_and_scans) {
  constexpr int count = 3001;
  const std::vector<float> items = wf_test::random_items<float>(count);
  std::vector<int> offsets, keys;
  for (int i = 0; i < count; ++i) {
    if (i % 97 == 0) offsets.push_back(i);
    keys.push_back(i / 97);
  }
  offsets.push_back(count);
  const device_array<float> in(items, 1), sums(count), most(count);
  const device_array<wf::moments_of<2>> moments(count);
  const device_array<int> device_offsets(offsets), device_keys(keys), out_keys(count), runs(1);
  const auto out = wf::outputs(sums.data(), most.data(), moments.data());
  wf::segmented_reduce(in.items(), device_offsets.items(), out, op);
  EXPECT_TRUE(same_bits(moments.value(1), wf::canonical_tree::replay(items.data() + 97, 97, wf::moments{})));
  wf::reduce_by_key(device_keys.items(), in.items(), out_keys.data(), out, runs.data(), op);
  EXPECT_EQ(runs.value(), 31);
  EXPECT_TRUE(same_bits(sums.value(1), wf::canonical_tree::replay_part(items.data(), 97, 194, wf::plus{})));
  wf::inclusive_scan(in.items(), out, op);
  EXPECT_TRUE(same_bits(sums.value(count - 1), wf::canonical_tree::replay(items.data(), count, wf::plus{})));
}

}  // namespace fuse_sanitizer_tests
