// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/segmented_reduce.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/random_data.cuh"
#include "../reduce/items.cuh"
#include "lengths.hpp"
#include "move_kernel.cuh"

namespace bench {

/// How segments are told apart.
enum class form { offsets, owners, bounds, fixed_length };

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

/// One segmented sum to be timed: random items, segments in all forms, output and scratch.
template <class T, class Op> class segmentation {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  segmentation(std::int64_t items, const distribution& lengths) {
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
    length_ = lengths.length;
    data_ = device_buffer<T>(rounded_up(items_));
    out_ = device_buffer<accumulator>(rounded_up(segments_));
    counts_ = device_buffer<unsigned>(4);
    fill_random(data_.data(), items_, static_cast<std::uint64_t>(items_), nullptr);
    check(cudaDeviceSynchronize());
  }

  std::int64_t items() const { return items_; }
  std::int64_t segments() const { return segments_; }

  /// Owners are made when they are first needed.
  void make_owners() {
    owners_ = device_buffer<int>(rounded_up(items_));
    fill_owners_kernel<<<blocks_for(items_), 256>>>(owners_.data(), items_, offsets_.data(), segments_);
    check(cudaGetLastError());
  }

  traffic moved(form f) const {
    const std::size_t offsets = static_cast<std::size_t>(segments_ + 1) * sizeof(int);
    const void* from = f == form::owners ? owners_.data() : offsets_.data();
    const std::size_t bytes = f == form::owners         ? static_cast<std::size_t>(items_) * sizeof(int)
                              : f == form::fixed_length ? 0
                                                        : offsets;
    return {data_.data(), static_cast<std::size_t>(items_) * sizeof(T), from, bytes, out_.data(),
            static_cast<std::size_t>(segments_) * sizeof(accumulator)};
  }
  contenders movers(form f) const { return make_move_contenders(moved(f), counts_.data()); }

  template <form Form> contender warpfold_call() {
    return {"warpfold", [this](cudaStream_t stream, int) {
              const std::span<const T> in(data_.data(), static_cast<std::size_t>(items_));
              const std::span<accumulator> out(out_.data(), static_cast<std::size_t>(segments_));
              const std::span<const int> offsets(offsets_.data(), static_cast<std::size_t>(segments_) + 1);
              const warpfold::segmented_options<accumulator> options{.stream = stream, .empty = accumulator{}, .workspace = workspace_};
              if constexpr (Form == form::offsets) warpfold::segmented_reduce(in, offsets, out, Op{}, options);
              else if constexpr (Form == form::fixed_length)
                warpfold::segmented_reduce(in, warpfold::fixed_length{length_}, out, Op{}, options);
              else if constexpr (Form == form::bounds)
                warpfold::segmented_reduce(in, warpfold::bounds{offsets.first(out.size()), offsets.subspan(1)}, out, Op{}, options);
              else
                warpfold::segmented_reduce(
                    in, warpfold::owners{std::span<const int>(owners_.data(), static_cast<std::size_t>(items_))}, out, Op{}, options);
            }};
  }

  /// CUB's one block a segment.
  contender cub_segmented() {
    std::size_t bytes = 0;
    check(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, data_.data(), out_.data(), segments_, offsets_.data(), offsets_.data() + 1));
    segmented_scratch_ = device_buffer<std::byte>(bytes + 1);
    return {"cub_segmented", [this, bytes](cudaStream_t stream, int) {
              std::size_t given = bytes;
              check(cub::DeviceSegmentedReduce::Sum(segmented_scratch_.data(), given, data_.data(), out_.data(), segments_,
                                                    offsets_.data(), offsets_.data() + 1, stream));
            }};
  }

  /// CUB's look-back over keys; it leaves empty segments out.
  contender cub_by_key() {
    keys_out_ = device_buffer<int>(rounded_up(segments_));
    std::size_t bytes = 0;
    check(by_key(nullptr, bytes, nullptr));
    by_key_scratch_ = device_buffer<std::byte>(bytes + 1);
    return {"cub_by_key", [this, bytes](cudaStream_t stream, int) {
              std::size_t given = bytes;
              check(by_key(by_key_scratch_.data(), given, stream));
            }};
  }

  /// Throws unless what Warpfold leaves in the first segments, of a million items, has the bits of the canonical tree.
  void verify(const contender& ours) {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));  // so that a result not written shows
    ours.run(nullptr, 0);
    constexpr std::int64_t most = 1 << 20;
    const auto offsets = to_host(offsets_, std::min(segments_ + 1, most));
    const auto items = to_host(data_, std::min(items_, most));
    const auto results = to_host(out_, static_cast<std::int64_t>(offsets.size()) - 1);
    for (std::size_t s = 0; s < results.size() && offsets[s + 1] <= static_cast<std::int64_t>(items.size()); ++s) {
      accumulator expected{};
      if (offsets[s] < offsets[s + 1])
        expected = warpfold::canonical_tree::replay(items.data() + offsets[s], offsets[s + 1] - offsets[s], Op{});
      if (std::memcmp(&results[s], &expected, sizeof(expected)) != 0)
        throw std::runtime_error("segment " + std::to_string(s) + " differs from the canonical tree");
    }
  }

 private:
  template <class Count> static std::size_t rounded_up(Count count) { return (static_cast<std::size_t>(count) + 63) / 64 * 64 + 64; }
  template <class Item> static std::vector<Item> to_host(const device_buffer<Item>& from, std::int64_t count) {
    std::vector<Item> copy(static_cast<std::size_t>(count));
    check(cudaMemcpy(copy.data(), from.data(), copy.size() * sizeof(Item), cudaMemcpyDeviceToHost));
    return copy;
  }
  static unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + 255) / 256); }

  cudaError_t by_key(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, owners_.data(), keys_out_.data(), data_.data(), out_.data(),
                                          counts_.data() + 1, cuda::std::plus<>{}, static_cast<int>(items_), stream);
  }

  std::int64_t items_ = 0, segments_ = 0, length_ = 0;
  device_buffer<T> data_;
  device_buffer<int> offsets_, owners_, keys_out_;
  device_buffer<accumulator> out_;
  device_buffer<unsigned> counts_;
  device_buffer<std::byte> segmented_scratch_, by_key_scratch_;
  warpfold::workspace workspace_;
};

}  // namespace bench
