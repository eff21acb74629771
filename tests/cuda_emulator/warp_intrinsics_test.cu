// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every warp intrinsic against its definition, lane by lane.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "emulated.hpp"

namespace {

using namespace emulated;

constexpr unsigned full = 0xFFFFFFFFu;

template <class T> __host__ __device__ T item(int lane) { return static_cast<T>(lane * 3 + 1); }
template <> __host__ __device__ __half item<__half>(int lane) { return __float2half(static_cast<float>(lane * 3 + 1)); }
template <> __host__ __device__ std::int64_t item<std::int64_t>(int lane) { return (std::int64_t{lane} << 40) + lane; }
template <> __host__ __device__ double item<double>(int lane) { return lane * 1e100; }

template <class T> struct shuffles {  // of one lane
  T indexed, up, down, exchanged;
};

template <class T> __global__ void shuffle_all(shuffles<T>* out, int operand, int width) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const T mine = item<T>(lane);
  shuffles<T>& mine_out = out[threadIdx.x];
  mine_out.indexed = __shfl_sync(full, mine, operand, width);
  mine_out.up = __shfl_up_sync(full, mine, static_cast<unsigned>(operand), width);
  mine_out.down = __shfl_down_sync(full, mine, static_cast<unsigned>(operand), width);
  mine_out.exchanged = __shfl_xor_sync(full, mine, operand, width);
}

template <class T> float as_float(T x) { return static_cast<float>(x); }

template <class T> class shuffle : public testing::Test {};
using shuffled_types = testing::Types<int, unsigned, std::int64_t, std::uint64_t, long long, float, double, __half>;
TYPED_TEST_SUITE(shuffle, shuffled_types);

TYPED_TEST(shuffle, every_width_and_operand) {
  device_array<shuffles<TypeParam>> out(64);
  for (const int width : {1, 2, 4, 8, 16, 32})
    for (const int operand : {0, 1, 2, 5, 16, 31}) {
      ASSERT_EQ(em::launch(shuffle_all<TypeParam>, shape(1, 64), out.get(), operand, width), cudaSuccess);
      for (int thread = 0; thread < 64; ++thread) {
        const int lane = thread % 32, first = lane / width * width, last = first + width - 1;
        const auto or_own = [&](int source) { return source < first || source > last ? lane : source; };
        SCOPED_TRACE(testing::Message() << "width " << width << ", operand " << operand << ", lane " << lane);
        EXPECT_EQ(as_float(out[thread].indexed), as_float(item<TypeParam>(first + operand % width)));
        EXPECT_EQ(as_float(out[thread].up), as_float(item<TypeParam>(or_own(lane - operand))));
        EXPECT_EQ(as_float(out[thread].down), as_float(item<TypeParam>(or_own(lane + operand))));
        // A lane may read from an earlier segment, but not from a later one.
        const int other = lane ^ operand;
        EXPECT_EQ(as_float(out[thread].exchanged), as_float(item<TypeParam>(other > last ? lane : other)));
      }
    }
}

__global__ void shuffle_packed(__half2* halves, __nv_bfloat16* bfloats, short* shorts) {
  const int lane = static_cast<int>(threadIdx.x);
  halves[lane] = __shfl_xor_sync(full, halves[lane], 1);
  bfloats[lane] = __shfl_xor_sync(full, bfloats[lane], 1);
  const auto moved = __shfl_xor_sync(full, shorts[lane], 1);
  static_assert(std::is_same_v<decltype(moved), const int>, "narrow integers promote, as in CUDA");
  shorts[lane] = static_cast<short>(moved);
}

