// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One result of items that lie on several GPUs, in one process or in many: each rank has a part of the input.
//
//   wf::local_ranks gpus({0, 1});                    // ranks/local.cuh; or ranks/mpi.cuh, ranks/nccl.cuh
//   for (int r = 0; r < 2; ++r) {                    // or a thread, or a process, for each rank
//     wf::require_success(cudaSetDevice(r), "cudaSetDevice");
//     wf::all_reduce(gpus[r], in[r], wf::part{.first = first[r]}, out[r], wf::plus{}, {.stream = stream[r]});
//   }
//
// | function                         | inputs, any of                                    | then                       |
// |----------------------------------|---------------------------------------------------|----------------------------|
// | all_reduce(ranks, ...)           | in; first, count                                  | part, out, op [options]    |
// | reduce(ranks, wf::root{r}, ...)  | in; first, count                                  | part, out, op [options]    |
// | transform_all_reduce(ranks, ...) | in; first, count; left, right; left, right, count | part, out, op, f [options] |
// | all_reduce_value(ranks, ...)     | in; first, count                                  | part, op [options]         |
// | transform_all_reduce_value(...)  | in; left, right                                   | part, op, f [options]      |
// | gathered(ranks, count)           |                                                   | returns the part [options] |
//
// - Each rank calls the same function, with its part of the input: the items from number part.first on. The parts
//   cover all items once; they may be of any lengths, also empty, and lie on ranks in any order. gathered() is the part
//   if ranks have the items in their order: one exchange of counts.
// - Each result has the bits of `reduce` over all items on one GPU, whatever the parts, ranks and transport. Indices
//   (argmax, top_k) count over all items. Inputs, operators, transforms and outputs are those of reduce.cuh.
// - Calls enqueue and return; the _value forms and gathered wait. The calls on a communicator must follow each other on
//   each rank, in the same order on all: use one stream, or order streams by events. A communicator is for one thread
//   at a time.
// - A call can be captured where the transport can; its communicator must outlive the graph. All ranks must replay the
//   graph equally often.
// - Errors. A mistake on one rank is thrown there, as by `reduce`; the others throw wf::rank_error, which has the
//   text. Ranks that do not fit together all throw, with ranks and numbers: std::invalid_argument for parts
//   that overlap or leave gaps, other functions, operators, types or roots, and if no rank has items and there is no
//   result for that. A rank that waits longer than options.timeout throws wf::rank_error. Calls do not wait, so
//   communicator.wait(stream), or the next call on the communicator, throws; then `out` has not been written.
// - Cost: the local reduction, with its list written as by reduce_part; the exchange; a fold of all lists, which takes
//   microseconds for a few ranks.
#pragma once
#include <warpfold/ranks/exchange.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_part.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces `source` to `out` on all ranks, or on `to` only, where alone `out` is used.
template <class A, class Ranks, class Source, class Out, class Op, class Transform>
void reduce_over_ranks(const char* function, Ranks& ranks, int to, const auto& make_source, const part& of, Out&& out,
                       Op op, Transform transform, const rank_options<A>& options) {
  const call_options local{options.stream, options.workspace, options.max_blocks};
  warpfold::ranks::exchange<A, Op, Ranks> call(function, ranks, op, local, options.timeout, to);
  call.run([&] {
    const Source source = make_source();
    constexpr std::int64_t most = canonical_nodes<A, Op>::most_items;
    if (of.first < 0 || of.first > most - source.items)
      reject(function,
             {"part.first is ", of.first, " and count is ", source.items, "; items are numbered from 0 to ", most - 1});
    const bool is_written = to < 0 || to == ranks.rank();
    const auto target = lower_into<A>(op, is_written ? checked_output(function, out) : to_output(out).first);
    using target_type = std::remove_cv_t<decltype(target)>;
    grid::initial_value<A> nothing;
    if (options.init || has_identity_v<Op, A>)
      nothing = host_side::value_of_nothing<Op, target_type>(function, options.init);
    const grid::initial_value<A> init = host_side::initial_value_of<Op>(function, options.init);
    call.reduce(make_leaves<A>(op, source, transform), of.first,
                warpfold::ranks::join_lists<A, Op, target_type>{{target, init, nothing, is_written}});
  });
}

