// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every public function where std, cuda::std and thrust are included after Warpfold.
#include <warpfold/warpfold.cuh>

#include "names/other_libraries.hpp"

#include <gtest/gtest.h>

#include "names/libraries.cuh"

namespace {

using namespace wf_test::names;

TEST(names_included_first, pointers) { call_every_function<pointers>(); }
TEST(names_included_first, std_spans) { call_every_function<std_spans>(); }
TEST(names_included_first, cuda_spans) { call_every_function<cuda_spans>(); }
TEST(names_included_first, thrust_vectors) { call_every_function<thrust_vectors>(); }
TEST(names_included_first, own_ranges) { call_every_function<own_ranges>(); }
TEST(names_included_first, own_items) { call_functions_of_own_items(); }
TEST(names_included_first, partial_results) {
  const int items[] = {3, 1, 4, 1, 5};
  wf::canonical_nodes<int, wf::plus> all, rest(2);
  all.append_items(items, 2, wf::plus{});
  rest.append_items(items + 2, 3, wf::plus{});
  all.append(rest, wf::plus{});
  EXPECT_EQ(all.value(wf::plus{}), 14);
}

}  // namespace
