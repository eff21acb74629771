// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result may be written into the input, and onto the init: all items have been read by then. Nothing else is
// written.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

using device_intervals = wf_test::device_array<interval<>>;

TEST(reduce_in_place, output_within_the_input) {
  for (const std::int64_t size : wf_test::shape_sizes<interval<>>()) {
    const auto items = wf_test::interval_items(size);
    for (const std::int64_t place : {std::int64_t{0}, size / 2, size - 1})
      for (const int max_blocks : {0, 1, 7}) {
        const device_intervals in(items, 1);
        wf::reduce(in.items(), in.data() + place, join{}, {.max_blocks = max_blocks});
        auto expected = items;
        expected[static_cast<std::size_t>(place)] = interval<>::of(0, size - 1);
        EXPECT_EQ(in.to_host(), expected) << size << " items, result at " << place << ", max_blocks " << max_blocks;
      }
  }
}

// result op= items: a running total over calls.
TEST(reduce_in_place, output_on_the_init) {
  for (const std::int64_t piece : wf_test::shape_sizes<interval<>>()) {
    const device_intervals in(wf_test::interval_items(3 * piece));
    device_intervals total(1);
    total.set(0, interval<>::of(-1));
    for (int i = 0; i < 3; ++i)
      wf::reduce(in.data() + i * piece, piece, total.data(), join{},
                 {.init = static_cast<const interval<>*>(total.data())});
    EXPECT_EQ(total.value(), interval<>::of(-1, 3 * piece - 1)) << piece << " items a call";
  }
}

TEST(reduce_in_place, empty_input_keeps_the_init) {
  device_intervals total(1);
  total.set(0, interval<>::of(5));
  wf::reduce(std::span<const interval<>>{}, total.data(), join{},
             {.init = static_cast<const interval<>*>(total.data())});
  EXPECT_EQ(total.value(), interval<>::of(5));
}

// Guards on both sides of the one result.
TEST(reduce_in_place, only_the_result_is_written) {
  for (const std::int64_t size : wf_test::shape_sizes<interval<>>()) {
    const device_intervals in(wf_test::interval_items(size));
    const std::vector<interval<>> guards(33, interval<>::of(-99));
    const device_intervals out(guards);
    wf::reduce(in.items(), out.data() + 16, join{});
    auto expected = guards;
    expected[16] = interval<>::of(0, size - 1);
    EXPECT_EQ(out.to_host(), expected) << size << " items";
  }
}

}  // namespace
