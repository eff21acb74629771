// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include "entry.hpp"

namespace bench {

namespace wf = warpfold;

/// The parts of one block algorithm's compositions. It may have a size of its own on each schedule.
template <class OnPersistent, class PaperForm, class OnPaperForm, class ModernForm, class OnModernForm>
struct strategy_parts {};

/// Data-blocks of one CUDA-block that can be on their way from memory at the same time.
template <class Schedule> inline constexpr int data_blocks_in_flight = 1;
template <int P, int C, int Stages>
inline constexpr int data_blocks_in_flight<wf::grid::bulk_producer_consumer<P, C, Stages>> = Stages;

/// bytes_in_flight: the most bytes that a multiprocessor can have requested from memory and not yet received.
template <class S, class Schedule, class Op>
std::vector<std::pair<std::string, double>> strategy_counters(std::int64_t count) {
  const auto facts = wf::facts_of<S, float, Op>(count);
  const double data_block_bytes = static_cast<double>(facts.data_block_items) * sizeof(float);
  return {{"registers", facts.registers},
          {"local_bytes", facts.local_bytes},
          {"shared_bytes", static_cast<double>(facts.shared_bytes)},
          {"block_threads", facts.block_threads},
          {"data_block_items", static_cast<double>(facts.data_block_items)},
          {"blocks_per_multiprocessor", facts.blocks_per_multiprocessor},
          {"occupancy", facts.occupancy},
          {"grid_blocks", static_cast<double>(facts.grid_blocks)},
          {"launches", facts.launches},
          {"bytes_in_flight", facts.blocks_per_multiprocessor * data_blocks_in_flight<Schedule> * data_block_bytes}};
}

template <class Op, class Algorithm, class Schedule, class Finish>
strategy_entry make_strategy_entry(const std::string& name) {
  using S = wf::strategy<Algorithm, Schedule, Finish>;
  return {name, Schedule::needs_bulk_copy,
          [](const strategy_problem& p, cudaStream_t stream) {
            wf::reduce<S>(p.items, p.count, p.out, Op{},
                          {.stream = stream, .workspace = wf::workspace_ref::from_initialized(p.scratch)});
          },
          &wf::workspace_bytes<S, float>, &strategy_counters<S, Schedule, Op>};
}

/// One schedule with all finishes that go with the algorithm.
template <class Op, class Algorithm, class Schedule>
void add_finishes(std::vector<strategy_entry>& list, const std::string& name) {
  list.push_back(make_strategy_entry<Op, Algorithm, Schedule, wf::finish::last_block>(name + ".last_block"));
  list.push_back(make_strategy_entry<Op, Algorithm, Schedule, wf::finish::two_launch>(name + ".two_launch"));
  list.push_back(make_strategy_entry<Op, Algorithm, Schedule, wf::finish::block_atomic>(name + ".block_atomic"));
  if constexpr (wf::strategies::has_warp_results<Algorithm, float>)
    list.push_back(make_strategy_entry<Op, Algorithm, Schedule, wf::finish::warp_atomic>(name + ".warp_atomic"));
}

template <class Op, class OnPersistent, class PaperForm, class OnPaperForm, class ModernForm, class OnModernForm>
std::vector<strategy_entry> all_compositions(
    const std::string& algorithm, strategy_parts<OnPersistent, PaperForm, OnPaperForm, ModernForm, OnModernForm>) {
  std::vector<strategy_entry> list;
  list.push_back(
      make_strategy_entry<Op, OnPersistent, wf::grid::multi_pass, wf::finish::none>(algorithm + ".multi_pass.none"));
  add_finishes<Op, OnPersistent, wf::grid::persistent>(list, algorithm + ".persistent");
  add_finishes<Op, OnPaperForm, PaperForm>(list, algorithm + ".producer_consumer");
  add_finishes<Op, OnModernForm, ModernForm>(list, algorithm + ".bulk_producer_consumer");
  return list;
}

template <class Parts>
std::vector<strategy_entry> all_compositions(const std::string& algorithm, strategy_operator op, Parts parts) {
  return op == strategy_operator::minimum ? all_compositions<wf::minimum>(algorithm, parts)
                                          : all_compositions<wf::plus>(algorithm, parts);
}

}  // namespace bench
