// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quickest way to load chunks: by whole vectors, by shifted vectors, or item by item.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::thread {

/// Calls each(load) once. load(chunk, item) loads the chunk that starts at `item`:
/// - by aligned vectors, if all items of [first, last) exist and the source is aligned;
/// - by shifted vectors, if the vectors around these items exist, too;
/// - else item by item, and only those that exist.
/// All chunks that `each` loads lie in [first, last), which is the same in all lanes of a warp.
template <class Source, class Each>
__device__ void load_by_alignment(const Source& source, std::int64_t first, std::int64_t last, Each each) {
  if (last <= source.items) {
    if (source.misaligned_bytes() == 0) return each([&](auto& to, std::int64_t item) { source.load(to, item); });
    if constexpr (requires { source.can_shift(first, last); })
      if (source.can_shift(first, last))
        return each([&](auto& to, std::int64_t item) { source.load_shifted(to, item); });
  }
  each([&](auto& to, std::int64_t item) { source.load_edge(to, item); });
}

}  // namespace warpfold::thread
