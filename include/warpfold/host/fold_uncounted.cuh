// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of several results by an operator that names a simpler one (operator_traits.hpp: uncounted).
#pragma once
#include <warpfold/host/initial_value.cuh>
#include <warpfold/thread/counted_output.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether reductions by `Op` of what `Transform` makes of the items of `Source` are those of a simpler operator. Every
/// result of nothing is known.
template <class Op, class Transform, class Source, class A>
inline constexpr bool folds_uncounted = [] {
  if constexpr (has_identity_v<Op, A> && !lowers_segments<Op, A>)
    return warpfold::detail::folds_uncounted<Op, typename thread::detail::transformed_items<Transform, Source>::type,
                                             A>;
  else return false;
}();

/// Calls enqueue(operator, output, options) with the simpler operator. Results have `items` items each, unless the
/// kernel tells how many.
template <class Transform, class Source, class A, class Op, class Out, class Enqueue>
void fold_uncounted(const char* function, const Op& op, const Out& out, std::int64_t items,
                    const segmented_options<A>& options, Enqueue enqueue) {
  using item = typename thread::detail::transformed_items<Transform, Source>::type;
  const auto simple = op.template uncounted<item>();
  using B = accumulator_t<std::remove_const_t<decltype(simple)>, item>;
  const thread::counted_output<A, Op, Out, grid::initial_value<A>> to{
      op, out, items, initial_value_of<Op>(function, options.init), empty_value_of<Op, Out>(function, options, "")};
  enqueue(simple, to, segmented_options<B>{options.stream, {}, {}, options.workspace, options.max_blocks});
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
