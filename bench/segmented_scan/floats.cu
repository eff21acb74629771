// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prefixes.cuh"
#include "register.hpp"

namespace bench {
namespace {

template <scanned_form Form> void add_floats(int bits, const std::vector<distribution>& list) {
  for (const distribution& lengths : list)
    add_segment_prefixes<Form, float, warpfold::plus, cuda::std::plus<>>("float/plus", std::int64_t{1} << bits,
                                                                         lengths);
}

}  // namespace

void register_segmented_float_scans() {
  add_floats<scanned_form::offsets>(26, all_distributions());
  add_floats<scanned_form::offsets>(26, irregular_distributions());
  std::vector<distribution> small{equal_lengths(32), equal_lengths(1000)};
  for (const char* name : {"one", "geometric_200", "log_normal", "power_law", "degrees", "three_of_four_empty"})
    small.push_back(named_distribution(name));
  add_floats<scanned_form::offsets>(22, small);
  add_floats<scanned_form::offsets>(20, {equal_lengths(32), equal_lengths(1000), equal_lengths(1 << 20)});
  std::vector<distribution> some;
  for (const std::int64_t length : {3, 32, 100, 1000, 4096, 1 << 20}) some.push_back(equal_lengths(length));
  add_floats<scanned_form::fixed_length>(26, some);
  for (const char* name : {"power_law", "one", "geometric_200"}) some.push_back(named_distribution(name));
  add_floats<scanned_form::owners>(26, some);
}

}  // namespace bench
