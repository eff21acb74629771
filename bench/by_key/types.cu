// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce/peers.cuh"
#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_types_by_key() {
  constexpr std::int64_t items = 1 << 26;
  using sum = cuda::std::plus<>;
  for (const char* name : {"all_3", "all_32", "all_100", "all_1000", "uniform_10_50", "power_law", "one"}) {
    const distribution lengths = named_distribution(name);
    add_runs<float, warpfold::plus, sum, std::int64_t>("float/plus", items, lengths);
    add_runs<double, warpfold::plus, sum>("double/plus", items, lengths);
    add_runs<std::int8_t, warpfold::plus, sum>("int8/plus", items, lengths);
    add_runs<__half, warpfold::plus, add_floats>("half/plus", items, lengths);
    add_runs<vector3, add_components, add_components>("struct12/plus", items, lengths);
    add_runs<affine, compose, compose>("affine/compose", items, lengths);
  }
}

}  // namespace bench
