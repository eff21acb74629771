// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of very unequal lengths: the area of each country on a map, and the box around it.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/geography.cuh"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;
using examples::place;

constexpr const char* help = R"(usage: country_boxes [--top N] [--runs N]
                     [PLACES.npy OFFSETS.npy [OWNERS.npy [NAMES.txt]]]

Prints the largest countries: area, number of outlines, the box around them and
the share of the box that they fill. Boxes and areas of the outlines are one
segmented reduction each, and those of the countries another. Without files, the
241 countries of Natural Earth in examples/data.

  PLACES.npy   float32 (n, 2): longitude and latitude in degrees of the places on
               outlines, which run one way round, and holes, the other
  OFFSETS.npy  int32: ring r, an outline or a hole, has the places from OFFSETS[r]
               to OFFSETS[r + 1]; its last place is its first
  OWNERS.npy   int32, ascending: the number of each ring's country, from 0.
               Without it, each ring is a country
  NAMES.txt    names the countries, one a line
  --top N      show N countries (default 12)
  --runs N     time each reduction N times and show the median (default 20)

A ring that crosses the antimeridian goes on past 180 or -180 degrees.

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

// The accumulator: 16 bytes. It has no identity, so the call says what a country without outlines gets.
struct box {
  place low, high;
  bool operator==(const box&) const = default;
};

// A place as a box, and the smallest box around two.
struct box_of {
  __host__ __device__ box operator()(place p) const { return {p, p}; }
};
struct merge {
  __host__ __device__ box operator()(const box& a, const box& b) const {
    constexpr wf::minimum low;
    constexpr wf::maximum high;
    return {{low(a.low.longitude, b.low.longitude), low(a.low.latitude, b.low.latitude)},
            {high(a.high.longitude, b.high.longitude), high(a.high.latitude, b.high.latitude)}};
  }
};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr box no_box{{infinity, infinity}, {-infinity, -infinity}};

// The other items are edges. Item i is the area between the equator and the edge from place i to the next one, on an
// equal-area map; towards the east it is negative. Along a ring these areas add up to the area inside it (the shoelace
// formula), which is negative if the ring runs clockwise. They are computed as they are read: an iterator is anything
// trivially copyable that can be indexed and names the type of its items.
struct edge_areas {
  using value_type = double;
  using difference_type = std::int64_t;

  const place* places;

  __host__ __device__ double operator[](std::int64_t i) const {
    const examples::map_point a = examples::project(places[i]), b = examples::project(places[i + 1]);
    return (a.x_km - b.x_km) * (a.y_km + b.y_km) / 2;
  }
};

std::span<const std::int32_t> span_of(const examples::device_array<std::int32_t>& ids) {
  return {ids.data(), ids.size()};
}

// A ring with n places has n - 1 edges: the one that begins at its last place leads to the next ring.
std::vector<std::int32_t> edge_begins(const examples::outlines& map) {
  return {map.offsets.begin(), map.offsets.end() - 1};
}
std::vector<std::int32_t> edge_ends(const examples::outlines& map) {
  std::vector<std::int32_t> ends(map.offsets.begin() + 1, map.offsets.end());
  for (std::int32_t& end : ends) --end;
  return ends;
}

class map_on_device {
 public:
  explicit map_on_device(const examples::outlines& map)
      : places_(map.places),
        offsets_(map.offsets),
        edge_begins_(edge_begins(map)),
        edge_ends_(edge_ends(map)),
        owners_(map.owners),
        ring_boxes_(map.rings()),
        boxes_(map.countries()),
        ring_areas_(map.rings()),
        areas_(map.countries()) {}

