// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>
#include <warpfold/reduce.cuh>

#include "../common/cuda_resources.hpp"

namespace bench {

/// `items` floats of pinned memory, 0 and 1 by turns: every order of adding gives the same sum.
inline std::shared_ptr<float> pinned_floats(std::int64_t items) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, static_cast<std::size_t>(items) * sizeof(float)));
  std::shared_ptr<float> all(static_cast<float*>(memory), [](float* data) { (void)cudaFreeHost(data); });
  for (std::int64_t i = 0; i < items; ++i) all.get()[i] = static_cast<float>(i % 2);
  return all;
}

/// How others do it, and the link's limit: copies of chunks on two streams of each of `devices` devices, with or without
/// a sum behind each.
class chunk_copies {
 public:
  chunk_copies(std::int64_t items, std::int64_t chunk_items, int devices = 1)
      : items_(items), chunk_(chunk_items), devices_(devices) {
    for (int i = 0; i < 2 * devices; ++i) {
      check(cudaSetDevice(i % devices));
      streams_.push_back(make_stream());
      buffers_.emplace_back(static_cast<std::size_t>(chunk_items));
      sums_.emplace_back(1);
    }
    check(cudaSetDevice(0));
  }
  void run(const float* from, bool sums) {
    each_chunk([&](std::size_t turn, std::int64_t first, std::int64_t count, cudaStream_t stream) {
      copy(buffers_[turn].data(), from + first, count, stream);
      if (sums)
        warpfold::reduce(buffers_[turn].data(), count, sums_[turn].data(), warpfold::plus{}, {.stream = stream});
    });
  }
  /// Copies to the device and back to `to`: both directions of the link are busy.
  void run_both_ways(const float* from, float* to) {
    each_chunk([&](std::size_t turn, std::int64_t first, std::int64_t count, cudaStream_t stream) {
      copy(buffers_[turn].data(), from + first, count, stream);
      copy(to + first, buffers_[turn].data(), count, stream);
    });
  }

 private:
  static void copy(float* to, const float* from, std::int64_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyDefault, stream));
  }
  template <class Visit> void each_chunk(Visit visit) {
    std::size_t turn = 0;
    for (std::int64_t first = 0; first < items_; first += chunk_, turn = (turn + 1) % streams_.size()) {
      check(cudaSetDevice(static_cast<int>(turn) % devices_));
      visit(turn, first, std::min(chunk_, items_ - first), streams_[turn].get());
    }
    check(cudaSetDevice(0));
    for (const auto& each : streams_) check(cudaStreamSynchronize(each.get()));
  }

  std::int64_t items_, chunk_;
  int devices_;
  std::vector<bench::stream> streams_;
  std::vector<device_buffer<float>> buffers_;
  std::vector<device_buffer<float>> sums_;
};

}  // namespace bench
