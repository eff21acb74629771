// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places on the Earth and outlines of countries: distances, an equal-area projection, and the files that hold them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "device.cuh"
#include "npy.hpp"
#include "owners.hpp"
#include "program.hpp"

namespace examples {

/// In degrees, north and east positive. Longitudes may go on past 180 or -180, so that neighbours stay neighbours.
struct place {
  float longitude, latitude;
  bool operator==(const place&) const = default;
};

__host__ __device__ inline double radians(double degrees) { return degrees * (3.14159265358979323846 / 180); }

/// Along the great circle, by the haversine formula, on the sphere whose area is the Earth's.
__host__ __device__ inline double distance_km(place a, place b) {
  constexpr double radius_km = 6371.0072;
  const double latitude_sine = sin(radians(double{b.latitude} - a.latitude) / 2);
  const double longitude_sine = sin(radians(double{b.longitude} - a.longitude) / 2);
  const double haversine = latitude_sine * latitude_sine +
                           cos(radians(a.latitude)) * cos(radians(b.latitude)) * longitude_sine * longitude_sine;
  return 2 * radius_km * asin(sqrt(fmin(haversine, 1.0)));
}

/// A place on the map of an equal-area projection: Lambert's cylindrical one, of the WGS84 ellipsoid. Areas on this
/// map are areas on the Earth.
struct map_point {
  double x_km, y_km;
};
__host__ __device__ inline map_point project(place p) {
  constexpr double equator_radius_km = 6378.137, eccentricity = 0.081819190842622;
  const double s = sin(radians(p.latitude)), es = eccentricity * s;
  const double y = (1 - eccentricity * eccentricity) * (s / (1 - es * es) + atanh(es) / eccentricity) / 2;
  return {equator_radius_km * radians(p.longitude), equator_radius_km * y};
}

/// Rings of places, one after another: ring r has the places from offsets[r] to offsets[r + 1], and ends where it
/// began. Ring r is an outline of country owners[r], or a hole in one.
struct outlines {
  std::string file;  // that held the places
  std::vector<place> places;
  std::vector<std::int32_t> offsets, owners;
  std::vector<std::string> names;  // of the countries

  std::size_t rings() const { return owners.size(); }
  std::size_t countries() const { return names.size(); }
  const std::string& country_of(std::size_t ring) const { return names[static_cast<std::size_t>(owners[ring])]; }
};

inline std::vector<place> read_places(const std::filesystem::path& path) {
  std::vector<place> places = read_items<place>(path, "places", item_type::float32, 2);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::isfinite(places[i].longitude) && std::abs(places[i].latitude) <= 90) continue;
    throw file_error(path.string() + ": row " + std::to_string(i) + " is not a longitude and a latitude in degrees");
  }
  return places;
}

inline std::vector<std::int32_t> read_ring_offsets(const std::filesystem::path& path,
                                                   const std::vector<place>& places) {
  std::vector<std::int32_t> offsets = read_items<std::int32_t>(path, "offsets", item_type::int32);
  if (offsets.front() != 0 || offsets.back() != std::ssize(places)) {
    throw file_error(path.string() + ": offsets begin with 0 and end with the number of places, " +
                     std::to_string(places.size()) + ", but these are " + std::to_string(offsets.front()) + " to " +
                     std::to_string(offsets.back()));
  }
  for (std::size_t ring = 0; ring + 1 < offsets.size(); ++ring) {
    // Neighbours may be anything yet: their difference need not fit in 32 bits.
    const std::int64_t begin = offsets[ring], end = offsets[ring + 1];
    if (begin < 0 || end > std::ssize(places) || end - begin < 4 ||
        places[static_cast<std::size_t>(begin)] != places[static_cast<std::size_t>(end - 1)]) {
      throw file_error(path.string() + ": ring " + std::to_string(ring) + ", places " + std::to_string(begin) + " to " +
                       std::to_string(end) + ", is not 4 places or more of which the last is the first");
    }
  }
  return offsets;
}

/// Reads PLACES.npy OFFSETS.npy [OWNERS.npy [NAMES.txt]]. Without files, the countries in examples/data; without
/// owners, each ring is a country.
inline outlines read_outlines(const std::vector<std::string_view>& files) {
  if (files.empty()) {
    const std::string names[] = {
        bundled_data("country_points.npy").string(), bundled_data("country_ring_offsets.npy").string(),
        bundled_data("country_ring_owners.npy").string(), bundled_data("country_names.txt").string()};
    return read_outlines(std::vector<std::string_view>(std::begin(names), std::end(names)));
  }
  if (files.size() == 1) throw usage_error("PLACES.npy needs OFFSETS.npy beside it");
  outlines read{std::filesystem::path(files[0]).filename().string(), read_places(files[0]), {}, {}, {}};
  read.offsets = read_ring_offsets(files[1], read.places);
  const std::size_t rings = read.offsets.size() - 1;
  if (files.size() > 2) {
    read.owners = read_owners(files[2], rings, "rings");
  } else {
    for (std::size_t ring = 0; ring < rings; ++ring) read.owners.push_back(static_cast<std::int32_t>(ring));
  }
  read.names = read_owner_names(files.size() > 3 ? files[3] : std::string_view{}, read.owners);
  return read;
}

}  // namespace examples
