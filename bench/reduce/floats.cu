// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <warpfold/operators.hpp>
#include <warpfold/reduce.cuh>

#include "float_plus.hpp"
#include "register.hpp"
#include "sweeps.cuh"

namespace bench {

contender make_float_plus(const void* data, std::int64_t bytes) {
  struct state {
    warpfold::workspace workspace;
    device_buffer<float> result{1};
  };
  const auto shared = std::make_shared<state>();
  const auto* items = static_cast<const float*>(data);
  return {"float_plus", [=](cudaStream_t stream, int) {
            warpfold::reduce(items, bytes / 4, shared->result.data(), warpfold::plus{},
                             {.stream = stream, .workspace = shared->workspace});
          }};
}

/// The float sum is timed at all sizes and in all modes; the other operators at a few.
void register_float_reductions() {
  const sweep<float, warpfold::plus, cub_sum> plus("float", "plus");
  constexpr auto power = [](int bits) { return std::int64_t{1} << bits; };
  for (const int bits : {4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}) {
    plus.cold(power(bits));
    plus.in_graph(power(bits));
  }
  for (const std::int64_t prime : {1'009, 65'537, 1'000'003, 16'777'213, 268'435'399}) plus.cold(prime);
  for (const int bits : {12, 16, 20, 24, 28}) plus.cold(power(bits), 1);
  for (const int bits : {4, 8, 16, 20, 24}) plus.enqueue(power(bits));
  for (const int bits : {4, 8, 12, 16, 20, 24}) plus.wait(power(bits));

  register_at_equal_bytes(sweep<float, warpfold::minimum, cub_minimum>("float", "minimum"));
  using cub_largest = cub_functor<largest_magnitude, false>;
  register_at_equal_bytes(sweep<float, largest_magnitude, cub_largest>("float", "largest_magnitude"));
}

}  // namespace bench
