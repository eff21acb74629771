// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another current device for a while.
#pragma once
#include <warpfold/host/device.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Makes `device` the calling thread's current one, and the former one at the end.
class device_guard {
 public:
  explicit device_guard(int device) : former_(current_device()) {
    require_success(cudaSetDevice(device), "cudaSetDevice");
  }
  device_guard(const device_guard&) = delete;
  ~device_guard() { (void)cudaSetDevice(former_); }

 private:
  int former_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
