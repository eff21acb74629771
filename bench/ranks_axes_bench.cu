// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <warpfold/ranks/local.cuh>
#include <warpfold/ranks_axes.cuh>
#include <warpfold/reduce_axes.cuh>

#include "common/groups.hpp"
#include "ranks/rank_arrays.cuh"

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
               const rank_arrays arrays(ranks, items, columns);
               wf::local_ranks all(arrays.devices());
               return local_and_over_ranks(arrays, [&](int r, bool over_ranks) {
                 const wf::strided<const float, 2> from(arrays.in(r).data(), {rows, columns});
                 if (over_ranks)
                   wf::all_reduce_axes(all[r], from, wf::part{rows * r}, arrays.out(r), wf::axes{0}, wf::plus{},
                                       {.stream = arrays.stream(r)});
                 else wf::reduce_columns(from, arrays.out(r), wf::plus{}, {.stream = arrays.stream(r)});
               });
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
