// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along the axes of a grid: the year's precipitation by latitude, by longitude, by belt and by box.
#include <warpfold/reduce_axes.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/grid.hpp"
#include "common/picture.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;
using examples::grid;

constexpr const char* help = R"(usage: rain_map [--box N] [--runs N] [GRID.npy [PICTURE.pgm]]

Prints mean and maximum of a grid by belts of N rows, and the rows and columns with
the largest means. Without files, the precipitation of the year 2016 in examples/data,
in millimetres. Everything is computed again by plain loops, and must be the same.

  GRID.npy     uint16 of shape (rows, columns)
  PICTURE.pgm  is written: the mean of each box of N x N items, black for 0
  --box N      rows of a belt, rows and columns of a box (default 8); what is left at
               the end is in no box
  --runs N     time each reduction N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used or written, an error of the device or
different results, 2 for a wrong command line.
)";

// The accumulator of one pass.
struct summary {
  std::int64_t sum;
  std::int32_t items, most;

  bool operator==(const summary&) const = default;
  double mean() const { return static_cast<double>(sum) / items; }
};

// An operator that says how an item becomes an accumulator.
struct summarise {
  __host__ __device__ summary lift(std::uint16_t item) const { return {item, 1, item}; }
  __host__ __device__ summary operator()(const summary& a, const summary& b) const {
    return {a.sum + b.sum, a.items + b.items, a.most > b.most ? a.most : b.most};
  }
};

// A grid on the device, and its summaries along axes. Each call enqueues one kernel.
class grid_on_device {
 public:
  grid_on_device(const grid& given, std::int64_t box)
      : grid_(given),
        box_(box),
        belts_(given.rows / box),
        box_columns_(given.columns / box),
        items_(given.items),
        by_rows_(static_cast<std::size_t>(given.rows)),
        by_columns_(static_cast<std::size_t>(given.columns)),
        by_belts_(static_cast<std::size_t>(belts_)),
        by_boxes_(static_cast<std::size_t>(belts_ * box_columns_)) {}

  void reduce_rows() const { wf::reduce_rows(matrix(), by_rows_, summarise{}, options()); }
  void reduce_columns() const { wf::reduce_columns(matrix(), by_columns_, summarise{}, options()); }
  // The same memory, seen as belts x rows of a belt x columns.
  void reduce_belts() const {
    const wf::strided belts(items_.data(), {belts_, box_, grid_.columns});
    wf::reduce_axes(belts, wf::strided(by_belts_.data(), {belts_}), wf::keep_axes{0}, summarise{}, options());
  }
  // Seen as belts x rows of a box x boxes of a belt x columns of a box. If boxes do not fill the rows, the stride
  // leaves the rest out.
  void reduce_boxes() const {
    const wf::strided<const std::uint16_t, 4> boxes(items_.data(), {belts_, box_, box_columns_, box_},
                                                    {box_ * grid_.columns, grid_.columns, box_, 1});
    wf::reduce_axes(boxes, wf::strided(by_boxes_.data(), {belts_, box_columns_}), wf::axes{1, 3}, summarise{},
                    options());
  }

  std::vector<summary> rows() const { return reduce_rows(), checked(by_rows_, 1, grid_.columns, "rows"); }
  std::vector<summary> columns() const { return reduce_columns(), checked(by_columns_, grid_.rows, 1, "columns"); }
  std::vector<summary> belts() const { return reduce_belts(), checked(by_belts_, box_, grid_.columns, "belts"); }
  std::vector<summary> boxes() const { return reduce_boxes(), checked(by_boxes_, box_, box_, "boxes"); }
  std::int64_t box_columns() const { return box_columns_; }
  std::size_t bytes() const { return items_.size() * sizeof(std::uint16_t); }

 private:
  wf::strided<const std::uint16_t, 2> matrix() const { return {items_.data(), {grid_.rows, grid_.columns}}; }
  wf::segmented_options<summary> options() const { return {.workspace = workspace_}; }

  // The results on the host. Throws unless plain loops over blocks of `height` x `width` items give the same.
  std::vector<summary> checked(const examples::device_array<summary>& results, std::int64_t height, std::int64_t width,
                               const char* name) const {
    std::vector<summary> expected;
    for (std::int64_t top = 0; top + height <= grid_.rows; top += height)
      for (std::int64_t left = 0; left + width <= grid_.columns; left += width) {
        summary all = {0, 0, 0};
        for (std::int64_t row = top; row < top + height; ++row)
          for (std::int64_t column = left; column < left + width; ++column)
            all = summarise{}(all, summarise{}.lift(grid_.item(row, column)));
        expected.push_back(all);
      }
    const std::vector<summary> found = results.to_host();
    if (found != expected) throw std::runtime_error(std::string("summaries of ") + name + " differ from plain loops");
    return found;
  }

  const grid& grid_;
  std::int64_t box_, belts_, box_columns_;
  examples::device_array<std::uint16_t> items_;
  examples::device_array<summary> by_rows_, by_columns_, by_belts_, by_boxes_;
  wf::workspace workspace_;
};

