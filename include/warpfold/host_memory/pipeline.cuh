// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory on its way to the devices, a part at a time: while one part is reduced, the next one is copied, and the
// one after that is staged. This is the overlap of copies and kernels in streams that the sources describe.
//
// A thread for each device takes the next part of the input as soon as a buffer of the device is free. Parts that the
// device cannot copy from where they lie are staged in pinned memory, by several threads. So are results on their way
// to memory that is not pinned: a copy to there would wait for the kernel, and no other part would be copied meanwhile.
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
/// Where a part lies in device memory.
struct part_places {
  const std::byte* const* inputs;  ///< of each reader
  std::byte* room;                 ///< for what is computed of it
  std::byte* results;
};
/// Enqueues, on `stream`, what is computed of a part.
using enqueue_part = std::function<void(const part&, const part_places&, cudaStream_t stream)>;

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
/// Adds rings, until there is one for each device that has parts to take, at least one.
inline void borrow_rings(std::vector<ring_loan>& rings, const partition& parts, const settings& how) {
  const auto used = least_of<std::int64_t>(parts.parts(), static_cast<std::int64_t>(how.devices.size()));
  while (std::ssize(rings) < greatest_of<std::int64_t>(used, 1)) rings.emplace_back(how.devices[rings.size()]);
}
inline std::vector<ring_loan> borrow_rings(const partition& parts, const settings& how) {
  std::vector<ring_loan> rings;
  borrow_rings(rings, parts, how);
  return rings;
}

class pipeline {
 public:
  /// `readers` and `results` have the same number of items, unless they say which belong to a part. A part has
  /// `room_bytes` of device memory for itself.
  pipeline(const std::vector<reader>& readers, const partition& parts, const settings& how, const enqueue_part& enqueue,
           std::size_t room_bytes = 0, const writer& results = {})
      : readers_(readers), results_(results), parts_(parts), how_(how), enqueue_(enqueue) {
    const auto append = [this](std::size_t bytes) {
      return std::exchange(buffer_bytes_, buffer_bytes_ + (bytes + 255) / 256 * 256);
    };
    const auto bytes_of = [&](const auto& each) {
      return static_cast<std::size_t>(each.items_of ? each.most_items : parts.part_items) * each.item_bytes;
    };
    inputs_at_.resize(readers.size());
    const auto place = [&](bool are_staged) {
      for (std::size_t i = 0; i < readers.size(); ++i)
        if ((readers[i].resident == nullptr) == are_staged) inputs_at_[i] = append(bytes_of(readers[i]));
      if (stages_results() == are_staged) results_at_ = append(bytes_of(results));
    };
    place(true);
    staged_bytes_ = buffer_bytes_;
    place(false);
    room_at_ = append(room_bytes);
  }

  /// Enqueues the copies of the first input's items of `first_parts`, up to one for each buffer of `ring`: items can
  /// travel while the call still checks how they belong together. Nothing, if they have to be staged. run() goes on
  /// from there, if `ring` is its first one.
  void send_ahead(device_ring& ring, const std::vector<part>& first_parts) {
    const reader& input = readers_[0];
    if (input.resident == nullptr || first_parts.empty()) return;
    const host_side::relaxed_capture relaxed;
    const device_guard guard(ring.device);
    ring.reserve(how_.buffers, buffer_bytes_, staged_bytes_);
    for (const part& each : first_parts) {
      copy(input, input.resident + each.first * static_cast<std::int64_t>(input.item_bytes), each.count,
           *ring.buffers[static_cast<std::size_t>(sent_ahead_)], inputs_at_[0]);
      ++sent_ahead_;
    }
  }