template <class A, class Ranks, class It, class Out, class Op, class Transform>
void reduce_items_over_ranks(const char* function, Ranks& ranks, int to, const char* argument, const It& first,
                             std::int64_t count, const part& of, Out&& out, Op op, Transform transform,
                             const rank_options<A>& options) {
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>, iterator_item_t<It>>()) {
    const auto source = [&] { return checked_source(function, argument, first, count); };
    reduce_over_ranks<A, Ranks, decltype(source())>(function, ranks, to, source, of, out, op, transform, options);
  }
}

template <class A, class Ranks, class Left, class Right, class Op, class Transform>
void reduce_pairs_over_ranks(const char* function, Ranks& ranks, int to, const Left& left, const Right& right,
                             std::int64_t count, std::int64_t right_count, const part& of, auto&& out, Op op,
                             Transform transform, const rank_options<A>& options) {
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<decltype(out)>>,
                            iterator_item_t<Left>, iterator_item_t<Right>>()) {
    const auto source = [&] {
      host_side::check_equal_counts(function, count, right_count);
      return checked_pairs(function, left, right, count);
    };
    reduce_over_ranks<A, Ranks, decltype(source())>(function, ranks, to, source, of, out, op, transform, options);
  }
}

/// Calls enqueue(out), waits for the ranks, and returns *out.
template <class R, class Ranks, class Enqueue>
R wait_for_ranks(const char* function, Ranks& ranks, cudaStream_t stream, Enqueue enqueue) {
  if (warpfold::ranks::is_capturing(stream))
    reject(function, "the stream is being captured; this function waits for it");
  R* const out = ranks.template value_place<R>();
  enqueue(out);
  ranks.wait(stream, function);
  struct {
    alignas(R) unsigned char bytes[sizeof(R)];
  } value;  // R may lack a default constructor
  std::memcpy(&value, out, sizeof(R));
  return std::bit_cast<R>(value);
}
template <class R> std::int64_t range_items(const R& range) { return static_cast<std::int64_t>(range.size()); }

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// The part of this rank if all ranks have items in the order of ranks: `count` items, behind those of the ranks
/// before. All ranks call it. Waits; throws as the head says.
template <communicator Ranks>
[[nodiscard]] part gathered(Ranks& ranks, std::int64_t count, const rank_options<std::int64_t>& options = {}) {
  using exchange = warpfold::ranks::exchange<std::int64_t, plus, Ranks>;
  return {detail::wait_for_ranks<std::int64_t>("gathered", ranks, options.stream, [&](std::int64_t* out) {
    exchange call("gathered", ranks, plus{}, {options.stream}, options.timeout);
    call.run([&] { call.tell(count, 0, 0, warpfold::ranks::count_items_before{ranks.rank(), out}); });
  })};
}

