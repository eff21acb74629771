// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions over axes whose outermost one is as long as the device knows.
#pragma once
#include <warpfold/axes/dispatch.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the results of as many outputs without items as the device knows.
template <class Out, class N, class A> __global__ void __launch_bounds__(256)
counted_empty_kernel(const __grid_constant__ index_map kept, const __grid_constant__ counted_output<Out, N, A> out) {
  write_nothing<1>(out, kept, out.number.read() * out.each, 0);
}

/// The same on the host, for `given` that has outputs, but no items.
template <class Out, class N, class A>
void enqueue_counted_empty(const host_side::call_frame& frame, const shape& given,
                           const counted_output<Out, N, A>& out) {
  if (!out.is_kept) return enqueue_empty(frame, given, out.out, out.nothing);
  frame.launch(
      &counted_empty_kernel<Out, N, A>, {grid_of(host_side::divide_up(given.outputs, 256), frame.max_blocks()), 256},
      false, [&](const auto&) { return index_map(given.kept); }, out);
}

/// As enqueue, for `given` with the outermost axis as long as it may be, `number.most`. One algorithm takes all shapes.
template <class Leaves, class Op, class Out, class N, class A = typename Leaves::accumulator>
void enqueue_counted(const char* function, const shape& given, const Leaves& leaves, Op op, Out out,
                     const grid::device_items<N>& number, bool is_kept, const segmented_options<A>& options) {
  using operation = thread::items_operator<Leaves, Op>;
  using output = counted_output<Out, N, A>;
  const host_side::call_frame frame(function, options, axis_reduction::scratch(sizeof(A)));
  grid::initial_value<A> nothing{};
  if (!is_kept || given.reduced_items == 0)
    nothing = host_side::empty_value_of<Op, Out>(
        function, options,
        is_kept ? "the reduced axes have no items, and the operator has no identity: .init or .empty must be given"
                : "the operator has no identity: .init or .empty must say what a count of 0 gives");
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  if (given.outputs == 0) return;
  if (given.reduced_items == 0)
    return enqueue_counted_empty(frame, given,
                                 output{out, number, is_kept, is_kept ? given.outputs / number.most : 0, nothing});
  constexpr std::size_t item_bytes = sizeof(typename Leaves::item);
  constexpr int vector = vector_items(item_bytes, sizeof(A));
  const kernel_choice choice = choose_kernel(given, reinterpret_cast<std::uintptr_t>(leaves.data), item_bytes,
                                             sizeof(A), vector, thread::items_per_chunk(item_bytes));
  const bool by_rows = choice.kind == kernel_kind::rows;
  const auto enqueue_in = [&]<class In>(const In& in) {
    const std::int64_t each =
        is_kept ? given.outputs / In::chunk_items / number.most : given.reduced_items / number.most;
    enqueue_with<shared_columns<axis_arguments<In, operation, output>>>(
        {frame, given, choice}, in, operation{op}, output{out, number, is_kept, each, nothing}, init);
  };
  if constexpr (vector > 1)
    if (!by_rows && choice.vector > 1 && !(is_kept && given.outputs / number.most % vector != 0))
      return enqueue_in(leaves.template in_chunks<vector>());
  enqueue_in(leaves.template in_chunks<1>());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
