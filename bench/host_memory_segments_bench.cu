// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/host_memory_segments.cuh>

#include "common/contender.hpp"
#include "common/groups.hpp"
#include "common/timing.hpp"
#include "host_memory/chunk_copies.cuh"
#include "segmented/lengths.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

constexpr std::int64_t items = std::int64_t{1} << 28;
constexpr std::size_t chunk_bytes = std::size_t{32} << 20;

/// Sums of segments of 1 GiB of pinned memory, beside bare copies of the items.
void add_sums(const distribution& lengths) {
  const std::string name = "host_memory_segments/float/plus/items:" + size_name(items) + "/segments:" + lengths.name;
  add_group({name, "wait", items, items * std::int64_t{sizeof(float)}, {"warpfold", "copies"}, [=] {
               const auto in = pinned_floats(items);
               const std::vector<int> offsets = lengths(items);
               std::vector<float> sums(offsets.size() - 1);
               wf::host_segmented_options<float> options;
               options.chunk_bytes = chunk_bytes;
               const auto sum = [&] {
                 wf::segmented_reduce(wf::host(in.get(), items), offsets, sums, wf::plus{}, options);
               };
               sum();
               for (std::size_t s = 0; s < sums.size(); ++s)
                 if (sums[s] != static_cast<float>(offsets[s + 1] / 2 - offsets[s] / 2))
                   throw std::runtime_error("sum " + std::to_string(s) + " is wrong");
               chunk_copies copies(items, static_cast<std::int64_t>(chunk_bytes / sizeof(float)));
               const contenders list{{"warpfold", [&](cudaStream_t, int) { sum(); }},
                                     {"copies", [&](cudaStream_t, int) { copies.run(in.get(), false); }}};
               std::vector<measurement> results;
               for (const statistics& each : time_wait(list, {5, 15, 2.0})) results.push_back({each});
               return results;
             }});
}

void register_all() {
  for (const std::int64_t length : {32, 1000, 65536, 1 << 24}) add_sums(equal_lengths(length));
  add_sums(named_distribution("log_normal"));
}

}  // namespace

/// warpfold/host_memory_segments.cuh against the link to the device.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
