// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction by key and by segment of real flight records: count, mean and worst delay of each airport and each hour.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/owners.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: delays_by_airport [--top N] [--least N] [--runs N]
                         [DELAYS.npy OWNERS.npy [NAMES.txt]]

Prints how late flights were: the airports with the longest and the shortest mean
delay. Without files, the flights in examples/data, and every hour of the day,
too. Each table is one reduction, by the sorted number of each flight's airport
or hour. Two more compute it again, by segments with these numbers as owners, and
with the offsets at which they begin, and must find the same.

  DELAYS.npy  int16: each flight's delay on arrival in minutes
  OWNERS.npy  int32, ascending: the number of each flight's airport, from 0
  NAMES.txt   names the airports, one a line
  --top N     show N airports at either end (default 5)
  --least N   only airports with N flights or more (default 50)
  --runs N    time each reduction N times and show the median (default 20)

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

// The accumulator: everything that a line of the tables needs, from one pass.
struct delays {
  std::int64_t minutes;  // of all flights together
  std::int32_t flights, worst;

  bool operator==(const delays&) const = default;
  double mean() const { return static_cast<double>(minutes) / flights; }
};

struct delay_of_flight {
  __host__ __device__ delays operator()(std::int16_t minutes) const { return {minutes, 1, minutes}; }
};

struct merge {
  __host__ __device__ delays operator()(const delays& a, const delays& b) const {
    return {a.minutes + b.minutes, a.flights + b.flights, a.worst > b.worst ? a.worst : b.worst};
  }
};

// Flights in the order of their groups: flight i belongs to group owners[i], its key. Groups may be empty.
struct grouped_flights {
  const char* groups_name;
  std::vector<std::int16_t> minutes;
  std::vector<std::int32_t> owners;
  std::int32_t groups;

  // The same grouping in other words: group g has the flights from offsets[g] to offsets[g + 1].
  std::vector<std::int32_t> offsets() const {
    std::vector<std::int32_t> begins;
    for (std::int32_t group = 0; group <= groups; ++group) {
      begins.push_back(
          static_cast<std::int32_t>(std::lower_bound(owners.begin(), owners.end(), group) - owners.begin()));
    }
    return begins;
  }
};

// On the device: the flights, either description of their groups, and a result for each.
class grouped_on_device {
 public:
  explicit grouped_on_device(const grouped_flights& flights)
      : flights_(flights),
        minutes_(flights.minutes),
        owners_(flights.owners),
        offsets_(flights.offsets()),
        keys_(static_cast<std::size_t>(flights.groups)),
        key_count_(1),
        by_keys_(keys_.size()),
        by_owners_(keys_.size()),
        by_offsets_(keys_.size()) {}

  // Each call enqueues one kernel. Reduction by key returns the runs that it finds, each with its key.
  void reduce_by_keys() const {
    wf::transform_reduce_by_key(owners_, minutes_, keys_, by_keys_, key_count_.data(), merge{}, delay_of_flight{},
                                {.workspace = workspace_});
  }
  // Reduction by segment returns all segments. An empty one gets `.empty` as it is, so merge needs no identity.
  void reduce_by_owners() const {
    const wf::owners owners{std::span<const std::int32_t>(owners_.data(), owners_.size())};
    wf::transform_segmented_reduce(minutes_, owners, by_owners_, merge{}, delay_of_flight{}, options());
  }
  void reduce_by_offsets() const {
    wf::transform_segmented_reduce(minutes_, offsets_, by_offsets_, merge{}, delay_of_flight{}, options());
  }

  std::vector<delays> results() const {
    reduce_by_keys();
    reduce_by_owners();
    reduce_by_offsets();
    const std::vector<std::int32_t> keys = keys_.to_host();
    const std::vector<delays> runs = by_keys_.to_host();
    std::vector<delays> found(runs.size());
    for (std::int32_t run = 0; run < key_count_.to_host()[0]; ++run) found[keys[run]] = runs[run];
    if (found != by_owners_.to_host() || found != by_offsets_.to_host()) {
      throw std::runtime_error(std::string("keys, owners and offsets differ in delays by ") + flights_.groups_name);
    }
    return found;
  }

  void print_times(int runs) const {
    const std::size_t flights = minutes_.size(), groups = by_owners_.size();
    const std::string name = std::string("by ") + flights_.groups_name;
    const std::size_t owner_bytes = bytes() + groups * sizeof(delays);
    const std::size_t key_bytes = owner_bytes + groups * sizeof(std::int32_t);
    const std::size_t offset_bytes = flights * sizeof(std::int16_t) + groups * (sizeof(std::int32_t) + sizeof(delays));
    examples::print_time((name + ", from keys").c_str(), key_bytes, runs, [&] { reduce_by_keys(); });
    examples::print_time((name + ", from owners").c_str(), owner_bytes, runs, [&] { reduce_by_owners(); });
    examples::print_time((name + ", from offsets").c_str(), offset_bytes, runs, [&] { reduce_by_offsets(); });
  }
  std::size_t bytes() const { return minutes_.size() * (sizeof(std::int16_t) + sizeof(std::int32_t)); }

 private:
  wf::segmented_options<delays> options() const { return {.empty = delays{}, .workspace = workspace_}; }

