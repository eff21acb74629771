// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How items fall into segments or runs of keys: equal lengths, random ones, a few huge among tiny ones, many empty.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzz/fuzz_case.hpp"

namespace wf_fuzz {

/// Offsets of segments that cover all items, one more than there are segments. `knob lengths` is a kind and a seed.
inline std::vector<std::int64_t> draw_offsets(const fuzz_case& c, bool with_empty) {
  wf_test::random_source source(static_cast<std::uint64_t>(c[lengths]));
  const std::int64_t mean = std::max<std::int64_t>(c[mean_length], 1), count = c[items], kind = c[lengths] % 4;
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t end = 0; end < count;) {
    std::int64_t length = mean;
    if (kind == 1) length = source.below(2 * mean + 1);
    if (kind == 2) length = source.below(8) == 0 ? 8 * mean : source.below(3);
    if (kind == 3) length = source.below(4) == 0 ? source.below(4 * mean + 1) : 0;
    if (length == 0 && !with_empty) length = 1;
    end = std::min(end + length, count);
    offsets.push_back(end);
  }
  if (with_empty && kind == 3) offsets.insert(offsets.end(), static_cast<std::size_t>(source.below(40)), count);
  return offsets;
}

}  // namespace wf_fuzz
