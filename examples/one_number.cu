// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One answer from anywhere: the same statistics of the same data from one thread of the CPU, one GPU, several GPUs with
// uneven parts, a file that is read in chunks, and the processes of an MPI job. All have the same bits.
#include <warpfold/host_memory.cuh>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/local.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/warpfold.cuh>
#if defined(EXAMPLES_MPI)
#include <warpfold/ranks/mpi.cuh>
#endif

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"

namespace wf = warpfold;

constexpr const char* help = R"(usage: one_number [FILE]
       mpiexec -n N one_number [FILE]

Mean and standard deviation of FILE, a .npy file of int16; without it, the
delays of 200 000 flights in examples/data, in minutes. Each line is another way
to them. The bits are equal, or the program ends with exit code 1.

Where the program was built with MPI, the processes of a job take a part each.
)";

using result = wf::moments_of<2>;
constexpr wf::moments<2> operation{};

/// The part of rank `rank` of `ranks`: the later, the longer.
std::pair<std::int64_t, std::int64_t> uneven_part(std::int64_t count, int rank, int ranks) {
  const auto border = [&](std::int64_t r) { return count * r * (r + 1) / (std::int64_t{ranks} * (ranks + 1)); };
  return {border(rank), border(rank + 1)};
}

void print_way(const std::string& name, const result& all, const result& expected) {
  const auto bits = [](double x) { return static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(x)); };
  std::printf("  %-36s%10.6f %016llx%12.6f %016llx\n", name.c_str(), all.mean(), bits(all.mean()), all.stddev(),
              bits(all.stddev()));
  if (bits(all.mean()) != bits(expected.mean()) || bits(all.stddev()) != bits(expected.stddev()))
    throw std::runtime_error("two ways gave different results");
}

/// A host thread for each GPU, and three ranks at least.
result on_gpus(const std::vector<std::int16_t>& items, int& ranks) {
  int gpus = 0;
  wf::check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  ranks = std::min(std::max(gpus, 3), 16);
  std::vector<int> devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(r % gpus);

  struct rank {
    examples::device_array<std::int16_t> in;
    std::int64_t first;
    cudaStream_t stream;
  };
  std::vector<rank> each;
  for (int r = 0; r < ranks; ++r) {
    wf::check(cudaSetDevice(devices[static_cast<std::size_t>(r)]), "cudaSetDevice");
    const auto [first, end] = uneven_part(std::ssize(items), r, ranks);
    cudaStream_t stream{};
    wf::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    each.push_back({examples::device_array<std::int16_t>(std::span(items).subspan(
                        static_cast<std::size_t>(first), static_cast<std::size_t>(end - first))),
                    first, stream});
  }
  wf::local_ranks all(devices);
  std::vector<result> results(each.size());
  std::vector<std::exception_ptr> failures(each.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < each.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        const auto& [in, first, stream] = each[r];
        wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
        results[r] = wf::all_reduce_value(all[static_cast<int>(r)], in.data(), std::int64_t(in.size()), wf::part{first},
                                          operation, {.stream = stream});
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const rank& one : each) (void)cudaStreamDestroy(one.stream);
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return results[0];
}

/// From the file, which never is in memory as a whole.
result from_file(const std::filesystem::path& path, std::int64_t count) {
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0) throw examples::file_error(path.string() + ": cannot be read");
  const auto begin =
      static_cast<std::int64_t>(std::filesystem::file_size(path)) - count * std::int64_t{sizeof(std::int16_t)};
  const auto chunks = wf::chunks<std::int16_t>(count, [=](std::int64_t first, std::span<std::int16_t> to) {
    auto* const bytes = reinterpret_cast<char*>(to.data());
    for (std::size_t done = 0; done < to.size_bytes();) {
      const auto at = static_cast<off_t>(begin + first * 2) + static_cast<off_t>(done);
      const ssize_t got = pread(file, bytes + done, to.size_bytes() - done, at);
      if (got <= 0) throw examples::file_error("the file cannot be read to its end");
      done += static_cast<std::size_t>(got);
    }
  });
  try {
    const result all = wf::reduce_value(chunks, operation, {.chunk_bytes = 1 << 16});
    close(file);
    return all;
  } catch (...) {
    close(file);
    throw;
  }
}

void run(const std::vector<std::string_view>& arguments) {
  const auto files = examples::read_options(arguments, {}, 1);
  const std::filesystem::path path =
      files.empty() ? examples::bundled_data("flight_delays.npy") : std::filesystem::path(files[0]);
  const auto items = examples::read_items<std::int16_t>(path, "delays", examples::item_type::int16);

  int process = 0;
#if defined(EXAMPLES_MPI)
  int processes = 1, gpus = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  wf::check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  wf::check(cudaSetDevice(process % gpus), "cudaSetDevice");
  wf::mpi_ranks ranks(MPI_COMM_WORLD);
  const auto [first, end] = uneven_part(std::ssize(items), process, processes);
  const std::vector<std::int16_t> part(items.begin() + first, items.begin() + end);
  const examples::device_array<std::int16_t> mine(part);
  // Nobody need know where its part begins: the counts say it.
  const result of_all =
      wf::all_reduce_value(ranks, mine.data(), end - first, wf::gathered(ranks, end - first), operation);
#endif
  if (process > 0) return;

  std::printf("%s: %s items\n\n  %-36s%10s %-16s%12s %s\n", path.filename().string().c_str(),
              examples::format_whole(std::ssize(items)).c_str(), "way", "mean", "its bits", "deviation", "its bits");
  const result expected = wf::canonical_tree::replay(items.data(), std::ssize(items), operation);
  print_way("one thread of the CPU", expected, expected);
  const examples::device_array<std::int16_t> in(items);
  print_way("one GPU", wf::reduce_value(in.data(), std::int64_t(in.size()), operation), expected);
  int count = 0;
  const result by_gpus = on_gpus(items, count);
  print_way(std::to_string(count) + " ranks on GPUs of this process", by_gpus, expected);
  print_way("a file, chunk by chunk", from_file(path, std::ssize(items)), expected);
#if defined(EXAMPLES_MPI)
  print_way(std::to_string(processes) + (processes > 1 ? " processes of MPI" : " process of MPI"), of_all, expected);
#endif
}

int main(int argc, char** argv) {
#if defined(EXAMPLES_MPI)
  MPI_Init(&argc, &argv);
  const int exit_code = examples::run_program(argc, argv, help, run);
  if (exit_code != 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
  MPI_Finalize();
  return exit_code;
#else
  return examples::run_program(argc, argv, help, run);
#endif
}
