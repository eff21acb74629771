// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring of nodes: each tile finds the nodes before it, in order, and all words are zero afterwards. (Tests of scans
// let windows use places again.)
#include <warpfold/grid/node_ring.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/device.cuh"

namespace {

namespace grid = warpfold::grid;

/// The tiles [begin, end). A node takes several messages.
struct tiles_node {
  int begin, end, wide[5];
};
struct join {
  __host__ __device__ tiles_node operator()(const tiles_node& left, const tiles_node& right) const {
    return {left.begin, left.end == right.begin ? right.end : -1, {}};
  }
};

/// The usual ring, and one with places for the fewest windows, as accumulators of 1500 bytes have it.
template <int Readers> using usual_shape = grid::ring_shape<tiles_node, Readers>;
template <int Readers> struct small_shape : usual_shape<Readers> {
  __device__ static constexpr int log_windows(int) { return Readers; }
};

/// The tiles [first, end) are units of one segment; others only pass. Tile `late` lets others run before it looks back,
/// at least until `drawn` tiles have been drawn.
/// Lane `publisher` publishes a tile's own node. If not `fences`, a tile releases its nodes when it leaves.
struct units {
  int first, end = 1 << 20, late = -1, drawn = 0, publisher = 0;
  bool fences = true;
  __host__ __device__ bool has(int tile) const { return first <= tile && tile < end; }
};

/// One warp per tile.
template <class Ring> __global__ void look_back_kernel(Ring ring, units own_units, int* begins) {
  const int lane = static_cast<int>(threadIdx.x);
  int tile = 0;
  if (lane == 0) tile = static_cast<int>(atomicAdd(&ring.control->next_tile, 1));
  tile = __shfl_sync(warpfold::full_warp, tile, 0);
  ring.enter(tile);
  const int first = own_units.first, before = own_units.has(tile) ? tile - first : -1;
  tiles_node own{tile, tile + 1, {}};
  if (before >= 0) {
    if (lane == own_units.publisher) ring.publish(0, tile, own);
    if (own_units.fences) ring.fence();
    else __syncwarp();
    for (int i = 0; tile == own_units.late && i < 3000; ++i) warpfold::arch::pause();
    if (tile == own_units.late && lane == 0)
      while (static_cast<int>(atomicAdd(&ring.control->next_tile, 0)) < own_units.drawn) warpfold::arch::pause();
    for (int level = 0; level < grid::ring_levels && before >> (grid::log_window * level) != 0; ++level) {
      const int log = grid::log_window * level, digit = before >> log, rank = digit & 31;
      const bool completes = tile + 1 < ring.tiles && ((before + 1) & ((32 << log) - 1)) == 0;
      const int through = (digit - rank + lane + 1) << log;
      ring.look_back(level, rank, ring.node_place(level, (first + through - 1) >> log), completes,
                     tile >> (log + grid::log_window), join{},
                     [&](int, const tiles_node& node) { own = join{}(node, own); });
      if (completes && own_units.fences) ring.fence();
    }
  }
  if (lane == 0) begins[tile] = own.end == tile + 1 ? own.begin : -1;
  ring.finish(tile, ring.leave(tile, !own_units.fences));
}

template <int Readers> wf_test::device_array<uint4> zero_words() {
  return wf_test::device_array<uint4>(
      std::vector<uint4>(grid::ring_bytes<Readers>(sizeof(tiles_node)) / sizeof(uint4), uint4{}));
}
void expect_only_draws_are_left(const wf_test::device_array<uint4>& memory, int tiles) {
  auto left = memory.to_host();
  EXPECT_EQ(left[0].x, static_cast<unsigned>(tiles)) << "tiles drawn";
  left[0].x = 0;
  EXPECT_TRUE(
      std::all_of(left.begin(), left.end(), [](const uint4& four) { return (four.x | four.y | four.z | four.w) == 0; }))
      << "a word is left of " << tiles << " tiles";
}

template <int Readers, class Shape = usual_shape<Readers>> void check(int tiles, units own_units) {
  using ring = grid::node_ring<tiles_node, Readers, Shape>;
  const wf_test::device_array<uint4> memory = zero_words<Readers>();
  const wf_test::device_array<int> begins(std::vector<int>(static_cast<std::size_t>(tiles), -2));
  auto* const control = reinterpret_cast<grid::ring_control<Readers>*>(memory.data());
  const ring nodes{control, reinterpret_cast<grid::published_value<tiles_node>*>(control + 1), tiles};
  wf_test::launch_and_wait(&look_back_kernel<ring>, tiles, 32, 0, nodes, own_units, begins.data());
  const auto found = begins.to_host();
  for (int tile = 0; tile < tiles; ++tile)
    EXPECT_EQ(found[static_cast<std::size_t>(tile)], own_units.has(tile) ? own_units.first : tile)
        << "tile " << tile << " of " << tiles;
  expect_only_draws_are_left(memory, tiles);
}

TEST(node_ring, tiles_find_the_nodes_before_them) {
  for (const int tiles : {2, 32, 33, 70}) {
    check<1>(tiles, {0});
    for (const int first : {0, 20}) check<2>(tiles, {first});
  }
}

// Nobody reads the longer node that the last unit completes, or the nodes of a last window.
TEST(node_ring, nodes_that_nobody_reads) {
  check<1>(70, {0, 32});
  check<1>(70, {0, 64});
  for (const int tiles : {52, 70, 130}) {
    check<2>(tiles, {0, 32});
    check<2>(tiles, {20, 52});
  }
}

// The tile that completes a node has left when another one of its window leaves last.
TEST(node_ring, nodes_that_tiles_release_when_they_leave) {
  check<1>(70, {.first = 0, .end = 32, .late = 5, .drawn = 45, .fences = false});
  check<2>(70, {.first = 0, .end = 32, .late = 5, .drawn = 45, .fences = false});
}

// Windows use places again. They wait for the round before, however late a tile of it looks back.
TEST(node_ring, places_are_used_again) {
  for (const int late : {5, 31}) {
    check<1, small_shape<1>>(2 * 32 + 40, {.first = 0, .late = late});
    check<2, small_shape<2>>(4 * 32 + 40, {.first = 0, .late = late});
  }
  check<2, small_shape<2>>(8 * 32 + 3, {.first = 20, .late = 60});
  check<1, small_shape<1>>(2 * 32 + 40, {.first = 0, .publisher = 31});  // which has not waited itself
}

/// Windows of two nodes, so that few tiles have three levels.
struct narrow_shape : usual_shape<1> {
  static constexpr int log_window = 1;
  __device__ static constexpr int log_windows(int) { return 4; }
};
using narrow_ring = grid::node_ring<tiles_node, 1, narrow_shape>;

/// Each tile publishes its own node, and the longer ones that it completes, which nobody reads. One warp per tile.
__global__ void publish_kernel(narrow_ring ring) {
  const int lane = static_cast<int>(threadIdx.x);
  int tile = 0;
  if (lane == 0) tile = static_cast<int>(atomicAdd(&ring.control->next_tile, 1));
  tile = __shfl_sync(warpfold::full_warp, tile, 0);
  ring.enter(tile);
  if (lane == 0) ring.publish(0, tile, {});
  const int through = tile + 1;
  for (int level = 1; lane == 0 && through < ring.tiles && through >> level << level == through; ++level)
    ring.publish(level, tile >> level, {});
  ring.fence();
  ring.finish(tile, ring.leave(tile));
}

// What tiles have published is handed up from counter to counter, until the last tile of all clears the longest node.
TEST(node_ring, longer_nodes_that_nobody_reads) {
  constexpr int tiles = 16;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const wf_test::schedule_seed scheduled(seed);
    const wf_test::device_array<uint4> memory = zero_words<1>();
    auto* const control = reinterpret_cast<grid::ring_control<1>*>(memory.data());
    const narrow_ring ring{control, reinterpret_cast<grid::published_value<tiles_node>*>(control + 1), tiles};
    wf_test::launch_and_wait(&publish_kernel, tiles, 32, 0, ring);
    expect_only_draws_are_left(memory, tiles);
  }
}

}  // namespace
