// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of your own, which does not commute: the length of a track, in one pass over its places.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/device.cuh"
#include "common/geography.cuh"
#include "common/program.hpp"

namespace wf = warpfold;
using examples::place;

constexpr const char* help = R"(usage: custom_operator [FILE.npy]

Prints how long a track is, from place to place, which of its legs is the longest
and how far its end is from its start. FILE.npy holds the places in their order:
float32 (n, 2), longitude and latitude in degrees. Without FILE, the track is the
most detailed outline of a country in examples/data.

Exit code: 0, 1 for a file that cannot be used, an error of the device or
different results, 2 for a wrong command line.
)";

// The accumulator: 32 bytes, of another type than the 8-byte items. Lengths are in kilometres.
struct track {
  place first, last;
  double length, longest_leg;
};

// Step 1. The item as an accumulator: a place is a track without legs.
struct track_of {
  __host__ __device__ track operator()(place p) const { return {p, p, 0, 0}; }
};

// Step 2. The operator: two tracks, one after the other, and the leg between them. It has to be associative and
// trivially copyable, no more. It need not commute: Warpfold folds from left to right, so `a` comes first.
struct join {
  __host__ __device__ track operator()(const track& a, const track& b) const {
    const double leg = examples::distance_km(a.last, b.first);
    return {a.first, b.last, a.length + leg + b.length, fmax(leg, fmax(a.longest_leg, b.longest_leg))};
  }
};

// Step 3, which is optional and not taken here: tell Warpfold more about the operator. A wf::identity<join, track>
// would be the result for an empty input, which is refused without one. wf::is_exact and wf::is_commutative say that
// association and order change no bit of the result: scans of exact operators are faster. That is true of a minimum, but
// not of a length.

struct named_track {
  std::string name;
  std::vector<place> places;
};

named_track most_detailed_outline() {
  const examples::outlines map = examples::read_outlines({});
  std::size_t most = 0;
  const auto places = [&](std::size_t ring) { return map.offsets[ring + 1] - map.offsets[ring]; };
  for (std::size_t ring = 1; ring < map.rings(); ++ring) most = places(ring) > places(most) ? ring : most;
  const auto begin = map.places.begin();
  return {"an outline of " + map.country_of(most), {begin + map.offsets[most], begin + map.offsets[most + 1]}};
}

// The additions have another order, and a GPU rounds sines in another way: by at most 16 roundings per leg.
bool agree(double a, double b, std::size_t legs) {
  const double roundings = 16 * static_cast<double>(legs + 1);
  return std::abs(a - b) <= roundings * std::numeric_limits<double>::epsilon() * std::abs(b);
}

void measure_track(const std::vector<std::string_view>& arguments) {
  const auto files = examples::read_options(arguments, {}, 1);
  const named_track given =
      files.empty() ? most_detailed_outline()
                    : named_track{std::filesystem::path(files[0]).filename().string(), examples::read_places(files[0])};
  const examples::device_array<place> places(given.places);

  // Step 4. One call. The accumulator is the type that track_of returns.
  const track found = wf::transform_reduce_value(places, join{}, track_of{});

  std::printf("%s: %s places, %s\n\n", given.name.c_str(), examples::format_whole(given.places.size()).c_str(),
              examples::device_name().c_str());
  std::printf("  length        %12.3f km\n  longest leg   %12.3f km\n  end to start  %12.3f km\n\n", found.length,
              found.longest_leg, examples::distance_km(found.last, found.first));

  track expected = track_of{}(given.places[0]);
  for (std::size_t i = 1; i < given.places.size(); ++i) expected = join{}(expected, track_of{}(given.places[i]));
  if (found.first != expected.first || found.last != expected.last ||
      !agree(found.length, expected.length, given.places.size()) ||
      !agree(found.longest_leg, expected.longest_leg, 1)) {
    throw std::runtime_error("the CPU's results differ");
  }
  std::printf("The CPU's results are the same.\n");
}

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, measure_track); }
