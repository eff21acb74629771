// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest case that still fails: each number becomes 0, half, or one less, until nothing more fails.
#pragma once
#include "fuzz/fuzz_case.hpp"

namespace wf_fuzz {

/// fails(case) says whether it still fails. `steps` bounds the calls of it.
template <class Fails> fuzz_case shrink(fuzz_case c, Fails fails, int steps = 2000) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto& value : c.value) {
      const auto was = value;
      // Nothing, then what is half as far away each time.
      for (std::int64_t less = was; less > 0; less /= 2) {
        if (--steps < 0) return c;
        value = was - less;
        if (fails(c)) {
          smaller = true;
          break;
        }
        value = was;
      }
    }
  }
  return c;
}

}  // namespace wf_fuzz