  // Three ways to say where segments are: offsets where they touch, begins and ends where they do not, and owners. Each
  // call enqueues one kernel, whether a ring has four places or all of them.
  void reduce_ring_boxes() const {
    wf::transform_segmented_reduce(places_, offsets_, ring_boxes_, merge{}, box_of{},
                                   {.empty = no_box, .workspace = workspace_});
  }
  void reduce_ring_areas() const {
    const auto edges = static_cast<std::int64_t>(places_.size()) - 1;
    wf::segmented_reduce(edge_areas{places_.data()}, edges, wf::bounds{span_of(edge_begins_), span_of(edge_ends_)},
                         ring_areas_, wf::plus{}, {.workspace = workspace_});
  }
  void reduce_boxes() const {
    wf::segmented_reduce(ring_boxes_, wf::owners{span_of(owners_)}, boxes_, merge{},
                         {.empty = no_box, .workspace = workspace_});
  }
  void reduce_areas() const {
    wf::segmented_reduce(ring_areas_, wf::owners{span_of(owners_)}, areas_, wf::plus{}, {.workspace = workspace_});
  }

  std::vector<box> boxes() const { return boxes_.to_host(); }
  std::vector<double> areas() const { return areas_.to_host(); }

  void print_times(int runs) const {
    const std::size_t places = places_.size() * sizeof(place), rings = offsets_.size() * sizeof(std::int32_t);
    const std::size_t box_bytes = places + rings + ring_boxes_.size() * sizeof(box);
    const std::size_t area_bytes = places + 2 * rings + ring_areas_.size() * sizeof(double);
    examples::print_times_header("segmented reduction");
    examples::print_time("boxes of outlines", box_bytes, runs, [&] { reduce_ring_boxes(); });
    examples::print_time("areas of outlines", area_bytes, runs, [&] { reduce_ring_areas(); });
    examples::print_time("boxes of countries", ring_boxes_.size() * (sizeof(box) + sizeof(std::int32_t)), runs,
                         [&] { reduce_boxes(); });
    examples::print_time("areas of countries", ring_areas_.size() * (sizeof(double) + sizeof(std::int32_t)), runs,
                         [&] { reduce_areas(); });
    examples::print_cache_note(area_bytes);
  }

 private:
  examples::device_array<place> places_;
  examples::device_array<std::int32_t> offsets_, edge_begins_, edge_ends_, owners_;
  examples::device_array<box> ring_boxes_, boxes_;
  examples::device_array<double> ring_areas_, areas_;
  wf::workspace workspace_;
};

struct country {
  std::string name;
  double area = 0;
  int rings = 0;
  box around = no_box;

  // The share of the box on the map, which is as large as the one on the Earth. 0 if the box has no area.
  double share_of_box() const {
    const examples::map_point low = examples::project(around.low), high = examples::project(around.high);
    const double of_box = (high.x_km - low.x_km) * (high.y_km - low.y_km);
    return of_box > 0 ? area / of_box : 0;
  }
};

// The same on the CPU, one item after another. Boxes must be equal. Areas may differ: the sums have another order (one
// rounding per edge), and a GPU rounds sines, logarithms and fused products in its own way (16 roundings of
// coordinates).
std::vector<country> checked(const examples::outlines& map, const std::vector<box>& boxes,
                             const std::vector<double>& areas) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  std::vector<country> countries(map.countries());
  for (std::size_t number = 0, ring = 0; number < countries.size(); ++number) {
    country& c = countries[number];
    c.name = map.names[number];
    double edges = 0, magnitudes = 0, bound = 0;
    for (; ring < map.rings() && map.owners[ring] == static_cast<std::int32_t>(number); ++ring) {
      ++c.rings;
      for (std::int32_t i = map.offsets[ring]; i + 1 < map.offsets[ring + 1]; ++i) {
        const examples::map_point a = examples::project(map.places[i]), b = examples::project(map.places[i + 1]);
        const double area = edge_areas{map.places.data()}[i];
        c.area += area;
        c.around = merge{}(c.around, box_of{}(map.places[i]));
        ++edges;
        magnitudes += std::abs(area);
        bound += 16 * rounding * (std::abs(a.x_km) + std::abs(b.x_km)) * (std::abs(a.y_km) + std::abs(b.y_km));
      }
    }
    bound += edges * rounding * magnitudes;
    if (boxes[number] != c.around || !(std::abs(areas[number] - c.area) <= bound)) {
      throw std::runtime_error("the box or the area of " + c.name + " differs from the CPU's");
    }
    c.area = std::abs(areas[number]);
  }
  return countries;
}

