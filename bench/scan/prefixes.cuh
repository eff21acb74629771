// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/reduce.cuh>
#include <warpfold/scan.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/groups.hpp"
#include "../common/random_data.cuh"
#include "../common/timing.hpp"

namespace bench {

/// One inclusive scan to be timed: random input, output and scratch, and its contenders. Results are of the items'
/// type. PeerOp is what CUB is given. (CUB's scan that gives the same bits on each run came after CUDA 13.0.)
template <class T, class Op, class PeerOp> class prefixes {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  /// Both bases are `offset_items` items past a boundary of 256 bytes.
  prefixes(std::int64_t items, std::int64_t offset_items)
      : items_(items),
        offset_items_(offset_items),
        in_(static_cast<std::size_t>(items + offset_items)),
        out_(static_cast<std::size_t>(items + offset_items)),
        total_(1) {
    fill_random(in_.data(), items + offset_items, static_cast<std::uint64_t>(items), nullptr);
    std::size_t scratch_bytes = 0;
    check(cub_scan(nullptr, scratch_bytes, nullptr));
    scratch_ = device_buffer<std::byte>(scratch_bytes);
    check(cudaDeviceSynchronize());
  }

  contenders all(bool with_copy) {
    contenders list{{"warpfold",
                     [this](cudaStream_t stream, int) {
                       warpfold::inclusive_scan(in(), items_, out(), Op{}, {.stream = stream, .workspace = workspace_});
                     }},
                    {"cub", [this](cudaStream_t stream, int) {
                       std::size_t scratch_bytes = scratch_.bytes();
                       check(cub_scan(scratch_.data(), scratch_bytes, stream));
                     }}};
    if (with_copy)
      list.push_back({"move_copy", [this](cudaStream_t stream, int) {
                        check(cudaMemcpyAsync(out(), in(), static_cast<std::size_t>(items_) * sizeof(T),
                                              cudaMemcpyDeviceToDevice, stream));
                      }});
    return list;
  }

  /// Throws unless prefixes of many lengths have the bits that reduce gives them.
  void verify() {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));
    all(false).front().run(nullptr, 0);
    std::uint64_t random = 1;
    for (int sample = 0; sample < 200; ++sample) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::int64_t length =
          sample < 40   ? std::min<std::int64_t>(items_, 1 + sample * sample * 3)
          : sample < 80 ? std::max<std::int64_t>(items_ - (sample - 40) * (sample - 40), 1)
                        : 1 + static_cast<std::int64_t>((random >> 20) % static_cast<std::uint64_t>(items_));
      warpfold::reduce(in(), length, total_.data(), Op{}, {.workspace = workspace_});
      T expected{}, ours{};
      accumulator total{};
      check(cudaMemcpy(&total, total_.data(), sizeof total, cudaMemcpyDeviceToHost));
      check(cudaMemcpy(&ours, out() + length - 1, sizeof ours, cudaMemcpyDeviceToHost));
      expected = static_cast<T>(total);
      if (std::memcmp(&ours, &expected, sizeof(T)) != 0)
        throw std::runtime_error("the prefix of " + std::to_string(length) + " items differs from reduce over it");
    }
  }

 private:
  const T* in() const { return in_.data() + offset_items_; }
  T* out() const { return out_.data() + offset_items_; }
  cudaError_t cub_scan(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, in(), out(), PeerOp{}, items_, stream);
  }

  std::int64_t items_, offset_items_;
  device_buffer<T> in_, out_;
  device_buffer<accumulator> total_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

/// One kind of scan under its name, such as scan/float/plus.
template <class T, class Op, class PeerOp> class scan_sweep {
 public:
  scan_sweep(std::string type, std::string op) : kind_("scan/" + type + "/" + op) {}

  void cold(std::int64_t items, std::int64_t offset_items = 0) const { add(items, offset_items, "cold", true); }
  /// Captured in a graph and replayed, hot.
  void in_graph(std::int64_t items) const { add(items, 0, "graph", false); }
  /// At equal bytes for all types: 64 KiB to 1 GiB.
  void at_equal_bytes() const {
    for (const int bits : {16, 20, 24, 28, 30}) cold((std::int64_t{1} << bits) / static_cast<std::int64_t>(sizeof(T)));
  }

 private:
  void add(std::int64_t items, std::int64_t offset_items, const char* mode, bool is_cold) const {
    std::string name = kind_ + "/items:" + size_name(items);
    if (offset_items != 0) name += "/offset:" + std::to_string(offset_items);
    std::vector<std::string> names{"warpfold", "cub"};
    if (is_cold) names.push_back("move_copy");
    add_group({std::move(name), mode, items, 2 * items * static_cast<std::int64_t>(sizeof(T)), std::move(names), [=] {
                 prefixes<T, Op, PeerOp> p(items, offset_items);
                 p.verify();
                 const contenders list = p.all(is_cold);
                 std::vector<measurement> result;
                 for (const statistics& seconds : is_cold ? time_cold(list) : time_in_graph(list))
                   result.push_back({seconds});
                 return result;
               }});
  }

  std::string kind_;
};

}  // namespace bench
