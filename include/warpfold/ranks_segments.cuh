// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value for each segment of items that lie on several ranks. A segment may lie on any number of them.
//
//   // Rank r has items first to first + count - 1, and lists the segments that have items there:
//   wf::segmented_reduce(ranks, in, wf::part{first}, offsets, out, wf::plus{});
//
// | function                          | inputs, any of   | then                                             |
// |-----------------------------------|------------------|--------------------------------------------------|
// | segmented_reduce(ranks, ...)      | in; first, count | part, offsets, out, op [options]                 |
// | transform_segmented_reduce(...)   | in; first, count | part, offsets, out, op, transform [options]      |
//
// - Ranks, parts and errors are those of ranks.cuh. Inputs, operators, transforms and `out` are those of
//   segmented_reduce.cuh; options are rank_segmented_options, as {.stream = s}, say.
// - `offsets`: a range or an iterator of integers in device memory, one more than the rank has segments. They count
//   over the items of all ranks: segment s of the rank has the items offsets[s] to offsets[s + 1] - 1. (Offsets that
//   count from the part's first item: an iterator that adds part.first.)
// - Each rank lists the segments that have items in its part, in order, with the empty ones between them, and any empty
//   ones at the borders of the part. So its first segment may begin on ranks before, and its last one may go on behind.
//   A rank without items may have only empty segments, or none: `offsets` is then one number.
// - Each rank gets the results of all segments that it lists. So each rank that has a part of a segment gets the
//   result of all of it: out[0] on one rank may be the result that is the last one on another.
// - Each result has the bits of `reduce` over the segment alone, as on one GPU, whatever the parts. Indices (argmax)
//   count over all items, or within_segment from its begin.
// - Errors, beside those of ranks.cuh. All ranks throw std::invalid_argument if two ranks name other bounds of the
//   segment that crosses from one to the other, or if one does not list it; if a rank's first or last segment has
//   items, but none in its part, or is empty and lies elsewhere; and if it reaches beyond all items. Then the results
//   of first and last segments are not written. Other segments are checked as segmented_reduce checks them.
// - Cost: the local segmented_reduce, which folds also the nodes of the rank's first and last segment; the exchange of
//   these nodes; a fold of those that belong together.
#pragma once
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/end_segments.cuh>
#include <warpfold/segmented_reduce.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class A, class Ranks, class It, class Out, class Op, class Transform>
void reduce_segments_over_ranks(const char* function, Ranks& ranks, const char* argument, const It& first,
                                std::int64_t count, const part& of, const auto& offsets, Out&& out, const Op& op,
                                const Transform& transform, const rank_segmented_options<A>& options) {
  namespace r = warpfold::ranks;
  using message = r::end_message<A, Op>;
  using list = canonical_nodes<A, Op>;
  check_operator<Op, A>();
  if constexpr (!is_valid_operator<Op, A>) {
  } else if constexpr (check_transform<Op, Transform, A, iterator_item_t<It>>() &&
                       check_output<Op, A, std::remove_cvref_t<output_iterator_t<Out>>>()) {
    // Behind the exchange: two lists, and the borders of both ends' nodes.
    const int slots = r::most_end_nodes(count);
    const std::size_t border_bytes = 2 * (static_cast<std::size_t>(slots) + 1) * sizeof(std::int64_t),
                      lists_at = (border_bytes + 127) / 128 * 128;
    const call_options local{options.stream, options.workspace, options.max_blocks};
    r::exchange<A, Op, Ranks, message> call(function, ranks, op, local, options.timeout, -1,
                                            lists_at + 2 * sizeof(list));
    call.run([&] {
      const auto source = checked_source(function, argument, first, count);
      constexpr std::int64_t most = std::int64_t{1} << 40;  // so that the nodes of both ends fit a message
      if (count > most) reject(function, {"count is ", count, "; a rank can have 2^40 items"});
      if (of.first < 0 || of.first > list::most_items - count)
        reject(function, {"part.first is ", of.first, " and count is ", count, "; items are numbered from 0 to ",
                          list::most_items - 1});
      auto to = to_output(out);
      if constexpr (!is_sized_output<Out>) to.size = segment::count_of(function, offsets, count);
      host_side::check_equal_sizes(function, "out", to);
      if (to.size > 0) host_side::check_output_pointers(function, "out", to);
      host_side::check_outputs_apart(function, "out", to, to.size);
      host_side::check_outputs_apart_from(function, argument, to_kernel_iterator(first), count, "out", to, to.size);
      host_side::check_outputs_apart_from(function, "init", options.init, "out", to, to.size);
      host_side::check_outputs_apart_from(function, "empty", options.empty, "out", to, to.size);
      const auto spans =
          segment::checked_spans(function, offsets, count, to.size, is_sized_output<Out> ? "out" : "begins", to);
      using entries = std::remove_const_t<decltype(spans.offsets)>;
      using to_type = std::remove_const_t<decltype(to.first)>;
      const segmented_options<A> plain{options.stream, options.init, options.empty};
      const r::rank_outputs<A, Op, to_type> results{
          op, to.first, host_side::initial_value_of<Op>(function, options.init),
          host_side::empty_value_of<Op, to_type>(function, plain, segmented::no_empty_value)};

      std::byte* const room = call.room();
      auto* const borders = reinterpret_cast<std::int64_t*>(room);
      const r::rank_segments<entries> own{spans.offsets, to.size, of.first, of.first + count};
      const r::local_offsets<entries> cut{own, borders, slots};
      host_side::enqueue(&r::cut_ends_kernel<entries, message>, {1, 128}, options.stream, own, call.own_message(),
                         borders, slots);
      using offsets_type = r::local_offsets<entries>;
      const segment::offset_spans<offsets_type> local_spans{cut, cut.count()};
      const r::end_outputs<A, Op, entries, to_type> outputs{results, cut, call.own_message()};
      const call_options how = r::with_scratch(ranks, local);
      const auto enqueue = [&]<class B>(const auto& any_op, const segmented_options<B>& any_options) {
        auto leaves = make_leaves<B>(any_op, source, transform);
        thread::number_from(leaves, of.first);
        host_side::segmented_reduce_with<automatic>::enqueue(function, segmented::described(local_spans, 0), leaves,
                                                             segmented::to_indexed(outputs), any_op, any_options);
      };
      using source_type = std::remove_const_t<decltype(source)>;
      if constexpr (host_side::folds_uncounted<Op, Transform, source_type, A>) {
        using item = typename thread::detail::transformed_items<Transform, source_type>::type;
        const auto simple = op.template uncounted<item>();
        using B = accumulator_t<std::remove_const_t<decltype(simple)>, item>;
        enqueue(simple, segmented_options<B>{options.stream, {}, {}, how.workspace, how.max_blocks});
      } else {
        const initial<A>& empty = options.empty ? options.empty : options.init;  // not used, but must exist
        enqueue(op, segmented_options<A>{options.stream, {}, empty, how.workspace, how.max_blocks});
      }
      call.send(own.first, own.end,
                r::join_ends<A, Op, to_type>{results, to.size, reinterpret_cast<list*>(room + lists_at), ranks.rank()});
    });
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[s] = init op the items of segment s, which has the items offsets[s] … of all ranks; in[0] is item of.first.
template <communicator Ranks, device_range In, class Offsets, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires(integer_range<Offsets> || integer_iterator<Offsets>)
void segmented_reduce(Ranks& ranks, const In& in, part of, const Offsets& offsets, Out&& out, Op op,
                      const std::type_identity_t<rank_segmented_options<A>>& options = {}) {
  detail::reduce_segments_over_ranks<A>("segmented_reduce", ranks, "in", in.data(), detail::range_items(in), of,
                                        offsets, out, op, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, class Offsets, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
  requires(integer_range<Offsets> || integer_iterator<Offsets>)
void segmented_reduce(Ranks& ranks, It first, std::int64_t count, part of, const Offsets& offsets, Out&& out, Op op,
                      const std::type_identity_t<rank_segmented_options<A>>& options = {}) {
  detail::reduce_segments_over_ranks<A>("segmented_reduce", ranks, "first", first, count, of, offsets, out, op,
                                        thread::no_transform{}, options);
}

/// out[s] = init op transform(item) op ... over the items of segment s. The accumulator follows what `transform`
/// returns.
template <communicator Ranks, device_range In, class Offsets, class Out, operator_argument Op, class Transform>
  requires(integer_range<Offsets> || integer_iterator<Offsets>)
void transform_segmented_reduce(
    Ranks& ranks, const In& in, part of, const Offsets& offsets, Out&& out, Op op, Transform transform,
    const rank_segmented_options<detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>& options = {}) {
  using A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>;
  detail::reduce_segments_over_ranks<A>("transform_segmented_reduce", ranks, "in", in.data(), detail::range_items(in),
                                        of, offsets, out, op, transform, options);
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, class Offsets, class Out, operator_argument Op, class Transform>
  requires(integer_range<Offsets> || integer_iterator<Offsets>)
void transform_segmented_reduce(
    Ranks& ranks, It first, std::int64_t count, part of, const Offsets& offsets, Out&& out, Op op, Transform transform,
    const rank_segmented_options<detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>& options = {}) {
  using A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>;
  detail::reduce_segments_over_ranks<A>("transform_segmented_reduce", ranks, "first", first, count, of, offsets, out,
                                        op, transform, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