  const grouped_flights& flights_;
  examples::device_array<std::int16_t> minutes_;
  examples::device_array<std::int32_t> owners_, offsets_, keys_, key_count_;
  examples::device_array<delays> by_keys_, by_owners_, by_offsets_;
  wf::workspace workspace_;
};

std::vector<std::int16_t> read_delays(const std::filesystem::path& path) {
  return examples::read_items<std::int16_t>(path, "delays", examples::item_type::int16);
}

struct airports_table {
  grouped_flights flights;
  std::vector<std::string> names;
};

airports_table read_airports(const std::vector<std::string_view>& files) {
  if (files.size() == 1) throw examples::usage_error("DELAYS.npy needs OWNERS.npy beside it");
  const auto path = [&](std::size_t file, const char* bundled) {
    if (files.empty()) return examples::bundled_data(bundled);
    return file < files.size() ? std::filesystem::path(files[file]) : std::filesystem::path();
  };
  std::vector<std::int16_t> delays = read_delays(path(0, "airport_delays.npy"));
  std::vector<std::int32_t> owners = examples::read_owners(path(1, "airport_owners.npy"), delays.size(), "flights");
  std::vector<std::string> names = examples::read_owner_names(path(2, "airport_codes.txt"), owners);
  const auto airports = static_cast<std::int32_t>(names.size());
  return {{"airport", std::move(delays), std::move(owners), airports}, std::move(names)};
}

grouped_flights read_flights_by_hour() {
  const auto minutes = examples::read_items<std::uint16_t>(examples::bundled_data("flight_minutes.npy"), "minutes",
                                                           examples::item_type::uint16);
  std::vector<std::int32_t> hours;
  for (const std::uint16_t minute : minutes) hours.push_back(minute / 60);
  return {"hour", read_delays(examples::bundled_data("flight_delays.npy")), hours, 24};
}

void print_header(const std::string& title) {
  std::printf("\n%s\n  %-11s%9s%9s%9s\n", title.c_str(), "", "flights", "mean", "worst");
}

// Minutes, and a bar with one mark for each whole minute of the mean. An empty group has neither.
void print_delays(const std::string& name, const delays& group) {
  constexpr int most_marks = 50;
  std::string line = examples::right_aligned(examples::format_whole(group.flights), 9);
  if (group.flights > 0) {
    char mean[32];
    std::snprintf(mean, sizeof mean, "%9.1f", group.mean());
    line += mean + examples::right_aligned(examples::format_whole(group.worst), 9);
    if (group.mean() >= 1) line += "  ";
    for (int mark = 1; mark <= std::min<double>(group.mean(), most_marks); ++mark) line += "█";
    if (group.mean() >= most_marks + 1) line += "…";
  }
  std::printf("  %s%s\n", examples::left_aligned(name, 11).c_str(), line.c_str());
}

void print_airports(const std::vector<delays>& airports, const std::vector<std::string>& codes, int top, int least) {
  std::vector<std::size_t> order;
  for (std::size_t airport = 0; airport < airports.size(); ++airport) {
    if (airports[airport].flights >= least) order.push_back(airport);
  }
  const auto is_later = [&](std::size_t a, std::size_t b) { return airports[a].mean() > airports[b].mean(); };
  std::stable_sort(order.begin(), order.end(), is_later);
  const std::size_t shown = std::min(static_cast<std::size_t>(top), order.size());
  const std::string of =
      " of the " + std::to_string(order.size()) + " airports with " + std::to_string(least) + " flights or more";

  print_header("Latest" + of);
  for (std::size_t i = 0; i < shown; ++i) print_delays(codes[order[i]], airports[order[i]]);
  print_header("Most punctual" + of);
  std::reverse(order.begin(), order.end());
  for (std::size_t i = 0; i < shown; ++i) print_delays(codes[order[i]], airports[order[i]]);
}

void print_hours(const std::vector<delays>& hours, std::size_t flights) {
  print_header("By hour of departure, of " + examples::format_whole(flights) + " other flights");
  for (std::size_t hour = 0; hour < hours.size(); ++hour) {
    print_delays((hour < 10 ? "0" : "") + std::to_string(hour) + ":00", hours[hour]);
  }
}

void delays_by_airport(const std::vector<std::string_view>& arguments) {
  int top = 5, least = 50, runs = 20;
  const auto files = examples::read_options(arguments, {{"--top", &top}, {"--least", &least}, {"--runs", &runs}}, 3);
  const airports_table airports = read_airports(files);
  const grouped_on_device by_airport(airports.flights);
  std::printf("Delays on arrival in minutes, %s\n", examples::device_name().c_str());
  print_airports(by_airport.results(), airports.names, top, least);

  // The table of hours is about other flights, which only the bundled data has.
  std::optional<grouped_flights> hour_flights;
  if (files.empty()) hour_flights = read_flights_by_hour();
  std::optional<grouped_on_device> by_hour;
  if (hour_flights) print_hours(by_hour.emplace(*hour_flights).results(), hour_flights->minutes.size());
  std::printf("\nOwners and offsets give the same: %zu airports%s.\n\n", airports.names.size(),
              by_hour ? ", 24 hours" : "");

  examples::print_times_header("reduction");
  by_airport.print_times(runs);
  if (by_hour) by_hour->print_times(runs);
  examples::print_cache_note(by_hour ? by_hour->bytes() : by_airport.bytes());
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, delays_by_airport); }