// The bundled grid has one row for each degree of latitude, from 87 north on, and one column for each degree of
// longitude, from 180 west on.
std::string latitude(std::int64_t row) {
  const std::int64_t degrees = 87 - row;
  return degrees >= 0 ? std::to_string(degrees) + "°N" : std::to_string(-degrees) + "°S";
}
std::string longitude(std::int64_t column) {
  const std::int64_t degrees = column - 180;
  return degrees >= 0 ? std::to_string(degrees) + "°E" : std::to_string(-degrees) + "°W";
}

// `count` rows or columns of a grid: "9°N to 7°N" on the bundled one, else "row 3" or "columns 8 to 15".
std::string rows_or_columns(const char* name, std::int64_t first, std::int64_t count, bool is_bundled) {
  const auto degrees = *name == 'r' ? latitude : longitude;
  if (is_bundled) return degrees(first) + " to " + degrees(first + count);
  if (count == 1) return name + (" " + std::to_string(first));
  return std::string(name) + "s " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

void print_belts(const std::vector<summary>& belts, std::int64_t box, bool is_bundled) {
  std::printf("\n  %-16s%10s%10s\n", "belt", "mean", "maximum");
  double largest = 1;
  for (const summary& belt : belts) largest = std::max(largest, belt.mean());
  for (std::size_t i = 0; i < belts.size(); ++i) {
    const std::string name = rows_or_columns("row", static_cast<std::int64_t>(i) * box, box, is_bundled);
    std::string bar;
    for (int mark = 1; mark <= 30 * belts[i].mean() / largest; ++mark) bar += "█";
    std::printf("  %s%10.1f%10d  %s\n", examples::left_aligned(name, 16).c_str(), belts[i].mean(), belts[i].most,
                bar.c_str());
  }
}

// The largest mean of all, and place(i), where number i is.
void print_largest(const char* name, const std::vector<summary>& all, auto place) {
  const auto less = [](const summary& a, const summary& b) { return a.mean() < b.mean(); };
  const auto largest = std::max_element(all.begin(), all.end(), less);
  const std::string where = place(static_cast<std::int64_t>(largest - all.begin()));
  std::printf("  largest mean of a %s: %.1f, %s\n", name, largest->mean(), where.c_str());
}

void write_boxes(const std::filesystem::path& path, const std::vector<summary>& boxes, std::int64_t columns) {
  double largest = 1;
  for (const summary& box : boxes) largest = std::max(largest, box.mean());
  examples::write_picture(path, static_cast<std::int64_t>(boxes.size()) / columns, columns, 8,
                          [&](std::int64_t row, std::int64_t column) {
                            return boxes[static_cast<std::size_t>(row * columns + column)].mean() / largest;
                          });
}

void rain_map(const std::vector<std::string_view>& arguments) {
  int box = 8, runs = 20;
  const auto files = examples::read_options(arguments, {{"--box", &box}, {"--runs", &runs}}, 2);
  const grid given = examples::read_grid(files);
  if (box > given.rows || box > given.columns)
    throw examples::usage_error("--box " + std::to_string(box) + " exceeds a grid of " + std::to_string(given.rows) +
                                " x " + std::to_string(given.columns));
  const grid_on_device device(given, box);
  std::printf("%s: %lld x %lld, %s\n", given.is_bundled ? "Precipitation of 2016 in mm" : "Grid",
              static_cast<long long>(given.rows), static_cast<long long>(given.columns),
              examples::device_name().c_str());
  print_belts(device.belts(), box, given.is_bundled);
  std::printf("\n");
  const auto rows = [&](std::int64_t first, int count) {
    return rows_or_columns("row", first, count, given.is_bundled);
  };
  const auto columns = [&](std::int64_t first, int count) {
    return rows_or_columns("column", first, count, given.is_bundled);
  };
  print_largest("row", device.rows(), [&](std::int64_t i) { return rows(i, 1); });
  print_largest("column", device.columns(), [&](std::int64_t i) { return columns(i, 1); });
  const std::vector<summary> boxes = device.boxes();
  print_largest("box", boxes, [&](std::int64_t i) {
    return rows(i / device.box_columns() * box, box) + ", " + columns(i % device.box_columns() * box, box);
  });
  if (files.size() == 2) write_boxes(files[1], boxes, device.box_columns());
  std::printf("  plain loops give the same\n\n");

  examples::print_times_header("reduction");
  examples::print_time("rows", device.bytes(), runs, [&] { device.reduce_rows(); });
  examples::print_time("columns", device.bytes(), runs, [&] { device.reduce_columns(); });
  examples::print_time("belts", device.bytes(), runs, [&] { device.reduce_belts(); });
  examples::print_time("boxes", device.bytes(), runs, [&] { device.reduce_boxes(); });
  examples::print_cache_note(device.bytes());
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, rain_map); }
