// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table for people and the table for programs.
#pragma once

#include <cstdio>
#include <ostream>
#include <string>

#include "measurement.hpp"

namespace ladder {

/// As printf does, into a string.
template <class... Values> std::string format(const char* pattern, Values... values) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, values...)), '\0');
  std::snprintf(text.data(), text.size() + 1, pattern, values...);
  return text;
}
inline std::string format(const char* pattern, const std::optional<double>& value) {
  return value ? format(pattern, *value) : "-";
}

inline std::string limit_in_words(const run_of_ladder& run) {
  const measurement* rung = faster_than_read_only(run);
  return format("%.1f GB/s (", static_cast<double>(run.bytes) / limit_seconds(run) * 1e-9) +
         (rung ? "the rung " + std::string(rung->about.name) : run.read_only_name) + ")";
}

/// The output of a run in the emulator: which sums are right. Its times are a CPU's, so it has no bandwidths and no
/// limit.
inline void print_results(std::ostream& out, const run_of_ladder& run) {
  const char* const pattern = "  %-25s %-15s %-26s %s\n";
  for (std::size_t i = 0; i < run.measured.size(); ++i) {
    const rung_facts& about = run.measured[i].about;
    if (i == 0 || run.measured[i - 1].about.source != about.source)
      out << '\n' << to_string(about.source) << '\n' << format(pattern, "rung", "commutativity", "kernel", "result");
    out << format(pattern, std::string(about.name).c_str(), std::string(to_string(about.needs)).c_str(),
                  std::string(about.kernel).c_str(), run.measured[i].check.c_str());
  }
}

inline void print_table(std::ostream& out, const run_of_ladder& run) {
  if (run.emulated) return print_results(out, run);
  const std::vector<row> rows = rows_of(run);
  const char* const pattern = "  %-25s %-15s %12s %11s %9s %11s %13s %9s  %s\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    if (i == 0 || rows[i - 1].m->about.source != r.m->about.source)
      out << '\n'
          << to_string(r.m->about.source) << '\n'
          << format(pattern, "rung", "commutativity", "time, ms", "GB/s", "step", "cumulative", "to reduction",
                    "of limit", "result");
    out << format(pattern, std::string(r.m->about.name).c_str(), std::string(to_string(r.m->about.needs)).c_str(),
                  format("%.4f", r.m->seconds * 1e3).c_str(), format("%.2f", r.bandwidth * 1e-9).c_str(),
                  format("%.3f", r.step).c_str(), format("%.3f", r.cumulative).c_str(),
                  format("%.3f", r.to_reduction).c_str(), format("%.1f %%", r.share_of_limit * 100).c_str(),
                  r.m->check.c_str());
  }
}

/// One line per rung. Values have no units; the header names these. A field is empty if it has no value: in the
/// emulator, wherever a time is part of it.
inline void write_csv(std::ostream& out, const run_of_ladder& run) {
  const auto quoted = [](std::string_view text) {
    std::string result = "\"";
    for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
  };
  const auto number = [&](const std::optional<double>& value) {
    return value && !run.emulated ? format("%.9g", *value) : "";
  };
  out << "device,type,items,array,source,rung,title,same_kernel_as,kernel,block_threads,needs_commutativity,time_ms,"
         "bandwidth_gb_s,step_speedup,cumulative_speedup,speedup_to_reduction,share_of_limit,result,emulated\n";
  for (const row& r : rows_of(run)) {
    const rung_facts& about = r.m->about;
    out << quoted(run.device) << ',' << run.type << ',' << run.items << ',' << quoted(run.array) << ','
        << quoted(to_string(about.source)) << ',' << about.name << ',' << quoted(about.title) << ',' << about.also
        << ',' << about.kernel << ',' << about.block_threads << ',' << to_string(about.needs) << ','
        << number(r.m->seconds * 1e3) << ',' << number(r.bandwidth * 1e-9) << ',' << number(r.step) << ','
        << number(r.cumulative) << ',' << number(r.to_reduction) << ',' << number(r.share_of_limit) << ','
        << quoted(r.m->check) << ',' << (run.emulated ? "yes" : "no") << '\n';
  }
}

}  // namespace ladder
