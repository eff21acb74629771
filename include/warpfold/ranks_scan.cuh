// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of items that lie on several ranks: each rank has a part of the input, and gets the results of its items.
//
//   wf::inclusive_scan(ranks, in, wf::gathered(ranks, count), out, wf::plus{});
//   wf::exclusive_scan(ranks, in, of, out, wf::plus{}, {.init = 1});
//
// - Ranks, parts, options and errors are those of ranks.cuh; results are those of scan.cuh: each prefix has the bits of
//   `reduce` over all items up to there, whatever the split.
// - `in`, `out`: ranges in device memory, `out` of as many accumulators, or more. An inclusive scan may write onto its
//   input. Operators that lower results, or have kernels of their own (exact_plus of floating-point numbers, top_k), do
//   not work.
// - Cost: reduce_part and the exchange; and a segmented scan of the part, which joins to each result the nodes on the
//   left of the part before it is written, about one operation for each binary digit of part.first.
//
// A part is cut into blocks: its nodes whose sizes rise, and all the rest, which begins at a multiple of a larger power
// of two than it is long. So a block's own prefixes are right halves of the whole ones: they are scanned as a segment
// each. The items before a block make one node for each binary digit of its first number; these are the nodes of all
// ranks before, and of the blocks before.
#pragma once
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/prefixes.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_scan.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <communicator Ranks> struct rank_scan<Ranks> {
  static constexpr bool exists = true;
  template <class A> using options = rank_options<A>;

  template <scan::scan_kind Kind, class A, class In, class Out, class Op>
  static void scan(const char* function, Ranks& ranks, const In& in, const part& of, Out&& out, Op op,
                   const rank_options<A>& options) {
    using T = item_t<const In>;
    constexpr bool is_exclusive = Kind == scan::scan_kind::exclusive;
    static_assert(device_range<std::remove_reference_t<Out>> && std::is_same_v<item_t<Out>, A>,
                  "warpfold: a scan over ranks writes accumulators to a range: accumulate in the items' type by "
                  "wf::accumulate_in<T>(op)");
    static_assert(!lowers<Op, A> && !host_side::own_reduction<Op, A>::exists,
                  "warpfold: a scan over ranks takes no operator that lowers results or has a kernel of its own");
    using namespace warpfold::ranks;
    const auto count = static_cast<std::int64_t>(in.size());
    const call_options local{options.stream, options.workspace, options.max_blocks};
    const auto blocks = cut_for_scan(of.first, count);
    using work = prefix_work<A, Op>;
    exchange<A, Op, Ranks> call(function, ranks, op, local, options.timeout, -1, work::bytes(blocks.count));
    call.run([&] {
      const T* const from = to_pointer(in.data());
      A* const to = to_pointer(out.data());
      constexpr std::int64_t most = canonical_nodes<A, Op>::most_items;
      if (of.first < 0 || of.first > most - count)
        reject(function,
               {"part.first is ", of.first, " and count is ", count, "; items are numbered from 0 to ", most - 1});
      if (static_cast<std::int64_t>(out.size()) < count)
        reject(function, {"out has ", out.size(), " items, in has ", count});
      if (count > 0) {
        host_side::check_pointer(function, "in", from);
        host_side::check_pointer(function, "out", to);
      }
      if constexpr (is_exclusive) host_side::check_apart(function, "in", from, count, "out", to, count);
      else host_side::check_apart_or_in_place(function, "in", from, "out", to, count);
      host_side::check_initial_apart(function, "init", options.init, "out", to, count);
      const auto init = host_side::initial_value_of<Op>(function, options.init);
      const A nothing = host_side::first_without_init<is_exclusive, Op, A*>(function, options.init);

      const work at(call.room(), blocks);
      const std::int64_t scanned = count - is_exclusive;  // item i of these goes to result i, or i + 1
      host_side::enqueue(&write_borders_kernel<A, Op>, {1, 64}, options.stream, at, scanned);
      const prefix_join<A, Op> prefixes{at, op, init, nothing, is_exclusive};
      call.reduce(make_leaves<A>(op, make_source(from, count), thread::no_transform{}), of.first,
                  list_left<A, Op>{prefixes, ranks.rank(), to});
      if (scanned <= 0) return;
      const std::span<const std::int64_t> offsets(at.borders, static_cast<std::size_t>(blocks.count) + 1);
      scan_blocks<T, A>(function, from, scanned, of.first, offsets, to + is_exclusive, prefixes, op,
                        with_scratch(ranks, local));
    });
  }

 private:
  template <class T, class A, class Op>
  static void scan_blocks(const char* function, const T* from, std::int64_t count, std::int64_t first,
                          std::span<const std::int64_t> offsets, A* to, const auto& finish, Op op,
                          const call_options& options) {
    const output<A*> out{to, count};
    const auto described = segmented_scan::described(
        segment::checked_spans(function, offsets, count, static_cast<std::int64_t>(offsets.size()) - 1, "begins", out));
    constexpr int most_items = segmented_scan::scanned_chunk_items(warp::chunk_items_of<T, A*>(), sizeof(A), false);
    constexpr int items =
        segmented_scan::fitting_chunk_items<A, most_items, std::remove_const_t<decltype(described)>::has_gaps>();
    auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(from, count), thread::no_transform{});
    thread::number_from(leaves, first);
    constexpr std::size_t chunk_bytes = sizeof(typename decltype(leaves)::chunk);
    segmented_scan::enqueue<false, segmented_scan::kernel_policy_for(items, chunk_bytes, sizeof(A))>(
        function, described, leaves,
        segmented_scan::finished_output<A, std::remove_cvref_t<decltype(finish)>>{to, finish}, op,
        reduce_options<A>{options.stream, {}, options.workspace, options.max_blocks});
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

}  // namespace warpfold
