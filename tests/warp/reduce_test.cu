// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a warp and of logical warps: the canonical tree over the lanes, for every width, count and value size.
#include <warpfold/warp/reduce.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;

/// Block b is one warp whose logical warps of `Width` lanes have b + 1 values each. `wrong` counts the lanes with a
/// wrong result in each of: reduce, all_reduce, both with a count. expected[i] is the result of the first i + 1 values
/// of logical warp 0, expected[Width + i] of logical warp 1, ….
template <int Width, class T, class Op>
__global__ void width_kernel(const T* values, const T* expected, T absent, Op op, int* wrong) {
  const int lane = static_cast<int>(threadIdx.x), count = static_cast<int>(blockIdx.x) + 1, logical = lane % Width;
  const T* of_own_warp = expected + (lane - logical);
  const T whole = of_own_warp[Width - 1], part = of_own_warp[count - 1];
  if (!(wf::warp::all_reduce<Width>(values[lane], op) == whole)) atomicAdd(wrong + 1, 1);
  if (!(wf::warp::all_reduce<Width>(logical < count ? values[lane] : absent, op, count) == part))
    atomicAdd(wrong + 3, 1);
  const T reduced = wf::warp::reduce<Width>(values[lane], op);
  if (logical == 0 && !(reduced == whole)) atomicAdd(wrong, 1);
  if (logical >= count) return;  // only those who count must call
  const T counted = wf::warp::reduce<Width>(values[lane], op, count);
  if (logical == 0 && !(counted == part)) atomicAdd(wrong + 2, 1);
}

template <int Width, class T, class Op> std::vector<int> wrong_results(const std::vector<T>& values, T absent, Op op) {
  std::vector<T> expected;
  for (int lane = 0; lane < wf::warp_lanes; ++lane)
    expected.push_back(wf::canonical_tree::replay(values.data() + lane / Width * Width, lane % Width + 1, op));
  const wf_test::device_array<T> on_device(values), results(expected);
  const wf_test::device_array<int> wrong(std::vector<int>(4, 0));
  wf_test::launch_and_wait(&width_kernel<Width, T, Op>, Width, wf::warp_lanes, 0, on_device.data(), results.data(),
                           absent, op, wrong.data());
  return wrong.to_host();
}

const std::vector<int> none(4, 0);

template <int Width> std::vector<int> wrong_hashes() {
  using hash = wf_test::tree_hash<8>;
  return wrong_results<Width>(wf_test::hash_items<hash>(wf::warp_lanes), hash::absent(), wf_test::hash_pair{});
}

TEST(warp_reduce, is_the_canonical_tree_for_every_width_and_count) {
  EXPECT_EQ(wrong_hashes<1>(), none);
  EXPECT_EQ(wrong_hashes<2>(), none);
  EXPECT_EQ(wrong_hashes<4>(), none);
  EXPECT_EQ(wrong_hashes<8>(), none);
  EXPECT_EQ(wrong_hashes<16>(), none);
  EXPECT_EQ(wrong_hashes<32>(), none);
}

template <int Bytes, int Alignment = 1> std::vector<int> wrong_sizes() {
  using hash = wf_test::tree_hash<Bytes, Alignment>;
  return wrong_results<32>(wf_test::hash_items<hash>(wf::warp_lanes), hash::absent(), wf_test::hash_pair{});
}

TEST(warp_reduce, takes_values_of_any_size) {
  EXPECT_EQ(wrong_sizes<1>(), none);
  EXPECT_EQ((wrong_sizes<2, 2>()), none);
  EXPECT_EQ(wrong_sizes<3>(), none);
  EXPECT_EQ((wrong_sizes<4, 4>()), none);
  EXPECT_EQ((wrong_sizes<12, 4>()), none);
  EXPECT_EQ((wrong_sizes<16, 16>()), none);
  EXPECT_EQ((wrong_sizes<20, 4>()), none);
  EXPECT_EQ((wrong_sizes<64, 8>()), none);
}

