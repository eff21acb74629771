// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented scans of real flight records: how delay adds up through the day, airport by airport.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/owners.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: running_totals [--top N] [--runs N]
                      [DELAYS.npy MINUTES.npy OWNERS.npy [NAMES.txt]]

Puts all flights of an airport into the order of their time of day, and adds up
their delays: after which flight is half of the day's delay there, and in which
hour does most of it come about? All running totals of all airports come from one
segmented scan, with the number of each flight's airport as owner. A second one,
with the offsets at which airports begin, and the CPU must find the same.

  DELAYS.npy   int16: each flight's delay on arrival in minutes
  MINUTES.npy  uint16: the minute of the day at which it left, 0 to 1439
  OWNERS.npy   int32, ascending: the number of its airport, from 0
  NAMES.txt    names the airports, one a line
  --top N      show the N airports with the most delay (default 12)
  --runs N     time each scan N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

// Flights in the order of airports; the flights of each airport are in the order of the time of day.
struct day_of_flights {
  std::vector<std::int16_t> delays;
  std::vector<std::uint16_t> minutes;
  std::vector<std::int32_t> airports;  // of each flight
  std::vector<std::int32_t> offsets;   // airport a has the flights from offsets[a] to offsets[a + 1]
  std::vector<std::string> names;

  std::size_t size() const { return delays.size(); }
};

day_of_flights read_flights(const std::vector<std::string_view>& files) {
  if (files.size() == 1 || files.size() == 2) {
    throw examples::usage_error("DELAYS.npy needs MINUTES.npy and OWNERS.npy beside it");
  }
  const auto path = [&](std::size_t file, const char* bundled) {
    if (files.empty()) return examples::bundled_data(bundled);
    return file < files.size() ? std::filesystem::path(files[file]) : std::filesystem::path();
  };
  using examples::item_type;
  const auto delays = examples::read_items<std::int16_t>(path(0, "airport_delays.npy"), "delays", item_type::int16);
  const auto minutes =
      examples::read_items<std::uint16_t>(path(1, "airport_minutes.npy"), "minutes", item_type::uint16);
  const auto airports = examples::read_owners(path(2, "airport_owners.npy"), delays.size(), "flights");
  if (minutes.size() != delays.size() || *std::max_element(minutes.begin(), minutes.end()) >= 24 * 60) {
    throw examples::file_error(path(1, "airport_minutes.npy").string() + ": each of the " +
                               std::to_string(delays.size()) + " flights needs a minute, 0 to 1439");
  }

  std::vector<std::size_t> order(delays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return airports[a] != airports[b] ? airports[a] < airports[b] : minutes[a] < minutes[b];
  });
  day_of_flights day;
  for (const std::size_t flight : order) {
    day.delays.push_back(delays[flight]);
    day.minutes.push_back(minutes[flight]);
  }
  day.airports = airports;
  day.names = examples::read_owner_names(path(3, "airport_codes.txt"), airports);
  for (std::int32_t airport = 0; airport <= std::ssize(day.names); ++airport) {
    const auto begin = std::lower_bound(airports.begin(), airports.end(), airport);
    day.offsets.push_back(static_cast<std::int32_t>(begin - airports.begin()));
  }
  return day;
}

// The delays on the device, and the running total of each airport beside each flight.
class totals_on_device {
 public:
  explicit totals_on_device(const day_of_flights& day)
      : day_(day), delays_(day.delays), airports_(day.airports), offsets_(day.offsets), totals_(day.size()) {}

  // Each call enqueues one kernel. Delays are 16 bits wide, their sums 32.
  void scan_by_owners() const {
    const wf::owners owners{std::span<const std::int32_t>(airports_.data(), airports_.size())};
    wf::segmented_inclusive_scan(delays_, owners, totals_, {.workspace = workspace_});
  }
  void scan_by_offsets() const { wf::segmented_inclusive_scan(delays_, offsets_, totals_, {.workspace = workspace_}); }

  std::vector<std::int32_t> results() const {
    scan_by_owners();
    const std::vector<std::int32_t> found = totals_.to_host();
    scan_by_offsets();
    if (found != totals_.to_host()) throw std::runtime_error("owners and offsets differ");
    for (std::size_t flight = 0; flight < found.size(); ++flight) {
      const bool is_first = flight == 0 || day_.airports[flight] != day_.airports[flight - 1];
      if (found[flight] != (is_first ? 0 : found[flight - 1]) + day_.delays[flight]) {
        throw std::runtime_error("the CPU finds another total after flight " + std::to_string(flight));
      }
    }
    return found;
  }

