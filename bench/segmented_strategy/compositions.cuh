// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

#include "../strategy/compositions.cuh"
#include "entry.hpp"

namespace bench {

/// The same as for any strategy, but owners are in flight beside the items.
template <class S, class Schedule, class Op>
std::vector<std::pair<std::string, double>> owned_counters(std::int64_t count) {
  auto counters = strategy_counters<S, Schedule, Op>(count);
  for (auto& [name, value] : counters)
    if (name == "bytes_in_flight") value *= static_cast<double>(sizeof(float) + sizeof(int)) / sizeof(float);
  return counters;
}

template <class Op, class Algorithm, class Schedule, class Finish>
owned_entry make_owned_entry(const std::string& name) {
  using S = wf::strategy<Algorithm, Schedule, Finish>;
  return {name,
          [](const owned_problem& p, cudaStream_t stream) {
            wf::segmented_reduce<S>(p.items, wf::owners{p.owners}, p.out, Op{},
                                    {.stream = stream, .workspace = wf::workspace_ref::from_initialized(p.scratch)});
          },
          &wf::workspace_bytes<S, float>, &owned_counters<S, Schedule, Op>};
}

/// One persistent schedule, with both finishes that keep segments apart.
template <class Op, class Algorithm, class Schedule>
void add_owned_finishes(std::vector<owned_entry>& list, const std::string& name) {
  list.push_back(make_owned_entry<Op, Algorithm, Schedule, wf::finish::last_block>(name + ".last_block"));
  list.push_back(make_owned_entry<Op, Algorithm, Schedule, wf::finish::two_launch>(name + ".two_launch"));
}

/// One block algorithm on every schedule that takes it; in a producer and consumer, `Consumers` warps reduce.
template <class Op, class Algorithm, int Consumers>
std::vector<owned_entry> all_owned_compositions(const std::string& algorithm) {
  std::vector<owned_entry> list;
  list.push_back(
      make_owned_entry<Op, Algorithm, wf::grid::multi_pass, wf::finish::none>(algorithm + ".multi_pass.none"));
  add_owned_finishes<Op, Algorithm, wf::grid::persistent>(list, algorithm + ".persistent");
  add_owned_finishes<Op, Algorithm, wf::grid::producer_consumer<8, Consumers>>(list, algorithm + ".producer_consumer");
  return list;
}

template <class Algorithm, int Consumers>
std::vector<owned_entry> all_owned_compositions(const std::string& algorithm, strategy_operator op) {
  return op == strategy_operator::minimum ? all_owned_compositions<wf::minimum, Algorithm, Consumers>(algorithm)
                                          : all_owned_compositions<wf::plus, Algorithm, Consumers>(algorithm);
}

}  // namespace bench
