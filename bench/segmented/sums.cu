// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"
#include "register.hpp"
#include "segmentation.cuh"

namespace bench {
namespace {

/// CUB's segmented reduction is left out where a call takes a tenth of a second or more.
bool cub_takes_long(std::int64_t items, const distribution& lengths) {
  return items > 1 << 26 && lengths.length > 0 && items / lengths.length > 1 << 24;
}

void add_sum(std::int64_t items, const distribution& lengths) {
  std::vector<std::string> peers{"cub_by_key"};
  if (!cub_takes_long(items, lengths)) peers.push_back("cub_segmented");
  add_segmented_group("segmented_reduce/float/plus", items, items * 4, lengths, "form:offsets", peers, [=] {
    segmentation<float, warpfold::plus> problem(items, lengths);
    problem.make_owners();
    contenders list{problem.warpfold_call<form::offsets>(), problem.cub_by_key()};
    if (!cub_takes_long(items, lengths)) list.push_back(problem.cub_segmented());
    problem.verify(list[0]);
    return time_segmented(problem, std::move(list), problem.moved(form::offsets));
  });
}

}  // namespace

void register_segmented_sums() {
  for (const int bits : {20, 22, 24, 26, 28})
    for (const distribution& lengths : all_distributions()) add_sum(std::int64_t{1} << bits, lengths);
  for (const int bits : {20, 22, 24, 26})
    for (const distribution& lengths : irregular_distributions()) add_sum(std::int64_t{1} << bits, lengths);
  for (const char* name : {"all_100", "uniform_10_50", "log_normal", "one"})
    add_sum(10'000'000, named_distribution(name));  // no power of two
}

}  // namespace bench
