// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator that is known at run time only, as a text: NVRTC compiles a kernel of Warpfold's block layer with it.
#include <nvrtc.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/program.hpp"

constexpr const char* help = R"(usage: operator_at_run_time [EXPRESSION]

Folds the numbers 1 to 65536 on one block of the GPU, in order, by an operator that
you type: an expression of the floats a and b, a on the left, that is associative.
NVRTC compiles it. Without a GPU the program stops there.

  operator_at_run_time                      'a < b ? b : a', the maximum
  operator_at_run_time 'a * b / (a + b)'    the resistance of parallel resistors

Exit code: 0, 1 for an expression that does not compile or an error of the device,
2 for a wrong command line.
)";

constexpr int items = 65'536;

// Each thread folds neighbouring items, and the block the threads' values: from left to right, so the operator need not
// commute. The header is found by the directories that NVRTC gets.
constexpr const char* source = R"(
#include <warpfold/block/reduce.cuh>

struct users_operator {
  __device__ float operator()(float a, float b) const { return EXPRESSION; }
};

extern "C" __global__ void fold(const float* items, int count, float* result) {
  constexpr int threads = 256;
  __shared__ warpfold::block::reduce_storage<float, threads> storage;
  const int share = count / threads, first = static_cast<int>(threadIdx.x) * share;
  float value = items[first];
  for (int i = 1; i < share; ++i) value = users_operator{}(value, items[first + i]);
  value = warpfold::block::reduce(storage, value, users_operator{});
  if (threadIdx.x == 0) *result = value;
}
)";

void check(nvrtcResult result, const char* call) {
  if (result != NVRTC_SUCCESS) throw std::runtime_error(std::string(call) + ": " + nvrtcGetErrorString(result));
}

/// The kernel's machine code for a GPU like "sm_90". Throws NVRTC's messages if the expression does not compile.
std::vector<char> compile(const std::string& expression, const std::string& architecture) {
  const std::string options[] = {"-std=c++20",          "-arch=" + architecture,   "-DEXPRESSION=" + expression,
                                 "-I" WARPFOLD_INCLUDE, "-I" CUDA_INCLUDE "/cccl", "-I" CUDA_INCLUDE};
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  struct program {
    nvrtcProgram handle{};
    ~program() { nvrtcDestroyProgram(&handle); }
  } made;
  check(nvrtcCreateProgram(&made.handle, source, "fold.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  const nvrtcResult compiled = nvrtcCompileProgram(made.handle, static_cast<int>(texts.size()), texts.data());
  if (compiled == NVRTC_ERROR_COMPILATION) {
    std::size_t bytes = 0;
    check(nvrtcGetProgramLogSize(made.handle, &bytes), "nvrtcGetProgramLogSize");
    std::string log(bytes, '\0');
    check(nvrtcGetProgramLog(made.handle, log.data()), "nvrtcGetProgramLog");
    throw std::runtime_error("the expression does not compile:\n" + log);
  }
  check(compiled, "nvrtcCompileProgram");
  std::size_t bytes = 0;
  check(nvrtcGetCUBINSize(made.handle, &bytes), "nvrtcGetCUBINSize");
  std::vector<char> code(bytes);
  check(nvrtcGetCUBIN(made.handle, code.data()), "nvrtcGetCUBIN");
  return code;
}

#if defined(__CUDACC__) && CUDART_VERSION >= 12080  // the runtime loads code since then
void fold(const std::string& expression) {
  using examples::check;
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  const std::vector<char> code = compile(expression, "sm_" + std::to_string(10 * major + minor));
  cudaLibrary_t library{};
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  cudaKernel_t kernel{};
  check(cudaLibraryGetKernel(&kernel, library, "fold"), "cudaLibraryGetKernel");

  std::vector<float> numbers;
  for (int i = 1; i <= items; ++i) numbers.push_back(static_cast<float>(i));
  const examples::device_array<float> in(numbers), out(std::size_t{1});
  const float* first = in.data();
  float* result = out.data();
  int count = items;
  void* arguments[] = {&first, &count, &result};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(256), arguments, 0, nullptr),
        "cudaLaunchKernel");
  std::printf("%s over 1 to %d: %.9g\n", expression.c_str(), items, static_cast<double>(out.to_host()[0]));
  check(cudaLibraryUnload(library), "cudaLibraryUnload");
}
#else
void fold(const std::string& expression) {
  const bool is_compiled = !compile(expression, "sm_90").empty();
  std::printf("%s: %s for sm_90, which needs a GPU to run\n", expression.c_str(), is_compiled ? "compiled" : "no code");
}
#endif

void run(const std::vector<std::string_view>& arguments) {
  const auto expressions = examples::read_options(arguments, {}, 1);
  fold(expressions.empty() ? "a < b ? b : a" : std::string(expressions[0]));
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, run); }
