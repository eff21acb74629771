// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused reductions along the axes of a field over time, latitude and longitude: how the sea warms through the year.
#include <warpfold/arg_operators.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/statistics.hpp>

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/picture.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: sea_seasons [--belt N] [--runs N] [FIELD.npy [PICTURE.pgm]]

Prints the temperature of the sea's surface by month and hemisphere and by belts of N
rows, and where it changes most through the year. One read of all months gives the
mean, the extremes and the warmest month of each place, in one output each.
Without files, the climate of 1946 to 1989 in examples/data. Everything is computed
again on the CPU, and must be the same, to the bit.

  FIELD.npy    float16 of shape (12, rows, columns), from north to south, with an even
               number of rows; NaN where there is no sea
  PICTURE.pgm  is written: the mean of each place, and below it how much it changes
  --belt N     rows of a belt (default 5); what is left at the end is in no belt
  --runs N     time each reduction N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used or written, an error of the device or
different results, 2 for a wrong command line.
)";

constexpr std::int64_t months = 12;
constexpr const char* month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};

using summary = wf::statistics_of<float>;        // NaN are left out of all but their number
using warmest_month = wf::indexed_value<float>;  // the temperature, and the number of the month

constexpr wf::statistics summarise{};
// Both results for one place, from one read of its months.
constexpr auto summarise_and_find = wf::fuse(summarise, wf::arg_maximum<wf::ties::first, wf::nans::ignore>{});

struct field {
  std::int64_t rows, columns;
  std::vector<__half> items;

  double latitude(std::int64_t row) const {  // of the row's northern edge
    return 90.0 - 180.0 * static_cast<double>(row) / static_cast<double>(rows);
  }
};

field read_field(const std::vector<std::string_view>& files) {
  const auto path = files.empty() ? examples::bundled_data("sea_temperature.npy") : std::filesystem::path(files[0]);
  const examples::array_file file = examples::read_npy(path);
  if (file.type != examples::item_type::float16 || file.shape.size() != 3 || file.shape[0] != months)
    throw examples::file_error(path.string() + ": a field is float16 of shape (12, rows, columns), this is " +
                               std::string(examples::describe(file.type).name) + " " +
                               examples::shape_text(file.shape));
  if (file.count() == 0)
    throw examples::file_error(path.string() + ": an empty field, " + examples::shape_text(file.shape));
  if (file.shape[1] % 2 != 0)
    throw examples::file_error(path.string() + ": the hemispheres of " + std::to_string(file.shape[1]) +
                               " rows would differ: their number must be even");
  return {static_cast<std::int64_t>(file.shape[1]), static_cast<std::int64_t>(file.shape[2]), file.items_as<__half>()};
}

// Equal to the bit. All NaN are equal.
template <class T> bool is_same(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }
bool is_same(const summary& a, const summary& b) {
  bool same = a.count == b.count && a.nan_count == b.nan_count && is_same(a.sum, b.sum) &&
              is_same(a.minimum, b.minimum) && is_same(a.maximum, b.maximum);
  for (std::size_t k = 0; k < std::size(a.power); ++k) same = same && is_same(a.power[k], b.power[k]);
  return same;
}
bool is_same(const warmest_month& a, const warmest_month& b) { return a.index == b.index && is_same(a.value, b.value); }

// A part of the field: `count` of each axis from `first` on.
struct range {
  std::int64_t first, count;
};

// The result of the canonical tree over a part, on the CPU.
template <class Op> auto folded(const field& of, const Op& op, range time, range rows, range columns) {
  std::vector<__half> items;
  for (std::int64_t month = time.first; month < time.first + time.count; ++month)
    for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
      const auto first = of.items.begin() + (month * of.rows + row) * of.columns + columns.first;
      items.insert(items.end(), first, first + columns.count);
    }
  return op.lower(wf::canonical_tree::replay(items.data(), std::ssize(items), op));
}

// The field on the device, and its summaries along axes. Each reduction is one kernel.
class field_on_device {
 public:
  field_on_device(const field& given, std::int64_t belt)
      : field_(given),
        belt_(belt),
        belts_(given.rows / belt),
        items_(given.items),
        by_place_(static_cast<std::size_t>(given.rows * given.columns)),
        warmest_(by_place_.size()),
        by_hemisphere_(static_cast<std::size_t>(months * 2)),
        by_belt_(static_cast<std::size_t>(belts_)) {}

