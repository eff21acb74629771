// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal adjacent keys that lie on several ranks, to a key and a value each. A run may lie on any number of
// ranks.
//
//   keys    7 7 7 3 | 3 3 | 3 5 5        out_keys     7    |      | 3 5
//   values  1 2 3 4 | 5 6 | 7 8 9        out_values   6    |      | 22 17
//   ranks   0       | 1   | 2            out_count    1    | 0    | 2
//
// | function                     | inputs                | outputs                         | then                   |
// |------------------------------|-----------------------|---------------------------------|------------------------|
// | reduce_by_key(ranks, ...)    | keys, values[, count] | out_keys, out_values, out_count | op[, equal]            |
// | transform_reduce_by_key(...) | keys, values          | out_keys, out_values, out_count | op, transform[, equal] |
//
// - Between inputs and outputs stands the part. Ranks, parts, options and errors are those of ranks.cuh; inputs,
//   outputs, operators and equality are those of reduce_by_key.cuh. Each rank passes the keys and values of its part.
// - Each rank gets the runs that end in its part, so the outputs of all ranks, one after another in the order of their
//   parts, are those of one call. A run's key is that of its first item, on whichever rank. *out_count is the number of
//   the rank's runs; behind them one more key and value may be written, where there is room.
// - Each value has the bits that it has in one call over all items on one GPU, whatever the parts. Indices (argmax)
//   count over all items.
// - After an error the outputs hold nothing that is meant.
// - A rank can have 2^33 items.
// - Cost: reduce_by_key of the part; a search for its second and its last run; one more reading of its first and its
//   last run, whose nodes are sent; the exchange; a fold of the nodes of the run that crosses to this rank.
#pragma once
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/end_runs.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/segmented/dispatch.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Folds the nodes of both ends into the message. `nothing` is what empty segments would give.
template <class A, class Op, class Transform, class Source, class Message>
void enqueue_nodes(const char* function, const Source& source, std::int64_t first, const Op& op,
                   const Transform& transform, Message* message, const warpfold::ranks::node_borders& borders,
                   const A* nothing, const call_options& options) {
  using iterator = warpfold::ranks::node_borders::iterator;
  const segment::bounds_spans<iterator, iterator> spans{borders.begins(), borders.ends(), 2 * borders.slots};
  auto leaves = make_leaves<A>(op, source, transform);
  thread::number_from(leaves, first);
  host_side::segmented_reduce_with<automatic>::enqueue(
      function, segmented::described(spans, 0), leaves,
      segmented::to_indexed(warpfold::ranks::node_outputs<A, Op, Message>{op, message, borders}), op,
      segmented_options<A>{options.stream, {}, initial<A>(nothing), options.workspace, options.max_blocks});
}

