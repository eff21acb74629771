// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread block clusters of sm_90: blocks that run at the same time and reach into one another's shared memory.
// Everything here traps below sm_90.
#pragma once
#include <warpfold/arch/mbarrier.cuh>
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// The blocks of a cluster that every device with clusters takes. (Clusters of 16 need a permission, and the call that
/// gives it clears the caller's last error.)
inline constexpr int max_cluster_blocks = 8;

/// This block's rank in its cluster.
__device__ inline unsigned cluster_rank() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#elif defined(__CUDACC__)
  __trap();
  return 0;
#else
  return cuda_emulator::cluster_rank();
#endif
}

/// The first half of the cluster's barrier, by every thread once for each cluster_wait. Releases earlier writes.
__device__ inline void cluster_arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#elif defined(__CUDACC__)
  __trap();
#else
  cuda_emulator::cluster_arrive();
#endif
}

/// As cluster_arrive, without releasing anything: for barriers that only say "I am here".
__device__ inline void cluster_arrive_relaxed() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed;");
#elif defined(__CUDACC__)
  __trap();
#else
  cuda_emulator::cluster_arrive(false);
#endif
}

/// The second half: returns once every thread of the cluster has arrived or left. Acquires what they released.
__device__ inline void cluster_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#elif defined(__CUDACC__)
  __trap();
#else
  cuda_emulator::cluster_wait();
#endif
}

/// The variable that lies where `local` does, in the shared memory of the block of that rank. Valid between a cluster
/// barrier that shows the block running and one that lets it leave.
template <class T> __device__ T* map_shared_rank(T* local, unsigned rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  std::uint64_t remote;
  asm("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(reinterpret_cast<std::uint64_t>(local)), "r"(rank));
  return reinterpret_cast<T*>(remote);
#elif defined(__CUDACC__)
  __trap();
  return local;
#else
  return static_cast<T*>(cuda_emulator::map_shared_rank(local, rank));
#endif
}

}  // namespace warpfold::arch
