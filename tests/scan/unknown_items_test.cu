// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, transforms and conversions see nothing but the input's items and values made of them.
#include <gtest/gtest.h>
#include <warpfold/scan.cuh>

#include "common/known_values.cuh"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using namespace wf_test::known_values;
using wf_test::device_array;

namespace {

template <class Add> void expect_sums_of_marked() {
  for (const std::int64_t count : {1, 31, 33, 500, 4'097, 12'289, 20'001})
    for (const int max_blocks : {0, 1}) {
      const std::vector<marked> items(static_cast<std::size_t>(count), {1, marked::mark_of_known});
      const device_array<marked> in(items, 1), out(items);
      wf::inclusive_scan(in.items(), out.data(), Add{}, {.max_blocks = max_blocks});
      auto found = out.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].value, i + 1);
      wf::exclusive_scan(in.items(), out.data(), Add{},
                         {.init = marked{7, marked::mark_of_known}, .max_blocks = max_blocks});
      found = out.to_host();
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].value, i + 7);
    }
  EXPECT_EQ(unknown_uses_so_far(), 0u);
}

TEST(scan_unknown_items, marked_values) { expect_sums_of_marked<add_marked>(); }
TEST(scan_unknown_items, marked_values_of_an_exact_operator) { expect_sums_of_marked<exact_add_marked>(); }

TEST(scan_unknown_items, transforms_conversions_and_users_operators) {
  for (const std::int64_t count : {1, 33, 5'001}) {
    const std::vector<int> items(static_cast<std::size_t>(count), 3);
    const device_array<int> in(items, 1), out(items);
    const device_array<marked> sums(count);
    wf::transform_inclusive_scan(in.items(), sums.data(), add_marked{}, mark_positive{});
    EXPECT_EQ(sums.value(count - 1).value, 3 * static_cast<unsigned>(count));
    wf::inclusive_scan(in.items(), out.data(), greater_positive{});
    EXPECT_EQ(out.value(count - 1), 3);
    const device_array<ratio> ratios(std::vector<ratio>(items.size(), {6, 3}));
    wf::inclusive_scan(ratios.items(), out.data(), wf::accumulate_in<int>(wf::plus{}));
    EXPECT_EQ(out.value(count - 1), 2 * count);
  }
  EXPECT_EQ(unknown_uses_so_far(), 0u);
}

}  // namespace
