// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>
#include <warpfold/ranks/local.cuh>
#include <warpfold/ranks_axes.cuh>
#include <warpfold/reduce_axes.cuh>

#include "common/groups.hpp"
#include "common/statistics.hpp"
#include "ranks/rank_threads.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Sums of the columns of a matrix of `rows` x `columns` floats on each of `ranks` GPUs, as of a tensor-parallel layer,
/// beside those of the local parts alone.
void add_columns(int ranks, std::int64_t rows, std::int64_t columns) {
  const std::int64_t items = rows * columns;
  const std::string name = "ranks_axes/float/plus/ranks:" + std::to_string(ranks) + "/items:" + size_name(items) +
                           "/form:" + std::to_string(rows) + "x" + std::to_string(columns);
  add_group({name, "wait", items * ranks, items * ranks * std::int64_t{sizeof(float)}, {"local", "peers"}, [=] {
               std::vector<stream> streams;
               std::vector<device_buffer<float>> in, out;
               for (int r = 0; r < ranks; ++r) {
                 check(cudaSetDevice(r));
                 streams.push_back(make_stream());
                 in.emplace_back(static_cast<std::size_t>(items)), out.emplace_back(static_cast<std::size_t>(columns));
                 check(cudaMemset(in.back().data(), 0, in.back().bytes()));
                 check(cudaDeviceSynchronize());
               }
               std::vector<int> devices(static_cast<std::size_t>(ranks));
               std::iota(devices.begin(), devices.end(), 0);
               wf::local_ranks all(devices);
               const auto wait = [&](int r) {
                 check(cudaStreamSynchronize(streams[static_cast<std::size_t>(r)].get()));
               };
               const auto sum = [&](int r, bool over_ranks) {
                 const auto rank = static_cast<std::size_t>(r);
                 const wf::strided<const float, 2> from(in[rank].data(), {rows, columns});
                 const std::span<float> to(out[rank].data(), out[rank].size());
                 if (over_ranks)
                   wf::all_reduce_axes(all[r], from, wf::part{rows * r}, to, wf::axes{0}, wf::plus{},
                                       {.stream = streams[rank].get()});
                 else wf::reduce_columns(from, to, wf::plus{}, {.stream = streams[rank].get()});
               };
               const auto sample = [&](std::size_t over_ranks) {
                 return seconds_on_ranks(
                     ranks, 20, [&](int r) { sum(r, over_ranks == 1); }, wait);
               };
               for (const std::size_t i : {0, 1}) (void)sample(i);
               std::vector<measurement> results;
               for (const statistics& each : round_robin(2, {7, 41, 2.0}, sample)) results.push_back({each});
               return results;
             }});
}

void register_all() {
  for (int ranks = 1; ranks <= device_count(); ranks *= 2)
    for (const std::int64_t columns : {1024, 4096, 16384})
      for (const std::int64_t rows : {128, 2048}) add_columns(ranks, rows, columns);
}

}  // namespace

/// warpfold/ranks_axes.cuh on the GPUs of this machine.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