/// On each rank, *out = init op item 0 op item 1 … op the last item of all ranks; in[0] is item of.first.
template <communicator Ranks, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires any_device_output<Out>
void all_reduce(Ranks& ranks, const In& in, part of, Out&& out, Op op,
                const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("all_reduce", ranks, -1, "in", in.data(), detail::range_items(in), of, out, op,
                                     thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
  requires any_device_output<Out>
void all_reduce(Ranks& ranks, It first, std::int64_t count, part of, Out&& out, Op op,
                const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("all_reduce", ranks, -1, "first", first, count, of, out, op,
                                     thread::no_transform{}, options);
}
/// all_reduce, waiting for the stream and returning the value. Cannot be captured.
template <communicator Ranks, device_range In, operator_argument Op, class A = accumulator_t<Op, item_t<const In>>>
[[nodiscard]] lowered_t<Op, A> all_reduce_value(Ranks& ranks, const In& in, part of, Op op,
                                                const std::type_identity_t<rank_options<A>>& options = {}) {
  using R = lowered_t<Op, A>;
  return detail::wait_for_ranks<R>("all_reduce_value", ranks, options.stream, [&](R* out) {
    detail::reduce_items_over_ranks<A>("all_reduce_value", ranks, -1, "in", in.data(), detail::range_items(in), of, out,
                                       op, thread::no_transform{}, options);
  });
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<It>>>
[[nodiscard]] lowered_t<Op, A> all_reduce_value(Ranks& ranks, It first, std::int64_t count, part of, Op op,
                                                const std::type_identity_t<rank_options<A>>& options = {}) {
  using R = lowered_t<Op, A>;
  return detail::wait_for_ranks<R>("all_reduce_value", ranks, options.stream, [&](R* out) {
    detail::reduce_items_over_ranks<A>("all_reduce_value", ranks, -1, "first", first, count, of, out, op,
                                       thread::no_transform{}, options);
  });
}

/// all_reduce whose result only rank `to` gets. On other ranks `out` is not used.
template <communicator Ranks, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires any_device_output<Out>
void reduce(Ranks& ranks, root to, const In& in, part of, Out&& out, Op op,
            const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("reduce", ranks, to.rank, "in", in.data(), detail::range_items(in), of, out, op,
                                     thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
  requires any_device_output<Out>
void reduce(Ranks& ranks, root to, It first, std::int64_t count, part of, Out&& out, Op op,
            const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("reduce", ranks, to.rank, "first", first, count, of, out, op,
                                     thread::no_transform{}, options);
}

/// all_reduce of transform(in[0]) …. The accumulator follows what `transform` returns.
template <communicator Ranks, device_range In, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
  requires any_device_output<Out>
void transform_all_reduce(Ranks& ranks, const In& in, part of, Out&& out, Op op, Transform transform,
                          const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("transform_all_reduce", ranks, -1, "in", in.data(), detail::range_items(in), of,
                                     out, op, transform, options);
}
/// The same of `count` items from `first` on.
template <communicator Ranks, item_iterator It, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
  requires any_device_output<Out>
void transform_all_reduce(Ranks& ranks, It first, std::int64_t count, part of, Out&& out, Op op, Transform transform,
                          const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_items_over_ranks<A>("transform_all_reduce", ranks, -1, "first", first, count, of, out, op, transform,
                                     options);
}
/// all_reduce of transform(left[0], right[0]) …: with plus and multiplies, the dot product.
template <communicator Ranks, device_range Left, device_range Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
void transform_all_reduce(Ranks& ranks, const Left& left, const Right& right, part of, any_device_output auto&& out,
                          Op op, Transform transform, const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_pairs_over_ranks<A>("transform_all_reduce", ranks, -1, left.data(), right.data(),
                                     detail::range_items(left), detail::range_items(right), of, out, op, transform,
                                     options);
}
/// The same of `count` pairs.
template <communicator Ranks, item_iterator Left, item_iterator Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<Left>, iterator_item_t<Right>>>
void transform_all_reduce(Ranks& ranks, Left left, Right right, std::int64_t count, part of,
                          any_device_output auto&& out, Op op, Transform transform,
                          const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_pairs_over_ranks<A>("transform_all_reduce", ranks, -1, left, right, count, count, of, out, op,
                                     transform, options);
}
/// transform_all_reduce, waiting for the stream and returning the value. Cannot be captured.
template <communicator Ranks, device_range In, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
[[nodiscard]] lowered_t<Op, A> transform_all_reduce_value(Ranks& ranks, const In& in, part of, Op op,
                                                          Transform transform,
                                                          const std::type_identity_t<rank_options<A>>& options = {}) {
  using R = lowered_t<Op, A>;
  return detail::wait_for_ranks<R>("transform_all_reduce_value", ranks, options.stream, [&](R* out) {
    detail::reduce_items_over_ranks<A>("transform_all_reduce_value", ranks, -1, "in", in.data(),
                                       detail::range_items(in), of, out, op, transform, options);
  });
}
/// The same of two ranges.
template <communicator Ranks, device_range Left, device_range Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
[[nodiscard]] lowered_t<Op, A> transform_all_reduce_value(Ranks& ranks, const Left& left, const Right& right, part of,
                                                          Op op, Transform transform,
                                                          const std::type_identity_t<rank_options<A>>& options = {}) {
  using R = lowered_t<Op, A>;
  return detail::wait_for_ranks<R>("transform_all_reduce_value", ranks, options.stream, [&](R* out) {
    detail::reduce_pairs_over_ranks<A>("transform_all_reduce_value", ranks, -1, left.data(), right.data(),
                                       detail::range_items(left), detail::range_items(right), of, out, op, transform,
                                       options);
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
