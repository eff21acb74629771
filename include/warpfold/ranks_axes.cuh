// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are split over ranks along the axis that is reduced, such as the partial products of tensor-parallel
// layers: each result has the bits of the unsplit array's.
//
//   // y[j] = the sum over k of x[k][j]; rank r has rows 1024 r to 1024 r + 1023
//   wf::all_reduce_axes(ranks, wf::strided(rows, {1024, columns}), wf::part{1024 * r}, y, wf::axes{0}, wf::plus{});
//
// (An array that is split along a kept axis needs no exchange: reduce_axes on each rank.)
//
// - Ranks, options and errors are those of ranks.cuh. `in`: an array_view of device memory, with the rank's indices
//   part.first and on along the reduced axis; its other extents are the same on all ranks. `out`: a range in device
//   memory of one accumulator for each index of the kept axes, in row-major order.
// - One axis is reduced. Operators neither lift items nor lower results (no arg-reductions, moments, exact sums).
// - Results have the bits of reduce_axes over the whole array, whatever the parts.
// - Not for local_ranks that share a device: a call with more results than the ones before allocates, which CUDA may
//   put off until the kernel of another rank ends, which waits for this one. They would end with a rank_error.
// - Cost: reduce_axes of the part, once for each of its nodes (one, if it is a power of two of indices at a multiple of
//   that), an all-gather of as many results, and their fold. The call waits for the parts' numbers, but in a capture:
//   there, all parts must have as many nodes, as those of equal powers of two have.
#pragma once
#include <algorithm>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/joined_axes.cuh>
#include <warpfold/reduce_axes.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A rank's array, and the axis along which the whole one is split.
template <class T, std::size_t Rank> struct split_array {
  const T* data = nullptr;
  std::int64_t extents[Rank] = {}, strides[Rank] = {};
  std::size_t axis = 0;
  std::int64_t results = 1;  ///< the product of the other extents

  split_array() = default;
  /// Throws if `along` does not name one axis.
  template <class In> split_array(const char* function, const In& in, const axes& along) {
    constexpr int rank = static_cast<int>(Rank);
    if (along.count != 1) reject(function, {along.count, " axes are named; one can be split"});
    const int named = along.number[0] < 0 ? along.number[0] + rank : along.number[0];
    if (named < 0 || named >= rank)
      reject(function, {"axes name axis ", along.number[0], " of an array of ", rank, " dimensions"});
    axis = static_cast<std::size_t>(named);
    for (std::size_t i = 0; i < Rank; ++i) {
      extents[i] = static_cast<std::int64_t>(in.extent(i)), strides[i] = static_cast<std::int64_t>(in.stride(i));
      if (i != axis) results *= extents[i];
    }
    data = to_pointer(in.data_handle());
  }
  std::int64_t length() const { return extents[axis]; }
};

