// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warpfold inside a kernel of your own: each block measures one outline of a country.
#include <warpfold/block/reduce.cuh>
#include <warpfold/block/scan.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/geography.cuh"
#include "common/program.hpp"

namespace wf = warpfold;
using examples::place;

constexpr const char* help = R"(usage: inside_your_kernel [--top N]
                          [PLACES.npy OFFSETS.npy [OWNERS.npy [NAMES.txt]]]

Measures outlines of countries in a kernel that calls Warpfold's block and warp
layers: each block adds up the edges of one outline, each of its warps finds the
longest edge that it saw. A second kernel scans: how far is it along the outline to
each place? Prints the longest outlines, and compares with the CPU.
Without files, the outlines in examples/data; files are those of country_boxes.

  --top N  show N outlines (default 5)

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

constexpr int block_threads = 128;
constexpr int warp_threads = 32;
constexpr int block_warps = block_threads / warp_threads;

// One block per ring. `lengths` has a place for each ring, `warp_edges` one for each warp; both are in kilometres.
__global__ void measure_rings(const place* places, const std::int32_t* offsets, double* lengths, double* warp_edges) {
  __shared__ wf::block::reduce_storage<double, block_threads> storage;
  const std::int32_t begin = offsets[blockIdx.x], edges = offsets[blockIdx.x + 1] - begin - 1;
  const int thread = static_cast<int>(threadIdx.x);

  double length = 0, longest = 0;
  for (std::int32_t edge = thread; edge < edges; edge += block_threads) {
    const double distance = examples::distance_km(places[begin + edge], places[begin + edge + 1]);
    length += distance;
    longest = fmax(longest, distance);
  }

  // All threads of the block call this; thread 0 gets the result. A small ring has fewer edges than the block has
  // threads: the count says how many take part, so the operator needs no neutral value for the others.
  const int measuring = edges < block_threads ? edges : block_threads;
  const double sum = wf::block::reduce<block_threads>(storage, length, wf::plus{}, measuring);
  if (thread == 0) lengths[blockIdx.x] = sum;

  // All lanes of the warp call this, lanes without an edge with 0; lane 0 gets the result. (all_reduce gives it to all
  // lanes or threads.)
  const double edge = wf::warp::reduce(longest, wf::maximum{});
  if (thread % warp_threads == 0) warp_edges[blockIdx.x * block_warps + thread / warp_threads] = edge;
}

// One block per ring, block_threads edges at a time. distances[i] is the way along the ring from its first place to
// place i.
__global__ void walk_rings(const place* places, const std::int32_t* offsets, double* distances) {
  __shared__ wf::block::scan_storage<double, block_threads> storage;
  __shared__ double walked;
  const std::int32_t begin = offsets[blockIdx.x], edges = offsets[blockIdx.x + 1] - begin - 1;
  const int thread = static_cast<int>(threadIdx.x);
  double before = 0;
  if (thread == 0) distances[begin] = 0;
  for (std::int32_t first = 0; first < edges; first += block_threads) {
    const std::int32_t edge = begin + first + thread;
    const int count = edges - first < block_threads ? edges - first : block_threads;
    const double length = thread < count ? examples::distance_km(places[edge], places[edge + 1]) : 0;
    // Each of the first `count` threads gets the sum up to its own edge.
    const double way = before + wf::block::inclusive_scan<block_threads>(storage, length, wf::plus{}, count);
    if (thread < count) distances[edge + 1] = way;
    if (thread == count - 1) walked = way;
    __syncthreads();  // also before the storage is used again
    before = walked;
  }
}

struct measures {
  std::vector<double> lengths;    // of rings
  std::vector<double> distances;  // of places from the first one of their ring, along it
  double sum, longest_edge;
};

