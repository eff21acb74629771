// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of input in host memory: one value for each.
//
//   wf::segmented_reduce(wf::host(numbers), offsets, std::span(sums), wf::plus{}, {.devices = {0, 1}});
//
// - Inputs, devices, buffers and errors are those of host_memory.cuh; results are those of segmented_reduce.cuh: a
//   segment has the bits of `reduce` over it alone.
// - `offsets`: a contiguous range of 32- or 64-bit integers in host memory, one more than there are segments. They must
//   rise from 0 or more to the number of items at most; the call checks all of them.
// - `out`: a contiguous range of as many results, in memory of .devices[0], of the host, or managed.
// - Chunks are whole segments, with their offsets. A segment longer than .chunk_bytes is cut into parts, whose lists of
//   nodes are joined (canonical_nodes.hpp).
// - Operators that take the numbers of items (argmax, top_k) do not compile here.
#pragma once
#include <algorithm>
#include <atomic>
#include <warpfold/host_memory.cuh>
#include <warpfold/segmented_reduce.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Segments whose items travel together.
struct segment_group {
  std::int64_t first_segment, segments, first_item, items;
};
/// All groups, and the segments that are longer than a chunk.
struct segment_groups {
  std::vector<segment_group> groups, large;
  std::int64_t items = 0;
};

/// Checks all offsets, by up to `threads` threads: there may be as many as items. Throws for the first wrong segment.
template <class I>
void check_offsets(const char* function, const I* offsets, std::int64_t segments, std::int64_t items, int threads) {
  if (segments == 0) return;
  const auto number = [&](std::int64_t i) { return static_cast<std::int64_t>(offsets[i]); };
  constexpr std::int64_t piece_segments = 1 << 17;
  const std::int64_t pieces = (segments + piece_segments - 1) / piece_segments;
  std::atomic<bool> is_wrong = number(0) < 0 || number(segments) < 0 || number(segments) > items;
  host_memory::fill_crew crew(static_cast<int>(least_of<std::int64_t>(threads, pieces)) - 1);
  crew.run(pieces, [&](std::int64_t piece) {
    const I *const first = offsets + piece * piece_segments, *const last =
                                                                 offsets +
                                                                 least_of((piece + 1) * piece_segments, segments);
    int rises = 1;
    for (const I* each = first; each < last; ++each) rises &= each[0] <= each[1];
    if (rises == 0) is_wrong = true;
  });
  if (!is_wrong) return;
  std::int64_t s = 0;
  while (number(s) >= 0 && number(s) <= number(s + 1) && number(s + 1) <= items) ++s;
  reject(function, {"segment ", s, " is [", number(s), ", ", number(s + 1), "); in has ", items, " items"});
}

/// Makes groups of up to `chunk_items` items and `chunk_segments` segments, at most `most_groups`. Stops where offsets
/// are wrong.
template <class I>
segment_groups group_segments(const I* offsets, std::int64_t segments, std::int64_t items, std::int64_t chunk_items,
                              std::int64_t chunk_segments, std::int64_t most_groups) {
  segment_groups all;
  for (std::int64_t s = 0; s < segments && std::ssize(all.groups) < most_groups;) {
    const auto begin = static_cast<std::int64_t>(offsets[s]);
    if (begin < 0 || begin > items) break;
    // The segments from s on that end by begin + chunk_items.
    const I* const ends = offsets + s + 1;
    const auto fitting =
        std::upper_bound(ends, ends + least_of(chunk_segments, segments - s), begin + chunk_items,
                         [](std::int64_t most, I end) { return most < static_cast<std::int64_t>(end); }) -
        ends;
    const std::int64_t taken = greatest_of<std::int64_t>(fitting, 1),
                       end = static_cast<std::int64_t>(offsets[s + taken]);
    if (end < begin || end > items) break;
    (fitting == 0 ? all.large : all.groups).push_back({s, taken, begin, end - begin});
    all.items += end - begin;
    s += taken;
  }
  return all;
}
inline std::vector<host_memory::part> parts_of_groups(const std::vector<segment_group>& groups) {
  std::vector<host_memory::part> parts;
  for (const segment_group& of : groups) parts.push_back({std::ssize(parts), of.first_item, of.items});
  return parts;
}

/// Within a group, which has up to most_group_items items, so that twice as many travel in a second.
using group_offset = std::int32_t;
inline constexpr std::int64_t most_group_items = INT32_MAX;

/// The offsets of each group, from its first item on. They are numbered so that each group has one of its own at its
/// end: group g has the numbers first_segment + g to first_segment + g + segments.
template <class I>
host_memory::reader offsets_reader(const I* offsets, const std::vector<segment_group>& groups, std::int64_t most) {
  return {sizeof(group_offset), nullptr,
          [offsets, &groups](std::int64_t first, std::byte* to, std::int64_t count) {
            const auto after = std::upper_bound(groups.begin(), groups.end(), first,
                                                [&groups](std::int64_t number, const segment_group& of) {
                                                  return number < of.first_segment + (&of - groups.data());
                                                });
            const segment_group& of = *std::prev(after);
            const std::int64_t segment = first - (&of - groups.data());
            auto* const own = reinterpret_cast<group_offset*>(to);
            for (std::int64_t i = 0; i < count; ++i)
              own[i] = static_cast<group_offset>(static_cast<std::int64_t>(offsets[segment + i]) - of.first_item);
          },
          [&groups](std::int64_t part) {
            const segment_group& of = groups[static_cast<std::size_t>(part)];
            return std::pair(of.first_segment + part, of.segments + 1);
          },
          most + 1};
}

