// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The measurements of one run of the program, and the columns that the slides derive from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung.hpp"

namespace ladder {

struct measurement {
  rung_facts about{};
  double seconds{};
  std::string check{};  // "right", or what is wrong
};

struct run_of_ladder {
  std::string device{};  // its name
  std::string type{};    // of the items
  std::string array{};   // where the items come from
  std::int64_t items{};
  std::int64_t bytes{};
  bool emulated{};
  std::vector<measurement> measured{};
  double read_only_seconds{};  // of the fastest read-only kernel
  std::string read_only_name{};
};

/// A line of the table.
struct row {
  const measurement* m{};
  double bandwidth{};                    // bytes per second
  std::optional<double> step{};          // none where the rung to compare with did not run
  std::optional<double> cumulative{};    // since the first rung of the same source; for Warpfold, of 003
  std::optional<double> to_reduction{};  // since 003's first reduction, `shared`; none for what comes before it
  double share_of_limit{};
};

constexpr std::string_view first_rung(ladder_of source) {
  switch (source) {
    case ladder_of::cpu: return "cpu-one-thread";
    case ladder_of::course_note: return "naive-tree";
    case ladder_of::harris: return "harris-1";
    case ladder_of::kepler: return "two-pass";
    case ladder_of::lecture:
    case ladder_of::warpfold: break;
  }
  return "atomic-global";
}

inline const measurement* find(const run_of_ladder& run, std::string_view name) {
  for (const measurement& m : run.measured)
    if (m.about.name == name) return &m;
  return nullptr;
}

/// The limit is the fastest of all kernels of the run that read these bytes, the rungs included.
inline const measurement* faster_than_read_only(const run_of_ladder& run) {
  const measurement* fastest = nullptr;
  for (const measurement& m : run.measured)
    if (m.about.source != ladder_of::cpu && m.seconds < (fastest ? fastest->seconds : run.read_only_seconds))
      fastest = &m;
  return fastest;
}
inline double limit_seconds(const run_of_ladder& run) {
  const measurement* m = faster_than_read_only(run);
  return m ? m->seconds : run.read_only_seconds;
}

inline std::vector<row> rows_of(const run_of_ladder& run) {
  const double limit = limit_seconds(run);
  std::vector<row> rows;
  for (const measurement& m : run.measured) {
    const auto speed_up_to = [&](std::string_view name) -> std::optional<double> {
      const measurement* earlier = find(run, name);
      if (!earlier) return std::nullopt;
      return earlier->seconds / m.seconds;
    };
    row r{.m = &m};
    r.bandwidth = static_cast<double>(run.bytes) / m.seconds;
    r.step = speed_up_to(m.about.improves.empty() ? m.about.name : m.about.improves);
    r.cumulative = speed_up_to(first_rung(m.about.source));
    const bool before = m.about.name == "atomic-global" || m.about.name == "atomic-shared";
    if (!before && m.about.source != ladder_of::cpu) r.to_reduction = speed_up_to("shared");
    r.share_of_limit = limit / m.seconds;
    rows.push_back(r);
  }
  return rows;
}

inline bool all_right(const run_of_ladder& run) {
  return std::all_of(run.measured.begin(), run.measured.end(), [](const auto& m) { return m.check == "right"; });
}

}  // namespace ladder
