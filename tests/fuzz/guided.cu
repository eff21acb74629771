// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fuzz campaign, guided by what the library's code has reached: libFuzzer changes the numbers of cases. It takes
// libFuzzer's options; -max_len=96 is enough for all numbers of a case.
#include <cstdlib>

#include "fuzz/check_case.hpp"

namespace {

/// Numbers from a fuzzer's bytes; 0 once they are used up.
struct byte_source {
  const std::uint8_t* next;
  const std::uint8_t* end;

  std::int64_t below(std::int64_t bound) {
    std::int64_t number = 0;
    for (std::int64_t range = 1; range < bound && next < end; range *= 256) number = number * 256 + *next++;
    return number % bound;
  }
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  wf_fuzz::add_all();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byte_source source{data, data + size};
  const auto& table = wf_fuzz::table();
  const auto& entry = table[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(table.size())))];
  const auto c = wf_fuzz::draw_case(entry.name, source, 3000, wf_fuzz::has_faults);
  const std::string difference = wf_fuzz::difference_of(c, false);
  if (difference.empty()) return 0;
  (void)wf_fuzz::report(c, difference, false);
  std::abort();
}
