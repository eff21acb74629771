// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>
#include <warpfold/warpfold.cuh>

namespace {

struct plus_offset {  // the libraries have one of this name too
  __host__ __device__ int operator()(int item) const { return item + 3; }
};

class library {
 public:
  explicit library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }

  template <class Function> Function* find(const char* name) const {
    void* address = dlsym(handle_, name);
    if (address == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function*>(address);
  }

 private:
  void* handle_;  // never closed: the CUDA runtime keeps pointers into a library that holds kernels
};

#define FIND(from, function) (from).find<decltype(::function)>(#function)

class shared_libraries : public testing::Test {
 protected:
  static constexpr int count = 10000;
  static constexpr int expected = count / 2 * (count + 1);

  shared_libraries() {
    std::vector<int> items(count);
    std::iota(items.begin(), items.end(), 1);
    check(cudaMalloc(&items_, count * sizeof(int)));
    check(cudaMalloc(&out_, sizeof(int)));
    check(cudaMemcpy(items_, items.data(), count * sizeof(int), cudaMemcpyDefault));
  }
  ~shared_libraries() override {
    cudaFree(items_);
    cudaFree(out_);
  }

  static void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }

  library first_{FIRST_LIBRARY};
  library second_{SECOND_LIBRARY};
  int* items_ = nullptr;
  int* out_ = nullptr;
};

TEST_F(shared_libraries, each_folds_with_its_own_code) {
  const std::span<const int> items(items_, count);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(FIND(first_, sum)(items_, count), expected);
    EXPECT_EQ(FIND(second_, sum)(items_, count), expected);
    EXPECT_EQ(warpfold::reduce_value(items), expected);
    EXPECT_EQ(FIND(first_, sum_with_offset)(items_, count), expected + count);
    EXPECT_EQ(FIND(second_, sum_with_offset)(items_, count), expected + 2 * count);
    EXPECT_EQ(warpfold::transform_reduce_value(items, warpfold::plus{}, plus_offset{}), expected + 3 * count);
  }
}

TEST_F(shared_libraries, share_a_stream) {
  cudaStream_t stream{};
  check(cudaStreamCreate(&stream));
  for (const library* each : {&first_, &second_, &first_}) {
    check(cudaMemsetAsync(out_, 0, sizeof(int), stream));
    FIND(*each, enqueue_sum)(items_, count, out_, stream);
    int result = 0;
    check(cudaMemcpyAsync(&result, out_, sizeof(int), cudaMemcpyDefault, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(result, expected);
  }
  check(cudaStreamDestroy(stream));
}

TEST_F(shared_libraries, errors_are_caught_by_type_outside_the_library) {
  for (const library* each : {&first_, &second_}) {
    EXPECT_THROW(FIND(*each, be_refused)(), std::invalid_argument);
    EXPECT_THROW(FIND(*each, meet_cuda_error)(), warpfold::cuda_error);
    EXPECT_EQ(FIND(*each, sum)(items_, count), expected) << "after a refused launch";
  }
}

}  // namespace
