// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices for tests: those of the machine, or three in the emulator.
#pragma once
#include <cstdlib>
#include <warpfold/host/device.cuh>

namespace wf_test {

namespace detail {
/// Before main, so before any thread reads the settings.
inline const int emulates_devices = setenv("CUDA_EMULATOR_DEVICES", "3", 0);
}  // namespace detail

inline int device_count() {
  (void)detail::emulates_devices;
  int count = 1;
  warpfold::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}
/// Device `i`, or another one if there are not so many.
inline int device_number(int i) { return i % device_count(); }

}  // namespace wf_test
