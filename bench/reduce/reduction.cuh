// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>

#include "../common/cold_cache.cuh"
#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/random_data.cuh"
#include "../common/timing.hpp"
#include "items.cuh"

namespace bench {

/// Number of inputs that calls rotate among: as many as leave three quarters of L2 free, at most one for each call of a
/// graph. Beyond that a hot run would not be hot.
inline int rotated_inputs(std::int64_t bytes) {
  const auto fitting = static_cast<std::int64_t>(cold_cache::l2_bytes()) / 4 / bytes;
  return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, graph_calls));
}

/// One reduction to be timed: random inputs, outputs and scratch, and its contenders. Peer is one of peers.cuh.
template <class T, class Op, class Peer> class reduction {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  /// The base is `offset_items` items past a boundary of 256 bytes.
  reduction(std::int64_t items, std::int64_t offset_items)
      : items_(items),
        offset_items_(offset_items),
        stride_items_((items + offset_items + 255) / 256 * 256),
        inputs_(rotated_inputs(bytes())),
        data_(static_cast<std::size_t>(stride_items_ * inputs_)),
        results_(graph_calls) {
    fill_random(data_.data(), stride_items_ * inputs_, static_cast<std::uint64_t>(items), nullptr);
    if constexpr (Peer::exists) {
      std::size_t scratch_bytes = 0;
      check(Peer::call(nullptr, scratch_bytes, input(0), result(0), static_cast<int>(items_), nullptr));
      scratch_ = device_buffer<std::byte>(scratch_bytes);
    }
    check(cudaDeviceSynchronize());
  }

  std::int64_t bytes() const { return items_ * static_cast<std::int64_t>(sizeof(T)); }
  const void* aligned_data() const { return data_.data(); }

  contender warpfold_call() {
    return {"warpfold", [this](cudaStream_t stream, int call) {
              warpfold::reduce(input(call), items_, result(call), Op{}, {.stream = stream, .workspace = workspace_});
            }};
  }

  contender cub_call() requires Peer::exists {
    return {"cub", [this](cudaStream_t stream, int call) { enqueue_peer(stream, call); }};
  }

  /// Each waits for the value to be on the host.
  contender warpfold_value_call() {
    return {"warpfold", [this](cudaStream_t stream, int call) {
              const std::span<const T> in(input(call), static_cast<std::size_t>(items_));
              *host_.get() = warpfold::reduce_value(in, Op{}, {.stream = stream, .workspace = workspace_});
            }};
  }

  contender cub_value_call() requires Peer::exists {
    return {"cub", [this](cudaStream_t stream, int call) {
              enqueue_peer(stream, call);
              copy_back(stream, call);
            }};
  }

  contender empty_kernel_value_call() {
    return {"empty_kernel", [this, empty = make_empty_kernel(64)](cudaStream_t stream, int call) {
              empty.run(stream, call);
              copy_back(stream, call);
            }};
  }

  /// Throws unless Warpfold's bits are those of the canonical tree and the peer agrees with them. Large inputs are not
  /// folded on the host if there is a peer to compare with.
  void verify() {
    const accumulator ours = result_of(warpfold_call());
    constexpr std::int64_t replayed_items = 1 << 20;
    if (items_ <= replayed_items || !Peer::exists) {
      std::vector<T> copy(static_cast<std::size_t>(items_));
      check(cudaMemcpy(copy.data(), input(0), static_cast<std::size_t>(bytes()), cudaMemcpyDeviceToHost));
      const accumulator expected = warpfold::canonical_tree::replay(copy.data(), items_, Op{});
      if (std::memcmp(&ours, &expected, sizeof(accumulator)) != 0)
        throw std::runtime_error("Warpfold's result differs from the canonical tree's");
    }
    if constexpr (Peer::exists) {
      // The most items that one of CUB's threads adds one after another, and the tree above them, is under 2^13 here.
      const double roundings = Peer::sums ? static_cast<double>(std::min<std::int64_t>(items_, 1 << 13)) : 0;
      if (!agrees(ours, result_of(cub_call()), roundings))
        throw std::runtime_error("CUB's result differs from Warpfold's");
    }
  }

 private:
  const T* input(int call) const { return data_.data() + call % inputs_ * stride_items_ + offset_items_; }
  accumulator* result(int call) const { return results_.data() + call % graph_calls; }

  void enqueue_peer(cudaStream_t stream, int call) {
    std::size_t scratch_bytes = scratch_.bytes();
    check(Peer::call(scratch_.data(), scratch_bytes, input(call), result(call), static_cast<int>(items_), stream));
  }

  void copy_back(cudaStream_t stream, int call) {
    check(cudaMemcpyAsync(host_.get(), result(call), sizeof(accumulator), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
  }

  accumulator result_of(const contender& candidate) {
    check(cudaMemset(results_.data(), 0xFF, sizeof(accumulator)));  // so that a result not written shows
    candidate.run(nullptr, 0);
    copy_back(nullptr, 0);
    return *host_.get();
  }

  std::int64_t items_, offset_items_, stride_items_;
  int inputs_;
  device_buffer<T> data_;
  device_buffer<accumulator> results_;
  device_buffer<std::byte> scratch_;
  pinned_value<accumulator> host_;
  warpfold::workspace workspace_;
};

}  // namespace bench
