// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs each block algorithm that works in shared memory once for items of 4, 8 and 16 bytes, for ncu to count bank
// conflicts (bench/README.md). For scans it prints the expected numbers.
#include <cstdio>
#include <exception>
#include <span>
#include <typeinfo>
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include "common/cuda_resources.hpp"
#include "common/random_data.cuh"
#include "reduce/items.cuh"

namespace {

namespace wf = warpfold;

constexpr std::int64_t count = 1 << 22;

template <class Algorithm, class T, class Op> void run(Op op) {
  const bench::device_buffer<T> items(count), out(1);
  bench::fill_random(items.data(), count, 1, nullptr);
  wf::reduce<wf::strategy<Algorithm, wf::grid::persistent, wf::finish::last_block>>(
      std::span<const T>(items.data(), items.size()), out.data(), op);
  bench::check(cudaDeviceSynchronize());
}

template <class Algorithm, class T, class Op> void run_scan(Op op) {
  const bench::device_buffer<T> items(count), out(count);
  bench::fill_random(items.data(), count, 1, nullptr);
  wf::strategies::inclusive_scan<wf::scan_strategy<Algorithm>>(std::span<const T>(items.data(), items.size()),
                                                               out.data(), op);
  bench::check(cudaDeviceSynchronize());
  const auto one = wf::strategies::conflicts_of<Algorithm, T>();
  const std::int64_t data_blocks = count / Algorithm::data_block_items;
  std::printf("%-40s %2zu bytes: %lld wavefronts in the first pass, %lld of them bank conflicts\n",
              typeid(Algorithm).name(), sizeof(T), static_cast<long long>(one.wavefronts * data_blocks),
              static_cast<long long>(one.conflicts * data_blocks));
}

template <class Algorithm> void run_scans() {
  run_scan<Algorithm, float>(wf::plus{});
  run_scan<Algorithm, double>(wf::plus{});
  run_scan<Algorithm, bench::complex128>(bench::add_components{});
}

template <class Algorithm> void run_sizes() {
  run<Algorithm, float>(wf::plus{});
  run<Algorithm, double>(wf::plus{});
  run<Algorithm, bench::complex128>(bench::add_components{});
}

}  // namespace

int main() try {
  run_sizes<wf::block::tree<256>>();
  run_sizes<wf::block::warp_tree<256>>();
  run_sizes<wf::block::matrix<32, 32, 256>>();
  run_scans<wf::block::hillis_steele<256>>();
  run_scans<wf::block::up_down_sweep<wf::block::padding::none, 256>>();
  run_scans<wf::block::up_down_sweep<wf::block::padding::spare_slots, 256>>();
  run_scans<wf::block::matrix_scan<32, 32, 256>>();
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
