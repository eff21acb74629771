// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stage: shared memory for the items of one data-block. Bulk copies fill it while consumers read other stages.
#pragma once
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/thread/shared_source.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::grid {

/// A stage for `Items` items of a source. One warp fills it with the data-block that starts at item `first`: all lanes
/// call fill_edges, then lane 0 announces bulk_bytes on an mbarrier and calls start_copy. `view` is the data-block as a
/// source of its own, whose item 0 is item `first`.
template <class Source, int Items> struct stage;

/// Items behind a pointer. One bulk copy brings the aligned vectors that hold them and lie within the array. At the
/// ends of the array the lanes copy the rest, less than 16 bytes at each end. The items keep their offset from a
/// 16-byte boundary.
template <class T, int ChunkItems, int Items> struct stage<thread::pointer_source<T, ChunkItems>, Items> {
  using source = thread::pointer_source<T, ChunkItems>;
  static constexpr int most_bytes = (Items * int{sizeof(T)} + 15) / 16 * 16 + 16;
  alignas(16) unsigned char bytes[most_bytes];

  __device__ void fill_edges(const source& from, std::int64_t first) {
    const extent e(from, first);
    const auto copy_byte = [&](const unsigned char* byte) { arch::load<1>(byte, bytes + e.shift + (byte - e.begin)); };
    const auto* head_end = e.copy_begin < e.end ? e.copy_begin : e.end;
    for (const auto* byte = e.begin + arch::lane_id(); byte < head_end; byte += warp_lanes) copy_byte(byte);
    for (const auto* byte = e.copy_end + arch::lane_id(); byte < e.end; byte += warp_lanes) copy_byte(byte);
    arch::fence_proxy_async();  // before a later bulk copy into the same bytes
  }
  __device__ static unsigned bulk_bytes(const source& from, std::int64_t first) {
    const extent e(from, first);
    return static_cast<unsigned>(e.copy_end - e.copy_begin);
  }
  __device__ void start_copy(const source& from, std::int64_t first, arch::mbarrier& arrived) {
    const extent e(from, first);
    if (e.copy_end > e.copy_begin)
      arch::bulk_copy_to_shared(bytes + (e.copy_begin - (e.begin - e.shift)), e.copy_begin, bulk_bytes(from, first),
                                arrived);
  }
  __device__ thread::shared_source<T, ChunkItems> view(const source& from, std::int64_t first) const {
    const extent e(from, first);
    return {bytes, e.shift, (e.end - e.begin) / std::int64_t{sizeof(T)}};
  }

 private:
  /// Two ranges of bytes: those of the items that exist, and those that the bulk copy brings.
  struct extent {
    const unsigned char *begin, *end, *copy_begin, *copy_end;
    int shift;  ///< of `begin` from a 16-byte boundary

    __device__ extent(const source& from, std::int64_t first) {
      const auto* all = reinterpret_cast<const unsigned char*>(from.data);
      const auto* all_end = all + from.items * std::int64_t{sizeof(T)};
      begin = all + first * std::int64_t{sizeof(T)};
      const std::int64_t left = all_end - begin, most = Items * std::int64_t{sizeof(T)};
      end = begin + (left < most ? left : most);
      shift = misalignment(begin);
      copy_begin = begin - shift < all ? begin + (16 - shift) : begin - shift;
      copy_end = end + (16 - misalignment(end)) % 16;
      if (copy_end > all_end) copy_end -= 16;
      if (copy_end < copy_begin) copy_end = copy_begin;
    }
    __device__ static int misalignment(const unsigned char* p) {
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) & 15);
    }
  };
};

/// Items that an iterator computes. The lanes store them one by one.
template <class It, int Items> struct stage<thread::iterator_source<It>, Items> {
  using source = thread::iterator_source<It>;
  using T = typename source::item;
  static_assert(std::is_trivially_copyable_v<T>,
                "warpfold: grid::bulk_producer_consumer needs items that are trivially copyable");
  alignas(16) unsigned char bytes[Items * sizeof(T)];

  __device__ void fill_edges(const source& from, std::int64_t first) {
    for (int i = arch::lane_id(); i < count(from, first); i += warp_lanes) {
      const T item = from.first_item[static_cast<std::iter_difference_t<It>>(first + i)];
      std::memcpy(bytes + i * sizeof(T), &item, sizeof(T));
    }
  }
  __device__ static unsigned bulk_bytes(const source&, std::int64_t) { return 0; }
  __device__ static void start_copy(const source&, std::int64_t, arch::mbarrier&) {}
  __device__ thread::shared_source<T, 1> view(const source& from, std::int64_t first) const {
    return {bytes, 0, count(from, first)};
  }

 private:
  __device__ static int count(const source& from, std::int64_t first) {
    return from.items - first < Items ? static_cast<int>(from.items - first) : Items;
  }
};

/// Two sources. Each has a stage of its own.
template <class Left, class Right, int Items> struct stage<thread::zip_source<Left, Right>, Items> {
  using source = thread::zip_source<Left, Right>;
  using left_stage = stage<std::remove_const_t<Left>, Items>;
  using right_stage = stage<std::remove_const_t<Right>, Items>;
  left_stage left;
  right_stage right;

  __device__ void fill_edges(const source& from, std::int64_t first) {
    left.fill_edges(from.left, first);
    right.fill_edges(from.right, first);
  }
  __device__ static unsigned bulk_bytes(const source& from, std::int64_t first) {
    return left_stage::bulk_bytes(from.left, first) + right_stage::bulk_bytes(from.right, first);
  }
  __device__ void start_copy(const source& from, std::int64_t first, arch::mbarrier& arrived) {
    left.start_copy(from.left, first, arrived);
    right.start_copy(from.right, first, arrived);
  }
  __device__ auto view(const source& from, std::int64_t first) const {
    const auto l = left.view(from.left, first);
    const auto r = right.view(from.right, first);
    return thread::zip_source<std::remove_const_t<decltype(l)>, std::remove_const_t<decltype(r)>>{l, r, l.items};
  }
};

}  // namespace warpfold::grid
