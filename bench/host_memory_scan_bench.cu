// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <warpfold/host_memory_scan.cuh>

#include "common/contender.hpp"
#include "common/groups.hpp"
#include "common/timing.hpp"
#include "host_memory/chunk_copies.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

constexpr std::int64_t items = std::int64_t{1} << 28;

/// A scan of 1 GiB from pinned to pinned memory in chunks of `chunk_bytes`, beside copies of as many bytes in both
/// directions at once. (A maximum: its results are known, whatever the order.)
void add_scan(std::size_t chunk_bytes) {
  const std::string name = "host_memory_scan/float/maximum/chunk:" + std::to_string(chunk_bytes >> 20) + "MiB";
  add_group({name + "/items:" + size_name(items),
             "wait",
             items,
             2 * items * std::int64_t{sizeof(float)},
             {"warpfold", "copies"},
             [=] {
               const auto in = pinned_floats(items), out = pinned_floats(items);
               const std::span<float> to(out.get(), static_cast<std::size_t>(items));
               wf::host_options<float> options{.chunk_bytes = chunk_bytes};
               const auto scan = [&] { wf::inclusive_scan(wf::host(in.get(), items), to, wf::maximum{}, options); };
               scan();
               if (to[0] != 0 || to[1] != 1 || to[items - 2] != 1) throw std::runtime_error("the scan is wrong");
               chunk_copies copies(items, static_cast<std::int64_t>(chunk_bytes / sizeof(float)));
               const contenders list{{"warpfold", [&](cudaStream_t, int) { scan(); }},
                                     {"copies", [&](cudaStream_t, int) { copies.run_both_ways(in.get(), out.get()); }}};
               std::vector<measurement> results;
               for (const statistics& each : time_wait(list, {5, 15, 2.0})) results.push_back({each});
               return results;
             }});
}

void register_all() {
  for (const std::size_t mebibytes : {4, 16, 32}) add_scan(mebibytes << 20);
}

}  // namespace

/// warpfold/host_memory_scan.cuh against the link to the device.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
