// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <warpfold/workspace.cuh>

#include "../common/cuda_resources.hpp"

namespace bench {

/// Outputs of a call, and its scratch.
template <class T> struct lists {
  explicit lists(std::int64_t count)
      : values(static_cast<std::size_t>(count)), indices(static_cast<std::size_t>(count)) {}
  device_buffer<T> values;
  device_buffer<std::int64_t> indices;
  warpfold::workspace workspace;
};

}  // namespace bench
