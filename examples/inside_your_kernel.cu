// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warpfold inside a kernel of your own: the surface of a mesh, its triangles measured and summed in one launch.
#include <warpfold/block/reduce.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"

namespace wf = warpfold;

constexpr const char* help = R"(usage: inside_your_kernel

Measures the triangles of the Stanford dragon (examples/data) in a kernel that
calls Warpfold's block and warp layers: each block sums the areas of its 256
triangles, each warp finds the longest edge among its 32. Compares the result
with the CPU's.

Exit code: 0, 1 for an error or results that differ, 2 for a wrong command line.
)";

struct point {
  float x, y, z;
};
struct triangle {
  std::int32_t a, b, c;
};
struct measure {
  double area, longest_edge;
};

__host__ __device__ double length(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

__host__ __device__ measure measure_triangle(point a, point b, point c) {
  const double ux = double(b.x) - a.x, uy = double(b.y) - a.y, uz = double(b.z) - a.z;
  const double vx = double(c.x) - a.x, vy = double(c.y) - a.y, vz = double(c.z) - a.z;
  const double area = length(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
  const double third = length(vx - ux, vy - uy, vz - uz);
  return {area, fmax(fmax(length(ux, uy, uz), length(vx, vy, vz)), third)};
}

constexpr int block_threads = 256;
constexpr int warp_threads = 32;

// How many of `threads` threads have one of the `left` triangles.
__device__ int active(std::int64_t left, int threads) { return left < threads ? static_cast<int>(left) : threads; }

// One thread a triangle. `warp_edges` has one place for each 32 triangles, `block_areas` one for each 256.
__global__ void measure_mesh(const point* points, const triangle* triangles, std::int64_t count, double* block_areas,
                             double* warp_edges) {
  __shared__ wf::block::reduce_storage<double, block_threads> storage;
  const std::int64_t block_begin = std::int64_t{blockIdx.x} * block_threads;
  const std::int64_t index = block_begin + threadIdx.x;
  const int in_block = active(count - block_begin, block_threads);

  measure mine{};
  if (index < count) {
    const triangle t = triangles[index];
    mine = measure_triangle(points[t.a], points[t.b], points[t.c]);
  }

  // All threads of the block call this; thread 0 gets the result. The last block has fewer triangles than threads:
  // the count says how many take part, so that no operator needs a neutral value to fill up with.
  const double area = wf::block::reduce<block_threads>(storage, mine.area, wf::plus{}, in_block);
  if (threadIdx.x == 0) block_areas[blockIdx.x] = area;

  // Called by the lanes that have a triangle; lane 0 gets the result. (all_reduce gives it to every lane, or thread.)
  if (index >= count) return;
  const int warp_begin = static_cast<int>(threadIdx.x) / warp_threads * warp_threads;
  const int in_warp = active(in_block - warp_begin, warp_threads);
  const double edge = wf::warp::reduce(mine.longest_edge, wf::maximum{}, in_warp);
  if (static_cast<int>(threadIdx.x) == warp_begin) warp_edges[index / warp_threads] = edge;
}

struct mesh {
  std::vector<point> points;
  std::vector<triangle> triangles;
};

mesh read_dragon() {
  const examples::array_file points = examples::read_npy(examples::bundled_data("dragon_vertices.npy"));
  const examples::array_file triangles = examples::read_npy(examples::bundled_data("dragon_triangles.npy"));
  return {points.items_as<point>(), triangles.items_as<triangle>()};
}

measure measure_on_the_gpu(const mesh& dragon) {
  const std::size_t count = dragon.triangles.size();
  const examples::device_array<point> points(dragon.points);
  const examples::device_array<triangle> triangles(dragon.triangles);
  const examples::device_array<double> block_areas((count + block_threads - 1) / block_threads);
  const examples::device_array<double> warp_edges((count + warp_threads - 1) / warp_threads);

  // wf::launch does what <<<>>> does, checks for errors, and works in the emulator too.
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(block_areas.size()));
  config.blockDim = dim3(block_threads);
  wf::launch(measure_mesh, config, points.data(), triangles.data(), static_cast<std::int64_t>(count),
             block_areas.data(), warp_edges.data());

  // What is left, one value a block and one a warp, is for the functions that take arrays.
  return {wf::reduce_value(block_areas), wf::reduce_value(warp_edges, wf::maximum{})};
}

measure measure_on_the_cpu(const mesh& dragon) {
  measure all{};
  for (const triangle& t : dragon.triangles) {
    const measure one = measure_triangle(dragon.points[t.a], dragon.points[t.b], dragon.points[t.c]);
    all = {all.area + one.area, std::max(all.longest_edge, one.longest_edge)};
  }
  return all;
}

// The loop above rounds once a triangle, by half a unit in the last place: no two orders differ by more than this.
bool agree(double a, double b, std::size_t roundings) {
  return std::abs(a - b) <= static_cast<double>(roundings) * std::numeric_limits<double>::epsilon() * std::abs(b);
}

void measure_dragon(const std::vector<std::string_view>& arguments) {
  if (!arguments.empty()) throw examples::usage_error("inside_your_kernel takes no arguments");
  const mesh dragon = read_dragon();
  const measure gpu = measure_on_the_gpu(dragon), cpu = measure_on_the_cpu(dragon);

  std::printf("Stanford dragon: %s triangles\n%s\n\n", examples::format_whole(dragon.triangles.size()).c_str(),
              examples::device_name().c_str());
  std::printf("  surface area  %10.4f cm²\n  longest edge  %10.4f mm\n\n", gpu.area * 1e4, gpu.longest_edge * 1e3);
  if (!agree(gpu.area, cpu.area, dragon.triangles.size()) || !agree(gpu.longest_edge, cpu.longest_edge, 8)) {
    throw std::runtime_error("the CPU's results differ");
  }
  std::printf("The CPU's results are the same.\n");
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, measure_dragon); }
