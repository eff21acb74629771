// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <nccl.h>
#include <cstdint>
#include <memory>
#include <vector>

namespace bench {

/// One sum over GPUs by the draft in CCCL, `cuda::experimental::reduce`, over NCCL.
class cudax_sums {
 public:
  struct rank {
    ncclComm_t communicator;
    cudaStream_t stream;
    const float* in;
    float* out;
  };

  /// Of `items` floats on each rank. Communicators, streams and memory are the caller's, and must outlive this.
  cudax_sums(const std::vector<rank>& ranks, std::int64_t items);
  ~cudax_sums();

  /// Enqueues a sum on all ranks.
  void operator()() const;

 private:
  struct arguments;
  std::unique_ptr<arguments> arguments_;
};

}  // namespace bench
