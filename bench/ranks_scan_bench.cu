// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <warpfold/ranks/local.cuh>
#include <warpfold/ranks_scan.cuh>
#include <warpfold/scan.cuh>

#include "common/groups.hpp"
#include "ranks/rank_arrays.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A scan of `items` floats on each of `ranks` GPUs, beside the scans of the local parts alone.
void add_scan(int ranks, std::int64_t items) {
  const std::string name = "ranks_scan/float/plus/ranks:" + std::to_string(ranks) + "/items:" + size_name(items);
  add_group({name, "wait", items * ranks, 2 * items * ranks * std::int64_t{sizeof(float)}, {"local", "peers"}, [=] {
               const rank_arrays arrays(ranks, items, items);
               wf::local_ranks all(arrays.devices());
               return local_and_over_ranks(arrays, [&](int r, bool over_ranks) {
                 if (over_ranks)
                   wf::inclusive_scan(all[r], arrays.in(r), wf::part{items * r}, arrays.out(r), wf::plus{},
                                      {.stream = arrays.stream(r)});
                 else wf::inclusive_scan(arrays.in(r), arrays.out(r), wf::plus{}, {.stream = arrays.stream(r)});
               });
             }});
}

void register_all() {
  for (int ranks = 1; ranks <= device_count(); ranks *= 2)
    for (const int log_items : {10, 20, 26}) add_scan(ranks, std::int64_t{1} << log_items);
}

}  // namespace

/// warpfold/ranks_scan.cuh on the GPUs of this machine.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
