// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "limit_kernels.hpp"

#include <cuda/ptx>

#include <algorithm>
#include <memory>

#include "cuda_resources.hpp"
#include "read_kernel.cuh"

namespace bench {
namespace {

/// Streams the block's share of the input through a ring of Stages buffers in shared memory. One thread is enough: the
/// copy engine does the rest, and nothing reads what arrives.
template <int Stages, int StageBytes> __global__ void __launch_bounds__(32)
read_bulk_kernel(const char* input, std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  extern __shared__ __align__(128) char ring[];
  __shared__ std::uint64_t arrived[Stages];
  if (threadIdx.x != 0) return;
  for (int s = 0; s < Stages; ++s) ptx::mbarrier_init(&arrived[s], 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  const auto wait = [&](std::int64_t copy) {
    while (!ptx::mbarrier_try_wait_parity(&arrived[copy % Stages], copy / Stages % 2)) {}
  };
  std::int64_t copies = 0;
  for (std::int64_t tile = blockIdx.x * std::int64_t{StageBytes}; tile < bytes;
       tile += gridDim.x * std::int64_t{StageBytes}) {
    if (copies >= Stages) wait(copies - Stages);
    const int s = copies % Stages;
    const auto size = static_cast<std::uint32_t>(min(bytes - tile, std::int64_t{StageBytes}));
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived[s], size);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring + s * StageBytes, input + tile, size, &arrived[s]);
    ++copies;
  }
  for (std::int64_t copy = max(copies - Stages, std::int64_t{0}); copy < copies; ++copy) wait(copy);
#endif
}

struct input_view {
  const void* data;
  std::int64_t vectors;  // of 16 bytes
  unsigned* sink;
  int multiprocessors;
};

constexpr int one_tile_a_block = 0;

/// BlocksPerProcessor bounds the grid; with one_tile_a_block the grid is as large as the input asks for.
template <int Unroll, int BlockThreads, int BlocksPerProcessor>
void read_plain(const input_view& in, cudaStream_t stream) {
  const std::int64_t tiles = (in.vectors + Unroll * BlockThreads - 1) / (Unroll * BlockThreads);
  const std::int64_t resident = std::int64_t{BlocksPerProcessor} * in.multiprocessors;
  const std::int64_t blocks = BlocksPerProcessor == one_tile_a_block ? tiles : std::min(tiles, resident);
  const auto* vectors = static_cast<const uint4*>(in.data);
  read_kernel<Unroll><<<static_cast<unsigned>(blocks), BlockThreads, 0, stream>>>(vectors, in.vectors, in.sink);
  check(cudaGetLastError());
}

template <int Stages, int StageBytes, int BlocksPerProcessor>
void read_bulk(const input_view& in, cudaStream_t stream) {
  constexpr int shared_bytes = Stages * StageBytes;
  static const cudaError_t raised = cudaFuncSetAttribute(read_bulk_kernel<Stages, StageBytes>,
                                                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  check(raised);
  const std::int64_t bytes = in.vectors * 16;
  const std::int64_t resident = std::int64_t{BlocksPerProcessor} * in.multiprocessors;
  const auto blocks = static_cast<unsigned>(std::min((bytes + StageBytes - 1) / StageBytes, resident));
  read_bulk_kernel<Stages, StageBytes><<<blocks, 32, shared_bytes, stream>>>(static_cast<const char*>(in.data), bytes);
  check(cudaGetLastError());
}

struct read_entry {
  const char* name;  // read_plain_<rows per thread>x<threads>x<blocks per SM>, read_bulk_<stages>x<bytes>x<blocks>
  void (*launch)(const input_view&, cudaStream_t);
  bool needs_bulk_copy = false;
};

constexpr read_entry entries[] = {
    {"read_plain_4x512x4", read_plain<4, 512, 4>},
    {"read_plain_8x256x4", read_plain<8, 256, 4>},
    {"read_plain_8x512x2", read_plain<8, 512, 2>},
    {"read_plain_1x256xall", read_plain<1, 256, one_tile_a_block>},
    {"read_plain_4x256xall", read_plain<4, 256, one_tile_a_block>},
    {"read_bulk_6x16kx2", read_bulk<6, 16384, 2>, true},
    {"read_bulk_12x4kx4", read_bulk<12, 4096, 4>, true},
};

/// Without a device every name is listed, so that the benchmarks can be listed anywhere.
bool available(const read_entry& entry) {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return true;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return !entry.needs_bulk_copy || major >= 9;
}

}  // namespace

contenders make_read_contenders(const void* input, std::size_t bytes) {
  const auto sink = std::make_shared<device_buffer<unsigned>>(1);
  const input_view view{input, static_cast<std::int64_t>(std::max<std::size_t>(bytes / 16, 1)), sink->data(),
                        device_attribute(cudaDevAttrMultiProcessorCount)};
  contenders result;
  for (const read_entry& entry : entries)
    if (available(entry))
      result.push_back({entry.name, [=, launch = entry.launch](cudaStream_t stream, int) {
                          static_cast<void>(sink);  // kept alive with the closure
                          launch(view, stream);
                        }});
  return result;
}

std::vector<std::string> read_contender_names() {
  std::vector<std::string> names;
  for (const read_entry& entry : entries)
    if (available(entry)) names.push_back(entry.name);
  return names;
}

}  // namespace bench
