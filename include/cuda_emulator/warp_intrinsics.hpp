// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's warp intrinsics: __syncwarp, shuffles, votes, matches and reductions.
#pragma once

#include <cuda_emulator/packed_float.hpp>
#include <cuda_emulator/warp_collective.hpp>

#include <concepts>
#include <type_traits>

namespace cuda_emulator {

// The types that CUDA shuffles. Narrower integers are promoted to int, as in CUDA.
template <class T>
concept shuffled = (std::is_arithmetic_v<T> && sizeof(T) <= 8) || is_packed_float<T>;
template <class T>
concept reduced_word = std::same_as<T, int> || std::same_as<T, unsigned>;
template <class T> struct promoted { using type = T; };
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) < 4)
struct promoted<T> {
  using type = int;
};

namespace detail {

template <class T> std::uint64_t to_bits(T value) {
  static_assert((std::is_trivially_copyable_v<T> || is_packed_float<T>)&&sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}
template <class T> T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

inline void each_lane(unsigned lanes, auto&& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

[[gnu::noinline]] inline void refuse_inactive_source(const warp& w, int lane) {
  current_scheduler->fail(fault::inactive_source, w.lanes[lane].waits_at, ": lane ", lane, " reads lane ",
                          w.source[lane], ", which does not take part");
}

inline void complete_shuffle(warp& w, unsigned lanes) {
  std::uint64_t before[32];
  std::memcpy(before, w.value, sizeof before);
  each_lane(lanes, [&](int lane) {
    const unsigned source = w.source[lane];
    if ((lanes >> source & 1) != 0) {
      w.value[lane] = before[source];
    } else {
      if (!current_scheduler->rules().allow_inactive_source) refuse_inactive_source(w, lane);
      w.value[lane] = 0x7FFB7FFB7FFB7FFBu;  // poison
    }
  });
}
inline unsigned votes(const warp& w, unsigned lanes) {
  unsigned ballot = 0;
  each_lane(lanes, [&](int lane) { ballot |= static_cast<unsigned>(w.value[lane]) << lane; });
  return ballot;
}
inline void give_all(warp& w, unsigned lanes, std::uint64_t result) {
  each_lane(lanes, [&](int lane) { w.value[lane] = result; });
}
inline void complete_match_any(warp& w, unsigned lanes) {
  std::uint64_t before[32];
  std::memcpy(before, w.value, sizeof before);
  each_lane(lanes, [&](int lane) {
    unsigned equal = 0;
    each_lane(lanes, [&](int other) { equal |= before[other] == before[lane] ? 1u << other : 0u; });
    w.value[lane] = equal;
  });
}
inline void complete_match_all(warp& w, unsigned lanes) {
  const std::uint64_t first = w.value[std::countr_zero(lanes)];
  bool same = true;
  each_lane(lanes, [&](int lane) { same = same && w.value[lane] == first; });
  give_all(w, lanes, same ? lanes : 0u);
}
template <class T, class Op> void complete_reduction(warp& w, unsigned lanes) {
  const int first = std::countr_zero(lanes);
  T result = from_bits<T>(w.value[first]);
  each_lane(lanes & (lanes - 1), [&](int lane) { result = Op::apply(result, from_bits<T>(w.value[lane])); });
  give_all(w, lanes, to_bits(result));
}

inline constexpr collective sync_warp{"__syncwarp", &races::lanes_met};
inline constexpr collective shuffle{"__shfl_sync", &complete_shuffle};
inline constexpr collective shuffle_up{"__shfl_up_sync", &complete_shuffle};
inline constexpr collective shuffle_down{"__shfl_down_sync", &complete_shuffle};
inline constexpr collective shuffle_xor{"__shfl_xor_sync", &complete_shuffle};
inline constexpr collective ballot{"__ballot_sync",
                                   [](warp& w, unsigned lanes) { give_all(w, lanes, votes(w, lanes)); }};
inline constexpr collective any{"__any_sync",
                                [](warp& w, unsigned lanes) { give_all(w, lanes, votes(w, lanes) != 0); }};
inline constexpr collective all{"__all_sync",
                                [](warp& w, unsigned lanes) { give_all(w, lanes, votes(w, lanes) == lanes); }};
inline constexpr collective match_any{"__match_any_sync", &complete_match_any};
inline constexpr collective match_all{"__match_all_sync", &complete_match_all};

struct add {
  static constexpr const char* name = "__reduce_add_sync";
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
};
struct least {
  static constexpr const char* name = "__reduce_min_sync";
  template <class T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct greatest {
  static constexpr const char* name = "__reduce_max_sync";
  template <class T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct conjunction {
  static constexpr const char* name = "__reduce_and_sync";
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct disjunction {
  static constexpr const char* name = "__reduce_or_sync";
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct exclusion {
  static constexpr const char* name = "__reduce_xor_sync";
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
template <class T, class Op> inline constexpr collective reduction{Op::name, &complete_reduction<T, Op>};

template <class T, class Op> T reduce(unsigned mask, T value, const std::source_location& site) {
  return from_bits<T>(meet(reduction<T, Op>, mask, to_bits(value), 0, site));
}

template <class T>
typename promoted<T>::type exchange(const collective& operation, unsigned mask, T value, int width, int source,
                                    const std::source_location& site) {
  using sent = typename promoted<T>::type;
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    current_scheduler->fail(fault::usage, operation.name, ": width must be a power of two up to 32");
  return from_bits<sent>(meet(operation, mask, to_bits(static_cast<sent>(value)), static_cast<unsigned>(source), site));
}

inline int lane_of_caller(const char* what) { return static_cast<int>(running_thread(what).lane); }

}  // namespace detail
}  // namespace cuda_emulator

#define CUDA_EMULATOR_SITE const std::source_location& site = std::source_location::current()

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, CUDA_EMULATOR_SITE) {
  cuda_emulator::meet(cuda_emulator::detail::sync_warp, mask, 0, 0, site);
}

template <cuda_emulator::shuffled T>
auto __shfl_sync(unsigned mask, T value, int source_lane, int width = 32, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  const int lane = e::lane_of_caller("__shfl_sync");
  const int source = (lane & ~(width - 1)) | (source_lane & (width - 1));
  return e::exchange(e::shuffle, mask, value, width, source, site);
}
template <cuda_emulator::shuffled T>
auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  const int lane = e::lane_of_caller("__shfl_up_sync");
  const int source = lane - static_cast<int>(delta & 31);
  return e::exchange(e::shuffle_up, mask, value, width, source < (lane & ~(width - 1)) ? lane : source, site);
}
template <cuda_emulator::shuffled T>
auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  const int lane = e::lane_of_caller("__shfl_down_sync");
  const int source = lane + static_cast<int>(delta & 31);
  return e::exchange(e::shuffle_down, mask, value, width, source > (lane | (width - 1)) ? lane : source, site);
}
template <cuda_emulator::shuffled T>
auto __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  const int lane = e::lane_of_caller("__shfl_xor_sync");
  const int source = lane ^ (lane_mask & 31);
  return e::exchange(e::shuffle_xor, mask, value, width, source > (lane | (width - 1)) ? lane : source, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_EMULATOR_SITE) {
  return static_cast<unsigned>(cuda_emulator::meet(cuda_emulator::detail::ballot, mask, predicate != 0, 0, site));
}
inline int __any_sync(unsigned mask, int predicate, CUDA_EMULATOR_SITE) {
  return static_cast<int>(cuda_emulator::meet(cuda_emulator::detail::any, mask, predicate != 0, 0, site));
}
inline int __all_sync(unsigned mask, int predicate, CUDA_EMULATOR_SITE) {
  return static_cast<int>(cuda_emulator::meet(cuda_emulator::detail::all, mask, predicate != 0, 0, site));
}
template <class T>
  requires(std::is_arithmetic_v<T> && sizeof(T) >= 4)
unsigned __match_any_sync(unsigned mask, T value, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  return static_cast<unsigned>(cuda_emulator::meet(e::match_any, mask, e::to_bits(value), 0, site));
}
template <class T>
  requires(std::is_arithmetic_v<T> && sizeof(T) >= 4)
unsigned __match_all_sync(unsigned mask, T value, int* predicate, CUDA_EMULATOR_SITE) {
  namespace e = cuda_emulator::detail;
  const auto lanes = static_cast<unsigned>(cuda_emulator::meet(e::match_all, mask, e::to_bits(value), 0, site));
  *predicate = lanes != 0;
  return lanes;
}

template <cuda_emulator::reduced_word T> T __reduce_add_sync(unsigned mask, T value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<T, cuda_emulator::detail::add>(mask, value, site);
}
template <cuda_emulator::reduced_word T> T __reduce_min_sync(unsigned mask, T value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<T, cuda_emulator::detail::least>(mask, value, site);
}
template <cuda_emulator::reduced_word T> T __reduce_max_sync(unsigned mask, T value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<T, cuda_emulator::detail::greatest>(mask, value, site);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<unsigned, cuda_emulator::detail::conjunction>(mask, value, site);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<unsigned, cuda_emulator::detail::disjunction>(mask, value, site);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, CUDA_EMULATOR_SITE) {
  return cuda_emulator::detail::reduce<unsigned, cuda_emulator::detail::exclusion>(mask, value, site);
}

// Deleted because a program must not depend on which lanes happen to run together.
unsigned __activemask() = delete;
template <class... T> void __shfl(T...) = delete;
template <class... T> void __shfl_up(T...) = delete;
template <class... T> void __shfl_down(T...) = delete;
template <class... T> void __shfl_xor(T...) = delete;
template <class... T> void __ballot(T...) = delete;
template <class... T> void __any(T...) = delete;
template <class... T> void __all(T...) = delete;
