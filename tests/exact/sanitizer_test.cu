// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each way of the kernel of exact sums in small: one block and several, whole batches and the end of the input, shifted
// loads, one pass and several, and items one by one.
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_sanitizer_tests {

namespace wf = warpfold;
using wf_test::hard_items;

template <class T> void expect_sums() {
  wf_test::random_source source(1);
  for (const hard_items what : {hard_items::narrow, hard_items::wide, hard_items::infinities})
    for (const int count : {100, 3000}) {
      const auto items = wf_test::make_hard_items<T>(what, count, source);
      const wf_test::device_array<T> in(items, count % 7 % 3);
      for (const int max_blocks : {1, 3}) {
        const wf_test::device_array<T> out(1);
        wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value())) << count;
      }
    }
}

TEST(exact_sanitizer, floats) { expect_sums<float>(); }
TEST(exact_sanitizer, doubles) { expect_sums<double>(); }

}  // namespace exact_sanitizer_tests
