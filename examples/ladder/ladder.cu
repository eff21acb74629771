// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Climbs the ladder: runs every kernel of the sources on one array and prints the slides' table for this GPU.
// In the emulator it only checks the sums.
#include <fstream>
#include <iostream>

#include "measure.cuh"
#include "plot.hpp"
#include "table.hpp"

namespace {

using namespace ladder;

#if defined(WARPFOLD_EMULATOR)
constexpr bool emulated = true;
constexpr std::int64_t default_items = 1 << 13;
constexpr int default_runs = 1;
#else
constexpr bool emulated = false;
constexpr std::int64_t default_items = 1 << 26;
constexpr int default_runs = 21;
#endif

void check_names(const options& chosen) {
  for (const std::string& name : chosen.rungs) {
    bool known = name == "cpu";
    for (const rung_facts& about : all_facts()) known = known || about.name == name;
    if (!known) throw examples::usage_error("there is no rung '" + name + "' (--list shows the names)");
  }
}

void print_list() {
  std::cout << format("%-25s %-45s %-22s %s\n", "rung", "source and its name", "kernel", "same kernel as");
  for (const rung_facts& about : all_facts())
    std::cout << format("%-25s %-45s %-22s %s\n", std::string(about.name).c_str(),
                        (std::string(to_string(about.source)).substr(0, 3) + " " + std::string(about.title)).c_str(),
                        std::string(about.kernel).c_str(), std::string(about.also).c_str());
}

template <class T> run_of_ladder climb(const options& chosen) {
  const array<T> a = chosen.input ? array_from_file<T>(*chosen.input, chosen.items.value_or(-1))
                                  : random_array<T>(chosen.items.value_or(default_items), chosen.seed);
  if (a.items.empty()) throw std::runtime_error(a.origin + " has no items");
  run_of_ladder result{.device = this_device().name, .type = chosen.type, .array = a.origin};
  result.items = std::ssize(a.items);
  result.bytes = result.items * static_cast<std::int64_t>(sizeof(T));
  result.emulated = emulated;
  measure_all(a, chosen, chosen.runs.value_or(default_runs), result);
  return result;
}

template <class Write> void write_file(const std::filesystem::path& path, Write write) {
  std::ofstream file(path);
  write(file);
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

void main_program(const std::vector<std::string_view>& arguments) {
  const options chosen = parse(arguments);
  check_names(chosen);
  if (emulated && chosen.plot) {
    throw examples::usage_error("--plot needs a GPU: the emulator has no bandwidths to draw");
  }
  if (chosen.list) return print_list();
  const run_of_ladder run = chosen.type == "int"     ? climb<int>(chosen)
                            : chosen.type == "float" ? climb<float>(chosen)
                                                     : climb<double>(chosen);
  std::cout << examples::format_whole(run.items) << " items of type " << run.type << " (" << run.array << "), "
            << examples::device_name() << '\n';
  if (emulated) {
    std::cout << "Every rung's sum is checked. Times, bandwidths and the limit need a GPU, so they are not shown.\n";
  } else {
    std::cout << "Median times between CUDA events, the array in whatever cache the run before left it; "
              << "zeroing the result is not timed.\nLimit: " << limit_in_words(run) << '\n';
  }
  print_table(std::cout, run);
  if (chosen.csv) write_file(*chosen.csv, [&](std::ostream& out) { write_csv(out, run); });
  if (chosen.plot) write_file(*chosen.plot, [&](std::ostream& out) { plot(out, run).write(); });
  std::cout.flush();
  if (!all_right(run)) throw std::runtime_error("a rung gave a wrong sum");
}

}  // namespace

int main(int argc, char** argv) { return examples::run_program(argc, argv, help, main_program); }
