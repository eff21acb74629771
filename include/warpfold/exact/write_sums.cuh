// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the exact sums of segments are written.
#pragma once
#include <warpfold/exact/arguments.cuh>
#include <warpfold/exact/tile_level.cuh>
#include <warpfold/thread/lift.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the result of a segment. Not inlined, and by values, as write_sum is.
template <class Out, class A, class Op>
__device__ __attribute__((noinline)) void write_segment_sum(Out out, const grid::initial_value<A>* init, Op op, A sum) {
  *out = init != nullptr ? init->join(sum, op) : sum;
}
template <class Arguments, class V = typename Arguments::V>
__device__ void write_sum_of(const Arguments& arguments, std::int64_t segment, const superaccumulator<V>& sum) {
  write_segment_sum(arguments.out + segment, arguments.init.exists() ? &arguments.init : nullptr, arguments.op, sum);
}
/// Writes the sum of a segment that was summed at `level`.
template <class Arguments, class V = typename Arguments::V>
__device__ void write_sum_of(const Arguments& arguments, std::int64_t segment, const level_sum& own,
                             const tile_level<V>& level) {
  const scaled_sum<V> sum{own.digits, level.digit_exponent(), own.kinds};
  constexpr bool takes_scaled = requires { arguments.op.lower(sum); };
  if constexpr (takes_scaled)
    if (sum.is_normal() && !arguments.init.exists()) {
      *(arguments.out + segment) = sum;
      return;
    }
  write_sum_of(arguments, segment, accumulator_of<V>(sum.digits, sum.exponent, sum.kinds));
}

/// The result of empty segments, made once where the output takes it so, since rounding an accumulator takes a hundred
/// instructions.
template <class Arguments> class empty_result {
 public:
  __device__ explicit empty_result(const Arguments& arguments) : arguments_(arguments) {
    if constexpr (is_kept) result_ = arguments.op.lower(arguments.empty.alone());
  }
  __device__ void write(std::int64_t segment) const {
    if constexpr (is_kept) *(arguments_.out + segment) = thread::lowered_value<result>{result_};
    else *(arguments_.out + segment) = arguments_.empty.alone();
  }

 private:
  using op = std::remove_cvref_t<decltype(Arguments::op)>;
  using result = std::remove_cvref_t<lowered_t<op, superaccumulator<typename Arguments::V>>>;
  static constexpr bool is_kept = thread::takes_lowered<std::remove_cvref_t<decltype(Arguments::out)>>;

  const Arguments& arguments_;
  result result_{};
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
