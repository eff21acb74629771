// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's command line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../common/program.hpp"

namespace ladder {

inline constexpr const char* help =
    R"(ladder: sums an array with every kernel of Warpfold's sources, from one atomic an item to warpfold::reduce.

usage: ladder [options]

  --rung NAME      only this rung; may be given several times. `cpu` names the CPU baselines. --list shows the names.
  --items N        how many items: 1000000 or 2^26. Default: 2^26, in the emulator 2^13; with --input, the file's.
  --type TYPE      int, float or double. Default: float.
  --input FILE     real data instead of random numbers: a .npy file, repeated until there are N items.
  --seed N         of the random numbers. Default: 1.
  --runs N         at most N timed runs of a rung, which share half a second. Default: 21, in the emulator 1.
  --csv FILE       also writes the table as CSV.
  --plot FILE      also draws it as SVG; needs a GPU.
  --list           prints the rungs, their sources' names for them and their kernels.
  --help           prints this.

Columns. commutativity: where the rung loses the order of the items, so the operator must commute. step: speed-up
over the rung that it changes. cumulative: over the first rung of its source, for Warpfold over atomic-global.
to reduction: over `shared`, the first tree. of limit: the limit is the fastest kernel of the run that reads the array.
In the emulator, which has no times of its own, each rung's sum is checked and nothing is timed.
)";

struct options {
  std::vector<std::string> rungs;  // empty: all
  std::optional<std::int64_t> items;
  std::string type = "float";
  std::optional<std::filesystem::path> input, csv, plot;
  std::uint64_t seed = 1;
  std::optional<int> runs;
  bool list = false;

  bool wants(std::string_view rung) const {
    return rungs.empty() || std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
  }
};

/// A whole number from `least` to `most`, in digits or as a power such as 2^26.
inline std::int64_t whole_number(std::string_view option, std::string_view text, std::int64_t least,
                                 std::int64_t most) {
  const auto digits = [](std::string_view part) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || error != std::errc{} || end != part.data() + part.size() || value < 0) return std::nullopt;
    return value;
  };
  const bool is_power = text.starts_with("2^");
  std::optional<std::int64_t> value = digits(is_power ? text.substr(2) : text);
  if (is_power && value) value = *value < 62 ? std::optional(std::int64_t{1} << *value) : std::nullopt;
  if (!value || *value < least || *value > most)
    throw examples::usage_error(std::string(option) + " takes a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", not '" + std::string(text) + "'");
  return *value;
}

inline options parse(const std::vector<std::string_view>& arguments) {
  options result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    const auto value = [&] {
      if (i + 1 == arguments.size()) throw examples::usage_error(std::string(option) + " needs a value");
      return arguments[++i];
    };
    if (option == "--rung") result.rungs.emplace_back(value());
    else if (option == "--items") result.items = whole_number(option, value(), 1, std::int64_t{1} << 36);
    else if (option == "--type") result.type = value();
    else if (option == "--input") result.input = value();
    else if (option == "--seed") result.seed = static_cast<std::uint64_t>(whole_number(option, value(), 0, INT64_MAX));
    else if (option == "--runs") result.runs = static_cast<int>(whole_number(option, value(), 1, 10000));
    else if (option == "--csv") result.csv = value();
    else if (option == "--plot") result.plot = value();
    else if (option == "--list") result.list = true;
    else throw examples::usage_error("unknown option '" + std::string(option) + "'");
  }
  if (result.type != "int" && result.type != "float" && result.type != "double")
    throw examples::usage_error("--type takes int, float or double, not '" + result.type + "'");
  return result;
}

}  // namespace ladder
