// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One of the implementations that are timed side by side on the same input.
/// `run(stream, call)` enqueues one call; where waiting calls are measured, it also waits for the result. `call` is the
/// number of the call, so that a contender can rotate among several inputs.
struct contender {
  std::string name;
  std::function<void(cudaStream_t stream, int call)> run;
};

using contenders = std::vector<contender>;

}  // namespace bench
