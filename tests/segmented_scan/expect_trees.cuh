// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <gtest/gtest.h>

#include "common/tree_hash.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace wf_test {

/// Scans segments in tiles of a shape, and expects that every prefix has the association of reduce over its items.
template <class Hash, int Rows, int Warps, bool IsExclusive> void expect_trees(const layout& where, int max_blocks) {
  const auto items = hash_items<Hash>(where.items);
  const Hash untouched = Hash::absent(), init = Hash::of(-5);
  const auto expected = canonical_segment_prefixes<IsExclusive>(items, where, hash_pair{}, untouched, init,
                                                                IsExclusive ? &init : nullptr);
  const device_array<Hash> in(items, 1), out(std::vector<Hash>(items.size(), untouched));
  const device_array<int> begins(narrowed<int>(where.begins)), ends(narrowed<int>(where.ends));
  warpfold::reduce_options<Hash> options{.max_blocks = max_blocks};
  if (IsExclusive) options.init = init;
  scan_in_small_tiles<IsExclusive, Rows, Warps>(in.items(), listed(begins, ends), out.data(), hash_pair{}, options);
  EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << where << ", " << Rows << " rows, max_blocks " << max_blocks;
}

}  // namespace wf_test
