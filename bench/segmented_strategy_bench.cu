// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/functional>
#include <cuda/std/functional>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/groups.hpp"
#include "common/timing.hpp"
#include "segmented/lengths.hpp"
#include "segmented_strategy/workload.cuh"

namespace {

using namespace bench;

/// The paper's operator, on random floats.
struct minimum_case {
  using workload = segmented_workload<float, warpfold::minimum, cuda::minimum<>>;
  static constexpr strategy_operator op = strategy_operator::minimum;
  static constexpr const char* name = "minimum";
};

/// The sum, on whole numbers, so that there is one right result whatever the association.
struct plus_case {
  using workload = segmented_workload<whole_number, warpfold::plus, cuda::std::plus<>>;
  static constexpr strategy_operator op = strategy_operator::plus;
  static constexpr const char* name = "plus";
};

std::vector<owned_entry> entries_of(strategy_operator op) {
  std::vector<owned_entry> all;
  for (auto entries :
       {segmented_tree_strategies(op), segmented_warp_tree_strategies(op), segmented_matrix_strategies(op)})
    std::ranges::move(entries, std::back_inserter(all));
  return all;
}

/// Dozens of kernels per round: few rounds, so that the whole run stays short however slow one of them is.
constexpr sampling few_rounds{5, 31, 0.25};

template <class Case> std::vector<measurement> measure(std::int64_t items, const distribution& lengths) {
  typename Case::workload workload(items, lengths, entries_of(Case::op));
  contenders list = workload.reducers();
  workload.verify(list);
  std::ranges::move(workload.movers(), std::back_inserter(list));
  const auto seconds = time_cold(list, few_rounds);
  std::vector<measurement> result;
  for (std::size_t i = 0; i < list.size(); ++i) result.push_back({seconds[i], workload.counters(i, list[i].name)});
  return result;
}

template <class Case> void register_sizes(std::initializer_list<std::int64_t> millions) {
  for (const std::int64_t m : millions)
    for (const char* segments : {"one", "uniform_10_50", "all_3"}) {
      const std::int64_t items = m << 20;
      add_group({std::string("segmented_strategies/float/") + Case::name + "/items:" + size_name(items) +
                     "/segments:" + segments + "/form:owners",
                 "cold", items, items * std::int64_t{sizeof(float) + sizeof(int)},
                 Case::workload::names(entries_of(Case::op)),
                 [=] { return measure<Case>(items, named_distribution(segments)); }});
    }
}

/// The paper's range of sizes, m * 2^20 items for m = 16 ... 31, and beyond it to 2^26 items, which other tables have.
void register_all() {
  register_sizes<minimum_case>({16, 20, 24, 28, 31, 48, 64});
  register_sizes<plus_case>({16, 31, 64});
}

}  // namespace

/// The paper's experiment on segmented reductions (its Figure 5), today: its three workloads, every segmented strategy,
/// Warpfold's default and CUB. README.md beside this file says how to run it.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
