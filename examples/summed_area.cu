// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A summed-area table by scans along both axes: the mean of any box from four of its items.
#include <warpfold/segmented_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
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

constexpr const char* help = R"(usage: summed_area [--radius N] [--runs N] [GRID.npy [PICTURE.pgm]]

Makes a table whose item (r, c) is the sum of a grid's rows 0 to r and columns 0 to c,
by one scan along the rows and one down the columns. So the mean of any box takes four
items of the table, however large the box is (Crow, 1984). Prints the largest mean of
boxes of several sizes, and where it is. Without files, the precipitation of the year
2016 in examples/data, in millimetres. Plain loops must find the same.

  GRID.npy     uint16 of shape (rows, columns)
  PICTURE.pgm  is written: the grid, and below it the mean around each item
  --radius N   rows and columns that the mean reaches on each side (default 4)
  --runs N     time each scan N times and show the median (default 20)

The method: F. C. Crow, Summed-area Tables for Texture Mapping, SIGGRAPH, 1984.
Exit code: 0, 1 for a file that cannot be used or written, an error of the device or
different results, 2 for a wrong command line.
)";

// An iterator over the items of a matrix, column by column: number i is in column i / rows. It reads and writes.
template <class T> struct down_columns {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  T* first;
  std::int64_t rows, columns;

  __host__ __device__ T& operator[](std::ptrdiff_t i) const { return first[i % rows * columns + i / rows]; }
  __host__ __device__ T& operator*() const { return *first; }
};

// The rows and columns from `top` and `left` up to, but not including, `bottom` and `right`.
struct box {
  std::int64_t top, left, bottom, right;
  std::int64_t items() const { return (bottom - top) * (right - left); }
};

// The table on the host.
struct summed_areas {
  std::int64_t columns;
  std::vector<std::int64_t> sums;

  std::int64_t sum(const box& of) const {
    return up_to(of.bottom, of.right) - up_to(of.top, of.right) - up_to(of.bottom, of.left) + up_to(of.top, of.left);
  }
  double mean(const box& of) const { return static_cast<double>(sum(of)) / static_cast<double>(of.items()); }

 private:
  std::int64_t up_to(std::int64_t rows, std::int64_t end) const {
    return rows == 0 || end == 0 ? 0 : sums[static_cast<std::size_t>((rows - 1) * columns + end - 1)];
  }
};

// The grid and its table on the device. Each scan enqueues one kernel.
class table_on_device {
 public:
  explicit table_on_device(const grid& given)
      : grid_(given), items_(given.items), along_rows_(given.items.size()), table_(given.items.size()) {}

  void scan_rows() const {
    wf::segmented_inclusive_scan(items_, wf::fixed_length{grid_.columns}, along_rows_,
                                 wf::accumulate_in<std::int64_t>(wf::plus{}), {.workspace = workspace_});
  }
  // Nothing is transposed: iterators walk down the columns.
  void scan_columns() const {
    const down_columns<const std::int64_t> from{along_rows_.data(), grid_.rows, grid_.columns};
    const down_columns<std::int64_t> to{table_.data(), grid_.rows, grid_.columns};
    wf::segmented_inclusive_scan(from, static_cast<std::int64_t>(items_.size()), wf::fixed_length{grid_.rows}, to,
                                 wf::plus{}, {.workspace = workspace_});
  }

  summed_areas table() const {
    scan_rows();
    scan_columns();
    summed_areas found{grid_.columns, table_.to_host()};
    std::vector<std::int64_t> of_columns(static_cast<std::size_t>(grid_.columns));
    for (std::int64_t row = 0, place = 0; row < grid_.rows; ++row) {
      std::int64_t sum = 0;
      for (std::int64_t column = 0; column < grid_.columns; ++column, ++place) {
        sum += of_columns[static_cast<std::size_t>(column)] += grid_.item(row, column);
        if (found.sums[static_cast<std::size_t>(place)] != sum)
          throw std::runtime_error("plain loops find another sum at row " + std::to_string(row) + ", column " +
                                   std::to_string(column));
      }
    }
    return found;
  }
  std::size_t row_bytes() const { return items_.size() * (sizeof(std::uint16_t) + sizeof(std::int64_t)); }
  std::size_t column_bytes() const { return items_.size() * 2 * sizeof(std::int64_t); }

 private:
  const grid& grid_;
  examples::device_array<std::uint16_t> items_;
  examples::device_array<std::int64_t> along_rows_, table_;
  wf::workspace workspace_;
};

// The box of `size` x `size` items with the largest mean; the first one if several are equal.
box largest_box(const grid& given, const summed_areas& table, std::int64_t size) {
  box largest{0, 0, size, size};
  for (std::int64_t top = 0; top + size <= given.rows; ++top)
    for (std::int64_t left = 0; left + size <= given.columns; ++left)
      if (const box each{top, left, top + size, left + size}; table.sum(each) > table.sum(largest)) largest = each;
  return largest;
}

void print_boxes(const grid& given, const summed_areas& table) {
  std::printf("\n  %-16s%10s%12s%12s\n", "largest mean", "mean", "from row", "column");
  for (std::int64_t size = 1; size <= std::min(given.rows, given.columns); size *= 4) {
    const box found = largest_box(given, table, size);
    const std::string name = std::to_string(size) + " x " + std::to_string(size);
    std::printf("  %-16s%10.1f%12lld%12lld\n", name.c_str(), table.mean(found), static_cast<long long>(found.top),
                static_cast<long long>(found.left));
  }
}

// The grid above and the means below, white for 3000 and more.
void write_means(const std::filesystem::path& path, const grid& given, const summed_areas& table, std::int64_t radius) {
  examples::write_picture(path, 2 * given.rows, given.columns, 2, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t center = row % given.rows, reach = row < given.rows ? 0 : radius;
    const box around{std::max<std::int64_t>(center - reach, 0), std::max<std::int64_t>(column - reach, 0),
                     std::min(center + reach + 1, given.rows), std::min(column + reach + 1, given.columns)};
    return table.mean(around) / 3000;
  });
}

void summed_area(const std::vector<std::string_view>& arguments) {
  int radius = 4, runs = 20;
  const auto files = examples::read_options(arguments, {{"--radius", &radius}, {"--runs", &runs}}, 2);
  const grid given = examples::read_grid(files);
  const table_on_device device(given);
  const summed_areas table = device.table();
  std::printf("%s: %lld x %lld, %s\n", files.empty() ? "Precipitation of 2016 in mm" : std::string(files[0]).c_str(),
              static_cast<long long>(given.rows), static_cast<long long>(given.columns),
              examples::device_name().c_str());
  print_boxes(given, table);
  std::printf("\n  mean of all: %.1f\n", table.mean({0, 0, given.rows, given.columns}));
  if (files.size() == 2) write_means(files[1], given, table, radius);
  std::printf("  plain loops give the same\n\n");

  examples::print_times_header("scan");
  examples::print_time("along rows", device.row_bytes(), runs, [&] { device.scan_rows(); });
  examples::print_time("down columns", device.column_bytes(), runs, [&] { device.scan_columns(); });
  examples::print_cache_note(device.column_bytes());
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, summed_area); }
