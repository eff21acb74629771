// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <warpfold/scan_axes.cuh>
#include <warpfold/workspace.cuh>

#include "common/cold_cache.cuh"
#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/random_data.cuh"
#include "common/timing.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

constexpr std::int64_t most_items = std::int64_t{1} << 26;

/// Sums along the middle axis of an array of extents outer, length, inner, from its begin or its end, beside a copy of
/// as many bytes.
void add_scan(const std::string& form, std::int64_t outer, std::int64_t length, std::int64_t inner, bool from_end) {
  const std::int64_t items = outer * length * inner, bytes = items * std::int64_t{sizeof(float)};
  const std::string name = "scan_axes/float/plus/items:" + size_name(items) + "/form:" + form;
  add_group({from_end ? name + "_backwards" : name, "cold", items, 2 * bytes, {"warpfold", "copy"}, [=] {
               device_buffer<float> in(static_cast<std::size_t>(items)), out(static_cast<std::size_t>(items));
               fill_random(in.data(), items, 5, nullptr);
               const wf::workspace workspace(64);
               const wf::strided<const float, 3> from(in.data(), {outer, length, inner});
               const wf::strided<float, 3> to(out.data(), {outer, length, inner});
               const auto scan = [&](cudaStream_t stream, int) {
                 if (from_end)
                   wf::inclusive_scan_axes(from, to, wf::backwards{1}, wf::plus{},
                                           {.stream = stream, .workspace = workspace});
                 else
                   wf::inclusive_scan_axes(from, to, wf::axes{1}, wf::plus{},
                                           {.stream = stream, .workspace = workspace});
               };
               const contenders list{{"warpfold", scan}, {"copy", [&](cudaStream_t stream, int) {
                                                            check(cudaMemcpyAsync(out.data(), in.data(), out.bytes(),
                                                                                  cudaMemcpyDeviceToDevice, stream));
                                                          }}};
               for (const contender& candidate : list) candidate.run(nullptr, 0);
               check(cudaDeviceSynchronize());
               std::vector<measurement> result;
               for (const statistics& seconds : time_cold(list, {7, 31, 0.1})) result.push_back({seconds});
               return result;
             }});
}

void register_all() {
  for (const bool from_end : {false, true}) {
    for (const std::int64_t extent : {2, 8, 32, 100, 1000, 4096, 65536, 1 << 20}) {
      const std::int64_t others = most_items / extent;
      add_scan("rows_" + std::to_string(extent), others, extent, 1, from_end);
      add_scan("columns_" + std::to_string(extent), 1, others, extent, from_end);
    }
    add_scan("middle_4096x91x180", 4096, 91, 180, from_end);
    add_scan("middle_64x1024x1024", 64, 1024, 1024, from_end);
  }
}

}  // namespace

/// warpfold/scan_axes.cuh against a copy.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
