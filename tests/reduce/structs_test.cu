// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Users' operators and types: structs of odd sizes, operators that do not commute, that have state, that rely on order.
#include <gtest/gtest.h>

#include "common/monoids.hpp"
#include "reduce/expect_canonical.cuh"
#include "reduce/point.hpp"

namespace wf = warpfold;
using wf_test::add_points, wf_test::expect_canonical, wf_test::items_of_all_shapes, wf_test::point,
    wf_test::random_items;

namespace {

/// a + b modulo a number that is known only when the program runs.
struct add_modulo {
  unsigned modulus;
  __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return (a + b) % modulus; }
};

TEST(reduce_structs, affine_maps) {
  expect_canonical(random_items<wf_test::affine<>>(items_of_all_shapes), wf_test::compose{});
}
TEST(reduce_structs, affine_maps_in_one_byte) {
  expect_canonical(random_items<wf_test::byte_affine>(items_of_all_shapes), wf_test::compose_bytes{});
}
TEST(reduce_structs, twelve_bytes) {
  expect_canonical(random_items<wf_test::triple>(items_of_all_shapes), wf_test::add_triples{});
}
TEST(reduce_structs, sixteen_bytes) {
  expect_canonical(random_items<point<double, 2>>(items_of_all_shapes), add_points{});
}
TEST(reduce_structs, forty_bytes) {
  expect_canonical(random_items<point<double, 5>>(items_of_all_shapes), add_points{});
}
TEST(reduce_structs, two_hundred_bytes) { expect_canonical(random_items<point<double, 25>>(3001), add_points{}); }
TEST(reduce_structs, operator_with_state) {
  auto items = random_items<unsigned>(items_of_all_shapes);
  for (unsigned& item : items) item %= 1'000'003;
  expect_canonical(items, add_modulo{1'000'003});
}

TEST(reduce_structs, leftmost_of_equal_values) {
  std::vector<wf_test::value_and_index> items;
  for (std::int32_t i = 0; i < 30'011; ++i) items.push_back({static_cast<float>((i * 7919) % 1009), i});
  const wf_test::device_array<wf_test::value_and_index> in(items, 1), out(1);
  wf::reduce(in.items(), out.data(), wf_test::leftmost_smallest{});
  EXPECT_EQ(out.value(), (wf_test::value_and_index{0, 0}));
  wf::reduce(in.items().subspan(1), out.data(), wf_test::leftmost_smallest{});
  EXPECT_EQ(out.value(), (wf_test::value_and_index{0, 1009}));
}

}  // namespace