template <class A, class Ranks, class Op, class Transform, class Equal>
void reduce_runs_over_ranks(const char* function, Ranks& ranks, const auto& keys, const auto& values,
                            const auto& count_items, const part& of, const auto& out_keys, const auto& out_values,
                            const auto& out_count, Op op, Transform transform, Equal equal,
                            const rank_options<A>& options) {
  namespace r = warpfold::ranks;
  using key = iterator_item_t<std::remove_cvref_t<decltype(keys)>>;
  using value = iterator_item_t<std::remove_cvref_t<decltype(values)>>;
  using message = r::run_message<A, Op, key>;
  using list = canonical_nodes<A, Op>;
  if constexpr (!by_key::check_types<key, value, Op, Transform, Equal, A>()) {
  } else if constexpr (by_key::check_outputs<key, Op, A, decltype(out_keys.first), decltype(out_values.first),
                                             decltype(out_count.first)>()) {
    // Behind the exchange: what is found of the runs, an unused value for empty slots, borders, and a list.
    constexpr std::size_t nothing_at = 128, borders_at = 512;
    static_assert(sizeof(r::part_runs) <= nothing_at && nothing_at + sizeof(A) <= borders_at);
    constexpr std::int64_t most = std::int64_t{1} << 33;  // so that the nodes of both ends fit a message
    const int most_slots = r::most_end_nodes(most);
    const std::size_t border_bytes = 2 * (static_cast<std::size_t>(most_slots) + 1) * sizeof(std::int64_t),
                      list_at = borders_at + (border_bytes + 127) / 128 * 128;
    const call_options local{options.stream, options.workspace, options.max_blocks};
    r::exchange<A, Op, Ranks, message> call(function, ranks, op, local, options.timeout, -1, list_at + sizeof(list),
                                            " of keys in " + std::string(host_side::type_name<key>()));
    call.run([&] {
      const std::int64_t count = count_items();
      const std::int64_t room_for =
          check_runs(function, keys, values, count, out_keys, out_values, out_count, options.init);
      if (count > most) reject(function, {"count is ", count, "; a rank can have 2^33 items"});
      if (of.first < 0 || of.first > list::most_items - count)
        reject(function, {"part.first is ", of.first, " and count is ", count, "; items are numbered from 0 to ",
                          list::most_items - 1});
      by_key::check_countable<std::iter_value_t<decltype(out_count.first)>>(function, count);
      const auto init = host_side::initial_value_of<Op>(function, options.init);
      const auto key_source = make_source(keys, count);
      const auto value_source = make_source(values, count);
      using key_source_type = std::remove_const_t<decltype(key_source)>;

      std::byte* const room = call.room();
      auto* const runs = reinterpret_cast<r::part_runs*>(room);
      const r::node_borders borders{reinterpret_cast<std::int64_t*>(room + borders_at), r::most_end_nodes(count)};
      require_success(cudaMemsetAsync(room, 0, borders_at, options.stream), "cudaMemsetAsync");
      if (count > 0) {
        const std::int64_t chunks = host_side::divide_up(count, r::find_heads_items);
        const int blocks = 4 * host_side::limits_of(host_side::current_device()).multiprocessors;
        host_side::enqueue(&r::find_heads_kernel<key_source_type, Equal>,
                           {static_cast<int>(least_of<std::int64_t>(chunks, blocks)), r::find_heads_threads},
                           options.stream, key_source, equal, runs);
      }
      host_side::enqueue(&r::cut_runs_kernel<key_source_type, message>, {1, 128}, options.stream, key_source, of.first,
                         runs, call.own_message(), borders);
      const auto lowered = lower_into<A>(op, out_values.first);
      using values_type = std::remove_const_t<decltype(lowered)>;
      const call_options how = r::with_scratch(ranks, local);
      if (count > 0) {
        constexpr int items = by_key::thread_items_of<key, value, A>;
        auto leaves = make_leaves<A>(op, by_key::in_thread_chunks<items>(value_source), transform);
        thread::number_from(leaves, of.first);
        const by_key::run_outputs<decltype(out_keys.first), values_type, std::int64_t*> outputs{out_keys.first, lowered,
                                                                                                &runs->count, room_for};
        by_key::enqueue_part(function, by_key::in_thread_chunks<items>(key_source), leaves, of.first, op, equal,
                             outputs, reduce_options<A>{how.stream, options.init, how.workspace, how.max_blocks});
        enqueue_nodes(function, value_source, of.first, op, transform, call.own_message(), borders,
                      reinterpret_cast<const A*>(room + nothing_at), how);
      }
      using outputs = by_key::run_outputs<decltype(out_keys.first), values_type, decltype(out_count.first)>;
      call.send(of.first, of.first + count,
                r::join_runs<A, Op, key, Equal, outputs>{{out_keys.first, lowered, out_count.first, room_for},
                                                         equal,
                                                         init,
                                                         runs,
                                                         reinterpret_cast<list*>(room + list_at),
                                                         ranks.rank()});
    });
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces the runs of equal keys that end in the part, of which keys[0] is item of.first; the head of this file says
/// what the arguments are.
template <communicator Ranks, class Keys, class Values, operator_argument Op,
          class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(Ranks& ranks, const Keys& keys, const Values& values, part of, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   equality_argument auto equal, const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_runs_over_ranks(
      "reduce_by_key", ranks, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
      [&] { return detail::common_size("reduce_by_key", keys, values); }, of, to_output(out_keys),
      to_output(out_values), to_output(out_count), op, thread::no_transform{}, equal, options);
}
/// As above with ==.
template <communicator Ranks, class Keys, class Values, operator_argument Op,
          class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(Ranks& ranks, const Keys& keys, const Values& values, part of, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   const std::type_identity_t<rank_options<A>>& options = {}) {
  warpfold::reduce_by_key(ranks, keys, values, of, out_keys, out_values, out_count, op, equal_to{}, options);
}
/// The same over `count` items of two iterators.
template <communicator Ranks, item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(Ranks& ranks, const KeyIt& keys, const ValueIt& values, std::int64_t count, part of,
                   output_argument auto&& out_keys, output_argument auto&& out_values, output_argument auto&& out_count,
                   Op op, equality_argument auto equal, const std::type_identity_t<rank_options<A>>& options = {}) {
  detail::reduce_runs_over_ranks(
      "reduce_by_key", ranks, to_kernel_iterator(keys), to_kernel_iterator(values), [&] { return count; }, of,
      to_output(out_keys), to_output(out_values), to_output(out_count), op, thread::no_transform{}, equal, options);
}
/// As above with ==.
template <communicator Ranks, item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(Ranks& ranks, const KeyIt& keys, const ValueIt& values, std::int64_t count, part of,
                   output_argument auto&& out_keys, output_argument auto&& out_values, output_argument auto&& out_count,
                   Op op, const std::type_identity_t<rank_options<A>>& options = {}) {
  warpfold::reduce_by_key(ranks, keys, values, count, of, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// For each run init op transform(value) op …; else as reduce_by_key. The accumulator follows what `transform`
/// returns.
template <communicator Ranks, class Keys, class Values, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(Ranks& ranks, const Keys& keys, const Values& values, part of,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform, equality_argument auto equal,
                             const std::type_identity_t<rank_options<A>>& options = {}) {
  constexpr const char* function = "transform_reduce_by_key";
  detail::reduce_runs_over_ranks(
      function, ranks, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
      [&] { return detail::common_size(function, keys, values); }, of, to_output(out_keys), to_output(out_values),
      to_output(out_count), op, transform, equal, options);
}
/// As above with ==.
template <communicator Ranks, class Keys, class Values, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(Ranks& ranks, const Keys& keys, const Values& values, part of,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform,
                             const std::type_identity_t<rank_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(ranks, keys, values, of, out_keys, out_values, out_count, op, transform, equal_to{},
                                    options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
