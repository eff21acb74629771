// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Count, minimum, maximum, mean, standard deviation and NaN of an array of any real type, in one pass.
#include <warpfold/statistics.hpp>
#include <warpfold/warpfold.cuh>

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
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

The standard deviation is the population's, as numpy.std gives it. NaN are
counted and left out; infinities, and distances of items that exceed float64,
leave mean and standard deviation undefined.

Exit code: 0, 1 for a file that cannot be used or an error of the device, 2 for
a wrong command line.
)";

// The distance of an item to `origin`, one of the items. Distances of integers are exact: a large common offset (times
// in nanoseconds since 1970, say) costs mean and deviation no digits.
template <class Item> struct distance_to {
  Item origin;

  __host__ __device__ double operator()(Item item) const {
    if constexpr (std::is_integral_v<Item>) {
      const auto to = static_cast<std::uint64_t>(item), from = static_cast<std::uint64_t>(origin);
      return item >= origin ? static_cast<double>(to - from) : -static_cast<double>(from - to);
    } else {
      return to_double(item) - to_double(origin);
    }
  }
  static __host__ __device__ double to_double(double x) { return x; }
  static __host__ __device__ double to_double(__half x) { return static_cast<double>(__half2float(x)); }
};

// The first item that is a number and finite, else zero.
template <class Item> Item first_number(std::span<const Item> items) {
  if constexpr (std::is_integral_v<Item>) {
    return items.front();
  } else {
    const auto found =
        std::ranges::find_if(items, [](Item item) { return std::isfinite(distance_to<Item>::to_double(item)); });
    return found == items.end() ? Item(0.0f) : *found;
  }
}

// A minimum or maximum: all digits of a whole number; the shortest text that reads back as the same real number.
template <class Value> std::string format_exact(Value value) {
  if constexpr (std::is_integral_v<Value>) {
    return examples::format_whole(value);
  } else if (std::isnan(value)) {
    return "nan";  // its sign says nothing
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
  const auto host_items = file.items_as<Item>();
  const examples::device_array<Item> items(host_items);
  const distance_to<Item> distance{first_number<Item>(host_items)};

  // One operator for everything, and a destination for each result. To learn more of an array, add to these two lines.
  const auto all = wf::fuse(wf::with(distance, wf::moments<2, wf::nan_policy::omit>{}), wf::minimum_number{},
                            wf::maximum_number{}, wf::nan_counter{});
  using extremum = wf::accumulator_t<wf::minimum_number, Item>;  // float for half, 32 bits for narrower integers
  const examples::device_array<wf::moments_of<2>> moments_at(1);
  const examples::device_array<extremum> minimum_at(1), maximum_at(1);
  const examples::device_array<std::int64_t> nan_count_at(1);
  const wf::workspace workspace;  // one for all calls on this stream: none of them allocates
  const auto reduce_all = [&] {
    wf::reduce(items, wf::outputs(moments_at.data(), minimum_at.data(), maximum_at.data(), nan_count_at.data()), all,
               {.workspace = workspace});
  };
  reduce_all();  // only enqueues a kernel; to_host() waits
  const wf::moments_of<2> distances = moments_at.to_host()[0];
  const extremum minimum = minimum_at.to_host()[0], maximum = maximum_at.to_host()[0];
  const std::int64_t nan_count = nan_count_at.to_host()[0];

  const double low = static_cast<double>(minimum), high = static_cast<double>(maximum);
  const double mean = distance_to<Item>::to_double(distance.origin) + distances.mean(), deviation = distances.stddev();
  // Mean and deviation mean nothing if there are infinities, or if distances overflow.
  const auto format = [](double value, double scale) {
    return std::isfinite(value) ? examples::format_real(value, scale) : "undefined";
  };
  examples::print_row("count", examples::format_whole(items.size()));
  if (!std::is_integral_v<Item>) examples::print_row("NaN", examples::format_whole(nan_count));
  examples::print_row("minimum", format_exact(minimum));
  examples::print_row("maximum", format_exact(maximum));
  examples::print_row("mean", format(mean, std::max(-low, high)));
  examples::print_row("standard deviation", format(deviation, deviation));

  std::printf("\n");
  examples::print_times_header("reduction");
  examples::print_time("all of these, in one pass", file.bytes.size(), runs, reduce_all);
  examples::print_time("the minimum alone", file.bytes.size(), runs,
                       [&] { wf::reduce(items, minimum_at.data(), wf::minimum_number{}, {.workspace = workspace}); });
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