TEST(warp_intrinsics, shuffle_packed_and_narrow_types) {
  device_array<__half2> halves(32);
  device_array<__nv_bfloat16> bfloats(32);
  device_array<short> shorts(32);
  for (int i = 0; i < 32; ++i) {
    halves[i] = __floats2half2_rn(static_cast<float>(i), static_cast<float>(-i));
    bfloats[i] = __float2bfloat16(static_cast<float>(i));
    shorts[i] = static_cast<short>(-i);
  }
  ASSERT_EQ(em::launch(shuffle_packed, shape(1, 32), halves.get(), bfloats.get(), shorts.get()), cudaSuccess);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(__low2float(halves[i]), i ^ 1);
    EXPECT_EQ(__high2float(halves[i]), -(i ^ 1));
    EXPECT_EQ(__bfloat162float(bfloats[i]), i ^ 1);
    EXPECT_EQ(shorts[i], -(i ^ 1));
  }
}

struct votes {
  unsigned ballot;
  int any, all;
  unsigned match_any, match_all;
  int matched;
  unsigned sum, least, greatest, conjunction, disjunction, exclusion;
  int signed_sum, signed_least, signed_greatest;
};

// Groups of lanes that vote at the same time, each under its own mask.
__global__ void vote(votes* out, const unsigned* values, int group_lanes) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned group = group_lanes == 32 ? full : ((1u << group_lanes) - 1) << (lane / group_lanes * group_lanes);
  const unsigned value = values[lane];
  votes& mine = out[lane];
  mine.ballot = __ballot_sync(group, value % 3 == 0);
  mine.any = __any_sync(group, value % 3 == 0);
  mine.all = __all_sync(group, value % 3 == 0);
  mine.match_any = __match_any_sync(group, value % 3);
  mine.match_all = __match_all_sync(group, value, &mine.matched);
  mine.sum = __reduce_add_sync(group, value);
  mine.least = __reduce_min_sync(group, value);
  mine.greatest = __reduce_max_sync(group, value);
  mine.conjunction = __reduce_and_sync(group, value);
  mine.disjunction = __reduce_or_sync(group, value);
  mine.exclusion = __reduce_xor_sync(group, value);
  mine.signed_sum = __reduce_add_sync(group, static_cast<int>(value));
  mine.signed_least = __reduce_min_sync(group, static_cast<int>(value));
  mine.signed_greatest = __reduce_max_sync(group, static_cast<int>(value));
}

votes expected_votes(const unsigned* values, int lane, int group_lanes) {
  const int first = lane / group_lanes * group_lanes;
  votes e{.ballot = 0,
          .any = 0,
          .all = 1,
          .match_any = 0,
          .match_all = 0,
          .matched = 1,
          .sum = 0,
          .least = full,
          .greatest = 0,
          .conjunction = full,
          .disjunction = 0,
          .exclusion = 0,
          .signed_sum = 0,
          .signed_least = std::numeric_limits<int>::max(),
          .signed_greatest = std::numeric_limits<int>::min()};
  for (int i = first; i < first + group_lanes; ++i) {
    const unsigned v = values[i];
    const auto s = static_cast<int>(v);
    e.ballot |= v % 3 == 0 ? 1u << i : 0u;
    e.any |= v % 3 == 0;
    e.all &= v % 3 == 0;
    e.match_any |= v % 3 == values[lane] % 3 ? 1u << i : 0u;
    e.matched &= v == values[first];
    e.match_all |= 1u << i;
    e.sum += v;
    e.least = std::min(e.least, v);
    e.greatest = std::max(e.greatest, v);
    e.conjunction &= v;
    e.disjunction |= v;
    e.exclusion ^= v;
    e.signed_least = std::min(e.signed_least, s);
    e.signed_greatest = std::max(e.signed_greatest, s);
  }
  e.signed_sum = static_cast<int>(e.sum);
  if (!e.matched) e.match_all = 0;
  return e;
}

