// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The building step of a k-d tree: the bounding box of the triangles in each of its cells, level by level.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: mesh_bounding_boxes [--levels N] [--runs N]

Builds the first levels of a k-d tree over the triangles of the Stanford dragon
in examples/data. A level is one segmented reduction: it finds the bounding box of
each cell's triangles, and each cell is then cut across the middle of its box's
longest side. Prints how many triangles the cells have and how much of the whole
box their boxes fill, and checks that together they are the whole box.

  --levels N  build N levels below the root, 20 at most (default 6)
  --runs N    time the last level's reduction N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used, an error of the device or a box
that is not right, 2 for a wrong command line.
)";

struct point {
  float x, y, z;
  bool operator==(const point&) const = default;
};

// What is accumulated: 24 bytes. There is no identity; what an empty cell gets is said in the call.
struct box {
  point low, high;

  bool operator==(const box&) const = default;
  std::array<double, 3> low_corner() const { return {low.x, low.y, low.z}; }
  std::array<double, 3> high_corner() const { return {high.x, high.y, high.z}; }
  double size(std::size_t axis) const { return high_corner()[axis] - low_corner()[axis]; }
  std::size_t longest_axis() const {
    const std::array<double, 3> sizes{size(0), size(1), size(2)};
    return static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  }
  double volume() const { return size(0) * size(1) * size(2); }
};

struct merge {
  __host__ __device__ box operator()(const box& a, const box& b) const {
    constexpr wf::minimum low;
    constexpr wf::maximum high;
    return {{low(a.low.x, b.low.x), low(a.low.y, b.low.y), low(a.low.z, b.low.z)},
            {high(a.high.x, b.high.x), high(a.high.y, b.high.y), high(a.high.z, b.high.z)}};
  }
};

// The items are triangles, three vertex numbers each. They become boxes as they are read: no boxes in between.
struct triangle {
  std::int32_t a, b, c;
};
struct box_of_triangle {
  const point* vertices;
  __host__ __device__ box operator()(triangle t) const {
    const point a = vertices[t.a], b = vertices[t.b], c = vertices[t.c];
    return merge{}(merge{}({a, a}, {b, b}), {c, c});
  }
};

// Nothing, as a box: the union of it and any box is that box.
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr box no_box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};

struct mesh {
  std::vector<point> vertices;
  std::vector<triangle> triangles;

  double centre(const triangle& t, std::size_t axis) const {
    const auto coordinate = [&](std::int32_t corner) {
      const point& p = vertices[static_cast<std::size_t>(corner)];
      return static_cast<double>(axis == 0 ? p.x : axis == 1 ? p.y : p.z);
    };
    return (coordinate(t.a) + coordinate(t.b) + coordinate(t.c)) / 3;
  }
};

mesh read_mesh() {
  return {examples::read_npy(examples::bundled_data("dragon_vertices.npy")).items_as<point>(),
          examples::read_npy(examples::bundled_data("dragon_triangles.npy")).items_as<triangle>()};
}

// A level of the tree: cell c has the triangles from offsets[c] to offsets[c + 1], and, once found, a box around them.
class level {
 public:
  level(const std::vector<triangle>& triangles, const std::vector<std::int32_t>& offsets)
      : triangles_(triangles), offsets_(offsets), boxes_(offsets.size() - 1) {}

  // One kernel for all cells, whether one has all triangles or none.
  void enqueue(const examples::device_array<point>& vertices) const {
    wf::transform_segmented_reduce(triangles_, offsets_, boxes_, merge{}, box_of_triangle{vertices.data()},
                                   {.empty = no_box});
  }
  std::vector<box> boxes() const { return boxes_.to_host(); }

  std::size_t streamed_bytes() const {
    return triangles_.size() * sizeof(triangle) + offsets_.size() * sizeof(std::int32_t) + boxes_.size() * sizeof(box);
  }

 private:
  examples::device_array<triangle> triangles_;
  examples::device_array<std::int32_t> offsets_;
  examples::device_array<box> boxes_;
};

