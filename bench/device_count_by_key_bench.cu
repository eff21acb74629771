// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <warpfold/device_count_by_key.cuh>

#include "by_key/keyed_runs.cuh"
#include "common/device_number.cuh"
#include "segmented/measure.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Sums of runs of equal keys of as many items as the kernel reads, beside the call with that count.
void add_sums(std::int64_t items, const distribution& lengths) {
  using key = std::int32_t;
  add_segmented_group("device_count_by_key/float/plus", items, items * std::int64_t{sizeof(float) + sizeof(key)},
                      lengths, "keys:int32", {"host_count"}, [=] {
                        keyed_runs<float, wf::plus, key> problem(items, lengths);
                        contender of_host = problem.warpfold_call();
                        of_host.name = "host_count";
                        contenders list{problem.counted_call(on_device(items)), of_host};
                        problem.verify(list[0], list[1]);
                        return time_segmented(problem, std::move(list), problem.moved());
                      });
}

void register_all() {
  for (const int log_items : {16, 22, 26})
    for (const std::int64_t length : {1, 7, 1000}) add_sums(std::int64_t{1} << log_items, equal_lengths(length));
}

}  // namespace

/// warpfold/device_count_by_key.cuh against warpfold/reduce_by_key.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
