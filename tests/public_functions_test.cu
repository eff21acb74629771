// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call, with its result, of each public function that is asked more only by tests that CI leaves out.
#include <gtest/gtest.h>

#include <warpfold/warpfold.cuh>

#include "names/calls.cuh"

namespace {

namespace wf = warpfold;
using wf_test::names::caller, wf_test::names::pointers;

TEST(public_functions, several_at_once) { caller<pointers>().several_at_once(); }
TEST(public_functions, everyday_functions) { caller<pointers>().everyday_functions(); }
TEST(public_functions, places) { caller<pointers>().places(); }
TEST(public_functions, places_in_segments) { caller<pointers>().places_in_segments(); }
TEST(public_functions, places_in_runs) { caller<pointers>().places_in_runs(); }
TEST(public_functions, questions) { caller<pointers>().questions(); }

TEST(public_functions, count) {
  const wf_test::device_array<int> in(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6});
  const wf_test::device_array<std::int64_t> ones(1);
  wf::count(in.items(), ones.data(), 1);
  EXPECT_EQ(ones.value(), 2);
}

struct is_nearer_to_5 {
  __host__ __device__ bool operator()(int a, int b) const { return (a - 5) * (a - 5) < (b - 5) * (b - 5); }
};
TEST(public_functions, places_by_an_order) {
  const wf_test::device_array<int> in(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6});
  EXPECT_EQ(wf::reduce_value(in.items(), wf::arg_minimum_by(is_nearer_to_5{})).index, 4);
  EXPECT_EQ(wf::reduce_value(in.items(), wf::arg_maximum_by(is_nearer_to_5{})).index, 1);
}

}  // namespace
