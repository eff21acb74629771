// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments described by the owners of items, as a scan reads them (segments.cuh says what a description has). A segment
// begins where an item has another owner than the one before.
#pragma once
#include <type_traits>
#include <utility>
#include <warpfold/segmented_scan/row_access.cuh>
#include <warpfold/segmented_scan/row_runs.cuh>
#include <warpfold/segmented_scan/segments.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Ids> struct owned_segments : segment::owner_ids<Ids> {
  using id = std::remove_cvref_t<decltype(std::declval<const Ids&>()[0])>;
  static constexpr int chunk_ids = 4;  ///< ids that a lane compares at once
  using source = std::conditional_t<std::is_pointer_v<Ids>, thread::pointer_source<id, chunk_ids>,
                                    thread::iterator_source<Ids, chunk_ids>>;

  using segment::owner_ids<Ids>::ids, segment::owner_ids<Ids>::items;

  __device__ source owners() const { return {ids, items}; }

  __device__ piece_cut cut_at(std::int64_t position, int log_unit, std::int64_t) const {
    if (position == 0) return {0, 0, 0, 0, false, 0};
    return cut_after(begin_of(ids[position - 1], position - 1), position, log_unit);
  }

  template <class Marks>
  __device__ piece_cut mark_begins(const piece_cut& before, std::int64_t base, std::int64_t end, int log_unit,
                                   std::int64_t, Marks& marks) const {
    using reader_type = row_reader<source>;
    constexpr int row_items = reader_type::row_items;
    const int lane = arch::lane_id(), begin = static_cast<int>(before.next - base), stop = static_cast<int>(end - base);
    const source all = owners();
    const auto reader = reader_type::template around<2 * Marks::items>(all, base);
    id latest = ids[before.next];  // in lane 0, of the item before the row
    int latest_begin = -1;         // in this tile, behind item `begin`
    const int first_row = begin & ~(chunk_ids - 1);
    typename source::chunk next{};
    reader.load(next, first_row);
    WARPFOLD_NO_UNROLL
    for (int row = first_row; row < stop; row += row_items) {
      const typename source::chunk chunk = next;
      if (row + row_items < stop) reader.load(next, row + row_items);
      const int at = row + lane * chunk_ids;
      const id rotated = warp::shuffle(source::value(chunk, chunk_ids - 1), lane - 1);
      id left = lane == 0 ? latest : rotated;
      latest = rotated;
      unsigned begins = 0;
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_ids; ++k) {
        const id own = source::value(chunk, k);
        begins |= (own != left ? 1u : 0u) << k;
        left = own;
      }
      if (row <= begin || row + row_items > stop) begins &= bits_below(stop - at) & ~bits_below(begin + 1 - at);
      marks.mark_begins(at, begins);
      const unsigned beginning = __ballot_sync(full_warp, begins != 0);
      if (beginning != 0)
        latest_begin =
            __shfl_sync(full_warp, at + 31 - __clz(static_cast<int>(begins)), 31 - __clz(static_cast<int>(beginning)));
    }
    __syncwarp();
    if (lane == 0) marks.mark_begin(begin);
    __syncwarp();
    const std::int64_t first_begin = before.continues ? before.segment_begin : before.next;
    return cut_after(latest_begin < 0 ? first_begin : base + latest_begin, end, log_unit);
  }

  __device__ bool goes_on_until(const piece_cut& cut, std::int64_t end, std::int64_t) const {
    return end <= items && ids[end - 1] == ids[cut.segment_begin];
  }

 private:
  /// The cut at `position`, before which the latest segment begins at item `begin`.
  __device__ piece_cut cut_after(std::int64_t begin, std::int64_t position, int log_unit) const {
    const id owner = ids[begin];
    const std::int64_t unit = unit_from(begin, position, log_unit);
    const bool continues = unit < items && ids[unit] == owner;
    std::int64_t end = unit;
    if (!continues)
      end = warp::partition_point(position, least_of(unit, items), [&](std::int64_t i) { return ids[i] == owner; });
    return {begin, unit, end, end, continues, 0};
  }

  /// Where the segment of `item`, which has this owner, begins. Far probes lie at multiples of their distance, so that
  /// neighbouring tiles read the same owners. All lanes of the warp call it.
  __device__ std::int64_t begin_of(const id& owner, std::int64_t item) const {
    const auto probe = [item](int log) {
      return greatest_of((item - (std::int64_t{1} << log)) & -(std::int64_t{1} << log), std::int64_t{0});
    };
    const int reached = __popc(__ballot_sync(full_warp, ids[probe(arch::lane_id())] == owner));
    const std::int64_t high = reached == 0 ? item : probe(reached - 1);
    if (high == 0) return 0;
    const std::int64_t low = reached == warp_lanes ? 0 : probe(reached) + 1;
    return warp::partition_point(low, high, [&](std::int64_t i) { return ids[i] != owner; });
  }
};

template <class Ids> auto described(const segment::owner_ids<Ids>& owners) { return owned_segments<Ids>{owners}; }
template <class Ids, class N> auto described(const segment::counted_items<segment::owner_ids<Ids>, N>& owners) {
  return segment::counted_items<owned_segments<Ids>, N>{{owners}, owners.number};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
