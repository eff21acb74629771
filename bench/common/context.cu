// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.hpp"

#include <benchmark/benchmark.h>
#include <cub/version.cuh>

#include <cstdlib>
#include <string>

#include "cuda_resources.hpp"
#include "timing.hpp"

namespace bench {
namespace {

std::string decimal_version(int version) {  // 13000 -> 13.0
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "unknown";
}

std::string megahertz(cudaDeviceAttr kilohertz) { return std::to_string(device_attribute(kilohertz) / 1000); }

}  // namespace

void describe_device_in_context() {
  int device = 0, driver = 0, runtime = 0;
  check(cudaGetDevice(&device));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  warm_up_device();
  using benchmark::AddCustomContext;
  AddCustomContext("device", properties.name);
  AddCustomContext("compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor));
  AddCustomContext("multiprocessors", std::to_string(properties.multiProcessorCount));
  AddCustomContext("l2_bytes", std::to_string(properties.l2CacheSize));
  AddCustomContext("memory_bus_bits", std::to_string(properties.memoryBusWidth));
  AddCustomContext("memory_clock_mhz", megahertz(cudaDevAttrMemoryClockRate));
  AddCustomContext("maximum_clock_mhz", megahertz(cudaDevAttrClockRate));
  AddCustomContext("measured_clock_mhz", std::to_string(static_cast<int>(measure_clock_mhz())));
  AddCustomContext("cuda_driver", decimal_version(driver));
  AddCustomContext("cuda_runtime", decimal_version(runtime));
  AddCustomContext("nvcc", std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + "." +
                               std::to_string(__CUDACC_VER_BUILD__));
  AddCustomContext("cub", std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                              std::to_string(CUB_SUBMINOR_VERSION));
  AddCustomContext("commit", environment("WARPFOLD_COMMIT"));
}

}  // namespace bench
