// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory on its way to the devices, a part at a time: while one part is reduced, the next one is copied, and the
// one after that is staged. This is the overlap of copies and kernels in streams that the sources describe.
//
// A thread for each device takes the next part of the input as soon as a buffer of the device is free. Parts that the
// device cannot copy from where they lie are staged in pinned memory, by several threads.
#pragma once
#include <bit>
#include <thread>
#include <warpfold/host_memory/fill_crew.hpp>
#include <warpfold/host_memory/inputs.hpp>
#include <warpfold/host_memory/options.hpp>
#include <warpfold/host_memory/ring.cuh>

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The items first … first + count - 1 of the input.
struct part {
  std::int64_t number, first, count;
};
/// Enqueues, on `stream`, what is computed of a part, which lies in device memory: one address for each input, and that
/// of the part's room.
using enqueue_part = std::function<void(const part&, const std::byte* const* inputs, cudaStream_t stream)>;

/// How the input is cut: into parts of the same length, a power of two, but for the last one; or as listed.
struct partition {
  std::int64_t items, part_items;  ///< of all, and of the longest part
  std::vector<part> listed = {};

  std::int64_t parts() const {
    return listed.empty() ? (items + part_items - 1) / part_items : static_cast<std::int64_t>(listed.size());
  }
  part operator[](std::int64_t number) const {
    if (!listed.empty()) return listed[static_cast<std::size_t>(number)];
    const std::int64_t first = number * part_items;
    return {number, first, least_of(part_items, items - first)};
  }
};

/// Cuts `count` items of `item_bytes` bytes into parts of up to how.chunk_bytes.
inline partition partition_of(std::int64_t count, std::size_t item_bytes, const settings& how) {
  const auto most =
      static_cast<std::int64_t>(std::bit_floor(greatest_of(how.chunk_bytes / item_bytes, std::size_t{1})));
  const auto whole =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(greatest_of<std::int64_t>(count, 1))));
  return {count, least_of(most, whole)};
}
/// The rings of as many devices as have parts to take, at least one.
inline std::vector<ring_loan> borrow_rings(const partition& parts, const settings& how) {
  std::vector<ring_loan> rings;
  const auto used = least_of<std::int64_t>(parts.parts(), static_cast<std::int64_t>(how.devices.size()));
  for (std::int64_t i = 0; i < greatest_of<std::int64_t>(used, 1); ++i)
    rings.emplace_back(how.devices[static_cast<std::size_t>(i)]);
  return rings;
}

class pipeline {
 public:
  /// `readers` have the same number of items, unless they say which belong to a part. A part has `room_bytes` of device
  /// memory for itself.
  pipeline(const std::vector<reader>& readers, const partition& parts, const settings& how, const enqueue_part& enqueue,
           std::size_t room_bytes = 0)
      : readers_(readers), parts_(parts), how_(how), enqueue_(enqueue) {
    for (const reader& each : readers) {
      offsets_.push_back(buffer_bytes_);
      const std::int64_t most = each.items_of ? each.most_items : parts.part_items;
      buffer_bytes_ += (static_cast<std::size_t>(most) * each.item_bytes + 255) / 256 * 256;
      staged_ = staged_ || each.resident == nullptr;
    }
    offsets_.push_back(buffer_bytes_);
    buffer_bytes_ += room_bytes;
  }

  /// Runs all parts on the devices of `rings`, and waits for them. Throws what failed first; nothing is enqueued then.
  void run(std::vector<ring_loan>& rings) {
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 1; i < rings.size(); ++i) threads.emplace_back([this, &rings, i] { feed(*rings[i]); });
    } catch (const std::system_error&) {  // no thread for it: the other devices do its work
    }
    feed(*rings[0]);
    for (std::thread& each : threads) each.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::int64_t piece_bytes = 1 << 20;  // what a thread stages at a time

  void feed(device_ring& ring) {
    try {
      const host_side::relaxed_capture relaxed;
      const device_guard guard(ring.device);
      ring.reserve(how_.buffers, buffer_bytes_, staged_);
      fill_crew crew(helpers());
      std::vector<std::int64_t> under_way(static_cast<std::size_t>(how_.buffers), 0);  // items in each buffer
      std::size_t turn = 0;
      for (part next{}; take(next); turn = (turn + 1) % under_way.size()) {
        part_buffer& buffer = *ring.buffers[turn];
        finish(buffer, under_way[turn]);
        send(next, buffer, crew);
        under_way[turn] = next.count;
      }
      for (std::size_t i = 0; i < under_way.size(); ++i, turn = (turn + 1) % under_way.size())
        finish(*ring.buffers[turn], under_way[turn]);
    } catch (...) {
      fail(std::current_exception());
      ring.drain();
    }
  }

  int helpers() const {
    if (!staged_) return 0;
    const std::int64_t pieces = (static_cast<std::int64_t>(buffer_bytes_) + piece_bytes - 1) / piece_bytes;
    return static_cast<int>(least_of<std::int64_t>(how_.threads / static_cast<int>(how_.devices.size()), pieces)) - 1;
  }

  /// The next part, if there is one and nothing has failed.
  bool take(part& next) {
    std::lock_guard lock(mutex_);
    if (failure_ || next_ == parts_.parts()) return false;
    next = parts_[next_++];
    return true;
  }
  void fail(std::exception_ptr failure) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
  }
  /// Waits for the part in `buffer`, of `items` items.
  void finish(part_buffer& buffer, std::int64_t& items) {
    require_success(cudaStreamSynchronize(buffer.stream()), "cudaStreamSynchronize");
    if (items == 0) return;
    std::lock_guard lock(mutex_);
    done_ += std::exchange(items, 0);
    if (how_.progress && !failure_) how_.progress(done_, parts_.items);
  }
  /// Stages what has to be, and enqueues the copies and the kernel.
  void send(const part& next, part_buffer& buffer, fill_crew& crew) {
    std::vector<const std::byte*> on_device;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const reader& input = readers_[i];
      const auto [first, count] = input.items_of ? input.items_of(next.number) : std::pair(next.first, next.count);
      const std::byte* from = input.resident + first * static_cast<std::int64_t>(input.item_bytes);
      if (input.resident == nullptr) {
        std::byte* const to = buffer.pinned() + offsets_[i];
        stage(input, first, count, to, crew);
        from = to;
      }
      std::byte* const target = buffer.device() + offsets_[i];
      require_success(cudaMemcpyAsync(target, from, static_cast<std::size_t>(count) * input.item_bytes,
                                      cudaMemcpyDefault, buffer.stream()),
                      "cudaMemcpyAsync");
      on_device.push_back(target);
    }
    on_device.push_back(buffer.device() + offsets_.back());
    enqueue_(next, on_device.data(), buffer.stream());
  }
  void stage(const reader& input, std::int64_t from, std::int64_t count, std::byte* to, fill_crew& crew) {
    const auto item_bytes = static_cast<std::int64_t>(input.item_bytes);
    const std::int64_t piece_items = greatest_of<std::int64_t>(piece_bytes / item_bytes, 1);
    crew.run((count + piece_items - 1) / piece_items, [&](std::int64_t piece) {
      const std::int64_t first = piece * piece_items;
      input.fill(from + first, to + first * item_bytes, least_of(piece_items, count - first));
    });
  }

  const std::vector<reader>& readers_;
  const partition parts_;
  const settings& how_;
  const enqueue_part& enqueue_;
  std::vector<std::size_t> offsets_;  // of each input in a buffer
  std::size_t buffer_bytes_ = 0;
  bool staged_ = false;
  std::mutex mutex_;
  std::int64_t next_ = 0, done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
