// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of more data than a GPU holds: the data stay in host memory, travel in chunks, and the answer has the same
// bits whatever the chunks, the devices and the place of the data.
#include <warpfold/accumulation.cuh>
#include <warpfold/host_memory.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/warpfold.cuh>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"

namespace wf = warpfold;

constexpr const char* help = R"(usage: big_file [--copies N] [--chunk-kilobytes N] [--stop-after N] [FILE]

Treats FILE, a .npy file of int16, as if it stood N times in a row in one file
that is larger than the GPU's memory: mean, standard deviation, and where the
extremes are. Without FILE, the delays of 200 000 flights in examples/data, in
minutes.

  --copies N           how often the file's items come (default 2000; 5 in the emulator)
  --chunk-kilobytes N  how much travels to the device at once (default 32768; 256 in the emulator)
  --stop-after N       end after N of 8 steps, as if the machine went down; the next run of the same command without
                       it goes on from big_file.checkpoint, in the current directory

Each line is another way to the same numbers. The last column has the bits of
the mean; they are equal, or the program ends with exit code 1.
)";

// All results of one read: the moments, and the extremes with their places.
const auto everything = wf::fuse(wf::moments<2>{}, wf::arg_extrema{});
using result = wf::lowered_t<decltype(everything), wf::accumulator_t<decltype(everything), std::int16_t>>;

using accumulation = wf::accumulation<std::int16_t, std::remove_const_t<decltype(everything)>>;

void print_bar(std::int64_t done, std::int64_t all) {
  if (isatty(fileno(stderr)) == 0) return;  // nobody watches
  constexpr int columns = 40;
  const auto filled = static_cast<int>(columns * done / all);
  std::fprintf(stderr, "\r  [%s%s] %3d %%", std::string(filled, '#').c_str(),
               std::string(columns - filled, '.').c_str(), static_cast<int>(100 * done / all));
  if (done == all) std::fprintf(stderr, "\n");
}

// The items of the large file: those of `items` over and over. Generators may be called by several threads at once.
auto repeated(const std::vector<std::int16_t>& items, std::int64_t copies) {
  const std::int64_t period = std::ssize(items);
  return wf::chunks<std::int16_t>(period * copies, [&items, period](std::int64_t first, std::span<std::int16_t> to) {
    for (std::size_t written = 0; written < to.size();) {
      const std::int64_t from = (first + static_cast<std::int64_t>(written)) % period;
      const std::size_t count = std::min(to.size() - written, static_cast<std::size_t>(period - from));
      std::copy_n(items.begin() + from, count, to.begin() + static_cast<std::ptrdiff_t>(written));
      written += count;
    }
  });
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
// The old checkpoint stays until the new one is whole.
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const std::filesystem::path unfinished = path.string() + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(unfinished.string() + ": cannot be written");
  std::filesystem::rename(unfinished, path);
}

struct stopped {};

// In steps. Each goes on from the checkpoint of the one before, as it would if the program had ended between them.
template <class Items> result in_steps(const Items& all, std::size_t chunk, int stop_after) {
  constexpr std::int64_t steps = 8;
  const std::filesystem::path checkpoint = "big_file.checkpoint";
  accumulation::options how;
  how.chunk_bytes = chunk;
  if (!std::filesystem::exists(checkpoint)) write_bytes(checkpoint, accumulation(everything, how).save());
  while (true) {
    accumulation sums = accumulation::load(read_bytes(checkpoint), everything, how);
    const std::int64_t first = sums.next(), count = std::min((all.count + steps - 1) / steps, all.count - first);
    if (count <= 0) {
      std::filesystem::remove(checkpoint);
      return sums.value();
    }
    sums.push(wf::chunks<std::int16_t>(
        count, [&](std::int64_t from, std::span<std::int16_t> to) { all.fill(first + from, to); }));
    write_bytes(checkpoint, sums.save());
    if (stop_after > 0 && --stop_after == 0) throw stopped();
  }
}

