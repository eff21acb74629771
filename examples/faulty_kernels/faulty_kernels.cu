// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faulty kernels of the kinds that people post, each with its mended twin: what the emulator says of them. README.md
// compares that with what compute-sanitizer says.
#include <cuda_emulator/cuda_emulator.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

// The faults and the mended lines stand side by side: `mended` is the same for all threads.

__global__ void missing_barrier(int* items, bool mended) {
  __shared__ int tile[64];
  const unsigned i = threadIdx.x;
  tile[i] = items[i];
  if (mended) __syncthreads();
  items[i] = tile[63 - i];
}

__global__ void divergent_barrier(int* items, bool mended) {
  __shared__ int sums[64];
  const unsigned i = threadIdx.x;
  sums[i] = items[i];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (i < half) {
      sums[i] += sums[i + half];
      if (!mended) __syncthreads();
    }
    if (mended) __syncthreads();
  }
  if (i == 0) items[0] = sums[0];
}

__global__ void wrong_mask(int* items, unsigned count, bool mended) {
  const unsigned lane = threadIdx.x;
  int sum = lane < count ? items[lane] : 0;
  if (mended || lane < count)
    for (unsigned distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) items[0] = sum;
}

__global__ void race_in_shared_memory(int* items, bool mended) {
  __shared__ int counts[4];
  const unsigned i = threadIdx.x;
  if (i < 4) counts[i] = 0;
  __syncthreads();
  if (mended) atomicAdd(&counts[items[i] % 4], 1);
  else ++counts[items[i] % 4];
  __syncthreads();
  if (i < 4) items[i] = counts[i];
}

__global__ void race_between_blocks(int* items, int* sum, bool mended) {
  if (threadIdx.x != 0) return;
  if (mended) atomicAdd(sum, items[blockIdx.x]);
  else *sum += items[blockIdx.x];
}

// Block 0 hands a value over to block 1.
__global__ void missing_fence(int* value, volatile int* flag, bool mended) {
  if (blockIdx.x == 0) {
    *value = 42;
    if (mended) __threadfence();
    *flag = 1;
  } else {
    while (*flag != 1) __nanosleep(20);
    __threadfence();
    value[1] = *value;
  }
}

// The same in two launches. The first one leaves the flag set.
__global__ void stale_flag(int* value, volatile int* flag, int launch, bool mended) {
  const int ready = mended ? launch : 1;
  if (blockIdx.x == 0) {
    *value = 42 * launch;
    __threadfence();
    *flag = ready;
  } else {
    while (*flag != ready) __nanosleep(20);
    __threadfence();
    value[1] = *value;
  }
}

__global__ void out_of_bounds_in_global_memory(int* items, unsigned count, bool mended) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mended ? i < count : i <= count) items[i] += 1;
}

__global__ void out_of_bounds_in_shared_memory(int* items, bool mended) {
  __shared__ int tile[64];
  const unsigned i = threadIdx.x;
  tile[i] = items[i];
  __syncthreads();
  const int right = mended && i == 63 ? 0 : tile[i + 1];
  items[i] = right - tile[i];
}

__global__ void uninitialised_shared_memory(int* items, bool mended) {
  __shared__ int counts[4];
  const unsigned i = threadIdx.x;
  if (mended && i < 4) counts[i] = 0;
  __syncthreads();
  atomicAdd(&counts[items[i] % 4], 1);
  __syncthreads();
  if (i < 4) items[i] = counts[i];
}

__global__ void misaligned_vector(const float* items, float* sums, bool mended) {
  const unsigned i = threadIdx.x;
  float4 four;
  if (mended) four = {items[4 * i + 1], items[4 * i + 2], items[4 * i + 3], items[4 * i + 4]};
  else four = reinterpret_cast<const float4*>(items + 1)[i];
  sums[i] = four.x + four.y + four.z + four.w;
}

