// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case: an entry of the table of functions, and numbers that say all the rest. Smaller numbers are simpler cases.
#pragma once
#include <array>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace wf_fuzz {

enum knob {
  items,
  data,
  kind_of_items,
  in_offset,
  out_offset,
  form,
  mean_length,
  lengths,
  init,
  max_blocks,
  own_workspace,
  way,
  fault,
  failing_thread,
  schedule,
  residents,
  knobs
};
inline constexpr const char* knob_names[knobs] = {"items", "data",    "kind",     "in_offset",  "out_offset", "form",
                                                  "mean",  "lengths", "init",     "max_blocks", "workspace",  "way",
                                                  "fault", "thread",  "schedule", "residents"};

enum ways : std::int64_t { default_stream, own_stream, in_graph, host_threads, ways_count };
enum faults : std::int64_t { no_fault, allocation_fails, launch_fails, thread_fails, faults_count };

struct fuzz_case {
  std::string entry;
  std::array<std::int64_t, knobs> value{};

  std::int64_t operator[](knob k) const { return value[k]; }
  std::int64_t& operator[](knob k) { return value[k]; }

  std::string line() const {
    std::string text = entry;
    for (int k = 0; k < knobs; ++k)
      if (value[static_cast<std::size_t>(k)] != 0)
        text += std::string(" ") + knob_names[k] + "=" + std::to_string(value[static_cast<std::size_t>(k)]);
    return text;
  }
  static fuzz_case parse(const std::string& line) {
    std::istringstream words(line);
    fuzz_case result;
    words >> result.entry;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      int k = 0;
      while (k < knobs && word.substr(0, equals) != knob_names[k]) ++k;
      if (k == knobs || equals == std::string::npos) throw std::invalid_argument("no such number of a case: " + word);
      result.value[static_cast<std::size_t>(k)] = std::stoll(word.substr(equals + 1));
    }
    return result;
  }
};

/// Sizes around powers of two, of tiles, few, or any.
template <class Source> std::int64_t draw_items(Source& source, std::int64_t most) {
  int bits = 0;
  while ((std::int64_t{2} << bits) <= most) ++bits;
  const std::int64_t power = std::int64_t{1} << source.below(bits + 1);
  std::int64_t count = 0;
  switch (source.below(5)) {
    case 0: count = source.below(5); break;
    case 1: count = power - 2 + source.below(5); break;
    case 2: count = power * (1 + source.below(7)) - 1 + source.below(3); break;
    default: count = source.below(power + 1); break;
  }
  return count < 0 ? 0 : count > most ? most : count;
}

/// A case of `entry`. Numbers come from source.below(bound): random ones, or those of a fuzzer that is guided.
template <class Source>
fuzz_case draw_case(const std::string& entry, Source& source, std::int64_t most_items, bool with_faults) {
  fuzz_case c{entry};
  const auto sometimes = [&](std::int64_t bound) { return source.below(3) == 0 ? source.below(bound) : 0; };
  c[items] = draw_items(source, most_items);
  c[data] = source.below(1 << 20);
  c[kind_of_items] = source.below(4);
  c[in_offset] = source.below(2) ? source.below(17) : 0;
  c[out_offset] = sometimes(17);
  c[form] = source.below(64);
  c[mean_length] = std::int64_t{1} << source.below(12);
  c[mean_length] += sometimes(c[mean_length]);
  c[lengths] = source.below(64);
  c[init] = source.below(3);
  c[max_blocks] = sometimes(9);
  c[own_workspace] = source.below(2);
  c[way] = source.below(8);
  if (c[way] >= ways_count) c[way] = source.below(2);
  if (with_faults && source.below(6) == 0) c[fault] = 1 + source.below(faults_count - 1);
  if (c[fault] == thread_fails) c[failing_thread] = source.below(600);
  c[schedule] = source.below(1 << 16);
  c[residents] = source.below(5);
  return c;
}

}  // namespace wf_fuzz
