// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types that `.stream` takes.
#pragma once
#include <concepts>
#include <type_traits>
#include <warpfold/config.hpp>

namespace warpfold {

/// The stream of a call: a cudaStream_t; what converts to one, as streams of RMM and PyTorch do; or what gives one by
/// get(), as cuda::stream_ref and types derived from it do.
class stream_argument {
 public:
  constexpr stream_argument() = default;
  constexpr stream_argument(cudaStream_t stream) : stream_(stream) {}
  template <class S>
    requires(!std::is_scalar_v<S> && std::convertible_to<const S&, cudaStream_t>)
  constexpr stream_argument(const S& stream) : stream_(stream) {}
  template <class S>
    requires(!std::convertible_to<const S&, cudaStream_t> && requires(const S& s) {
      { s.get() } -> std::convertible_to<cudaStream_t>;
    })
  constexpr stream_argument(const S& stream) : stream_(stream.get()) {}

  /// Refused.
  template <class T>
    requires(!std::convertible_to<T*, cudaStream_t>)
  constexpr stream_argument(T*) {
    static_assert(!std::is_pointer_v<T*>,
                  "warpfold: .stream takes a cudaStream_t, or what converts to one: no pointer to it, nor a void*");
  }

  constexpr operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = {};
};

}  // namespace warpfold