namespace {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

// Numbers in device memory: 1, 1, ...
template <class T> class numbers {
 public:
  explicit numbers(std::size_t count, T fill = 1) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
    const std::vector<T> all(count, fill);
    check(cudaMemcpy(data_, all.data(), count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~numbers() { cudaFree(data_); }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;

  T* data() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> all(count_);
    check(cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return all;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

template <class... P, class... A> void launch(void (*kernel)(P...), unsigned blocks, unsigned threads, A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  check(cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...), "cudaLaunchKernelEx");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

struct sample {
  const char* name;
  bool (*runs_right)(bool mended);  // whether the result is right
};

constexpr sample samples[] = {
    {"missing_barrier",
     [](bool mended) {
       numbers<int> items(64);
       launch(missing_barrier, 1, 64, items.data(), mended);
       return items.host() == std::vector<int>(64, 1);
     }},
    {"divergent_barrier",
     [](bool mended) {
       numbers<int> items(64);
       launch(divergent_barrier, 1, 64, items.data(), mended);
       return items.host()[0] == 64;
     }},
    {"wrong_mask",
     [](bool mended) {
       numbers<int> items(32);
       launch(wrong_mask, 1, 32, items.data(), 20, mended);
       return items.host()[0] == 20;
     }},
    {"race_in_shared_memory",
     [](bool mended) {
       numbers<int> items(64);
       launch(race_in_shared_memory, 1, 64, items.data(), mended);
       return items.host()[1] == 64;
     }},
    {"race_between_blocks",
     [](bool mended) {
       numbers<int> items(64), sum(1, 0);
       launch(race_between_blocks, 64, 32, items.data(), sum.data(), mended);
       return sum.host()[0] == 64;
     }},
    {"missing_fence",
     [](bool mended) {
       numbers<int> value(2, 0), flag(1, 0);
       launch(missing_fence, 2, 1, value.data(), flag.data(), mended);
       return value.host()[1] == 42;
     }},
    {"stale_flag",
     [](bool mended) {
       numbers<int> value(2, 0), flag(1, 0);
       for (int number : {1, 2}) launch(stale_flag, 2, 1, value.data(), flag.data(), number, mended);
       return value.host()[1] == 84;
     }},
    {"out_of_bounds_in_global_memory",
     [](bool mended) {
       numbers<int> items(100);
       launch(out_of_bounds_in_global_memory, 2, 64, items.data(), 100, mended);
       return items.host() == std::vector<int>(100, 2);
     }},
    {"out_of_bounds_in_shared_memory",
     [](bool mended) {
       numbers<int> items(64);
       launch(out_of_bounds_in_shared_memory, 1, 64, items.data(), mended);
       return items.host()[63] == -1;
     }},
    {"uninitialised_shared_memory",
     [](bool mended) {
       numbers<int> items(64);
       launch(uninitialised_shared_memory, 1, 64, items.data(), mended);
       return items.host()[1] == 64;
     }},
    {"misaligned_vector",
     [](bool mended) {
       numbers<float> items(132), sums(32);
       launch(misaligned_vector, 1, 32, items.data(), sums.data(), mended);
       return sums.host() == std::vector<float>(32, 4.0f);
     }},
};

// Prints what is said of a kernel, indented. False if a fault is found or the result is wrong.
bool run(const sample& of, bool mended) {
  std::printf("%s%s\n", of.name, mended ? ", mended" : "");
  std::string said;
  bool is_right = false;
  try {
    is_right = of.runs_right(mended);
    said = is_right ? "no fault, and the result is right" : "no fault, but the result is wrong";
  } catch (const std::exception& e) {
    said = e.what();
  }
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t end = said.find('\n', at);
    std::printf("  %s\n", said.substr(at, end - at).c_str());
    at = end == std::string::npos ? end : end + 1;
  }
  std::fflush(stdout);
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const bool mended = argc > 1 && std::strcmp(argv[1], "--mended") == 0;
  const std::string name = argc > 1 + mended ? argv[1 + mended] : "";
  if (name == "--help" || argc > 2 + mended) {
    const bool is_asked = name == "--help";
    std::fputs("usage: faulty_kernels [--mended] [NAME | --list]\n", is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
  }
  bool is_known = name.empty() || name == "--list", are_right = true;
  for (const sample& each : samples) {
    if (name == "--list") std::puts(each.name);
    else if (name.empty() || name == each.name) is_known = true, are_right = run(each, mended) && are_right;
  }
  if (!is_known)
    std::fprintf(stderr, "faulty_kernels: there is no kernel '%s' (--list shows the names)\n", name.c_str());
  // The faults are what this program shows, so a fault is no error, unless the kernel is mended.
  return !is_known ? 2 : mended && !are_right ? 1 : 0;
}
