// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that would take the kernel that stages, on an emulated device that has no bulk copies, as before compute
// capability 9.0.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;

namespace {

// Before any test, since attributes of a device are asked once and kept.
[[maybe_unused]] const bool device_is_set = [] {
  cuda_emulator::settings().compute_capability_major = 8;
  return true;
}();

TEST(segmented_reduce_without_bulk_copies, reads_items_in_place) {
  const std::int64_t warps =
      std::int64_t{wf::host_side::limits_of(wf::host_side::current_device()).multiprocessors} * 2048 / 32;
  const layout where("power law", wf_test::power_law(wf::segmented::staging_bounds_of_items.min_tiles * warps *
                                                         wf::segmented::tile_segments_per_lane * 32,
                                                     1000));
  ASSERT_FALSE(wf_test::copies_in_bulk());
  ASSERT_TRUE(wf::segmented::gains_by_staging(where.items, where.segments(), sizeof(interval), warps, true, false));
  const device_array<interval> in(wf_test::interval_items(where.items));
  const device_array<int> offsets(where.offsets<int>());
  const auto results =
      wf_test::results_of({}, where.segments(), interval::of(-1), interval::of(-5), [&](auto out, const auto& options) {
        wf::segmented_reduce(in.items(), offsets.items(), out, wf_test::join{}, options);
      });
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    const auto i = static_cast<std::size_t>(s);
    ASSERT_EQ(results[i], where.length(s) == 0 ? interval::of(-5) : interval::of(where.begins[i], where.ends[i] - 1))
        << "segment " << s;
  }
}

}  // namespace
