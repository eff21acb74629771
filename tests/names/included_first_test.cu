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

}  // namespace
