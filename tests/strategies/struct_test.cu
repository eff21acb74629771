// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every composition with items of 12 bytes, for which there is no vector load and no power-of-two padding. They carry a
// check of their own bounds, so a torn copy shows, too.
#include "common/interval.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = interval<std::int32_t, 12>;
static_assert(sizeof(item) == 12);

template <class S> class strategies_struct : public testing::Test {};
TYPED_TEST_SUITE(strategies_struct, ordered_compositions, composition_names);

TYPED_TEST(strategies_struct, is_in_order_at_every_border) {
  expect_fold<TypeParam, item>(&interval_items<item>, item::of(-1), join{}, equal_values{}, {1, 4});
}

}  // namespace
}  // namespace wf_test
