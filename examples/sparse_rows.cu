// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix, row by row: sums, norms and the product with a vector, each one segmented reduction.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/matrix_market.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: sparse_rows [--top N] [--runs N] [FILE.mtx [NAMES.txt]]

Prints the rows with the largest sums of a sparse matrix A: entries, sum, norm
and y = A x. x are the row sums if A is square, else ones: where A counts the ways
from row to column, y counts those of two steps.
FILE.mtx is a Matrix Market file: coordinate; real, integer or pattern; general or
symmetric. NAMES.txt names the rows, one a line. Without files, the routes between
the airports of the United States in examples/data.

  --top N   show N rows (default 8)
  --runs N  time each reduction N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

// Compressed sparse rows: row r has the entries from offsets[r] to offsets[r + 1].
struct sparse_matrix {
  std::int32_t columns = 0;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> column;  // of each entry
  std::vector<double> value;

  explicit sparse_matrix(examples::coordinate_matrix&& list)
      : columns(list.columns), offsets(static_cast<std::size_t>(list.rows) + 1) {
    std::stable_sort(list.entries.begin(), list.entries.end(), [](const auto& a, const auto& b) {
      return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
    for (const examples::matrix_entry& entry : list.entries) {
      ++offsets[static_cast<std::size_t>(entry.row) + 1];
      column.push_back(entry.column);
      value.push_back(entry.value);
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  }
  std::size_t rows() const { return offsets.size() - 1; }
  std::size_t entries() const { return value.size(); }
  bool is_square() const { return rows() == static_cast<std::size_t>(columns); }
};

// The products as items: each is computed as it is read, so no array of products is ever written. An iterator is
// anything trivially copyable that can be indexed and names the type of its items.
struct products {
  using value_type = double;
  using difference_type = std::int64_t;

  const double* left;
  const double* right;
  const std::int32_t* column;  // where in `right` to find the second factor; null: beside the first

  __host__ __device__ double operator[](std::int64_t i) const { return left[i] * right[column ? column[i] : i]; }
};

class rows_on_device {
 public:
  explicit rows_on_device(const sparse_matrix& matrix)
      : offsets_(matrix.offsets),
        column_(matrix.column),
        value_(matrix.value),
        sums_(matrix.rows()),
        squares_(matrix.rows()),
        y_(matrix.rows()),
        ones_(std::vector<double>(static_cast<std::size_t>(matrix.columns), 1)),
        x_(matrix.is_square() ? sums_.data() : ones_.data()) {}

  // Each call enqueues one kernel; the third reads what the first has written, since the stream keeps their order.
  void reduce_sums() const { wf::segmented_reduce(value_, offsets_, sums_, {.workspace = workspace_}); }
  void reduce_squares() const { reduce_products({value_.data(), value_.data(), nullptr}, squares_); }
  void reduce_y() const { reduce_products({value_.data(), x_, column_.data()}, y_); }

  std::vector<double> sums() const { return sums_.to_host(); }
  std::vector<double> squares() const { return squares_.to_host(); }
  std::vector<double> y() const { return y_.to_host(); }

  void print_times(int runs) const {
    const std::size_t value_bytes = value_.size() * sizeof(double);
    const std::size_t row_bytes = sums_.size() * (sizeof(std::int64_t) + sizeof(double));
    const std::size_t column_bytes = column_.size() * sizeof(std::int32_t) + ones_.size() * sizeof(double);
    examples::print_times_header("segmented reduction");
    examples::print_time("sums", value_bytes + row_bytes, runs, [&] { reduce_sums(); });
    examples::print_time("squares, for the norms", value_bytes + row_bytes, runs, [&] { reduce_squares(); });
    examples::print_time("y = A x", value_bytes + row_bytes + column_bytes, runs, [&] { reduce_y(); });
    examples::print_cache_note(value_bytes + row_bytes + column_bytes);
  }

 private:
  void reduce_products(products items, const examples::device_array<double>& out) const {
    wf::segmented_reduce(items, static_cast<std::int64_t>(value_.size()), offsets_, out, wf::plus{},
                         {.workspace = workspace_});
  }

  examples::device_array<std::int64_t> offsets_;
  examples::device_array<std::int32_t> column_;
  examples::device_array<double> value_, sums_, squares_, y_, ones_;
  const double* x_;
  wf::workspace workspace_;
};

// The same on the CPU. Each row is added up by the canonical tree of its length, as on the device: equal to the bit.
void check_rows(const sparse_matrix& matrix, const char* name, const std::vector<double>& found, products items) {
  std::vector<double> row;
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    row.clear();
    for (std::int64_t i = matrix.offsets[r]; i < matrix.offsets[r + 1]; ++i) row.push_back(items[i]);
    const double expected =
        row.empty() ? 0 : wf::canonical_tree::replay(row.data(), static_cast<std::int64_t>(row.size()), wf::plus{});
    if (found[r] != expected && !(std::isnan(found[r]) && std::isnan(expected))) {
      throw std::runtime_error(std::string(name) + " of row " + std::to_string(r + 1) + " differs from the CPU's");
    }
  }
}

void check_on_cpu(const sparse_matrix& matrix, const std::vector<double>& sums, const std::vector<double>& squares,
                  const std::vector<double>& y) {
  const std::vector<double> ones(std::max(matrix.entries(), static_cast<std::size_t>(matrix.columns)), 1);
  const double* value = matrix.value.data();
  check_rows(matrix, "the sum", sums, {value, ones.data(), nullptr});
  check_rows(matrix, "the norm", squares, {value, value, nullptr});
  check_rows(matrix, "y", y, {value, matrix.is_square() ? sums.data() : ones.data(), matrix.column.data()});
}

// Whole numbers with all their digits, others with ten.
std::string format_number(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  const bool is_whole = std::abs(value) < exact && value == std::floor(value);
  return is_whole ? examples::format_whole(static_cast<std::int64_t>(value)) : examples::format_real(value, value);
}

std::vector<std::string> read_names(const std::filesystem::path& path, std::size_t rows) {
  std::vector<std::string> names = examples::read_lines(path);
  if (names.size() != rows) {
    throw examples::file_error(path.string() + ": " + std::to_string(names.size()) + " names for " +
                               std::to_string(rows) + " rows");
  }
  return names;
}
std::vector<std::string> row_numbers(std::size_t rows) {
  std::vector<std::string> numbers;
  for (std::size_t row = 1; row <= rows; ++row) numbers.push_back(std::to_string(row));
  return numbers;
}

void print_lengths(const sparse_matrix& matrix) {
  std::int64_t empty = 0, longest = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const std::int64_t entries = matrix.offsets[row + 1] - matrix.offsets[row];
    empty += entries == 0;
    longest = std::max(longest, entries);
  }
  std::printf("  longest row %s entries, empty rows %s, x: %s\n", examples::format_whole(longest).c_str(),
              examples::format_whole(empty).c_str(), matrix.is_square() ? "row sums" : "ones");
}

// The rows with the largest sums, `top` at most, in that order. Sums that overflowed both ways are NaN, and come last.
std::vector<std::size_t> largest(const std::vector<double>& sums, int top) {
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sums[a] > sums[b] || (std::isnan(sums[b]) && !std::isnan(sums[a]));
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(top)));
  return order;
}