  // Along time: one output for each result of the fused operator.
  void reduce_places() const {
    const std::int64_t rows = field_.rows, columns = field_.columns;
    wf::reduce_axes(
        wf::strided<const __half, 3>(items_.data(), {months, rows, columns}),
        wf::outputs(wf::strided(by_place_.data(), {rows, columns}), wf::strided(warmest_.data(), {rows, columns})),
        wf::axes{0}, summarise_and_find, {.workspace = workspace_});
  }
  // Seen as months x hemispheres x rows of one x columns.
  void reduce_hemispheres() const {
    const wf::strided<const __half, 4> halves(items_.data(), {months, 2, field_.rows / 2, field_.columns});
    wf::reduce_axes(halves, wf::strided(by_hemisphere_.data(), {months, 2}), wf::axes{2, 3}, summarise,
                    {.workspace = workspace_});
  }
  // Seen as months x belts x rows of one x columns. A stride leaves out the rows that are in no belt.
  void reduce_belts() const {
    const std::int64_t row = field_.columns, month = field_.rows * row;
    const wf::strided<const __half, 4> belts(items_.data(), {months, belts_, belt_, row}, {month, belt_ * row, row, 1});
    wf::reduce_axes(belts, wf::strided(by_belt_.data(), {belts_}), wf::keep_axes{1}, summarise,
                    {.workspace = workspace_});
  }

  std::vector<summary> places() const {
    reduce_places();
    std::vector<summary> expected;
    std::vector<warmest_month> warmest;
    for (std::int64_t place = 0; place < field_.rows * field_.columns; ++place) {
      const range row{place / field_.columns, 1}, column{place % field_.columns, 1};
      const auto both = folded(field_, summarise_and_find, {0, months}, row, column);
      expected.push_back(both.get<0>());
      warmest.push_back(both.get<1>());
    }
    checked(warmest_, warmest, "warmest months");
    return checked(by_place_, expected, "places");
  }
  std::vector<warmest_month> warmest() const { return warmest_.to_host(); }  // after places()
  std::vector<summary> hemispheres() const {
    reduce_hemispheres();
    std::vector<summary> expected;
    const range all{0, field_.columns};
    for (std::int64_t month = 0; month < months; ++month)
      for (std::int64_t half = 0; half < 2; ++half)
        expected.push_back(folded(field_, summarise, {month, 1}, {half * field_.rows / 2, field_.rows / 2}, all));
    return checked(by_hemisphere_, expected, "hemispheres");
  }
  std::vector<summary> belts() const {
    reduce_belts();
    std::vector<summary> expected;
    for (std::int64_t belt = 0; belt < belts_; ++belt)
      expected.push_back(folded(field_, summarise, {0, months}, {belt * belt_, belt_}, {0, field_.columns}));
    return checked(by_belt_, expected, "belts");
  }
  std::size_t bytes() const { return items_.size() * sizeof(__half); }

 private:
  template <class R>
  static std::vector<R> checked(const examples::device_array<R>& results, const std::vector<R>& expected,
                                const char* name) {
    std::vector<R> found = results.to_host();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!is_same(found[i], expected[i])) throw std::runtime_error(std::string("the CPU finds other ") + name);
    return found;
  }

  const field& field_;
  std::int64_t belt_, belts_;
  examples::device_array<__half> items_;
  examples::device_array<summary> by_place_;
  examples::device_array<warmest_month> warmest_;
  examples::device_array<summary> by_hemisphere_, by_belt_;
  wf::workspace workspace_;
};

std::string degrees(double latitude) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f°%c", std::abs(latitude), latitude < 0 ? 'S' : 'N');
  return text;
}

std::string format_mean(const summary& all) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", all.mean());
  return std::isnan(all.mean()) ? "-" : text;  // no sea, or infinities of both signs
}

void print_months(const std::vector<summary>& hemispheres) {
  std::printf("\n  %-12s%10s%10s%10s%10s\n", "mean of", "north", "places", "south", "places");
  for (std::size_t month = 0; month < months; ++month) {
    const summary &north = hemispheres[2 * month], &south = hemispheres[2 * month + 1];
    std::printf("  %-12s%10s%10lld%10s%10lld\n", month_names[month], format_mean(north).c_str(),
                static_cast<long long>(north.count), format_mean(south).c_str(), static_cast<long long>(south.count));
  }
}

