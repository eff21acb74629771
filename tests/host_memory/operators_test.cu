// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of host memory by operators of all kinds have the bits of reduce.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>
#include <warpfold/arg_operators.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/fuse.hpp>
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/top_k_operators.hpp>

#include "common/monoids.hpp"
#include "common/random_items.hpp"
#include "host_memory/expect_bits.cuh"

namespace host_memory_operators_tests {

namespace wf = warpfold;
using namespace wf_test::host_memory;

TEST(host_memory_operators, of_all_kinds_have_the_bits_of_reduce) {
  for (const std::int64_t count : {1, 130, 5003}) {
    const auto floats = wf_test::random_items<float>(count, 3);
    expect_bits_of_reduce(floats, wf::plus{});
    expect_bits_of_reduce(floats, wf::maximum{});
    expect_bits_of_reduce(floats, wf::accumulate_in<double>(wf::plus{}));
    expect_bits_of_reduce(floats, wf::arithmetic_mean{});
    expect_bits_of_reduce(floats, wf::moments<2>{});
    expect_bits_of_reduce(floats, wf::log_sum_exp{});
    expect_bits_of_reduce(floats, wf::exact_plus{});
    expect_bits_of_reduce(floats, wf::fuse(wf::plus{}, wf::maximum{}));
    expect_bits_of_reduce(wf_test::random_items<double>(count, 4), wf::exact_plus{});
    expect_bits_of_reduce(wf_test::random_items<std::int8_t>(count, 5), wf::plus{});
    expect_bits_of_reduce(wf_test::random_items<wf_test::affine<>>(count, 6), wf_test::compose{});
  }
}

// Values repeat, so that a wrong number in a part shows.
TEST(host_memory_operators, indices_count_from_the_first_item_of_all) {
  for (const std::int64_t count : {1, 130, 5003}) {
    std::vector<float> items;
    for (const float x : wf_test::random_items<float>(count, 7)) items.push_back(std::floor(x / 64));
    expect_bits_of_reduce(items, wf::arg_maximum{});
    expect_bits_of_reduce(items, wf::arg_minimum<wf::ties::last>{});
    expect_bits_of_reduce(items, wf::arg_extrema{});
    expect_bits_of_reduce(items, wf::top_k<5>{});
    expect_bits_of_reduce(items, wf::bottom_k<2>{});
    expect_bits_of_reduce(items, wf::fuse(wf::arg_maximum{}, wf::plus{}));
  }
}

}  // namespace host_memory_operators_tests