TEST(warp_reduce, keeps_order) {
  using interval = wf_test::interval<>;
  EXPECT_EQ(wrong_results<32>(wf_test::interval_items<interval>(32), interval::poison(), wf_test::join{}), none);
  EXPECT_EQ(wrong_results<8>(wf_test::random_items<wf_test::affine<>>(32), wf_test::affine<>{7, 7}, wf_test::compose{}),
            none);
}

/// One warp of a block whose last warp is short.
template <class T, class Op> __global__ void short_warp_kernel(const T* values, const T* expected, Op op, int* wrong) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % wf::warp_lanes, first = thread - lane;
  const int lanes = min(wf::warp_lanes, static_cast<int>(blockDim.x) - first);
  for (int count = 1; count <= lanes; ++count)
    if (lane < count) {
      const T result = wf::warp::reduce(values[lane], op, count);
      if (lane == 0 && !(result == expected[count - 1])) atomicAdd(wrong, 1);
    }
}

TEST(warp_reduce, works_where_lanes_do_not_exist) {
  using hash = wf_test::tree_hash<4, 4>;
  const auto values = wf_test::hash_items<hash>(wf::warp_lanes);
  std::vector<hash> expected;
  std::vector<int> integers, sums;
  for (int count = 1; count <= wf::warp_lanes; ++count) {
    expected.push_back(wf::canonical_tree::replay(values.data(), count, wf_test::hash_pair{}));
    integers.push_back(count);
    sums.push_back(count * (count + 1) / 2);
  }
  const wf_test::device_array<hash> on_device(values), results(expected);
  const wf_test::device_array<int> integers_on_device(integers), sums_on_device(sums), wrong(std::vector<int>(2, 0));
  for (const int threads : {1, 2, 31, 33, 45, 63, 100, 1000}) {
    wf_test::launch_and_wait(&short_warp_kernel<hash, wf_test::hash_pair>, 1, threads, 0, on_device.data(),
                             results.data(), wf_test::hash_pair{}, wrong.data());
    wf_test::launch_and_wait(&short_warp_kernel<int, wf::plus>, 1, threads, 0, integers_on_device.data(),
                             sums_on_device.data(), wf::plus{}, wrong.data() + 1);
    EXPECT_EQ(wrong.to_host(), (std::vector<int>{0, 0})) << threads << " threads";
  }
}

template <class T, int Width, class Op> std::vector<int> wrong_redux(Op op) {
  static_assert(wf::warp::detail::has_redux<Op, T>);
  return wrong_results<Width>(wf_test::random_items<T>(wf::warp_lanes, 3), T(0x5a5a5a5a), op);
}

template <class T> void check_redux() {
  EXPECT_EQ((wrong_redux<T, 32>(wf::plus{})), none);
  EXPECT_EQ((wrong_redux<T, 16>(wf::minimum{})), none);
  EXPECT_EQ((wrong_redux<T, 32>(wf::maximum{})), none);
  EXPECT_EQ((wrong_redux<T, 4>(wf::bit_and{})), none);
  EXPECT_EQ((wrong_redux<T, 32>(wf::bit_or{})), none);
  EXPECT_EQ((wrong_redux<T, 1>(wf::bit_xor{})), none);
}

TEST(warp_reduce, of_integers_in_one_instruction) {
  check_redux<int>();
  check_redux<unsigned>();
}

TEST(warp_reduce, takes_the_instruction_only_where_it_is_right) {
  using wf::warp::detail::has_redux;
  EXPECT_TRUE((has_redux<wf::accumulating<int, wf::plus>, int>));
  EXPECT_FALSE((has_redux<wf::plus, float> || has_redux<wf::plus, std::int64_t> || has_redux<wf::plus, std::int16_t>));
  EXPECT_FALSE((has_redux<wf::multiplies, int> || has_redux<wf::first, int> || has_redux<wf_test::compose, int>));
}

}  // namespace
