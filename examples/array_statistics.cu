// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Count, minimum, maximum, mean and standard deviation of an array of any real type, in four reductions.
#include <warpfold/warpfold.cuh>

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: array_statistics [--raw TYPE] [--runs N] [FILE]

Prints the statistics of the numbers in FILE, and how fast they were reduced.
FILE is a .npy file, NumPy's format, little-endian and in C order; its items are
bool, int8 to int64, uint8 to uint64, float16, float32 or float64. Without FILE,
the delays of 200 000 flights in examples/data, in minutes.

  --raw TYPE  FILE holds nothing but little-endian numbers of TYPE, such as float32
  --runs N    time each reduction N times and show the median (default 20)

The standard deviation is the population's, as numpy.std gives it. NaN and
infinities leave the mean and the standard deviation undefined.

Exit code: 0, 1 for a file that cannot be used or an error of the device, 2 for
a wrong command line.
)";

// What the sums for mean and deviation are made of: (distance of the item to the minimum - centre) to the power 1 or 2.
// Distances, since for integers they are exact: a large common offset (times in nanoseconds since 1970, say) costs no
// digits. One type for both sums, since each type of transform is a kernel to compile.
template <class Item> struct moment {
  Item minimum;
  double centre;
  int power;

  __host__ __device__ double operator()(Item item) const {
    const double deviation = distance(item) - centre;
    return power == 1 ? deviation : deviation * deviation;
  }
  __host__ __device__ double distance(Item item) const {
    if constexpr (std::is_integral_v<Item>) {
      return static_cast<double>(static_cast<std::uint64_t>(item) - static_cast<std::uint64_t>(minimum));
    } else {
      return to_double(item) - to_double(minimum);
    }
  }
  static __host__ __device__ double to_double(double x) { return x; }
  static __host__ __device__ double to_double(__half x) { return static_cast<double>(__half2float(x)); }
};

// A minimum or maximum: every digit of a whole number, the shortest text that reads back as the same real one.
template <class Value> std::string format_exact(Value value) {
  if constexpr (std::is_integral_v<Value>) {
    return examples::format_whole(value);
  } else {
    char text[64];
    for (int digits = 1; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
      if (static_cast<Value>(std::strtod(text, nullptr)) == value) break;
    }
    return text;
  }
}

template <class Item> void print_statistics(const examples::array_file& file, int runs) {
  using extremum = wf::accumulator_t<wf::minimum, Item>;  // float for half, 32 bits for narrower integers
  const examples::device_array<Item> items(file.items_as<Item>());
  const examples::device_array<extremum> minimum_at(1), maximum_at(1);
  const examples::device_array<double> distances_at(1), squares_at(1);
  const wf::workspace workspace;  // one for all calls on this stream: none of them allocates

  // Each call only enqueues a kernel; to_host() waits.
  const auto reduce_minimum = [&] { wf::reduce(items, minimum_at.data(), wf::minimum{}, {.workspace = workspace}); };
  const auto reduce_maximum = [&] { wf::reduce(items, maximum_at.data(), wf::maximum{}, {.workspace = workspace}); };
  reduce_minimum();
  reduce_maximum();
  const extremum minimum = minimum_at.to_host()[0], maximum = maximum_at.to_host()[0];

  // Two passes, since the formula of one pass, mean of squares less square of mean, cancels. Both accumulate in double,
  // which is what the transform returns.
  const moment<Item> distance{static_cast<Item>(minimum), 0, 1};
  const auto reduce_distances = [&] {
    wf::transform_reduce(items, distances_at.data(), wf::plus{}, distance, {.workspace = workspace});
  };
  reduce_distances();
  const double count = static_cast<double>(items.size()), mean_distance = distances_at.to_host()[0] / count;
  const moment<Item> square{distance.minimum, mean_distance, 2};
  const auto reduce_squares = [&] {
    wf::transform_reduce(items, squares_at.data(), wf::plus{}, square, {.workspace = workspace});
  };
  reduce_squares();

  const double low = static_cast<double>(minimum), high = static_cast<double>(maximum);
  const double mean = low + mean_distance, deviation = std::sqrt(squares_at.to_host()[0] / count);
  const bool finite = std::isfinite(low) && std::isfinite(high);
  examples::print_row("count", examples::format_whole(items.size()));
  examples::print_row("minimum", format_exact(minimum));
  examples::print_row("maximum", format_exact(maximum));
  examples::print_row("mean", finite ? examples::format_real(mean, std::max(-low, high)) : "undefined");
  examples::print_row("standard deviation", finite ? examples::format_real(deviation, deviation) : "undefined");

  std::printf("\n");
  examples::print_times_header("reduction");
  examples::print_time("minimum", file.bytes.size(), runs, reduce_minimum);
  examples::print_time("maximum", file.bytes.size(), runs, reduce_maximum);
  examples::print_time("sum, for the mean", file.bytes.size(), runs, reduce_distances);
  examples::print_time("squares, for the deviation", file.bytes.size(), runs, reduce_squares);
  examples::print_cache_note(file.bytes.size());
}

