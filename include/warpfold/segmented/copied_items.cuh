// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Consecutive items, which one bulk copy brings into a warp's shared memory while the warp does other work.
#pragma once
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/shared_source.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::segmented {

/// A warp's shared memory for up to `Bytes` bytes of items at any alignment, from which chunks of up to `ChunkBytes`
/// are read.
template <int Bytes, int ChunkBytes> struct copied_items_storage {
  struct alignas(16) vector {
    std::uint32_t words[4];
  };
  thread::array<vector, (Bytes + 15) / 16 + 1 + (ChunkBytes + 31) / 16> items;
  arch::mbarrier arrived;
};

/// Copies of items of one source. Needs sm_90. All lanes of the warp call each member. They must have read
/// the items of the previous copy before one of them calls start().
template <class Source, class Storage> class copied_items {
 public:
  using item = typename Source::item;

  __device__ explicit copied_items(Storage& storage) : storage_(storage) {
    if (arch::lane_id() == 0) {
      storage.arrived.init(1);
      arch::fence_mbarrier_init();
    }
    __syncwarp();
  }
  /// Starts to copy items [begin, end), and returns at once.
  __device__ void start(const Source& from, std::int64_t begin, std::int64_t end) {
    begin_ = begin, count_ = static_cast<int>(end - begin);
    const auto first = reinterpret_cast<std::uintptr_t>(from.data + begin);
    before_ = static_cast<int>(first & 15);
    const bool inside = from.is_inside(begin, end);  // then whole vectors can be copied
    if (!inside) store_items(from, begin, count_);
    if (arch::lane_id() == 0) {
      const unsigned bytes =
          inside ? (static_cast<unsigned>(count_) * unsigned{sizeof(item)} + before_ + 15) & ~15u : 0;
      storage_.arrived.arrive_expect_tx(bytes);
      if (bytes > 0)
        arch::bulk_copy_to_shared(storage_.items.bytes, reinterpret_cast<const void*>(first - before_), bytes,
                                  storage_.arrived);
    }
  }
  /// Waits until the items have arrived.
  __device__ void wait() {
    while (!__all_sync(full_warp, storage_.arrived.try_wait_parity(phase_))) {}
    phase_ ^= 1;
    __syncwarp();
  }
  /// The leaves of the items of the last start(), `Items` per chunk, numbered as in `of`.
  template <int Items, class Leaves> __device__ auto leaves(const Leaves& of) const {
    using source = thread::shared_source<item, Items>;
    static_assert(sizeof(storage_.items) >= source::past_bytes);
    const auto items = thread::numbered_as(of.source, source{storage_.items.bytes, before_}, begin_);
    return thread::leaves<std::remove_const_t<decltype(items)>, typename Leaves::transform_type,
                          typename Leaves::accumulator>{items, of.transform};
  }

  /// Overwrites what the vectors around the items hold beside them, by the first item. Items have 4 bytes.
  __device__ void fill_sides() const {
    static_assert(sizeof(item) == 4);
    const int lane = arch::lane_id(), first = before_ / 4, end = first + count_;
    std::uint32_t one;
    arch::load_shared<4>(storage_.items.bytes + before_, &one);
    if (count_ > 0 && lane < first) arch::store_shared<4>(storage_.items.bytes + 4 * lane, &one);
    if (count_ > 0 && end + lane < 4 * vectors()) arch::store_shared<4>(storage_.items.bytes + 4 * (end + lane), &one);
    __syncwarp();
  }
  /// Calls visit(item) in some lane for each item of these vectors.
  template <class Visit> __device__ void visit(Visit visit) const {
    WARPFOLD_NO_UNROLL
    for (int v = arch::lane_id(); v < vectors(); v += warp_lanes) {
      item four[4];
      arch::load_shared<16>(storage_.items.bytes + 16 * v, four);
      WARPFOLD_UNROLL
      for (int k = 0; k < 4; ++k) visit(four[k]);
    }
  }
  /// Replaces each item by `change(item)`.
  template <class R, class Change> __device__ void replace(Change change) const {
    static_assert(sizeof(item) == sizeof(R));
    WARPFOLD_NO_UNROLL
    for (int v = arch::lane_id(); v < vectors(); v += warp_lanes) {
      item four[4];
      R changed[4];
      arch::load_shared<16>(storage_.items.bytes + 16 * v, four);
      WARPFOLD_UNROLL
      for (int k = 0; k < 4; ++k) changed[k] = change(four[k]);
      arch::store_shared<16>(storage_.items.bytes + 16 * v, changed);
    }
    arch::fence_proxy_async();  // before a later bulk copy into the same bytes
    __syncwarp();
  }
  /// What `replace` has written, `Items` per chunk, as leaves.
  template <class R, int Items> __device__ auto replaced() const {
    using source = thread::shared_source<R, Items>;
    return thread::leaves<source, thread::no_transform, R>{{storage_.items.bytes, before_}, {}};
  }

 private:
  __device__ int vectors() const { return count_ > 0 ? (before_ + count_ * int{sizeof(item)} + 15) / 16 : 0; }
  /// Copies item by item, at the ends of the array, where whole vectors would reach beyond it.
  __device__ void store_items(const Source& from, std::int64_t begin, int count) const {
    constexpr int width = alignof(item) <= 16 ? int{alignof(item)} : 16;
    WARPFOLD_NO_UNROLL
    for (int i = arch::lane_id(); i < count; i += warp_lanes) {
      const item own = from.at(begin + i);
      WARPFOLD_UNROLL
      for (int offset = 0; offset < int{sizeof(item)}; offset += width)
        arch::store_shared<width>(storage_.items.bytes + before_ + i * int{sizeof(item)} + offset,
                                  reinterpret_cast<const unsigned char*>(&own) + offset);
    }
    arch::fence_proxy_async();  // before a later bulk copy into the same bytes
    __syncwarp();
  }

  Storage& storage_;
  unsigned phase_ = 0;
  std::int64_t begin_ = 0;
  int before_ = 0, count_ = 0;
};

}  // namespace warpfold::segmented
