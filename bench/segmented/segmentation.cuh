// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_segmented_reduce.cuh>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/segmented_reduce.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../reduce/items.cuh"
#include "cub_by_key.cuh"
#include "move_kernel.cuh"
#include "segmented_items.cuh"

namespace bench {

/// How segments are told apart.
enum class form { offsets, owners, bounds, fixed_length };

/// One segmented sum to be timed: random items, segments in all forms, output and scratch.
template <class T, class Op> class segmentation {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  segmentation(std::int64_t items, const distribution& lengths)
      : in_(items, lengths), out_(rounded_up(in_.segments())), counts_(4) {}

  std::int64_t items() const { return in_.items(); }
  std::int64_t segments() const { return in_.segments(); }
  unsigned* sink() const { return counts_.data(); }
  void make_owners() { in_.make_owners(); }

  traffic moved(form f) const {
    const std::span<const int> from = f == form::owners ? in_.owners() : in_.offsets();
    return {in_.data().data(), in_.data().size_bytes(), from.data(), f == form::fixed_length ? 0 : from.size_bytes(),
            out_.data(),       out().size_bytes()};
  }

  template <form Form> contender warpfold_call() {
    return {"warpfold", [this](cudaStream_t stream, int) {
              const std::span<const int> offsets = in_.offsets();
              const warpfold::segmented_options<accumulator> options{
                  .stream = stream, .empty = accumulator{}, .workspace = workspace_};
              const auto reduce = [&](const auto& segments) {
                warpfold::segmented_reduce(in_.data(), segments, out(), Op{}, options);
              };
              if constexpr (Form == form::offsets) reduce(offsets);
              else if constexpr (Form == form::fixed_length) reduce(warpfold::fixed_length{in_.length()});
              else if constexpr (Form == form::bounds)
                reduce(warpfold::bounds{offsets.first(out().size()), offsets.subspan(1)});
              else reduce(warpfold::owners{in_.owners()});
            }};
  }

  /// CUB's one block per segment.
  contender cub_segmented() {
    std::size_t bytes = 0;
    check(segmented_sum(nullptr, bytes, nullptr));
    scratch_ = device_buffer<std::byte>(bytes + 1);
    return {"cub_segmented", [this, bytes](cudaStream_t stream, int) {
              std::size_t given = bytes;
              check(segmented_sum(scratch_.data(), given, stream));
            }};
  }

  contender cub_by_key() {
    keys_out_ = device_buffer<int>(rounded_up(segments()));
    return make_cub_by_key<cuda::std::plus<>>(in_.owners(), in_.data(), keys_out_.data(), out_.data(),
                                              counts_.data() + 1);
  }

  /// Throws unless Warpfold's results for the segments of the first million items have the bits of the canonical tree.
  void verify(const contender& ours) {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));  // so that a result not written shows
    ours.run(nullptr, 0);
    constexpr std::size_t most = 1 << 20;
    const auto offsets = to_host(in_.offsets(), most);
    const auto items = to_host(in_.data(), most);
    const auto results = to_host(std::span<const accumulator>(out()), offsets.size() - 1);
    for (std::size_t s = 0; s < results.size() && offsets[s + 1] <= static_cast<std::int64_t>(items.size()); ++s) {
      accumulator expected{};
      if (offsets[s] < offsets[s + 1])
        expected = warpfold::canonical_tree::replay(items.data() + offsets[s], offsets[s + 1] - offsets[s], Op{});
      if (std::memcmp(&results[s], &expected, sizeof(expected)) != 0)
        throw std::runtime_error("segment " + std::to_string(s) + " differs from the canonical tree");
    }
  }

 private:
  std::span<accumulator> out() const { return {out_.data(), static_cast<std::size_t>(segments())}; }

  cudaError_t segmented_sum(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    const int* const offsets = in_.offsets().data();
    return cub::DeviceSegmentedReduce::Sum(scratch, bytes, in_.data().data(), out_.data(), segments(), offsets,
                                           offsets + 1, stream);
  }

  segmented_items<T> in_;
  device_buffer<int> keys_out_;
  device_buffer<accumulator> out_;
  device_buffer<unsigned> counts_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

}  // namespace bench
