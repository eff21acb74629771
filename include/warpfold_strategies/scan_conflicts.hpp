// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bank conflicts of a scan's block algorithm, counted on the CPU from the addresses that the algorithm uses.
#pragma once
#include <array>
#include <cstdint>
#include <warpfold_strategies/slots.cuh>

namespace warpfold::strategies {

/// Accesses of warps to shared memory, for one full data-block.
struct shared_accesses {
  std::int64_t wavefronts = 0;  ///< times that all banks are served once
  std::int64_t conflicts = 0;   ///< how many of them would not be needed if no lanes met in a bank

  friend bool operator==(const shared_accesses&, const shared_accesses&) = default;
};

/// Adds the access of one warp, whose lane i accesses the slot of `slot_of(i)`; less than 0 is none. Lanes of one
/// wavefront touch each bank in one row (slots.cuh).
template <class A, class SlotOf> void add_access(shared_accesses& sum, SlotOf slot_of) {
  constexpr int served = block::bank_slots<A>;
  for (int offset = 0; offset < block::item_bytes<A>; offset += block::access_bytes<A>)
    for (int begin = 0; begin < warp_lanes; begin += served) {
      std::array<int, warp_lanes> units{};  // those of the lanes before that touch other words
      int found = 0, most = 0;
      for (int lane = begin; lane < begin + served; ++lane) {
        if (slot_of(lane) < 0) continue;
        const int unit = (slot_of(lane) * block::slot_bytes<A> + offset) / block::access_bytes<A>;
        int rows = 1;
        bool is_new = true;
        for (int i = 0; i < found; ++i) {
          is_new = is_new && units[i] != unit;
          rows += units[i] % served == unit % served;
        }
        if (!is_new) continue;
        units[found++] = unit;
        most = most < rows ? rows : most;
      }
      sum.wavefronts += most;
      sum.conflicts += most > 1 ? most - 1 : 0;
    }
}

/// Counts the accesses by which `Algorithm`, a block algorithm of scans, scans a full data-block of items of type `A`.
/// Those that load and store the data-block are not among them.
template <class Algorithm, class A> shared_accesses conflicts_of() {
  shared_accesses sum;
  Algorithm::template visit_accesses<A>([&](auto slot_of) {
    for (int first = 0; first < Algorithm::block_threads; first += warp_lanes)
      add_access<A>(sum, [&](int lane) { return slot_of(first + lane); });
  });
  return sum;
}

}  // namespace warpfold::strategies
