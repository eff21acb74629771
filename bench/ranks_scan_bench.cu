// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>
#include <warpfold/ranks/local.cuh>
#include <warpfold/ranks_scan.cuh>
#include <warpfold/scan.cuh>

#include "common/groups.hpp"
#include "common/statistics.hpp"
#include "ranks/rank_threads.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A scan of `items` floats on each of `ranks` GPUs, beside the scans of the local parts alone.
void add_scan(int ranks, std::int64_t items) {
  const std::string name = "ranks_scan/float/plus/ranks:" + std::to_string(ranks) + "/items:" + size_name(items);
  add_group(
      {name, "wait", items * ranks, 2 * items * ranks * std::int64_t{sizeof(float)}, {"local", "peers"}, [=] {
         std::vector<stream> streams;
         std::vector<device_buffer<float>> in, out;
         for (int r = 0; r < ranks; ++r) {
           check(cudaSetDevice(r));
           streams.push_back(make_stream());
           in.emplace_back(static_cast<std::size_t>(items)), out.emplace_back(static_cast<std::size_t>(items));
           check(cudaMemset(in.back().data(), 0, in.back().bytes()));
           check(cudaDeviceSynchronize());
         }
         std::vector<int> devices(static_cast<std::size_t>(ranks));
         std::iota(devices.begin(), devices.end(), 0);
         wf::local_ranks all(devices);
         const auto wait = [&](int r) { check(cudaStreamSynchronize(streams[static_cast<std::size_t>(r)].get())); };
         const auto scan = [&](int r, bool over_ranks) {
           const auto rank = static_cast<std::size_t>(r);
           const std::span<const float> from(in[rank].data(), in[rank].size());
           const std::span<float> to(out[rank].data(), out[rank].size());
           if (over_ranks)
             wf::inclusive_scan(all[r], from, wf::part{items * r}, to, wf::plus{}, {.stream = streams[rank].get()});
           else wf::inclusive_scan(from, to, wf::plus{}, {.stream = streams[rank].get()});
         };
         const auto sample = [&](std::size_t over_ranks) {
           return seconds_on_ranks(
               ranks, 20, [&](int r) { scan(r, over_ranks == 1); }, wait);
         };
         for (const std::size_t i : {0, 1}) (void)sample(i);
         std::vector<measurement> results;
         for (const statistics& each : round_robin(2, {7, 41, 2.0}, sample)) results.push_back({each});
         return results;
       }});
}

void register_all() {
  for (int ranks = 1; ranks <= device_count(); ranks *= 2)
    for (const int log_items : {10, 20, 26}) add_scan(ranks, std::int64_t{1} << log_items);
}

}  // namespace

/// warpfold/ranks_scan.cuh on the GPUs of this machine.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
