// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"
#include "register.hpp"
#include "segmentation.cuh"

namespace bench {
namespace {

constexpr std::int64_t items = 1 << 26;

template <form Form> void add_form(const std::string& name, const distribution& lengths) {
  add_segmented_group("segmented_reduce/float/plus", items, items * 4, lengths, "form:" + name, {}, [=] {
    segmentation<float, warpfold::plus> problem(items, lengths);
    if (Form == form::owners) problem.make_owners();
    contenders list{problem.warpfold_call<Form>()};
    problem.verify(list[0]);
    return time_segmented(problem, std::move(list), problem.moved(Form));
  });
}

/// Around every power of two, and between them.
std::vector<std::int64_t> fixed_lengths() {
  std::vector<std::int64_t> lengths{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 20, 24, 28};
  for (std::int64_t power = 32; power <= 4096; power *= 2)
    for (const std::int64_t length : {power - 1, power, power + 1, power * 5 / 4, power * 3 / 2, power * 7 / 4})
      if (length <= 4096) lengths.push_back(length);
  for (const std::int64_t length : {7777, 10'000, 65'536, 100'003, 1'000'000, 10'000'000}) lengths.push_back(length);
  return lengths;
}

}  // namespace

void register_segmented_forms() {
  for (const auto& list : {all_distributions(), irregular_distributions()})
    for (const distribution& lengths : list) {
      add_form<form::owners>("owners", lengths);
      add_form<form::bounds>("bounds", lengths);
    }
  for (const std::int64_t length : fixed_lengths()) {
    distribution lengths = equal_lengths(length);
    lengths.name = "length_" + std::to_string(length);
    add_form<form::fixed_length>("fixed_length", lengths);
  }
}

}  // namespace bench