// Cuts each cell across the middle of its box's longest side; a triangle goes where its centre lies.
std::vector<std::int32_t> split(mesh& dragon, const std::vector<std::int32_t>& offsets, const std::vector<box>& boxes) {
  std::vector<std::int32_t> halves{0};
  for (std::size_t cell = 0; cell < boxes.size(); ++cell) {
    const box& around = boxes[cell];
    const std::size_t axis = around.longest_axis();
    const double middle = (around.low_corner()[axis] + around.high_corner()[axis]) / 2;
    const auto begin = dragon.triangles.begin();
    const auto upper = std::partition(begin + offsets[cell], begin + offsets[cell + 1],
                                      [&](const triangle& t) { return dragon.centre(t, axis) < middle; });
    halves.push_back(static_cast<std::int32_t>(upper - begin));
    halves.push_back(offsets[cell + 1]);
  }
  return halves;
}

void print_level(int number, const std::vector<std::int32_t>& offsets, const std::vector<box>& boxes) {
  std::int32_t fewest = offsets.back(), most = 0;
  double volume = 0;
  for (std::size_t cell = 0; cell < boxes.size(); ++cell) {
    const std::int32_t triangles = offsets[cell + 1] - offsets[cell];
    fewest = std::min(fewest, triangles);
    most = std::max(most, triangles);
    if (triangles > 0) volume += boxes[cell].volume();
  }
  const box whole = std::accumulate(boxes.begin(), boxes.end(), no_box, merge{});
  std::printf("  %5d%11s%10s%10s%13.1f %%\n", number, examples::format_whole(boxes.size()).c_str(),
              examples::format_whole(fewest).c_str(), examples::format_whole(most).c_str(),
              100 * volume / whole.volume());
}

void print_axis(const char* axis, float low, float high) {
  std::printf("  %-4s%12.6g%12.6g%12.6g\n", axis, low, high, high - low);
}

void mesh_bounding_boxes(const std::vector<std::string_view>& arguments) {
  int levels = 6, runs = 20;
  examples::read_options(arguments, {{"--levels", &levels}, {"--runs", &runs}}, 0);
  if (levels > 20) throw examples::usage_error("--levels is 20 at most, not " + std::to_string(levels));
  mesh dragon = read_mesh();
  const examples::device_array<point> vertices(dragon.vertices);

  std::printf("Stanford dragon: %s triangles, %s\n\n", examples::format_whole(dragon.triangles.size()).c_str(),
              examples::device_name().c_str());
  std::printf("  %5s%11s%10s%10s%15s\n", "level", "cells", "fewest", "most", "volume");

  // On the CPU, for comparison.
  box whole = no_box;
  for (const triangle& t : dragon.triangles) whole = merge{}(whole, box_of_triangle{dragon.vertices.data()}(t));

  std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(dragon.triangles.size())};
  for (int number = 0;; ++number) {
    const level cells(dragon.triangles, offsets);
    cells.enqueue(vertices);
    const std::vector<box> boxes = cells.boxes();
    if (std::accumulate(boxes.begin(), boxes.end(), no_box, merge{}) != whole) {
      throw std::runtime_error("level " + std::to_string(number) + ": the boxes together are not the whole box");
    }
    print_level(number, offsets, boxes);
    if (number < levels) {
      offsets = split(dragon, offsets, boxes);
      continue;
    }
    std::printf("\nOn every level the boxes together are the whole box:\n");
    print_axis("x", whole.low.x, whole.high.x);
    print_axis("y", whole.low.y, whole.high.y);
    print_axis("z", whole.low.z, whole.high.z);
    const std::size_t bytes = cells.streamed_bytes() + dragon.vertices.size() * sizeof(point);
    std::printf("\n");
    examples::print_times_header("segmented reduction");
    examples::print_time("boxes of the last level", bytes, runs, [&] { cells.enqueue(vertices); });
    examples::print_cache_note(bytes);
    return;
  }
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, mesh_bounding_boxes); }