void sparse_rows(const std::vector<std::string_view>& arguments) {
  int top = 8, runs = 20;
  const auto files = examples::read_options(arguments, {{"--top", &top}, {"--runs", &runs}}, 2);
  const auto path = files.empty() ? examples::bundled_data("routes.mtx") : std::filesystem::path(files[0]);
  examples::coordinate_matrix list = examples::read_matrix_market(path);
  const std::string kind = list.field + " " + list.symmetry;
  const sparse_matrix matrix(std::move(list));
  std::vector<std::string> names = row_numbers(matrix.rows());
  if (files.empty()) names = read_names(examples::bundled_data("routes_codes.txt"), matrix.rows());
  if (files.size() == 2) names = read_names(files[1], matrix.rows());

  const rows_on_device device(matrix);
  device.reduce_sums();
  device.reduce_squares();
  device.reduce_y();
  const std::vector<double> sums = device.sums(), squares = device.squares(), y = device.y();

  check_on_cpu(matrix, sums, squares, y);
  std::printf("%s: %s x %s, %s, %s entries\n", path.filename().string().c_str(),
              examples::format_whole(matrix.rows()).c_str(), examples::format_whole(matrix.columns).c_str(),
              kind.c_str(), examples::format_whole(matrix.entries()).c_str());
  std::printf("%s\n\n", examples::device_name().c_str());
  print_lengths(matrix);
  std::printf("\n  %-9s%9s%18s%18s%22s\n", "row", "entries", "sum", "norm", "y");
  for (const std::size_t row : largest(sums, top)) {
    const std::int64_t entries = matrix.offsets[row + 1] - matrix.offsets[row];
    std::printf("  %-9s%9s%18s%18s%22s\n", names[row].c_str(), examples::format_whole(entries).c_str(),
                format_number(sums[row]).c_str(), format_number(std::sqrt(squares[row])).c_str(),
                format_number(y[row]).c_str());
  }
  std::printf("\nThe CPU's results are the same, to the bit.\n\n");
  device.print_times(runs);
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, sparse_rows); }