  void print_times(int runs) const {
    const std::size_t flight_bytes = bytes() - offsets_.size() * sizeof(std::int32_t);
    examples::print_times_header("scan");
    examples::print_time("by owners", flight_bytes + airports_.size() * sizeof(std::int32_t), runs,
                         [&] { scan_by_owners(); });
    examples::print_time("by offsets", bytes(), runs, [&] { scan_by_offsets(); });
    examples::print_cache_note(bytes());
  }

 private:
  std::size_t bytes() const {
    return day_.size() * (sizeof(std::int16_t) + sizeof(std::int32_t)) + offsets_.size() * sizeof(std::int32_t);
  }

  const day_of_flights& day_;
  examples::device_array<std::int16_t> delays_;
  examples::device_array<std::int32_t> airports_, offsets_, totals_;
  wf::workspace workspace_;
};

// The running totals of one airport, hour by hour.
struct airport_day {
  std::string name;
  std::int32_t flights;
  std::vector<std::int32_t> after_hour;  // the running total when the hour is over
  std::int32_t half_by = -1;             // the minute after which half of the delay is there, if there is any

  std::int32_t total() const { return after_hour.back(); }
  std::int32_t of_hour(int hour) const { return after_hour[hour] - (hour > 0 ? after_hour[hour - 1] : 0); }
  int worst_hour() const {
    int worst = 0;
    for (int hour = 1; hour < 24; ++hour) {
      if (of_hour(hour) > of_hour(worst)) worst = hour;
    }
    return worst;
  }
};

airport_day read_off(const day_of_flights& day, const std::vector<std::int32_t>& totals, std::size_t airport) {
  const std::int32_t begin = day.offsets[airport], end = day.offsets[airport + 1];
  airport_day read{day.names[airport], end - begin, std::vector<std::int32_t>(24)};
  for (int hour = 0, flight = begin; hour < 24; ++hour) {
    while (flight < end && day.minutes[flight] < 60 * (hour + 1)) ++flight;
    read.after_hour[hour] = flight > begin ? totals[flight - 1] : 0;
  }
  for (std::int32_t flight = begin; flight < end && read.half_by < 0 && read.total() > 0; ++flight) {
    if (2 * totals[flight] >= read.total()) read.half_by = day.minutes[flight];
  }
  return read;
}

// One bar of height 1 to 8 for each hour, or a dot if the flights so far were early.
std::string drawn(const airport_day& airport) {
  constexpr const char* bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::int32_t most = *std::max_element(airport.after_hour.begin(), airport.after_hour.end());
  std::string curve;
  for (const std::int32_t total : airport.after_hour) {
    curve += total > 0 ? bars[(std::int64_t{8} * total + most - 1) / most - 1] : "·";
  }
  return curve;
}

void print_airport(const airport_day& airport) {
  char half_by[16] = "-", worst[16];
  if (airport.half_by >= 0) {
    std::snprintf(half_by, sizeof half_by, "%02d:%02d", airport.half_by / 60, airport.half_by % 60);
  }
  std::snprintf(worst, sizeof worst, "%02d:00", airport.worst_hour());
  std::printf("  %s%s%s   %s  %7s  %7s%s\n", examples::left_aligned(airport.name, 11).c_str(),
              examples::right_aligned(examples::format_whole(airport.flights), 8).c_str(),
              examples::right_aligned(examples::format_whole(airport.total()), 10).c_str(), drawn(airport).c_str(),
              half_by, worst,
              examples::right_aligned(examples::format_whole(airport.of_hour(airport.worst_hour())), 8).c_str());
}

void running_totals(const std::vector<std::string_view>& arguments) {
  int top = 12, runs = 20;
  const day_of_flights day = read_flights(examples::read_options(arguments, {{"--top", &top}, {"--runs", &runs}}, 4));
  const totals_on_device on_device(day);
  const std::vector<std::int32_t> totals = on_device.results();

  std::vector<airport_day> airports;
  for (std::size_t airport = 0; airport < day.names.size(); ++airport) {
    airports.push_back(read_off(day, totals, airport));
  }
  std::stable_sort(airports.begin(), airports.end(),
                   [](const airport_day& a, const airport_day& b) { return a.total() > b.total(); });
  std::printf("Minutes of delay that add up through the day, %s\n\n", examples::device_name().c_str());
  std::printf("  %-11s%8s%10s   %-24s  %7s  %15s\n", "", "flights", "delay", "0h    6h    12h   18h", "half by",
              "worst hour");
  for (std::size_t i = 0; i < std::min<std::size_t>(top, airports.size()); ++i) print_airport(airports[i]);
  std::printf("\n%s flights, %zu airports. Offsets and the CPU give the same.\n\n",
              examples::format_whole(day.size()).c_str(), airports.size());
  on_device.print_times(runs);
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, running_totals); }
