// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, transforms and conversions see nothing but the items of segments and values made of them: no missing item,
// and no item outside segments.
#include <gtest/gtest.h>

#include "common/known_values.cuh"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace wf = warpfold;
using namespace wf_test::known_values;
using wf_test::device_array, wf_test::layout;

namespace {

std::vector<layout> some_gaps() {
  return {wf_test::with_gaps({"short", {3, 1, 0, 60, 7, 7, 7, 1'000, 33, 1}}),
          wf_test::with_gaps({"long", {5, 9'000, 0, 1, 2'047, 5'000}}),
          wf_test::with_gaps({"law", wf_test::power_law(300, 5'000)})};
}

template <class Add> void expect_sums_of_marked() {
  for (const layout& where : some_gaps()) {
    std::vector<marked> items(static_cast<std::size_t>(where.items), {9, 0});
    for (std::int64_t s = 0; s < where.segments(); ++s)
      for (std::int64_t i = where.begins[static_cast<std::size_t>(s)]; i < where.ends[static_cast<std::size_t>(s)]; ++i)
        items[static_cast<std::size_t>(i)] = {1, marked::mark_of_known};
    const device_array<marked> in(items, 1), out(items);
    const device_array<int> begins(wf_test::narrowed<int>(where.begins)), ends(wf_test::narrowed<int>(where.ends));
    const auto segments = wf::bounds{begins.items(), ends.items()};
    const auto expect = [&](unsigned before) {
      const auto found = out.to_host();
      for (std::int64_t s = 0; s < where.segments(); ++s)
        for (std::int64_t i = 0; i < where.length(s); ++i)
          ASSERT_EQ(found[static_cast<std::size_t>(where.begins[static_cast<std::size_t>(s)] + i)].value, i + before);
    };
    wf::segmented_inclusive_scan(in.items(), segments, out.data(), Add{});
    expect(1);
    wf::segmented_exclusive_scan(in.items(), segments, out.data(), Add{}, {.init = marked{7, marked::mark_of_known}});
    expect(7);
  }
  EXPECT_EQ(unknown_uses_so_far(), 0u);
}

TEST(segmented_scan_unknown_items, marked_values) { expect_sums_of_marked<add_marked>(); }
TEST(segmented_scan_unknown_items, marked_values_of_an_exact_operator) { expect_sums_of_marked<exact_add_marked>(); }

TEST(segmented_scan_unknown_items, transforms_conversions_and_users_operators) {
  for (const std::int64_t length : {1, 33, 5'001}) {
    const std::vector<int> items(static_cast<std::size_t>(3 * length), 3);
    const wf::fixed_length segments{length};
    const device_array<int> in(items, 1), out(items);
    const device_array<marked> sums(in.count());
    wf::transform_segmented_inclusive_scan(in.items(), segments, sums.data(), add_marked{}, mark_positive{});
    EXPECT_EQ(sums.value(2 * length - 1).value, 3 * static_cast<unsigned>(length));
    wf::segmented_inclusive_scan(in.items(), segments, out.data(), greater_positive{});
    EXPECT_EQ(out.value(length - 1), 3);
    const device_array<ratio> ratios(std::vector<ratio>(items.size(), {6, 3}));
    wf::segmented_inclusive_scan(ratios.items(), segments, out.data(), wf::accumulate_in<int>(wf::plus{}));
    EXPECT_EQ(out.value(3 * length - 1), 2 * length);
  }
  EXPECT_EQ(unknown_uses_so_far(), 0u);
}

}  // namespace
