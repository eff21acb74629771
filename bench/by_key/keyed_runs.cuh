// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/device_count_by_key.cuh>
#include <warpfold/reduce_by_key.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../reduce/items.cuh"
#include "../segmented/cub_by_key.cuh"
#include "../segmented/move_kernel.cuh"
#include "../segmented/segmented_items.cuh"

namespace bench {

/// One reduction by key to be timed: random items, the numbers of their segments as keys, output and scratch. No
/// segment is empty. Output values and keys lie in one array, so a mover writes both.
template <class T, class Op, class Key> class keyed_runs {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  keyed_runs(std::int64_t items, const distribution& lengths)
      : in_(items, lengths), out_(rounded_up(segments()) * (sizeof(accumulator) + sizeof(Key))), counts_(4) {
    in_.make_owners();
  }

  std::int64_t items() const { return in_.items(); }
  std::int64_t segments() const { return in_.segments(); }
  unsigned* sink() const { return counts_.data(); }

  traffic moved() const {
    return {in_.data().data(),   in_.data().size_bytes(),
            in_.owners().data(), in_.owners().size_bytes(),
            out_.data(),         values_out().size_bytes() + keys_out().size_bytes()};
  }

  contender warpfold_call() {
    return {"warpfold", [this](cudaStream_t stream, int) {
              warpfold::reduce_by_key(in_.owners(), in_.data(), keys_out(), values_out(), count(), Op{},
                                      {.stream = stream, .workspace = workspace_});
            }};
  }
  /// The same, with the number of items that lies in device memory.
  contender counted_call(std::shared_ptr<device_buffer<std::int64_t>> number) {
    return {"warpfold", [this, number = std::move(number)](cudaStream_t stream, int) {
              warpfold::reduce_by_key(in_.owners().data(), in_.data().data(),
                                      warpfold::device_count(number->data(), items()), keys_out(), values_out(),
                                      count(), Op{}, {.stream = stream, .workspace = workspace_});
            }};
  }
  /// `CubOp` is the same operator in the form that suits CUB.
  template <class CubOp> contender cub_call() {
    return make_cub_by_key<CubOp>(in_.owners(), in_.data(), keys_out().data(), values_out().data(), count());
  }

  /// Throws unless both count all runs and have the keys of the first million, whose values agree, and Warpfold's
  /// values of the first million items have the bits of the canonical tree.
  void verify(const contender& ours, const contender& theirs) {
    constexpr std::size_t most = 1 << 20;
    const auto offsets = to_host(in_.offsets(), most);
    const auto items = to_host(in_.data(), most);
    const auto results = results_of(ours, most), peers = results_of(theirs, most);
    for (std::size_t run = 0; run + 1 < offsets.size(); ++run) {
      const std::int64_t begin = offsets[run], end = offsets[run + 1];
      if (end <= static_cast<std::int64_t>(items.size())) {
        const accumulator expected = warpfold::canonical_tree::replay_part(items.data(), begin, end, Op{});
        if (std::memcmp(&results[run], &expected, sizeof(expected)) != 0)
          throw std::runtime_error("run " + std::to_string(run) + " differs from the canonical tree");
      }
      if (!agrees(results[run], peers[run], static_cast<double>(end - begin)))
        throw std::runtime_error("run " + std::to_string(run) + " differs from CUB's");
    }
  }

 private:
  std::span<accumulator> values_out() const {
    return {reinterpret_cast<accumulator*>(out_.data()), static_cast<std::size_t>(segments())};
  }
  std::span<Key> keys_out() const {
    return {reinterpret_cast<Key*>(out_.data() + rounded_up(segments()) * sizeof(accumulator)),
            static_cast<std::size_t>(segments())};
  }
  unsigned* count() const { return counts_.data() + 1; }

  std::vector<accumulator> results_of(const contender& candidate, std::size_t most) {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));  // so that a result not written shows
    check(cudaMemset(counts_.data(), 0xFF, counts_.bytes()));
    candidate.run(nullptr, 0);
    const unsigned runs = to_host(std::span<const unsigned>(count(), 1), 1)[0];
    if (runs != segments())
      throw std::runtime_error(candidate.name + " counts " + std::to_string(runs) + " runs, there are " +
                               std::to_string(segments()));
    const auto keys = to_host(std::span<const Key>(keys_out()), most);
    for (std::size_t run = 0; run < keys.size(); ++run)
      if (keys[run] != static_cast<Key>(run))
        throw std::runtime_error(candidate.name + ": wrong key of run " + std::to_string(run));
    return to_host(std::span<const accumulator>(values_out()), most);
  }

  segmented_items<T, Key> in_;
  device_buffer<std::byte> out_;
  device_buffer<unsigned> counts_;
  warpfold::workspace workspace_;
};

}  // namespace bench
