// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What benches of ranks measure on: for each GPU a stream, random items and room for results.
#pragma once
#include <numeric>
#include <span>
#include <vector>

#include "../common/groups.hpp"
#include "../common/random_data.cuh"
#include "../common/statistics.hpp"
#include "rank_threads.hpp"

namespace bench {

/// The GPUs 0 to `ranks` - 1.
class rank_arrays {
 public:
  struct one {
    bench::stream stream;
    device_buffer<float> in, out;
  };

  rank_arrays(int ranks, std::int64_t items, std::int64_t results) {
    for (int r = 0; r < ranks; ++r) {
      check(cudaSetDevice(r));
      all_.push_back({make_stream(), device_buffer<float>(static_cast<std::size_t>(items)),
                      device_buffer<float>(static_cast<std::size_t>(results))});
      fill_random(all_.back().in.data(), items, static_cast<std::uint64_t>(r) + 1, all_.back().stream.get());
      check(cudaDeviceSynchronize());
    }
  }

  int size() const { return static_cast<int>(all_.size()); }
  std::vector<int> devices() const {
    std::vector<int> numbers(all_.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  cudaStream_t stream(int rank) const { return of(rank).stream.get(); }
  std::span<const float> in(int rank) const { return {of(rank).in.data(), of(rank).in.size()}; }
  std::span<float> out(int rank) const { return {of(rank).out.data(), of(rank).out.size()}; }
  void wait(int rank) const { check(cudaStreamSynchronize(stream(rank))); }

 private:
  const one& of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }

  std::vector<one> all_;
};

/// Times of call(rank, over_ranks), from a thread for each rank: of the local parts alone, then over ranks.
template <class Call> std::vector<measurement> local_and_over_ranks(const rank_arrays& arrays, Call call) {
  const auto sample = [&](std::size_t over_ranks) {
    return seconds_on_ranks(
        arrays.size(), 20, [&](int r) { call(r, over_ranks == 1); }, [&](int r) { arrays.wait(r); });
  };
  for (const std::size_t i : {0, 1}) (void)sample(i);
  std::vector<measurement> results;
  for (const statistics& each : round_robin(2, {7, 41, 2.0}, sample)) results.push_back({each});
  return results;
}

}  // namespace bench
