// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modern form of producer_consumer, for sm_90 and later. Producers only start bulk copies, which the copy engine
// carries out. A ring of stages keeps several data-blocks in flight.
#pragma once
#include <warpfold_strategies/fold_run.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/share.cuh>
#include <warpfold_strategies/stage.cuh>

namespace warpfold::grid {

/// A schedule: as producer_consumer, with `Stages` buffers. Two mbarriers hand a buffer over, one in each direction,
/// instead of a block barrier per step. `C` consumer warps reduce. Producer warp p of `P` fills the stages of
/// data-blocks p, p + P, p + 2 P and so on; one producer is enough. B = 32 (P + C). Misaligned inputs are read at full
/// rate, too. The bits of a result depend on G, and so on the device.
template <int P = 1, int C = 8, int Stages = 3> struct bulk_producer_consumer {
  static_assert(P >= 1 && C >= 1 && P + C <= 32,
                "warpfold: grid::bulk_producer_consumer has 1 to 32 warps, both kinds");
  static_assert(Stages >= 2,
                "warpfold: grid::bulk_producer_consumer needs 2 stages, to fill one while it reads another");
  static constexpr bool is_persistent = true, needs_bulk_copy = true;
  template <class Algorithm> static constexpr int block_threads = (P + C) * warp_lanes;
  template <class Algorithm> static constexpr int resident_threads = 512;  // shared memory allows no more
  template <class Algorithm, class Leaves>
  static constexpr int data_block_items = Algorithm::template data_block_items<Leaves>;
  template <class Algorithm, class Leaves> struct storage {
    stage<typename Leaves::source_type, data_block_items<Algorithm, Leaves>> stages[Stages];
    block::run_storage<Algorithm, typename Leaves::accumulator> run;
  };
  struct barriers {
    arch::mbarrier full[Stages], empty[Stages];

    __device__ void init() {
      for (int s = 0; s < Stages; ++s) {
        full[s].init(1);   // completes by the producer's announcement and the bytes
        empty[s].init(C);  // completes by one arrival of each consumer warp
      }
      arch::fence_mbarrier_init();
    }
  };

  /// A feed (see fold_run.cuh): the ring, seen from the consumers.
  template <class Algorithm, class Leaves> struct ring_feed {
    storage<Algorithm, Leaves>& shared;
    barriers& barrier;
    const Leaves& leaves;
    std::int64_t first_item;

    __device__ auto acquire(std::uint32_t k) const {
      barrier.full[k % Stages].wait_parity(k / Stages % 2);
      constexpr int items = data_block_items<Algorithm, Leaves>;
      const auto view = shared.stages[k % Stages].view(leaves.source, first_item + std::int64_t{k} * items);
      return with_source(leaves, view);
    }
    __device__ static std::int64_t first(std::uint32_t) { return 0; }
    __device__ void release(std::uint32_t k) const {
      __syncwarp();
      if (arch::lane_id() == 0) barrier.empty[k % Stages].arrive();
    }

   private:
    template <class Source, class Transform, class A, class View>
    static __device__ thread::leaves<View, Transform, A> with_source(const thread::leaves<Source, Transform, A>& leaves,
                                                                     const View& view) {
      return {view, leaves.transform};
    }
  };

  template <class Algorithm, block::result_of Result, class Leaves, class Op, class A = typename Leaves::accumulator>
  static __device__ thread::running<A> fold_share(storage<Algorithm, Leaves>& shared, barriers& barrier,
                                                  const Leaves& leaves, const share& own, Op op) {
    const block::some_warps<C> consumers;
    const block::some_warps<P, C> producers;
    constexpr int items = data_block_items<Algorithm, Leaves>;
    const std::int64_t first = own.first * items;
    if (arch::thread_rank() == 0) barrier.init();
    __syncthreads();
    if (consumers.contains_caller()) {
      const ring_feed<Algorithm, Leaves> feed{shared, barrier, leaves, first};
      return block::fold_run<Algorithm, Result, A>(consumers, shared.run, feed, own.count, op);
    }
    for (std::uint32_t k = producers.warp(); k < own.count; k += P) {
      if (k >= Stages) barrier.empty[k % Stages].wait_parity((k / Stages - 1) % 2);
      fill(shared.stages[k % Stages], barrier.full[k % Stages], leaves.source, first + std::int64_t{k} * items);
    }
    return {};
  }

 private:
  template <class Stage, class Source>
  static __device__ void fill(Stage& stage, arch::mbarrier& full, const Source& source, std::int64_t first) {
    stage.fill_edges(source, first);
    __syncwarp();
    if (arch::lane_id() != 0) return;
    if (const unsigned bytes = stage.bulk_bytes(source, first)) full.arrive_expect_tx(bytes);
    else full.arrive();
    stage.start_copy(source, first, full);
  }
};

}  // namespace warpfold::grid
