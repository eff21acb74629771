// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every composition with affine maps, which are joined by composition. All of their 8 bytes differ, and they are
// aligned to 4 bytes only.
#include "common/monoids.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = affine<>;
static_assert(sizeof(item) == 8 && alignof(item) == 4);

template <class S> class strategies_affine : public testing::Test {};
TYPED_TEST_SUITE(strategies_affine, ordered_compositions, composition_names);

TYPED_TEST(strategies_affine, is_the_composition_at_every_border) {
  const auto make = [](std::int64_t count) { return random_items<item>(count, 7); };
  expect_fold<TypeParam, item>(make, item{3, 5}, compose{}, equal_values{}, {1, 2});
}

}  // namespace
}  // namespace wf_test
