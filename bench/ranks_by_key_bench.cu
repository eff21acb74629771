// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <warpfold/ranks/local.cuh>
#include <warpfold/ranks_by_key.cuh>

#include "common/groups.hpp"
#include "ranks/split_segments.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Runs of equal keys of `items` floats on each of `ranks` GPUs, beside those of the local parts alone.
void add_runs(int ranks, std::int64_t items, const distribution& lengths) {
  const std::string name =
      "/float/plus/ranks:" + std::to_string(ranks) + "/items:" + size_name(items) + "/segments:" + lengths.name;
  const std::int64_t item_bytes = items * ranks * std::int64_t{sizeof(float)};
  add_group({"ranks_by_key" + name, "wait", items * ranks, 2 * item_bytes, {"local", "peers"}, [=] {
               const rank_arrays arrays(ranks, items, items);
               const auto segments = split_over(ranks, items, lengths);
               wf::local_ranks all(arrays.devices());
               return local_and_over_ranks(arrays, [&](int r, bool over_ranks) {
                 const split_segments& own = segments[static_cast<std::size_t>(r)];
                 if (over_ranks)
                   wf::reduce_by_key(all[r], own.keys(), arrays.in(r), wf::part{items * r}, own.out_keys(),
                                     arrays.out(r), own.count(), wf::plus{}, {.stream = arrays.stream(r)});
                 else
                   wf::reduce_by_key(own.keys(), arrays.in(r), own.out_keys(), arrays.out(r), own.count(), wf::plus{},
                                     {.stream = arrays.stream(r)});
               });
             }});
}

void register_all() {
  for (int ranks = 1; ranks <= device_count(); ranks *= 2)
    for (const int log_items : {10, 20, 26}) {
      const std::int64_t items = std::int64_t{1} << log_items;
      for (const std::int64_t length : {7, 1000})
        if (length < items) add_runs(ranks, items, equal_lengths(length));
      add_runs(ranks, items, equal_lengths(items * ranks));  // one, on all ranks
    }
}

}  // namespace

/// warpfold/ranks_by_key.cuh on the GPUs of this machine.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