void print_statistics(const examples::array_file& file, int runs) {
  using examples::item_type;
  switch (file.type) {
    case item_type::int8: return print_statistics<std::int8_t>(file, runs);
    case item_type::int16: return print_statistics<std::int16_t>(file, runs);
    case item_type::int32: return print_statistics<std::int32_t>(file, runs);
    case item_type::int64: return print_statistics<std::int64_t>(file, runs);
    case item_type::boolean:
    case item_type::uint8: return print_statistics<std::uint8_t>(file, runs);
    case item_type::uint16: return print_statistics<std::uint16_t>(file, runs);
    case item_type::uint32: return print_statistics<std::uint32_t>(file, runs);
    case item_type::uint64: return print_statistics<std::uint64_t>(file, runs);
    case item_type::float16: return print_statistics<__half>(file, runs);
    case item_type::float32: return print_statistics<float>(file, runs);
    case item_type::float64: return print_statistics<double>(file, runs);
  }
}

struct command_line {
  std::filesystem::path path = examples::bundled_data("flight_delays.npy");
  std::optional<examples::item_type> raw_type;
  int runs = 20;

  explicit command_line(const std::vector<std::string_view>& arguments) {
    bool has_path = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view argument = arguments[i];
      const auto value = [&] {
        if (i + 1 == arguments.size()) throw examples::usage_error(std::string(argument) + " needs a value");
        return arguments[++i];
      };
      if (argument == "--raw") {
        const std::string_view name = value();
        raw_type = examples::item_type_named(name);
        if (!raw_type) throw examples::usage_error("unknown item type " + std::string(name));
      } else if (argument == "--runs") {
        runs = examples::positive_number(argument, value());
      } else if (argument.starts_with("--")) {
        throw examples::usage_error("unknown option " + std::string(argument));
      } else if (has_path) {
        throw examples::usage_error("more than one file");
      } else {
        path = argument;
        has_path = true;
      }
    }
    if (raw_type && !has_path) throw examples::usage_error("--raw needs a file");
  }
};

int main(int argc, char** argv) {
  return examples::run_program(argc, argv, help, [](const auto& arguments) {
    const command_line line(arguments);
    const examples::array_file file =
        line.raw_type ? examples::read_raw(line.path, *line.raw_type) : examples::read_npy(line.path);
    if (file.count() == 0) throw examples::file_error(line.path.string() + ": an empty array has no statistics");

    std::printf("%s: %s %s, %s\n", line.path.filename().string().c_str(), describe(file.type).name.data(),
                examples::shape_text(file.shape).c_str(),
                examples::format_quantity(static_cast<double>(file.bytes.size()), "B").c_str());
    std::printf("%s\n\n", examples::device_name().c_str());
    print_statistics(file, line.runs);
  });
}
