// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/segmented_reduce.cuh>

#include "../common/groups.hpp"
#include "../segmented/cub_by_key.cuh"
#include "../segmented/move_kernel.cuh"
#include "../segmented/segmented_items.cuh"
#include "entry.hpp"

namespace bench {

/// A float that is a whole number in [-7, 7]: sums of 2^26 of them stay far below 2^24, exact in any association.
struct whole_number {
  float value;
  static __host__ __device__ whole_number random_item(std::uint64_t bits) {
    return {static_cast<float>(static_cast<int>((bits >> 32) % 15) - 7)};
  }
};

/// Counts the results that differ in their bits.
inline __global__ void count_differences_kernel(const float* left, const float* right, std::int64_t count,
                                                unsigned* differences) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; s < count; s += stride)
    if (__float_as_uint(left[s]) != __float_as_uint(right[s])) atomicAdd(differences, 1u);
}

/// Put before the names of contenders that are given offsets; the others are given owners.
inline constexpr const char* by_offsets = "offsets_";

/// Items of type `Item`, which is a float or holds one, in segments, and all contenders that reduce them with `Op`: the
/// strategies, Warpfold's default from owners and from offsets, and CUB's reduction by key with `CubOp`, the same
/// operator in CUB's form.
template <class Item, class Op, class CubOp> class segmented_workload {
 public:
  segmented_workload(std::int64_t items, const distribution& lengths, std::vector<owned_entry> entries)
      : entries_(std::move(entries)),
        in_(items, lengths),
        out_(rounded_up(in_.segments())),
        expected_(rounded_up(in_.segments())),
        keys_out_(rounded_up(in_.segments())),
        counts_(4) {
    in_.make_owners();
    std::size_t scratch_bytes = 0;
    for (const owned_entry& entry : entries_) scratch_bytes = std::max(scratch_bytes, entry.scratch_bytes(in_.items()));
    scratch_ = device_buffer<std::byte>(scratch_bytes);
    warpfold::initialize_workspace(scratch());
    check(cudaDeviceSynchronize());
  }

  /// Those that reduce, the strategies first.
  contenders reducers() {
    contenders list;
    for (const owned_entry& entry : entries_)
      list.push_back({entry.name, [this, &entry](cudaStream_t stream, int) {
                        entry.enqueue({items(), in_.owners(), out(), scratch()}, stream);
                      }});
    list.push_back({"warpfold", [this](cudaStream_t stream, int) { reduce(warpfold::owners{in_.owners()}, stream); }});
    list.push_back(engine_by_offsets());
    list.push_back(make_cub_by_key<CubOp>(in_.owners(), items(), keys_out_.data(), out_.data(), counts_.data() + 1));
    return list;
  }

  /// Those that only move the same bytes.
  contenders movers() const {
    contenders list = make_move_contenders(moved(in_.owners()), counts_.data());
    for (contender& mover : make_move_contenders(moved(in_.offsets()), counts_.data()))
      list.push_back({by_offsets + mover.name, std::move(mover.run)});
    return list;
  }

  static std::vector<std::string> names(const std::vector<owned_entry>& entries) {
    std::vector<std::string> list;
    for (const owned_entry& entry : entries) list.push_back(entry.name);
    list.insert(list.end(), {"warpfold", by_offsets + std::string("warpfold"), "cub_by_key"});
    for (const char* prefix : {"", by_offsets})
      for (const std::string& mover : move_contender_names()) list.push_back(prefix + mover);
    return list;
  }

  /// The figures beside the time of contender `i`: its work, and for a strategy its columns of Table II.
  std::vector<std::pair<std::string, double>> counters(std::size_t i, const std::string& name) const {
    std::vector<std::pair<std::string, double>> result;
    if (i < entries_.size()) result = entries_[i].facts(in_.items());
    const traffic t = moved(name.starts_with(by_offsets) ? in_.offsets() : in_.owners());
    const auto add = [&](const char* what, auto count) { result.emplace_back(what, static_cast<double>(count)); };
    add("items", in_.items());
    add("segments", in_.segments());
    add("bytes", t.bytes());
    return result;
  }

  /// Throws unless the default, from offsets, has the bits of a fold on the CPU in the segments of the first million
  /// items, and at least in the first one; and every other contender has the default's bits in all segments.
  void verify(const contenders& list) {
    run_alone(engine_by_offsets());
    verify_first_segments();
    check(cudaMemcpy(expected_.data(), out_.data(), out_.bytes(), cudaMemcpyDeviceToDevice));
    for (const contender& candidate : list) {
      run_alone(candidate);
      if (const unsigned wrong = differences())
        throw std::runtime_error(candidate.name + ": " + std::to_string(wrong) + " of " +
                                 std::to_string(in_.segments()) + " segments differ from the default's");
    }
  }

 private:
  std::span<const float> items() const {
    static_assert(sizeof(Item) == sizeof(float));
    return {reinterpret_cast<const float*>(in_.data().data()), in_.data().size()};
  }
  std::span<float> out() const { return {out_.data(), static_cast<std::size_t>(in_.segments())}; }
  std::span<std::byte> scratch() const { return {scratch_.data(), scratch_.size()}; }
  traffic moved(std::span<const int> segments) const {
    return {items().data(),        items().size_bytes(), segments.data(),
            segments.size_bytes(), out_.data(),          out().size_bytes()};
  }

  template <class Segments> void reduce(const Segments& segments, cudaStream_t stream) {
    warpfold::segmented_reduce(items(), segments, out(), Op{}, {.stream = stream, .workspace = workspace_});
  }
  contender engine_by_offsets() {
    return {by_offsets + std::string("warpfold"), [this](cudaStream_t stream, int) { reduce(in_.offsets(), stream); }};
  }

  void run_alone(const contender& candidate) {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));  // so that a result not written shows
    candidate.run(nullptr, 0);
    check(cudaDeviceSynchronize());
  }

  void verify_first_segments() const {
    constexpr std::int64_t most = 1 << 20;
    const auto offsets = to_host(in_.offsets(), most);
    std::size_t segments = 1;
    while (segments + 1 < offsets.size() && offsets[segments + 1] <= most) ++segments;
    const auto host_items = to_host(items(), static_cast<std::size_t>(offsets[segments]));
    const auto results = to_host(std::span<const float>(out()), segments);
    for (std::size_t s = 0; s < segments; ++s) {
      const auto first = host_items.begin() + offsets[s], last = host_items.begin() + offsets[s + 1];
      const float expected = std::accumulate(first + 1, last, *first, Op{});
      if (std::memcmp(&results[s], &expected, sizeof(expected)) != 0)
        throw std::runtime_error("segment " + std::to_string(s) + " differs from a fold on the CPU");
    }
  }

  unsigned differences() const {
    unsigned* const count = counts_.data() + 2;
    check(cudaMemset(count, 0, sizeof(*count)));
    const int blocks = 8 * device_attribute(cudaDevAttrMultiProcessorCount);
    count_differences_kernel<<<blocks, 256>>>(expected_.data(), out_.data(), in_.segments(), count);
    check(cudaGetLastError());
    return to_host(std::span<const unsigned>(count, 1), 1)[0];
  }

  std::vector<owned_entry> entries_;
  segmented_items<Item> in_;
  device_buffer<float> out_, expected_;
  device_buffer<int> keys_out_;
  device_buffer<unsigned> counts_;  // a mover's sink, CUB's number of runs, differences
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

}  // namespace bench
