// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the default reduction: checks, plan, scratch, one launch.
#pragma once
#include <cstring>
#include <exception>
#include <warpfold/dispatch/default_workspace.cuh>
#include <warpfold/dispatch/launch.cuh>
#include <warpfold/dispatch/options.hpp>
#include <warpfold/dispatch/reduce_plan.hpp>
#include <warpfold/grid/reduce_kernel.cuh>

namespace warpfold::dispatch {
inline namespace v1 WARPFOLD_HIDDEN {

/// Debug builds look whether a pointer that kernels will follow is one the device can reach.
inline void check_device_pointer([[maybe_unused]] const char* function, [[maybe_unused]] const char* argument,
                                 [[maybe_unused]] const void* pointer) {
#if !defined(NDEBUG)
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeUnregistered &&
      !device_attribute(cudaDevAttrPageableMemoryAccess, current_device()))
    reject(function, std::string(argument) + " points to host memory that the device cannot reach");
#endif
}

inline void check_count(const char* function, std::int64_t count) {
  if (count < 0) reject(function, "count is " + std::to_string(count) + "; it must not be negative");
}

/// Checks a pointer argument: not null, and, in debug builds, within the device's reach.
template <class It> void check_pointer(const char* function, const char* argument, const It& it) {
  if constexpr (std::contiguous_iterator<It>) {
    const void* pointer = to_pointer(it);
    if (pointer == nullptr) reject(function, std::string(argument) + " is a null pointer");
    check_device_pointer(function, argument, pointer);
  }
}

inline void check_workspace(const char* function, std::span<std::byte> bytes, std::size_t needed) {
  if (bytes.size() < needed)
    reject(function, "workspace has " + std::to_string(bytes.size()) + " bytes; " + std::to_string(needed) +
                         " are needed (workspace_bytes)");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % workspace_alignment != 0)
    reject(function, "workspace is not aligned to 128 bytes");
  check_device_pointer(function, "workspace", bytes.data());
}

template <class Op, class A>
grid::initial_value<A> initial_value_of(const char* function, const initial<A>& init, std::int64_t items) {
  using kind = typename grid::initial_value<A>::kind;
  if (init.has_value()) return {kind::value, init.value(), nullptr};
  if (init.pointer() != nullptr) {
    check_device_pointer(function, "init", init.pointer());
    return {kind::pointer, A{}, init.pointer()};
  }
  if (items > 0) return {};
  if constexpr (has_identity_v<Op, A>) return {kind::value, identity<Op, A>::value(), nullptr};
  else reject(function, "the input is empty, the operator has no identity, and no .init was given");
}

/// Where a kernel stops midway, which only the emulator survives, the control word must be zero for the next call.
class clear_on_error {
 public:
  explicit clear_on_error(std::span<std::byte> scratch) : scratch_(scratch) {}
  clear_on_error(const clear_on_error&) = delete;
  ~clear_on_error() {
#if !defined(__CUDACC__)
    if (!scratch_.empty() && std::uncaught_exceptions() > entered_with_) std::memset(scratch_.data(), 0, control_bytes);
#endif
  }

 private:
  [[maybe_unused]] std::span<std::byte> scratch_;
  [[maybe_unused]] int entered_with_ = std::uncaught_exceptions();
};

inline cudaLaunchConfig_t launch_config(int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

/// The kernel of a plan's shape, for given types.
template <class Leaves, class Op, class Out> struct reduce_kernels {
  static constexpr auto policy = grid::reduce_policy<Leaves>;
  static constexpr auto* in_cluster = &grid::tile_kernel<grid::gather::cluster, Leaves, Op, Out>;
  static constexpr auto* in_wave = &grid::tile_kernel<grid::gather::last_block, Leaves, Op, Out>;
  static constexpr auto* in_shares = &grid::share_kernel<Leaves, Op, Out>;
  static constexpr std::size_t tile_bytes = sizeof(grid::tile_kernel_storage<Leaves>);
  static constexpr std::size_t share_bytes = sizeof(grid::share_kernel_storage<Leaves>);
  static_assert(share_bytes <= 48 * 1024, "warpfold: the accumulator is too large for a device-wide reduction");

  static reduce_limits limits(int device) {
    return {limits_of(device).multiprocessors,
            blocks_per_multiprocessor<in_shares>(device, policy.block_threads, share_bytes),
            cluster_blocks<in_cluster>(device, policy.block_threads, tile_bytes)};
  }
};

/// Enqueues the reduction of `leaves` into `out`. All arguments have been checked but those of `options`.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void reduce(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
  check_operator<Op, A>();
  using kernels = reduce_kernels<Leaves, Op, Out>;
  const std::int64_t items = leaves.source.items;
  const auto init = initial_value_of<Op>(function, options.init, items);
  if (options.max_blocks < 0) reject(function, "max_blocks is " + std::to_string(options.max_blocks));
  if (items == 0) return launch(&grid::write_kernel<A, Out>, launch_config(1, 1, 0, options.stream), out, init);

  const int device = current_device();
  const reduce_plan plan =
      plan_reduce(kernels::limits(device), items, Leaves::chunk_items, kernels::policy, options.max_blocks);
  if (plan.schedule.share >> tuning::max_nodes != 0)
    reject(function, "count is " + std::to_string(items) + ", more than max_blocks blocks can count");

  std::span<std::byte> scratch = options.workspace.bytes;
  const std::size_t needed = reduce_workspace_bytes(device, sizeof(A));
  if (!scratch.empty()) check_workspace(function, scratch, needed);
  else if (plan.shape == reduce_shape::wave || plan.shape == reduce_shape::shares)
    scratch = workspace_pool::instance().get(device, options.stream, needed);

  const grid::reduce_arguments<Leaves, Op, Out> arguments{
      leaves, op, out, init, plan.schedule, plan.rows, reinterpret_cast<A*>(scratch.data() + control_bytes),
      reinterpret_cast<unsigned*>(scratch.data())};
  const bool shares = plan.shape == reduce_shape::shares;
  auto config = launch_config(plan.blocks, plan.block_warps * warp_lanes,
                              shares ? kernels::share_bytes : kernels::tile_bytes, options.stream);
  cudaLaunchAttribute cluster{};
  if (plan.shape == reduce_shape::cluster) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {config.gridDim.x = std::bit_ceil(config.gridDim.x), 1, 1};
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  const clear_on_error guard(scratch);
  launch(shares ? kernels::in_shares : plan.shape == reduce_shape::wave ? kernels::in_wave : kernels::in_cluster, config,
         arguments);
}

/// How a strategy enqueues a reduction. Named strategies are in strategy.cuh.
template <class Strategy> struct reduction;
template <> struct reduction<automatic> {
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
    reduce(function, leaves, out, op, options);
  }
};

}  // namespace v1
}  // namespace warpfold::dispatch