template <class Reduce> result print_way(const char* name, Reduce reduce) {
  const auto start = std::chrono::steady_clock::now();
  const result all = reduce();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double mean = all.template get<0>().mean();
  std::printf("  %-34s%s%12.6f  %016llx\n", name,
              examples::right_aligned(examples::format_quantity(seconds, "s"), 10).c_str(), mean,
              static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(mean)));
  return all;
}

int main(int argc, char** argv) {
  return examples::run_program(argc, argv, help, [](const auto& arguments) {
    int copies = examples::is_emulated ? 5 : 2000, kilobytes = examples::is_emulated ? 256 : 32768, stop_after = 0;
    const auto files = examples::read_options(
        arguments, {{"--copies", &copies}, {"--chunk-kilobytes", &kilobytes}, {"--stop-after", &stop_after}}, 1);
    const std::filesystem::path path =
        files.empty() ? examples::bundled_data("flight_delays.npy") : std::filesystem::path(files[0]);
    const auto items = examples::read_items<std::int16_t>(path, "delays", examples::item_type::int16);
    const auto large = repeated(items, copies);
    const std::size_t chunk = static_cast<std::size_t>(kilobytes) << 10;
    std::printf("%s, %s times: %s items, %s\n\n", path.filename().string().c_str(),
                examples::format_whole(copies).c_str(), examples::format_whole(large.count).c_str(),
                examples::format_quantity(static_cast<double>(large.count) * sizeof(std::int16_t), "B").c_str());
    if (stop_after > 0) {
      try {
        (void)in_steps(large, chunk, stop_after);
      } catch (const stopped&) {
        std::printf("Stopped. The same command without --stop-after goes on from big_file.checkpoint.\n");
        return;
      }
    }
    std::printf("  %-34s%10s%12s  %s\n", "way", "time", "mean", "its bits");

    std::vector<result> results;
    results.push_back(print_way("generated, chunk by chunk", [&] {
      return wf::reduce_value(large, everything, {.chunk_bytes = chunk, .progress = print_bar});
    }));
    results.push_back(print_way("in chunks a hundredth as long", [&] {
      return wf::reduce_value(large, everything, {.chunk_bytes = chunk / 100, .buffers = 3});
    }));
    results.push_back(print_way("by two feeders of the device", [&] {
      return wf::reduce_value(large, everything, {.devices = {0, 0}, .chunk_bytes = chunk});
    }));
    results.push_back(print_way("in 8 steps, from checkpoints", [&] { return in_steps(large, chunk, 0); }));
    std::vector<std::int16_t> whole(static_cast<std::size_t>(large.count));
    large.fill(0, whole);
    results.push_back(print_way("from an array in host memory",
                                [&] { return wf::reduce_value(wf::host(whole), everything, {.chunk_bytes = chunk}); }));
    results.push_back(print_way("from device memory, if it fits", [&] {
      const examples::device_array<std::int16_t> on_device(whole);
      return wf::reduce_value(std::span<const std::int16_t>(on_device.data(), on_device.size()), everything);
    }));
    results.push_back(print_way("on the CPU, by the tree's replay",
                                [&] { return wf::canonical_tree::replay(whole.data(), large.count, everything); }));

    const auto& moments = results[0].get<0>();
    const auto& extremes = results[0].get<1>();
    std::printf("\n");
    examples::print_row("standard deviation", examples::format_real(moments.stddev(), moments.stddev()));
    examples::print_row("earliest arrival", std::to_string(extremes.minimum.value) + " minutes, item " +
                                                examples::format_whole(extremes.minimum.index));
    examples::print_row("latest arrival", std::to_string(extremes.maximum.value) + " minutes, item " +
                                              examples::format_whole(extremes.maximum.index));
    for (const result& each : results)
      if (std::bit_cast<std::uint64_t>(each.get<0>().mean()) != std::bit_cast<std::uint64_t>(moments.mean()) ||
          !(each.get<1>() == extremes))
        throw std::runtime_error("two ways gave different results");
  });
}
