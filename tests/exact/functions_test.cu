// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of runs of equal keys, of every prefix, and of segments that are told by owners.
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_functions_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::hard_items;

template <class T> void expect_exact_runs() {
  wf_test::random_source source(sizeof(T) + 2);
  constexpr int count = 5000;
  const auto items = wf_test::make_hard_items<T>(hard_items::cancelling, count, source);
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(i < 2000 ? i / 7 : 1000);
  const device_array<T> in(items), out(400);
  const device_array<int> device_keys(keys), out_keys(400), runs(1);
  wf::reduce_by_key(device_keys.items(), in.items(), std::span<int>(out_keys.data(), 400), out.data(), runs.data(),
                    wf::exact_plus{});
  ASSERT_EQ(runs.value(), 287);
  const auto sums = out.to_host();
  for (int run = 0; run < 287; ++run) {
    wf_test::exact_sum expected;
    for (int i = 0; i < count; ++i)
      if (keys[static_cast<std::size_t>(i)] == (run < 286 ? run : 1000))
        expected.add(items[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(expected.rounds_to(sums[static_cast<std::size_t>(run)])) << run;
  }
}

TEST(exact_plus_of_runs, floats) { expect_exact_runs<float>(); }
TEST(exact_plus_of_runs, doubles) { expect_exact_runs<double>(); }

template <class T> void expect_exact_prefixes(int count) {
  wf_test::random_source source(sizeof(T) + 3);
  const auto items = wf_test::make_hard_items<T>(hard_items::cancelling, count, source);
  const device_array<T> in(items), out(count);
  wf::inclusive_scan(in.items(), out.data(), wf::exact_plus{});
  const auto sums = out.to_host();
  wf_test::exact_sum expected;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    expected.add(items[i]);
    ASSERT_TRUE(expected.rounds_to(sums[i])) << i;
  }
}

TEST(exact_plus_of_prefixes, floats) { expect_exact_prefixes<float>(3001); }
TEST(exact_plus_of_owners, floats) {
  wf_test::random_source source(4);
  const auto items = wf_test::make_hard_items<float>(hard_items::wide, 2000, source);
  std::vector<int> owners;
  for (int i = 0; i < 2000; ++i) owners.push_back(i < 1000 ? i / 50 : 30);
  const device_array<float> in(items), out(32);
  const device_array<int> ids(owners);
  wf::segmented_reduce(in.items(), wf::owners{ids.items()}, std::span<float>(out.data(), 32), wf::exact_plus{});
  const auto sums = out.to_host();
  for (int s = 0; s < 32; ++s) {
    wf_test::exact_sum expected;
    expected.other_than_minus_zero = true;
    for (std::size_t i = 0; i < 2000; ++i)
      if (owners[i] == s) expected.add(items[i]);
    ASSERT_TRUE(expected.rounds_to(sums[static_cast<std::size_t>(s)])) << s;
  }
}

TEST(exact_plus_of_prefixes, doubles) { expect_exact_prefixes<double>(1001); }

}  // namespace exact_functions_tests
