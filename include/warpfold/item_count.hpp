// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The argument behind an iterator in a call: how many items there are, or where they end.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold {

/// How many items there are from an iterator on: an integer, or the end, which is subtracted. An end is looked at in
/// the call that it is passed to, and not later.
template <class It> class item_count {
 public:
  template <std::convertible_to<std::int64_t> N>
  constexpr item_count(const N& count) : count_(static_cast<std::int64_t>(count)) {}
  template <class End>
    requires(!std::convertible_to<const End&, std::int64_t> && requires(const It& first, const End& end) {
      { end - first } -> std::convertible_to<std::int64_t>;
    })
  constexpr item_count(const End& end) : end_(&end), distance_(distance<End>) {}

  /// The number of items from `first` on.
  std::int64_t from(const It& first) const { return distance_ != nullptr ? distance_(first, end_) : count_; }

 private:
  template <class End> static std::int64_t distance(const It& first, const void* end) {
    return static_cast<std::int64_t>(*static_cast<const End*>(end) - first);
  }

  std::int64_t count_ = 0;
  const void* end_ = nullptr;
  std::int64_t (*distance_)(const It&, const void*) = nullptr;
};
/// The same as a parameter, from which `It` is not deduced.
template <class It> using count_argument = std::type_identity_t<item_count<It>>;

/// Whether `T` is a count that only the device knows (device_count.cuh).
template <class T> inline constexpr bool is_device_count = false;

}  // namespace warpfold
