// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every public function where std, cuda::std and thrust are included before Warpfold.
#include "names/other_libraries.hpp"

#define check(condition) a_macro_of_unreal_engine_and_of_apple
#include <warpfold/warpfold.cuh>
#undef check

#include <gtest/gtest.h>

#include "names/libraries.cuh"

namespace {

using namespace wf_test::names;

TEST(names_included_last, pointers) { call_every_function<pointers>(); }
TEST(names_included_last, std_spans) { call_every_function<std_spans>(); }
TEST(names_included_last, cuda_spans) { call_every_function<cuda_spans>(); }
TEST(names_included_last, thrust_vectors) { call_every_function<thrust_vectors>(); }
TEST(names_included_last, own_ranges) { call_every_function<own_ranges>(); }
TEST(names_included_last, own_items) { call_functions_of_own_items(); }

}  // namespace
