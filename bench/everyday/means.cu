// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/vector_operators.hpp>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_means() {
  add_everyday<float>("mean", warpfold::arithmetic_mean{});
  add_everyday<float>("norm2", warpfold::euclidean_norm{});
  add_everyday<float>("logsumexp", warpfold::log_sum_exp{});
}

}  // namespace bench
