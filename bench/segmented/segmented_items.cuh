// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../common/cuda_resources.hpp"
#include "../common/random_data.cuh"
#include "lengths.hpp"

namespace bench {

template <class Offset> __global__ void fill_offsets_kernel(Offset* offsets, std::int64_t count, std::int64_t length) {
  const std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s < count) offsets[s] = static_cast<Offset>(s * length);
}

template <class Owner, class Offset>
__global__ void fill_owners_kernel(Owner* owners, std::int64_t items, const Offset* offsets, std::int64_t segments) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= items) return;
  std::int64_t low = 0, high = segments;  // the last segment that begins at or before i
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  owners[i] = static_cast<Owner>(low);
}

/// Entries to allocate for `count`: movers go on to the next vector.
template <class Count> std::size_t rounded_up(Count count) {
  return (static_cast<std::size_t>(count) + 63) / 64 * 64 + 64;
}

/// The first entries of device memory, `most` or as many as there are.
template <class Item> std::vector<Item> to_host(std::span<const Item> from, std::size_t most) {
  std::vector<Item> copy(std::min(from.size(), most));
  check(cudaMemcpy(copy.data(), from.data(), copy.size() * sizeof(Item), cudaMemcpyDeviceToHost));
  return copy;
}

/// Random items in segments, told apart by offsets or by owners: for each item the number of its segment.
template <class T, class Owner = int> class segmented_items {
 public:
  segmented_items(std::int64_t items, const distribution& lengths) : length_(lengths.length) {
    if (lengths.length > 0 && lengths.name != "one") {
      segments_ = items / lengths.length;
      offsets_ = device_buffer<int>(rounded_up(segments_ + 1));
      fill_offsets_kernel<<<blocks_for(segments_ + 1), 256>>>(offsets_.data(), segments_ + 1, lengths.length);
      items_ = segments_ * lengths.length;
    } else {
      const std::vector<int> offsets = lengths(items);
      segments_ = static_cast<std::int64_t>(offsets.size()) - 1;
      items_ = offsets.back();
      offsets_ = device_buffer<int>(rounded_up(segments_ + 1));
      check(cudaMemcpy(offsets_.data(), offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
    }
    data_ = device_buffer<T>(rounded_up(items_));
    fill_random(data_.data(), items_, static_cast<std::uint64_t>(items_), nullptr);
    check(cudaDeviceSynchronize());
  }

  /// Owners are made when they are first needed.
  void make_owners() {
    owners_ = device_buffer<Owner>(rounded_up(items_));
    fill_owners_kernel<<<blocks_for(items_), 256>>>(owners_.data(), items_, offsets_.data(), segments_);
    check(cudaGetLastError());
  }

  std::int64_t items() const { return items_; }
  std::int64_t segments() const { return segments_; }
  std::int64_t length() const { return length_; }  ///< where all are equally long
  std::span<const T> data() const { return {data_.data(), static_cast<std::size_t>(items_)}; }
  std::span<const int> offsets() const { return {offsets_.data(), static_cast<std::size_t>(segments_) + 1}; }
  std::span<const Owner> owners() const {
    return {owners_.data(), owners_.data() ? static_cast<std::size_t>(items_) : 0};
  }

 private:
  static unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + 255) / 256); }

  std::int64_t items_ = 0, segments_ = 0, length_ = 0;
  device_buffer<T> data_;
  device_buffer<int> offsets_;
  device_buffer<Owner> owners_;
};

}  // namespace bench
