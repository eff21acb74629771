// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions over axes whose outermost one is as long as the device knows.
#pragma once
#include <warpfold/axes/dispatch.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// As enqueue, for `given` with the outermost axis as long as it may be, `number.most`. That axis is reduced. One
/// algorithm takes all shapes.
template <class Leaves, class Op, class Out, class N, class A = typename Leaves::accumulator>
void enqueue_counted(const char* function, const shape& given, const Leaves& leaves, Op op, Out out,
                     const grid::device_items<N>& number, const segmented_options<A>& options) {
  using operation = thread::items_operator<Leaves, Op>;
  using output = counted_output<Out, N, A>;
  const host_side::call_frame frame(function, options, axis_reduction::scratch(sizeof(A)));
  const auto nothing = host_side::empty_value_of<Op, Out>(
      function, options, "the operator has no identity: .init or .empty must say what a count of 0 gives");
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  if (given.outputs == 0) return;
  if (given.reduced_items == 0) return enqueue_empty(frame, given, out, nothing);
  constexpr std::size_t item_bytes = sizeof(typename Leaves::item);
  constexpr int vector = vector_items(item_bytes, sizeof(A));
  const kernel_choice choice = choose_kernel(given, reinterpret_cast<std::uintptr_t>(leaves.data), item_bytes,
                                             sizeof(A), vector, thread::items_per_chunk(item_bytes));
  const bool by_rows = choice.kind == kernel_kind::rows || choice.kind == kernel_kind::short_rows;
  const auto enqueue_in = [&]<class In>(const In& in) {
    enqueue_with<shared_columns<axis_arguments<In, operation, output>>>(
        {frame, given, choice}, in, operation{op}, output{out, number, given.reduced_items / number.most, nothing},
        init);
  };
  if constexpr (vector > 1)
    if (!by_rows && choice.vector > 1) return enqueue_in(leaves.template in_chunks<vector>());
  enqueue_in(leaves.template in_chunks<1>());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
