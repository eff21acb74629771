// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented reduction by the kernel that stages, however many segments of whatever length there are: a call takes it for large
// inputs only.
#pragma once
#include "ways.cuh"

namespace wf_test {

template <class T, class Segments, class A, class Op, class Transform = warpfold::thread::no_transform>
void reduce_staged(std::span<const T> in, const Segments& segments, std::span<A> out, Op op, const warpfold::segmented_options<A>& options,
                   Transform transform = {}) {
  namespace dispatch = warpfold::dispatch;
  constexpr const char* function = "reduce_staged";
  const auto items = static_cast<std::int64_t>(in.size());
  const auto described = warpfold::detail::make_segments(function, segments, items, out);
  const auto source = dispatch::in_narrow_chunks<A>(warpfold::detail::make_source(in.data(), items));
  const warpfold::thread::leaves<std::remove_const_t<decltype(source)>, Transform, A> leaves{source, transform};
  using leaves_type = std::remove_const_t<decltype(leaves)>;
  static_assert(warpfold::grid::can_stage<leaves_type>);
  if (out.empty()) return;
  using staged = dispatch::general_segmented_kernel<true, std::remove_const_t<decltype(described)>, leaves_type, Op, A*>;
  staged::enqueue({described, leaves, op, out.data(), dispatch::initial_value_of<Op>(function, options.init, 1),
                   dispatch::empty_value_of<Op>(function, options), {}, {}},
                  options);
}

}  // namespace wf_test