  /// Runs `parts`, which are no longer than those that this was made for.
  void run(std::vector<ring_loan>& rings, const partition& parts) {
    parts_ = parts;
    run(rings);
  }
  /// Runs all parts on the devices of `rings`, and waits for them. Throws what failed first; nothing is enqueued then.
  void run(std::vector<ring_loan>& rings) {
    next_ = sent_ahead_;
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 1; i < rings.size(); ++i) threads.emplace_back([this, &rings, i] { feed(*rings[i], 0); });
    } catch (const std::system_error&) {  // no thread for it: the other devices do its work
    }
    feed(*rings[0], sent_ahead_);
    for (std::thread& each : threads) each.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::int64_t piece_bytes = 1 << 18;  // what a thread stages at a time

  /// The first `ahead` parts are this ring's: they are on their way into its buffers.
  void feed(device_ring& ring, std::int64_t ahead) {
    try {
      const host_side::relaxed_capture relaxed;
      const device_guard guard(ring.device);
      ring.reserve(how_.buffers, buffer_bytes_, staged_bytes_);
      fill_crew crew(helpers());
      constexpr part none{-1, 0, 0};
      std::vector<part> under_way(static_cast<std::size_t>(how_.buffers), none);  // in each buffer
      std::size_t turn = 0;
      const auto finish_turn = [&] {
        const part done = std::exchange(under_way[turn], none);
        if (done.number >= 0) finish(done, *ring.buffers[turn], crew);
      };
      for (part next{}; take(next, ahead); turn = (turn + 1) % under_way.size()) {
        finish_turn();
        send(next, *ring.buffers[turn], crew);
        under_way[turn] = next;
      }
      for (std::size_t i = 0; i < under_way.size(); ++i, turn = (turn + 1) % under_way.size()) finish_turn();
    } catch (...) {
      fail(std::current_exception());
      ring.drain();
    }
  }

  int helpers() const {
    const std::int64_t pieces = (static_cast<std::int64_t>(staged_bytes_) + piece_bytes - 1) / piece_bytes,
                       threads = how_.threads / static_cast<int>(how_.devices.size());
    return static_cast<int>(greatest_of<std::int64_t>(least_of(threads, pieces) - 1, 0));
  }

  /// The next part, if there is one and nothing has failed. `ahead` counts the parts that were sent ahead to this ring.
  bool take(part& next, std::int64_t& ahead) {
    std::lock_guard lock(mutex_);
    if (failure_) return false;
    if (ahead > 0) {
      next = parts_[sent_ahead_ - ahead--];
      return true;
    }
    if (next_ == parts_.parts()) return false;
    next = parts_[next_++];
    return true;
  }
  void fail(std::exception_ptr failure) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
  }
  bool stages_results() const { return results_.to != nullptr && !results_.is_resident; }
  /// Waits for the part in `buffer`, and brings its results to where they belong.
  void finish(const part& done, part_buffer& buffer, fill_crew& crew) {
    require_success(cudaStreamSynchronize(buffer.stream()), "cudaStreamSynchronize");
    if (stages_results()) {
      const auto [first, count] = items_of(results_, done);
      const auto item_bytes = static_cast<std::int64_t>(results_.item_bytes);
      const std::byte* const from = buffer.pinned() + results_at_;
      std::byte* const to = results_.to + first * item_bytes;
      in_pieces(item_bytes, count, crew, [&](std::int64_t begin, std::int64_t items) {
        std::memcpy(to + begin * item_bytes, from + begin * item_bytes, static_cast<std::size_t>(items * item_bytes));
      });
    }
    if (done.count == 0) return;
    std::lock_guard lock(mutex_);
    done_ += done.count;
    if (how_.progress && !failure_) how_.progress(done_, parts_.items);
  }
  /// Which items of an input or of the results belong to a part: the first one, and how many.
  static std::pair<std::int64_t, std::int64_t> items_of(const auto& all, const part& of) {
    return all.items_of ? all.items_of(of.number) : std::pair(of.first, of.count);
  }
  /// Stages what has to be, and enqueues the copies and the kernel.
  void send(const part& next, part_buffer& buffer, fill_crew& crew) {
    std::vector<const std::byte*> on_device;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const reader& input = readers_[i];
      const auto [first, count] = items_of(input, next);
      const std::byte* from = input.resident + first * static_cast<std::int64_t>(input.item_bytes);
      if (input.resident == nullptr) {
        std::byte* const to = buffer.pinned() + inputs_at_[i];
        stage(input, first, count, to, crew);
        from = to;
      }
      if (i > 0 || next.number >= sent_ahead_) copy(input, from, count, buffer, inputs_at_[i]);
      on_device.push_back(buffer.device() + inputs_at_[i]);
    }
    std::byte* const results = buffer.device() + results_at_;
    enqueue_(next, {on_device.data(), buffer.device() + room_at_, results}, buffer.stream());
    if (results_.to == nullptr) return;
    const auto [first, count] = items_of(results_, next);
    std::byte* const to = results_.is_resident ? results_.to + first * static_cast<std::int64_t>(results_.item_bytes)
                                               : buffer.pinned() + results_at_;
    require_success(cudaMemcpyAsync(to, results, static_cast<std::size_t>(count) * results_.item_bytes,
                                    cudaMemcpyDefault, buffer.stream()),
                    "cudaMemcpyAsync");
  }
  /// Enqueues a copy of `count` items to place `at` of the buffer.
  static void copy(const reader& input, const std::byte* from, std::int64_t count, part_buffer& buffer,
                   std::size_t at) {
    require_success(cudaMemcpyAsync(buffer.device() + at, from, static_cast<std::size_t>(count) * input.item_bytes,
                                    cudaMemcpyDefault, buffer.stream()),
                    "cudaMemcpyAsync");
  }
  void stage(const reader& input, std::int64_t from, std::int64_t count, std::byte* to, fill_crew& crew) {
    const auto item_bytes = static_cast<std::int64_t>(input.item_bytes);
    in_pieces(item_bytes, count, crew, [&](std::int64_t first, std::int64_t items) {
      input.fill(from + first, to + first * item_bytes, items);
    });
  }
  /// Calls work(first, items) for pieces of `count` items, by all threads of the crew.
  template <class Work>
  static void in_pieces(std::int64_t item_bytes, std::int64_t count, fill_crew& crew, const Work& work) {
    const std::int64_t piece_items = greatest_of<std::int64_t>(piece_bytes / item_bytes, 1);
    crew.run((count + piece_items - 1) / piece_items, [&](std::int64_t piece) {
      const std::int64_t first = piece * piece_items;
      work(first, least_of(piece_items, count - first));
    });
  }

  const std::vector<reader>& readers_;
  const writer results_;
  partition parts_;
  const settings& how_;
  const enqueue_part& enqueue_;
  std::vector<std::size_t> inputs_at_;  // places in a buffer
  std::size_t room_at_ = 0, results_at_ = 0, buffer_bytes_ = 0;
  std::size_t staged_bytes_ = 0;  // at the begin of a buffer, which pinned memory has, too
  std::mutex mutex_;
  std::int64_t next_ = 0, done_ = 0, sent_ahead_ = 0;  // parts, items, parts
  std::exception_ptr failure_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
