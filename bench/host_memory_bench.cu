// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/host_memory.cuh>

#include "common/contender.hpp"
#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/timing.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// `items` floats of pinned memory, 0 and 1 by turns: every order of adding gives the same sum.
std::shared_ptr<float> pinned_floats(std::int64_t items) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, static_cast<std::size_t>(items) * sizeof(float)));
  std::shared_ptr<float> all(static_cast<float*>(memory), [](float* data) { (void)cudaFreeHost(data); });
  for (std::int64_t i = 0; i < items; ++i) all.get()[i] = static_cast<float>(i % 2);
  return all;
}

/// How others do it, and the link's limit: copies of chunks on two streams, with or without a sum behind each.
class chunk_copies {
 public:
  chunk_copies(std::int64_t items, std::int64_t chunk_items) : items_(items), chunk_(chunk_items) {
    for (int i = 0; i < 2; ++i) {
      streams_.push_back(make_stream());
      buffers_.emplace_back(static_cast<std::size_t>(chunk_items));
      sums_.emplace_back(1);
    }
  }
  void run(const float* from, bool sums) {
    std::size_t turn = 0;
    for (std::int64_t first = 0; first < items_; first += chunk_, turn ^= 1) {
      const std::int64_t count = std::min(chunk_, items_ - first);
      const cudaStream_t stream = streams_[turn].get();
      check(cudaMemcpyAsync(buffers_[turn].data(), from + first, static_cast<std::size_t>(count) * sizeof(float),
                            cudaMemcpyDefault, stream));
      if (sums) wf::reduce(buffers_[turn].data(), count, sums_[turn].data(), wf::plus{}, {.stream = stream});
    }
    for (const auto& each : streams_) check(cudaStreamSynchronize(each.get()));
  }

 private:
  std::int64_t items_, chunk_;
  std::vector<bench::stream> streams_;
  std::vector<device_buffer<float>> buffers_;
  std::vector<device_buffer<float>> sums_;
};

int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  return count;
}

/// The sum of 4 GiB in chunks of `chunk_bytes` from memory of a kind: by Warpfold, beside bare copies of the pinned
/// items (the link), and copies with a sum behind each.
void add_sum(const std::string& kind, std::size_t chunk_bytes, int devices) {
  constexpr std::int64_t items = gibibyte;
  const std::string name = "host_memory/float/" + kind + "/chunk:" + std::to_string(chunk_bytes >> 20) +
                           "MiB/devices:" + std::to_string(devices);
  add_group({name, "wait", items, items * std::int64_t{sizeof(float)}, {"warpfold", "copies", "copies_and_sums"}, [=] {
               const auto pinned = pinned_floats(items);
               std::vector<float> pageable;
               if (kind != "pinned") pageable.assign(pinned.get(), pinned.get() + items);
               wf::host_options<double> options{.chunk_bytes = chunk_bytes};
               for (int i = 0; i < devices; ++i) options.devices.push_back(i);
               const auto in = wf::host(kind == "pinned" ? pinned.get() : pageable.data(), items);
               const auto sum = [&] { return wf::reduce_value(in, wf::accumulate_in<double>(wf::plus{}), options); };
               if (sum() != static_cast<double>(items / 2)) throw std::runtime_error("the sum is wrong");
               chunk_copies copies(items, static_cast<std::int64_t>(chunk_bytes / sizeof(float)));
               const contenders list{{"warpfold", [&](cudaStream_t, int) { (void)sum(); }},
                                     {"copies", [&](cudaStream_t, int) { copies.run(pinned.get(), false); }},
                                     {"copies_and_sums", [&](cudaStream_t, int) { copies.run(in.first, true); }}};
               std::vector<measurement> results;
               for (const statistics& each : time_wait(list, {5, 15, 2.0})) results.push_back({each});
               return results;
             }});
}

void register_all() {
  for (const std::size_t mebibytes : {1, 4, 16, 32, 64}) add_sum("pinned", mebibytes << 20, 1);
  for (const std::size_t mebibytes : {4, 32}) add_sum("pageable", mebibytes << 20, 1);
  if (device_count() < 2) return;
  add_sum("pinned", std::size_t{32} << 20, 2);
  add_sum("pageable", std::size_t{32} << 20, 2);
}

}  // namespace

/// warpfold/host_memory.cuh against the link to the device; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
