// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of your own: the bounding box of a mesh, in one pass over its vertices.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"

namespace wf = warpfold;

constexpr const char* help = R"(usage: custom_operator [FILE.npy]

Prints the bounding box of points in space: the rows of a float32 array of
shape (n, 3), NumPy's format. Without FILE, the vertices of the Stanford dragon
in examples/data, whose unit is the metre.

Exit code: 0, 1 for a file that cannot be used or an error of the device, 2 for
a wrong command line.
)";

struct point {
  float x, y, z;
};

// What is accumulated: 24 bytes, of another type than the 12-byte items.
struct box {
  point low, high;
};

// Step 1. The item as an accumulator: a point is a box without extent.
struct box_of {
  __host__ __device__ box operator()(point p) const { return {p, p}; }
};

// Step 2. The operator: the smallest box around two boxes. It has to be associative and trivially copyable, no more.
// Warpfold's own operators are function objects that can be called anywhere; these two pass over NaN.
struct merge {
  __host__ __device__ box operator()(const box& a, const box& b) const {
    constexpr wf::minimum_number low;
    constexpr wf::maximum_number high;
    return {{low(a.low.x, b.low.x), low(a.low.y, b.low.y), low(a.low.z, b.low.z)},
            {high(a.high.x, b.high.x), high(a.high.y, b.high.y), high(a.high.z, b.high.z)}};
  }
};

// Step 3, optional. What Warpfold may know about the operator: the box of no points, which an empty input gives, and
// that neither order nor association changes a bit of the result.
template <> struct wf::identity<merge, box> {
  static constexpr box value() {
    constexpr float low = wf::identity<wf::minimum_number, float>::value();
    constexpr float high = wf::identity<wf::maximum_number, float>::value();
    return {{low, low, low}, {high, high, high}};
  }
};
template <> inline constexpr bool wf::is_exact<merge, box> = true;
template <> inline constexpr bool wf::is_commutative<merge> = true;

std::vector<point> read_points(const std::filesystem::path& path) {
  const examples::array_file file = examples::read_npy(path);
  if (file.type != examples::item_type::float32 || file.shape.size() != 2 || file.shape[1] != 3) {
    throw examples::file_error(path.string() + ": points are a float32 array of shape (n, 3), this is " +
                               std::string(describe(file.type).name) + " " + examples::shape_text(file.shape));
  }
  if (file.count() == 0) throw examples::file_error(path.string() + ": there are no points");
  return file.items_as<point>();
}

void print_axis(const char* axis, float low, float high) {
  std::printf("  %-4s%12.6g%12.6g%12.6g\n", axis, low, high, high - low);
}

void bounding_box(const std::vector<std::string_view>& arguments) {
  if (arguments.size() > 1) throw examples::usage_error("more than one file");
  if (!arguments.empty() && arguments[0].starts_with("--")) {
    throw examples::usage_error("unknown option " + std::string(arguments[0]));
  }
  const std::filesystem::path path =
      arguments.empty() ? examples::bundled_data("dragon_vertices.npy") : std::filesystem::path(arguments[0]);
  const std::vector<point> points = read_points(path);
  const examples::device_array<point> items(points);

  // Step 4. One call. What is accumulated is what box_of returns.
  const box found = wf::transform_reduce_value(items, merge{}, box_of{});

  std::printf("%s: %s points, %s\n\n", path.filename().string().c_str(), examples::format_whole(points.size()).c_str(),
              examples::device_name().c_str());
  std::printf("  %-4s%12s%12s%12s\n", "axis", "low", "high", "size");
  print_axis("x", found.low.x, found.high.x);
  print_axis("y", found.low.y, found.high.y);
  print_axis("z", found.low.z, found.high.z);
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, bounding_box); }
