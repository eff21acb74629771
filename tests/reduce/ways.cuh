// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to ask for one and the same reduction: where init comes from, whose scratch is used, how many blocks may
// run. None of them may change a bit, so the tests of reduce go through all.
#pragma once
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <vector>
#include <warpfold/reduce.cuh>

#include "common/device.cuh"
#include "common/sizes.hpp"

namespace wf_test {

enum class init_from { nothing, value, device_memory };
enum class scratch { default_slot, reused, fresh, callers };

struct way {
  init_from init = init_from::nothing;
  scratch workspace = scratch::default_slot;
  int max_blocks = 0;

  bool has_init() const { return init != init_from::nothing; }
  friend std::ostream& operator<<(std::ostream& out, const way& w) {
    constexpr const char* init_names[] = {"no", "a", "a device-resident"};
    constexpr const char* scratch_names[] = {"default", "reused", "fresh", "caller's"};
    return out << init_names[static_cast<int>(w.init)] << " init, " << scratch_names[static_cast<int>(w.workspace)]
               << " workspace, max_blocks " << w.max_blocks;
  }
};

/// Every init with every bound of the grid; the workspaces take turns, beginning with number `turn`.
inline std::vector<way> ways(std::int64_t turn, std::initializer_list<int> max_blocks = {0, 1, 7}) {
  std::vector<way> result;
  for (const int blocks : max_blocks)
    for (const init_from init : {init_from::nothing, init_from::value, init_from::device_memory})
      result.push_back({init, static_cast<scratch>(turn++ % 4), blocks});
  return result;
}

/// Memory for the ways, for accumulators of type `A`, and one result.
template <class A> class asked {
 public:
  explicit asked(const A& init, const A& untouched = {})
      : init_(init),
        untouched_(untouched),
        init_on_device_(1),
        out_(1),
        reused_(sizeof(A)),
        own_(static_cast<std::int64_t>(warpfold::workspace_bytes<A>())) {
    init_on_device_.set(0, init);
    callers_ = warpfold::initialize_workspace({own_.data(), own_.size()});
  }

  /// Options for the next call; its result must be taken before the next are made.
  warpfold::reduce_options<A> options(const way& w) {
    out_.set(0, untouched_);
    warpfold::reduce_options<A> result{.max_blocks = w.max_blocks};
    if (w.init == init_from::value) result.init = init_;
    if (w.init == init_from::device_memory) result.init = static_cast<const A*>(init_on_device_.data());
    if (w.workspace == scratch::reused) result.workspace = reused_;
    if (w.workspace == scratch::fresh) result.workspace = fresh_.emplace(sizeof(A));
    if (w.workspace == scratch::callers) result.workspace = callers_;
    return result;
  }

  A* out() const { return out_.data(); }
  A result() const { return out_.value(); }

 private:
  A init_, untouched_;
  device_array<A> init_on_device_, out_;
  warpfold::workspace reused_;
  std::optional<warpfold::workspace> fresh_;
  device_array<std::byte> own_;
  warpfold::workspace_ref callers_;  ///< own_, initialised
};

/// Sizes at every border of a cut, for items of type `T`: whatever a lane, a row, a warp, a block, a cluster, a wave or
/// a share takes is a chunk times a power of two, or a few of them. And primes. On a GPU the cuts into blocks come
/// later.
template <class T> std::vector<std::int64_t> border_sizes(std::int64_t most = emulated ? 1 << 17 : 1 << 21) {
  std::set<std::int64_t> sizes;
  const auto primes = prime_sizes(most);
  sizes.insert(primes.begin(), primes.end());
  for (std::int64_t unit = warpfold::thread::items_per_chunk(sizeof(T)); unit <= most; unit *= 2)
    for (const std::int64_t units : {unit, 3 * unit})
      for (std::int64_t size = units - 1; size <= units + 1; ++size)
        if (size >= 1 && size <= most) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

/// One size for each shape of grid, and sizes between: a warp, a block, a cluster, a wave, shares of several nodes.
template <class T> std::vector<std::int64_t> shape_sizes() {
  constexpr std::int64_t row = 32 * warpfold::thread::items_per_chunk(sizeof(T)), block = 64 * row;
  const std::int64_t shares = emulated ? 23 * block : 2 * 132 * 2 * 3 * block;
  return {1, row - 1, row + 1, block - 3, 2 * block + 1, 5 * block + 7, shares + 11};
}

}  // namespace wf_test
