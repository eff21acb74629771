// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if __has_include(<cub/device/device_topk.cuh>)
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#include <cuda/stream>
#define TOP_K_BENCH_HAS_CUB 1
#else
#define TOP_K_BENCH_HAS_CUB 0
#endif
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/top_k.cuh>

#include "common/one_read.cuh"
#include "top_k/lists.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

template <class T> __global__ void fill_ascending(T* items, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    items[i] = static_cast<T>(i);
}

#if TOP_K_BENCH_HAS_CUB
template <class T> class cub_top_k {
 public:
  cub_top_k(const T* in, std::int64_t items, int k) : in_(in), items_(items), k_(k), out_(k) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes, nullptr));
    scratch_ = device_buffer<std::byte>(bytes + 1);
  }
  void run(cudaStream_t stream) {
    std::size_t bytes = scratch_.bytes();
    check(call(scratch_.data(), bytes, stream));
  }
  /// Throws unless the values are `expected`, which are sorted.
  void verify(std::vector<T> expected) {
    run(nullptr);
    std::vector<T> found(expected.size());
    check(cudaMemcpy(found.data(), out_.values.data(), out_.values.bytes(), cudaMemcpyDeviceToHost));
    std::sort(found.begin(), found.end(), std::greater<>{});
    if (found != expected) throw std::runtime_error("CUB found other values");
  }

 private:
  cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    const auto requirements = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                       cuda::execution::output_ordering::unsorted);
    const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, requirements};
    return cub::DeviceTopK::MaxPairs(scratch, bytes, in_, out_.values.data(),
                                     cuda::make_counting_iterator(std::int64_t{0}), out_.indices.data(), items_,
                                     std::int64_t{k_}, environment);
  }

  const T* in_;
  std::int64_t items_;
  int k_;
  lists<T> out_;
  device_buffer<std::byte> scratch_;
};
#endif

/// k of one sequence, with random items, and with ascending ones.
template <class T> void add_sequence(const std::string& type, std::int64_t items, int k) {
  std::vector<std::string> names{"warpfold", "ascending"};
  if (TOP_K_BENCH_HAS_CUB) names.push_back("cub");
  add_one_read<T>("top_k/" + type + "/top_" + std::to_string(k), items, names, [=](one_read<T>& input) {
    const auto out = std::make_shared<lists<T>>(k);
    const auto ascending = std::make_shared<device_buffer<T>>(static_cast<std::size_t>(items));
    fill_ascending<<<1024, 256>>>(ascending->data(), items);
    check(cudaGetLastError());
    const auto top = [=](const T* in, cudaStream_t stream) {
      wf::top_k_items(in, items, k, out->values.data(), out->indices.data(),
                      {.stream = stream, .workspace = out->workspace});
    };
    contenders all{{"warpfold", [=, &input](cudaStream_t stream, int) { top(input.in(), stream); }},
                   {"ascending", [=](cudaStream_t stream, int) { top(ascending->data(), stream); }}};
#if TOP_K_BENCH_HAS_CUB
    const auto cub = std::make_shared<cub_top_k<T>>(input.in(), items, k);
    top(input.in(), nullptr);
    std::vector<T> values(static_cast<std::size_t>(k));
    check(cudaMemcpy(values.data(), out->values.data(), out->values.bytes(), cudaMemcpyDeviceToHost));
    cub->verify(values);
    all.push_back({"cub", [=](cudaStream_t stream, int) { cub->run(stream); }});
#endif
    return all;
  });
}

/// k of each row of a matrix, as logits are: one call.
template <class T> void add_rows(const std::string& type, std::int64_t rows, std::int64_t length, int k) {
  add_one_read<T>("top_k/" + type + "/top_" + std::to_string(k) + "/segments:all_" + std::to_string(length),
                  rows * length, {"warpfold"}, [=](one_read<T>& input) {
                    const auto out = std::make_shared<lists<T>>(rows * k);
                    return contenders{{"warpfold", [=, &input](cudaStream_t stream, int) {
                                         wf::segmented_top_k(input.in(), input.items, wf::fixed_length{length}, k,
                                                             out->values.data(), out->indices.data(),
                                                             {.stream = stream, .workspace = out->workspace});
                                       }}};
                  });
}

void register_all() {
  for (const int k : {1, 16, 64, 256, 1024}) {
    for (const int bits : {20, 22, 24, 26, 28}) add_sequence<float>("float", std::int64_t{1} << bits, k);
    add_sequence<std::int32_t>("int32", std::int64_t{1} << 28, k);
    add_sequence<std::int64_t>("int64", std::int64_t{1} << 27, k);
    add_rows<float>("float", 4096, 32768, k);
    add_rows<__half>("half", 4096, 32768, k);
  }
  add_rows<float>("float", std::int64_t{1} << 20, 256, 8);
}

}  // namespace

/// warpfold/top_k.cuh: a sequence, random and ascending, against CUB's DeviceTopK where the CUB that is measured has it
/// (its lists are unsorted, and of equal items it takes any); and the rows of a matrix in one call.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
