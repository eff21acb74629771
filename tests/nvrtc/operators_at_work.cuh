// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that lifts, folds and lowers by the operators that consist of others, so that NVRTC instantiates them.
#pragma once
#include <warpfold/exact/operator.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/where.hpp>

struct is_positive {
  __device__ bool operator()(float x) const { return x > 0; }
};
struct square {
  __device__ float operator()(float x) const { return x * x; }
};

template <class Op> __device__ auto folded(const Op& op, float item) {
  using accumulator = warpfold::accumulator_t<Op, float>;
  const accumulator all = warpfold::warp::reduce(static_cast<accumulator>(op.lift(item)), op);
  if constexpr (warpfold::lowers<Op, accumulator>) return op.lower(all);
  else return all;
}

extern "C" __global__ void operators_at_work(const float* in, float* out) {
  const float item = in[threadIdx.x];
  const auto statistics = folded(warpfold::statistics{}, item);
  const auto fused = folded(warpfold::fuse(warpfold::plus{}, warpfold::with(square{}, warpfold::maximum{})), item);
  const float exact = folded(warpfold::exact_plus{}, item);
  const float some = folded(warpfold::where(is_positive{}, warpfold::minimum{}, 1.f), item);
  const float masked = folded(warpfold::where(is_positive{}, warpfold::plus{}), item);
  if (threadIdx.x == 0) {
    out[0] = static_cast<float>(statistics.stddev()) + statistics.maximum + static_cast<float>(statistics.nan_count);
    out[1] = fused.get<0>() + fused.get<1>();
    out[2] = exact;
    out[3] = some + masked;
  }
}