void print_belts(const std::vector<summary>& belts, const field& given, std::int64_t belt) {
  std::printf("\n  %-16s%10s%10s%10s%10s\n", "belt", "mean", "least", "most", "sea");
  for (std::size_t i = 0; i < belts.size(); ++i) {
    const auto first = static_cast<std::int64_t>(i) * belt;
    const summary& all = belts[i];
    const std::string name = degrees(given.latitude(first)) + " to " + degrees(given.latitude(first + belt));
    if (all.count > 0)
      std::printf("  %s%10s%10.2f%10.2f%8.0f %%\n", examples::left_aligned(name, 16).c_str(), format_mean(all).c_str(),
                  all.minimum, all.maximum,
                  100 * static_cast<double>(all.count) / static_cast<double>(all.count + all.nan_count));
  }
}

// A place has a change if each month has a temperature and all are finite.
bool has_change(const summary& place) {
  return place.count == months && std::isfinite(place.minimum) && std::isfinite(place.maximum);
}
float change(const summary& place) { return has_change(place) ? place.maximum - place.minimum : 0; }

void print_places(const std::vector<summary>& places, const std::vector<warmest_month>& warmest, const field& given) {
  const auto less = [](const summary& a, const summary& b) { return change(a) < change(b); };
  const auto most = std::max_element(places.begin(), places.end(), less) - places.begin();
  if (!has_change(places[static_cast<std::size_t>(most)])) {
    std::printf("\n  no place has a temperature in every month\n");
    return;
  }
  const std::int64_t row = most / given.columns, column = most % given.columns;
  std::printf("\n  largest change: %.2f to %.2f in row %lld, column %lld, warmest in %s\n",
              places[static_cast<std::size_t>(most)].minimum, places[static_cast<std::size_t>(most)].maximum,
              static_cast<long long>(row), static_cast<long long>(column),
              month_names[warmest[static_cast<std::size_t>(most)].index]);
  std::int64_t counts[2][months] = {};
  for (std::size_t place = 0; place < places.size(); ++place)
    if (has_change(places[place]))
      ++counts[static_cast<std::int64_t>(place) >= std::ssize(places) / 2][warmest[place].index];
  for (const int half : {0, 1}) {
    const auto* const largest = std::max_element(counts[half], counts[half] + months);
    if (*largest == 0) continue;
    std::printf("  most places of the %s are warmest in %s: %s of them\n", half == 0 ? "north" : "south",
                month_names[largest - counts[half]], examples::format_whole(*largest).c_str());
  }
}

// Means above, from black for 0 degrees to white for 30, land grey; changes below, white for 25 degrees and more.
void write_places(const std::filesystem::path& path, const std::vector<summary>& places, const field& given) {
  examples::write_picture(path, 2 * given.rows, given.columns, 4, [&](std::int64_t row, std::int64_t column) {
    const summary& place = places[static_cast<std::size_t>(row % given.rows * given.columns + column)];
    if (place.count == 0) return 0.25;
    return row < given.rows ? place.mean() / 30 : double{change(place)} / 25;
  });
}

void sea_seasons(const std::vector<std::string_view>& arguments) {
  int belt = 5, runs = 20;
  const auto files = examples::read_options(arguments, {{"--belt", &belt}, {"--runs", &runs}}, 2);
  const field given = read_field(files);
  if (belt > given.rows)
    throw examples::usage_error("--belt " + std::to_string(belt) + " exceeds " + std::to_string(given.rows) + " rows");
  const field_on_device device(given, belt);
  std::printf("%s: %lld x %lld x %lld, %s\n",
              files.empty() ? "Temperature of the sea's surface in °C" : std::string(files[0]).c_str(),
              static_cast<long long>(months), static_cast<long long>(given.rows), static_cast<long long>(given.columns),
              examples::device_name().c_str());
  print_months(device.hemispheres());
  print_belts(device.belts(), given, belt);
  const std::vector<summary> places = device.places();
  print_places(places, device.warmest(), given);
  if (files.size() == 2) write_places(files[1], places, given);
  std::printf("  the CPU's results are the same, to the bit\n\n");

  examples::print_times_header("reduction");
  examples::print_time("places, along time", device.bytes(), runs, [&] { device.reduce_places(); });
  examples::print_time("hemispheres of each month", device.bytes(), runs, [&] { device.reduce_hemispheres(); });
  examples::print_time("belts", device.bytes(), runs, [&] { device.reduce_belts(); });
  examples::print_cache_note(device.bytes());
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, sea_seasons); }