measures measure_on_the_gpu(const examples::outlines& map) {
  const examples::device_array<place> places(map.places);
  const examples::device_array<std::int32_t> offsets(map.offsets);
  const examples::device_array<double> lengths(map.rings()), warp_edges(map.rings() * block_warps),
      distances(map.places.size());

  // wf::launch does what <<<>>> does, checks for errors, and works in the emulator too.
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(map.rings()));
  config.blockDim = dim3(block_threads);
  wf::launch(measure_rings, config, places.data(), offsets.data(), lengths.data(), warp_edges.data());
  wf::launch(walk_rings, config, places.data(), offsets.data(), distances.data());

  // The rest, one value per block and one per warp, is for the functions that take arrays.
  const double sum = wf::reduce_value(lengths), longest_edge = wf::reduce_value(warp_edges, wf::maximum{});
  return {lengths.to_host(), distances.to_host(), sum, longest_edge};
}

measures measure_on_the_cpu(const examples::outlines& map) {
  measures all{std::vector<double>(map.rings()), std::vector<double>(map.places.size()), 0, 0};
  for (std::size_t ring = 0; ring < map.rings(); ++ring) {
    for (std::int32_t i = map.offsets[ring]; i + 1 < map.offsets[ring + 1]; ++i) {
      const double distance = examples::distance_km(map.places[i], map.places[i + 1]);
      all.lengths[ring] += distance;
      all.distances[static_cast<std::size_t>(i) + 1] = all.lengths[ring];
      all.longest_edge = std::max(all.longest_edge, distance);
    }
    all.sum += all.lengths[ring];
  }
  return all;
}

// The additions have another order, and a GPU rounds sines in another way: by at most 16 roundings per edge.
bool agree(double a, double b, std::size_t edges) {
  const double roundings = 16 * static_cast<double>(edges + 1);
  return std::abs(a - b) <= roundings * std::numeric_limits<double>::epsilon() * std::abs(b);
}

// The first place of a ring with half of its length before it.
place half_way(const examples::outlines& map, const measures& measured, std::size_t ring) {
  const double half = measured.lengths[ring] / 2 * (1 - 1e-9);  // rounding does not matter where half falls on a place
  auto i = static_cast<std::size_t>(map.offsets[ring]);
  while (measured.distances[i] < half) ++i;
  return map.places[i];
}

void measure_outlines(const std::vector<std::string_view>& arguments) {
  int top = 5;
  const examples::outlines map = examples::read_outlines(examples::read_options(arguments, {{"--top", &top}}, 4));
  const measures gpu = measure_on_the_gpu(map), cpu = measure_on_the_cpu(map);

  std::printf("%s: %s outlines and holes, %s\n\n", map.file.c_str(), examples::format_whole(map.rings()).c_str(),
              examples::device_name().c_str());
  std::vector<std::size_t> order(map.rings());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return gpu.lengths[a] > gpu.lengths[b]; });
  std::printf("  %-30s%10s%16s\n", "longest outlines", "edges", "length");
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(top)); ++i) {
    const std::size_t ring = order[i];
    const std::int32_t edges = map.offsets[ring + 1] - map.offsets[ring] - 1;
    std::printf("  %s%10s%13.3f km\n", examples::left_aligned(map.country_of(ring), 30).c_str(),
                examples::format_whole(edges).c_str(), gpu.lengths[ring]);
  }
  std::printf("\n  %-40s%13.3f km\n  %-40s%13.3f km\n", "all of them together", gpu.sum, "longest edge",
              gpu.longest_edge);

  if (!order.empty()) {
    const place half = half_way(map, gpu, order[0]);
    std::printf("  half of the longest lies before longitude %.2f, latitude %.2f\n\n", half.longitude, half.latitude);
  }

  bool equal = agree(gpu.sum, cpu.sum, map.places.size()) && agree(gpu.longest_edge, cpu.longest_edge, 1);
  for (std::size_t ring = 0; ring < map.rings(); ++ring) {
    const auto places = static_cast<std::size_t>(map.offsets[ring + 1] - map.offsets[ring]);
    equal = equal && agree(gpu.lengths[ring], cpu.lengths[ring], places);
    for (std::int32_t i = map.offsets[ring]; i < map.offsets[ring + 1]; ++i)
      equal = equal &&
              agree(gpu.distances[static_cast<std::size_t>(i)], cpu.distances[static_cast<std::size_t>(i)], places);
  }
  if (!equal) throw std::runtime_error("the CPU's results differ");
  std::printf("The CPU's results are the same.\n");
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, measure_outlines); }