template <class A, class T, class I, class R, class Op>
void reduce_host_segments(const char* function, const host_memory::reader& reader, std::int64_t items, const I* offsets,
                          std::int64_t segments, R* out, Op op, const host_segmented_options<A>& options) {
  const host_memory::settings how = host_memory::checked_settings(function, options);
  check_not_captured(function, options.stream);
  for (const initial<A>* each : {&options.init, &options.empty})
    if (each->pointer() != nullptr) reject(function, "init and empty must be values, not pointers");
  // As large as a group can be.
  const std::int64_t chunk_items =
                         clamped<std::int64_t>(static_cast<std::int64_t>(how.chunk_bytes / sizeof(T)), 1,
                                               least_of(most_group_items, greatest_of<std::int64_t>(items, 1))),
                     chunk_segments = clamped<std::int64_t>(static_cast<std::int64_t>(how.chunk_bytes / 16), 1,
                                                            greatest_of<std::int64_t>(segments, 1));
  const auto group = [&](std::int64_t most) {
    return group_segments(offsets, segments, items, chunk_items, chunk_segments, most);
  };
  segment_groups all;
  const host_memory::enqueue_part enqueue = [&](const host_memory::part& of, const host_memory::part_places& at,
                                                cudaStream_t stream) {
    const auto own = static_cast<std::size_t>(all.groups[static_cast<std::size_t>(of.number)].segments);
    const std::span ends(reinterpret_cast<const group_offset*>(at.inputs[1]), own + 1);
    const std::span results(reinterpret_cast<R*>(at.results), own);
    reduce_segments<automatic>(function, "in", reinterpret_cast<const T*>(at.inputs[0]), of.count, ends, results, op,
                               thread::no_transform{}, segmented_options<A>{stream, options.init, options.empty});
  };
  const std::vector<host_memory::reader> readers{reader, offsets_reader(offsets, all.groups, chunk_segments)};
  host_memory::writer results = host_memory::writer_to(out, segments);
  results.items_of = [&](std::int64_t part) {
    const segment_group& of = all.groups[static_cast<std::size_t>(part)];
    return std::pair(of.first_segment, of.segments);
  };
  results.most_items = chunk_segments;

  const host_memory::device_guard guard(how.devices[0]);
  {
    std::vector<host_memory::ring_loan> rings;
    rings.emplace_back(how.devices[0]);
    host_memory::pipeline pipeline(readers, {items, chunk_items}, how, enqueue, 0, results);
    // To check many offsets takes as long as to copy the first items.
    pipeline.send_ahead(*rings[0], parts_of_groups(group(how.buffers).groups));
    check_offsets(function, offsets, segments, items, how.threads);
    all = group(INT64_MAX);
    const host_memory::partition parts{all.items, chunk_items, parts_of_groups(all.groups)};
    host_memory::borrow_rings(rings, parts, how);
    if (!all.groups.empty()) pipeline.run(rings, parts);
  }

  std::int64_t done = all.items;
  for (const segment_group& of : all.large) done -= of.items;
  for (const segment_group& of : all.large) {
    host_memory::reader own = reader;
    if (own.resident != nullptr) own.resident += of.first_item * static_cast<std::int64_t>(sizeof(T));
    own.fill = [&](std::int64_t first, std::byte* to, std::int64_t count) {
      reader.fill(of.first_item + first, to, count);
    };
    host_options<A> of_one{options.stream, {}, how.devices, how.chunk_bytes, how.buffers, how.threads};
    if (how.progress) of_one.progress = [&](std::int64_t now, std::int64_t) { how.progress(done + now, all.items); };
    const auto lists = lists_of_host<T, A>(function, own, of.items, 0, op, of_one);
    const auto& list = lists.all().begin()->second;
    const R result = convert<R>(options.init.has_value() ? list.value(op, options.init.value()) : list.value(op));
    require_success(cudaMemcpyAsync(out + of.first_segment, &result, sizeof result, cudaMemcpyDefault, options.stream),
                    "cudaMemcpyAsync");
    require_success(cudaStreamSynchronize(options.stream), "cudaStreamSynchronize");
    done += of.items;
  }
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[s] = init op the items offsets[s] … offsets[s + 1] - 1 of `in`.
template <host_input In, std::ranges::contiguous_range Offsets, std::ranges::contiguous_range Out, operator_argument Op,
          class A = accumulator_t<Op, typename In::item>>
  requires std::integral<std::ranges::range_value_t<Offsets>>
void segmented_reduce(const In& in, const Offsets& offsets, Out&& out, Op op,
                      const std::type_identity_t<host_segmented_options<A>>& options = {}) {
  using T = typename In::item;
  using R = std::ranges::range_value_t<Out>;
  static_assert(!lifts_indexed<Op, T>, "warpfold: segments in host memory take no operator that counts items");
  if constexpr (detail::check_types<Op, thread::no_transform, A, R*, T>()) {
    const auto segments = static_cast<std::int64_t>(std::ranges::size(out)),
               entries = static_cast<std::int64_t>(std::ranges::size(offsets));
    if (entries != segments + 1)
      reject("segmented_reduce", {"offsets has ", entries, " entries, not one more than out, which has ", segments});
    const host_memory::reader reader = host_memory::reader_of("segmented_reduce", "in", in);
    detail::reduce_host_segments<A, T>("segmented_reduce", reader, in.count, std::ranges::data(offsets), segments,
                                       std::ranges::data(out), op, options);
  }
}
/// The sum of each segment.
template <host_input In, std::ranges::contiguous_range Offsets, std::ranges::contiguous_range Out,
          class A = accumulator_t<plus, typename In::item>>
  requires std::integral<std::ranges::range_value_t<Offsets>>
void segmented_reduce(const In& in, const Offsets& offsets, Out&& out,
                      const std::type_identity_t<host_segmented_options<A>>& options = {}) {
  warpfold::segmented_reduce(in, offsets, out, plus{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
