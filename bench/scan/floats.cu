// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/std/functional>

#include "../reduce/items.cuh"
#include "prefixes.cuh"
#include "register.hpp"

namespace bench {

/// The running sum of floats is timed at all sizes, cold and in a graph; a user's operator at a few.
void register_float_scans() {
  const scan_sweep<float, warpfold::plus, cuda::std::plus<>> plus("float", "plus");
  for (int bits = 10; bits <= 30; ++bits) {
    plus.cold(std::int64_t{1} << bits);
    if (bits <= 24) plus.in_graph(std::int64_t{1} << bits);
  }
  for (const std::int64_t prime : {65'537, 1'000'003, 16'777'213, 268'435'399}) plus.cold(prime);
  for (const int bits : {16, 20, 24, 28}) plus.cold(std::int64_t{1} << bits, 1);
  scan_sweep<float, largest_magnitude, largest_magnitude>("float", "largest_magnitude").at_equal_bytes();
  scan_sweep<float, exact_largest_magnitude, largest_magnitude>("float", "exact_largest_magnitude").at_equal_bytes();
}

}  // namespace bench
