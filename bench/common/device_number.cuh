// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <memory>

#include "cuda_resources.hpp"

namespace bench {

/// `number` in device memory, where it is as long as somebody holds it.
inline std::shared_ptr<device_buffer<std::int64_t>> on_device(std::int64_t number) {
  auto memory = std::make_shared<device_buffer<std::int64_t>>(1);
  check(cudaMemcpy(memory->data(), &number, sizeof number, cudaMemcpyHostToDevice));
  return memory;
}

}  // namespace bench
