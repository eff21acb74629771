// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed kernel launches, in place of `<<<>>>`.
#pragma once

#include <cuda_emulator/kernel_mark.hpp>
#include <cuda_emulator/kernel_parameters.hpp>
#include <cuda_emulator/polling.hpp>
#include <cuda_emulator/runtime_function.hpp>
#include <cuda_emulator/runtime_memory.hpp>
#include <cuda_emulator/runtime_stream.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace cuda_emulator {

namespace detail {

// Returns the error that CUDA returns for a shape out of range.
inline cudaError_t check_shape(const grid_launch& launch) {
  const options& device = settings();
  const dim3 g = launch.grid, b = launch.block, c = launch.cluster;
  if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0) return cudaErrorInvalidValue;
  if (g.x > 0x7FFFFFFFu || g.y > 65535 || g.z > 65535) return cudaErrorInvalidValue;
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || std::uint64_t{b.x} * b.y * b.z > 1024) return cudaErrorInvalidValue;
  if (c.x == 0 || c.y == 0 || c.z == 0) return cudaErrorInvalidValue;
  if (std::uint64_t{c.x} * c.y * c.z > 1) {
    if (device.compute_capability_major < 9 || std::uint64_t{c.x} * c.y * c.z > most_cluster_blocks(launch.kernel))
      return cudaErrorInvalidClusterSize;
    if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) return cudaErrorInvalidClusterSize;
  }
  if (launch.shared_bytes > most_dynamic_shared_bytes(launch.kernel)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

inline cudaError_t read_attributes(const cudaLaunchConfig_t& config, grid_launch& launch) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeClusterDimension:
        launch.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
        break;
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributeProgrammaticStreamSerialization:  // launches never overlap here
        break;
      case cudaLaunchAttributeCooperative:
        if (attribute.val.cooperative != 0) return cudaErrorNotSupported;
        break;
      default: return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

// Appends the bytes of an argument, as whole words, for check_owners. Padding may hold an address of the past, so it is
// cleared, in a copy: GCC 12 takes some members for padding. Arguments whose padding cannot be cleared are left out.
template <class T>
void append_words([[maybe_unused]] std::vector<std::byte>& words, [[maybe_unused]] const T& argument) {
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  if constexpr (std::is_trivially_copyable_v<T>) {
    alignas(T) std::byte copy[sizeof(T)];
    std::memcpy(copy, &argument, sizeof(T));
    __builtin_clear_padding(reinterpret_cast<T*>(copy));
    words.insert(words.end(), copy, copy + sizeof(T));
    words.resize((words.size() + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*));
  }
#endif
}

// A kernel and its arguments, whatever their types are.
struct bound_kernel {
  virtual ~bound_kernel() = default;
  virtual void call() const = 0;
  virtual std::vector<std::byte> words() const = 0;  // of the arguments
};

template <class... P> struct bound_arguments final : bound_kernel {
  template <class... A>
  explicit bound_arguments(void (*called)(P...), A&&... args) : kernel(called), arguments(static_cast<A&&>(args)...) {}
  void call() const override { std::apply(kernel, arguments); }
  std::vector<std::byte> words() const override {
    std::vector<std::byte> words;
    std::apply([&](const auto&... each) { (append_words(words, each), ...); }, arguments);
    return words;
  }

  void (*kernel)(P...);
  std::tuple<std::remove_cv_t<P>...> arguments;
};

// Checks the launch and fills in what does not depend on the arguments.
inline cudaError_t read_launch(const void* kernel, const cudaLaunchConfig_t& config, grid_launch& grid) {
  grid.kernel = kernel;
  grid.grid = config.gridDim;
  grid.block = config.blockDim;
  grid.shared_bytes = config.dynamicSmemBytes;
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (lacks_global(kernel))
    throw error(fault::usage, text("launch of ", function_name(kernel), ", which is not declared __global__"));
  if (const cudaError_t e = read_attributes(config, grid); e != cudaSuccess) return e;
  if (const cudaError_t e = check_shape(grid); e != cudaSuccess) return e;
  grid.allow_unwritten_reads = settings().allow_unwritten_reads;
  if (settings().launch_error != cudaSuccess) return settings().launch_error;
  grid.most_resident_blocks =
      resident_blocks_of_device(kernel, grid.block.x * grid.block.y * grid.block.z, grid.shared_bytes);
  return cudaSuccess;
}

// Stops if an argument holds the address of memory that `device` may not use. Plain loads and stores cannot be seen, so
// this is where the emulator looks: at words of arguments, also within structs.
inline void check_owners(const void* kernel, std::span<const std::byte> arguments, int device) {
  runtime_lock lock(runtime_mutex());
  for (std::size_t at = 0; at + sizeof(void*) <= arguments.size(); at += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, arguments.data() + at, sizeof pointer);
    const auto* found = find_allocation(pointer);
    if (found == nullptr || found->second.type != cudaMemoryTypeDevice || may_access(device, found->second.device))
      continue;
    throw error(fault::foreign_memory,
                text(function_name(kernel), " on device ", device, " has an argument that points to memory of device ",
                     found->second.device, ", without peer access"));
  }
}

inline cudaError_t submit_launch(cudaStream_t stream, grid_launch grid, std::shared_ptr<const bound_kernel> bound) {
  if (device_count() > 1) {
    runtime_lock lock(runtime_mutex());
    const stream_object* on = find_stream(stream);
    if (on != nullptr && on->device != current_device()) return remember(cudaErrorInvalidResourceHandle);
    if (on != nullptr) check_owners(grid.kernel, bound->words(), on->device);
  }
  grid.body = [](const void* kernel) { static_cast<const bound_kernel*>(kernel)->call(); };
  return submit(stream, [grid, bound]() mutable {
    grid.arguments = bound.get();
    scheduler_of_this_thread().run(grid);
  });
}

}  // namespace detail

// Runs the grid to its end, or records it if the stream captures. Returns CUDA's error if the launch is refused, before
// anything runs. Throws `error` if the kernel breaks a rule.
template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), const cudaLaunchConfig_t& config, A&&... args) {
  static_assert(sizeof...(P) == sizeof...(A), "cuda_emulator: the kernel has another number of parameters");
  static_assert(detail::check_parameters<P...>());
  grid_launch grid;
  const cudaError_t refused = detail::read_launch(reinterpret_cast<const void*>(kernel), config, grid);
  if (refused != cudaSuccess) return remember(refused);
  std::unique_ptr<const detail::bound_kernel> bound(
      new detail::bound_arguments<P...>(kernel, static_cast<A&&>(args)...));
  return detail::submit_launch(config.stream, grid, std::move(bound));
}

template <class... P, class... A>
cudaError_t launch_pointed(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... args) {
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  return launch(kernel, *config, static_cast<A&&>(args)...);
}

}  // namespace cuda_emulator

#define cudaLaunchKernelEx ::cuda_emulator::launch_pointed

// A compile error names these. An untyped launch does not tell the sizes of its arguments, which only nvcc knows.
#define cudaLaunchKernel cuda_emulator_does_not_support_cudaLaunchKernel
#define cudaLaunchKernelExC cuda_emulator_does_not_support_cudaLaunchKernelExC
#define cudaLaunchCooperativeKernel cuda_emulator_does_not_support_cudaLaunchCooperativeKernel