// One decimal: "41.2°N", "169.7°W". The longitude 190.3 is 169.7°W.
std::string format_degrees(double degrees, char positive, char negative) {
  const double turned = std::abs(degrees) <= 180 ? degrees : degrees - 360 * std::round(degrees / 360);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f°%c", std::abs(turned), std::signbit(turned) ? negative : positive);
  return text;
}
std::string format_area(double km2) {
  if (km2 >= 1000) return examples::format_whole(std::llround(km2));
  return examples::format_real(km2, 1e6);  // to the square decametre
}

void print_country(const country& c) {
  std::printf("  %s%s%s", examples::left_aligned(c.name, 26).c_str(),
              examples::right_aligned(format_area(c.area), 13).c_str(),
              examples::right_aligned(examples::format_whole(c.rings), 8).c_str());
  if (c.rings > 0) {
    for (const place& corner : {c.around.low, c.around.high}) {
      std::printf("%s%s", examples::right_aligned(format_degrees(corner.latitude, 'N', 'S'), 9).c_str(),
                  examples::right_aligned(format_degrees(corner.longitude, 'E', 'W'), 9).c_str());
    }
    std::printf("%9.1f %%", 100 * c.share_of_box());
  }
  std::printf("\n");
}

template <class Measure> void print_first(const char* what, const std::vector<country>& countries, Measure measure) {
  const country& c = *std::ranges::min_element(countries, {}, measure);
  std::printf("  %-26s%s: %s km² in %s, %s to %s, %.3g %% of its box\n", what, c.name.c_str(),
              format_area(c.area).c_str(),
              c.rings == 1 ? "one ring" : (examples::format_whole(c.rings) + " rings").c_str(),
              format_degrees(c.around.low.latitude, 'N', 'S').c_str(),
              format_degrees(c.around.high.latitude, 'N', 'S').c_str(), 100 * c.share_of_box());
}

void country_boxes(const std::vector<std::string_view>& arguments) {
  int top = 12, runs = 20;
  const auto files = examples::read_options(arguments, {{"--top", &top}, {"--runs", &runs}}, 4);
  const examples::outlines map = examples::read_outlines(files);
  const map_on_device device(map);
  device.reduce_ring_boxes();
  device.reduce_ring_areas();
  device.reduce_boxes();
  device.reduce_areas();
  std::vector<country> countries = checked(map, device.boxes(), device.areas());

  std::printf("%s: %s countries, %s outlines and holes, %s places\n%s\n\n", map.file.c_str(),
              examples::format_whole(map.countries()).c_str(), examples::format_whole(map.rings()).c_str(),
              examples::format_whole(map.places.size()).c_str(), examples::device_name().c_str());
  std::printf("  %-26s%13s%8s%8s%9s%9s%9s%11s\n", "country", " area in km²", "rings", "south", "west", "north", "east",
              "of its box");
  std::ranges::stable_sort(countries, std::greater{}, &country::area);
  for (std::size_t i = 0; i < std::min(countries.size(), static_cast<std::size_t>(top)); ++i)
    print_country(countries[i]);

  std::erase_if(countries, [](const country& c) { return c.rings == 0; });
  std::printf("\n");
  print_first("northernmost", countries, [](const country& c) { return -c.around.high.latitude; });
  print_first("southernmost", countries, [](const country& c) { return c.around.low.latitude; });
  print_first("most rings", countries, [](const country& c) { return -c.rings; });
  print_first("fullest box", countries, [](const country& c) { return -c.share_of_box(); });
  print_first("emptiest box", countries, [](const country& c) { return c.share_of_box(); });

  const double sum = std::accumulate(countries.begin(), countries.end(), 0.0,
                                     [](double so_far, const country& c) { return so_far + c.area; });
  std::printf("\nAll together: %s km². The CPU's boxes and areas are the same.\n\n", format_area(sum).c_str());
  device.print_times(runs);
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, country_boxes); }
