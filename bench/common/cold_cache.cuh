// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

#include "cuda_resources.hpp"
#include "read_kernel.cuh"

namespace bench {

/// Empties L2 of the timed call's input and of dirty lines.
/// Writing one buffer of twice L2 evicts the input but leaves L2 full of dirty lines, whose write-back would be charged
/// to the timed kernel (12 us on a card with 60 MB of L2); reading a second buffer of that size drives them out.
class cold_cache {
 public:
  cold_cache()
      : written_(2 * l2_bytes()),
        read_(2 * l2_bytes()),
        sink_(1),
        blocks_(4 * device_attribute(cudaDevAttrMultiProcessorCount)) {
    check(cudaMemset(read_.data(), 0, read_.bytes()));
  }

  /// Asynchronous; what is enqueued next on `stream` finds none of its data in L2.
  void evict(cudaStream_t stream) {
    check(cudaMemsetAsync(written_.data(), 0x5A, written_.bytes(), stream));
    const auto* vectors = reinterpret_cast<const uint4*>(read_.data());
    read_kernel<4><<<blocks_, 512, 0, stream>>>(vectors, static_cast<std::int64_t>(read_.bytes() / 16), sink_.data());
    check(cudaGetLastError());
  }

  static std::size_t l2_bytes() { return static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize)); }

 private:
  device_buffer<std::byte> written_, read_;
  device_buffer<unsigned> sink_;
  int blocks_;
};

}  // namespace bench