TEST(warp_intrinsics, votes_matches_and_reductions_by_mask) {
  device_array<unsigned> values(32);
  device_array<votes> out(32);
  em::random_source random(7);
  for_each_seed(4, [&] {
    for (const int group_lanes : {1, 4, 16, 32})
      for (const unsigned modulus : {1u, 2u, 5u, full}) {
        for (int i = 0; i < 32; ++i) values[i] = static_cast<unsigned>(random()) % modulus * 3;
        ASSERT_EQ(em::launch(vote, shape(1, 32), out.get(), values.get(), group_lanes), cudaSuccess);
        for (int lane = 0; lane < 32; ++lane) {
          const votes e = expected_votes(values.get(), lane, group_lanes), &got = out[lane];
          SCOPED_TRACE(testing::Message() << group_lanes << " lanes, modulus " << modulus << ", lane " << lane);
          EXPECT_EQ(got.ballot, e.ballot);
          EXPECT_EQ(got.any, e.any);
          EXPECT_EQ(got.all, e.all);
          EXPECT_EQ(got.match_any, e.match_any);
          EXPECT_EQ(got.match_all, e.match_all);
          EXPECT_EQ(got.matched, e.matched);
          EXPECT_EQ(got.sum, e.sum);
          EXPECT_EQ(got.least, e.least);
          EXPECT_EQ(got.greatest, e.greatest);
          EXPECT_EQ(got.conjunction, e.conjunction);
          EXPECT_EQ(got.disjunction, e.disjunction);
          EXPECT_EQ(got.exclusion, e.exclusion);
          EXPECT_EQ(got.signed_sum, e.signed_sum);
          EXPECT_EQ(got.signed_least, e.signed_least);
          EXPECT_EQ(got.signed_greatest, e.signed_greatest);
        }
      }
  });
}

// Lane n takes n + 1 steps under its own mask before all meet: early lanes wait under another mask meanwhile.
__global__ void meet_after_different_work(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned steps = 0;
  for (unsigned i = 0; i <= lane; ++i) steps += __popc(__ballot_sync(1u << lane, 1));
  out[lane] = __reduce_add_sync(full, steps);
}

TEST(warp_intrinsics, lanes_may_wait_for_others_that_are_still_busy_elsewhere) {
  device_array<unsigned> out(32);
  for_each_seed(8, [&] {
    ASSERT_EQ(em::launch(meet_after_different_work, shape(1, 32), out.get()), cudaSuccess);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 32u * 33u / 2);
  });
}

__global__ void two_halves(unsigned* out) {  // the same intrinsic, in two places of the program
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __ballot_sync(0x0000FFFFu, 1);
    __syncwarp(0x0000FFFFu);
  } else {
    out[threadIdx.x] = __ballot_sync(0xFFFF0000u, 1);
  }
  __syncwarp();
}

TEST(warp_intrinsics, disjoint_masks_are_independent) {
  device_array<unsigned> out(32);
  for_each_seed(8, [&] {
    ASSERT_EQ(em::launch(two_halves, shape(1, 32), out.get()), cudaSuccess);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0x0000FFFFu : 0xFFFF0000u);
  });
}

__global__ void full_mask_in_a_short_warp(unsigned* out) { out[threadIdx.x] = __ballot_sync(full, 1); }

TEST(warp_intrinsics, lanes_that_do_not_exist_are_not_waited_for) {
  device_array<unsigned> out(40);
  ASSERT_EQ(em::launch(full_mask_in_a_short_warp, shape(1, 40), out.get()), cudaSuccess);
  EXPECT_EQ(out[0], full);
  EXPECT_EQ(out[32], 0xFFu);
  EXPECT_EQ(out[39], 0xFFu);
}

__global__ void pass_through_shared_memory(int* out) {
  int* box = static_cast<int*>(em::dynamic_shared(32 * sizeof(int), alignof(int)));
  const int lane = static_cast<int>(threadIdx.x);
  for (int round = 0; round < 10; ++round) {
    box[lane] = lane + round;
    __syncwarp();
    out[lane] = box[(lane + 1) % 32];
    __syncwarp();
  }
}

TEST(warp_intrinsics, syncwarp_orders_the_lanes) {
  device_array<int> out(32);
  for_each_seed(20, [&] {
    ASSERT_EQ(em::launch(pass_through_shared_memory, shape(1, 32, 32 * sizeof(int)), out.get()), cudaSuccess);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 1) % 32 + 9);
  });
}

}  // namespace
