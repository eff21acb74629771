// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented compositions with int64 plus and owners whose key is longer than they are: a small case of each kernel,
// also for compute-sanitizer.
#include "segmented.cuh"

namespace wf_test {
namespace {

using item = std::int64_t;

template <class S> class strategies_segmented_sum : public testing::Test {};
TYPED_TEST_SUITE(strategies_segmented_sum, main_segmented_compositions, composition_names);

TYPED_TEST(strategies_segmented_sum, wraps_and_misses_nothing) {
  const auto make = [](const std::vector<std::uint32_t>& ids, bool) {
    return random_items<item>(static_cast<std::int64_t>(ids.size()), 17);
  };
  expect_segmented_fold<TypeParam, std::uint32_t, item>(make, item{-1000}, item{5}, item{-3}, wf::plus{},
                                                        equal_values{}, {1, 2});
}

}  // namespace
}  // namespace wf_test