/// reduce_axes for each node of the part; results of node k go to to + k * array.results.
template <class T, std::size_t Rank, class A, class Op>
void reduce_axis_nodes(const split_array<T, Rank>& array, const warpfold::ranks::list_nodes& nodes, A* to, Op op,
                       const call_options& options) {
  const std::size_t axis = array.axis;
  std::int64_t kept[Rank > 1 ? Rank - 1 : 1] = {1};
  for (std::size_t i = 0, k = 0; i < Rank; ++i)
    if (i != axis) kept[k++] = array.extents[i];
  for (int k = 0; k < nodes.count(); ++k) {
    std::int64_t slice[Rank];
    std::copy_n(array.extents, Rank, slice);
    slice[axis] = nodes[k].items;
    const strided<const T, static_cast<int>(Rank)> in(array.data + (nodes[k].first - nodes.first) * array.strides[axis],
                                                      slice, array.strides);
    const segmented_options<A> how{options.stream, {}, {}, options.workspace, options.max_blocks};
    if constexpr (Rank == 1)
      warpfold::reduce_axes(in, strided<A, 0>(to + k * array.results), axes{static_cast<int>(axis)}, op, how);
    else
      warpfold::reduce_axes(in, strided<A, static_cast<int>(Rank) - 1>(to + k * array.results, kept),
                            axes{static_cast<int>(axis)}, op, how);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[kept indices] = init op the items along the axis that `along` names, over all ranks. Index 0 of `in` along that
/// axis is number of.first.
template <communicator Ranks, array_view In, device_range Out, operator_argument Op,
          class A = accumulator_t<Op, view_item_t<In>>>
void all_reduce_axes(Ranks& ranks, const In& in, part of, Out&& out, axes along, Op op,
                     const std::type_identity_t<rank_options<A>>& options = {}) {
  using T = view_item_t<In>;
  constexpr const char* function = "all_reduce_axes";
  constexpr std::size_t rank = detail::rank_of<In>;
  static_assert(rank > 0, "warpfold: an array without axes cannot be split");
  static_assert(std::is_same_v<item_t<Out>, A>, "warpfold: all_reduce_axes writes accumulators");
  static_assert(!lowers<Op, A> && !lifts<Op, T> && !host_side::own_reduction<Op, A>::exists,
                "warpfold: all_reduce_axes takes no operator that lifts items or lowers results");
  namespace r = warpfold::ranks;
  const call_options local{options.stream, options.workspace, options.max_blocks};
  const bool is_captured = r::is_capturing(options.stream);
  r::exchange<A, Op, Ranks> parts(function, ranks, op, local, options.timeout, -1, 128);
  detail::split_array<T, rank> array;
  A* to = nullptr;
  std::int64_t* is_valid = nullptr;
  grid::initial_value<A> init, nothing;
  r::list_nodes nodes(0, 0);
  parts.run([&] {
    array = detail::split_array<T, rank>(function, in, along);
    constexpr std::int64_t most = canonical_nodes<A, Op>::most_items;
    if (of.first < 0 || of.first > most - array.length())
      reject(function, {"part.first is ", of.first, " and there are ", array.length(),
                        " items along the axis; they are numbered from 0 to ", most - 1});
    to = to_pointer(out.data());
    if (static_cast<std::int64_t>(out.size()) < array.results)
      reject(function, {"out has ", out.size(), " items; there are ", array.results, " results"});
    if (array.results > 0) host_side::check_pointer(function, "out", to);
    if (array.results > 0 && array.length() > 0) host_side::check_pointer(function, "in", array.data);
    if (options.init || has_identity_v<Op, A>) nothing = host_side::value_of_nothing<Op, A*>(function, options.init);
    init = host_side::initial_value_of<Op>(function, options.init);
    nodes = r::list_nodes(of.first, of.first + array.length());
    is_valid = reinterpret_cast<std::int64_t*>(parts.room());
    parts.tell(array.results, nodes.first, nodes.end,
               r::check_axis_parts{is_captured ? is_valid : ranks.template value_place<std::int64_t>(), is_captured});
  });
  const r::gathered_messages gathered = parts.messages();
  std::int64_t most_nodes = nodes.count();
  if (!is_captured) {
    ranks.wait(options.stream, function);
    most_nodes = *ranks.template value_place<std::int64_t>();
    is_valid = nullptr;
  }
  const std::int64_t results = array.results;
  if (results == 0) return;
  if (most_nodes == 0 && !nothing.exists())
    reject(function, "no rank has items, the operator has no identity, and no .init was given");
  // Behind the messages of the exchange, and is_valid: this rank's nodes, then those of all.
  const std::size_t bytes = (static_cast<std::size_t>(most_nodes * results) * sizeof(A) + 127) / 128 * 128;
  r::exchange<A, Op, Ranks> values(function, ranks, op, local, options.timeout, -1,
                                   128 + (static_cast<std::size_t>(ranks.size()) + 1) * bytes);
  std::byte *const mine = values.room() + 128, *const all = mine + bytes;
  detail::reduce_axis_nodes(array, nodes, reinterpret_cast<A*>(mine), op, r::with_scratch(ranks, local));
  if (bytes > 0) ranks.all_gather(mine, all, bytes, options.stream);
  const int blocks = static_cast<int>(least_of<std::int64_t>(host_side::divide_up(results, 128), 1024));
  host_side::enqueue(&r::join_axes_kernel<A, Op>, {blocks, 128}, options.stream,
                     r::gathered_axes<A>{gathered, is_valid, all, results, bytes}, to, op, init, nothing);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
