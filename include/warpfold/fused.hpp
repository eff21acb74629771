// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of several reductions side by side: accumulators, results and initial values of fused reductions (fuse.hpp).
// Unlike std::tuple, it is trivially copyable and usable on the GPU.
#pragma once
#include <warpfold/narrowing.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

namespace detail {

/// Value `I` of several.
template <std::size_t I, class T> struct fused_element { T value; };
template <std::size_t I, class T> __host__ __device__ constexpr T& element(fused_element<I, T>& of) { return of.value; }
template <std::size_t I, class T> __host__ __device__ constexpr const T& element(const fused_element<I, T>& of) {
  return of.value;
}

template <class Indices, class... Ts> struct element_pack;
template <std::size_t... Is, class... Ts>
struct element_pack<std::index_sequence<Is...>, Ts...> : fused_element<Is, Ts>... {};

template <std::size_t I, class T, class... Ts> struct type_at : type_at<I - 1, Ts...> {};
template <class T, class... Ts> struct type_at<0, T, Ts...> { using type = T; };
template <std::size_t I, class... Ts> using type_at_t = typename type_at<I, Ts...>::type;

template <std::size_t Count> struct index_list { std::size_t at[Count]; };
/// The types' indices, the most aligned type first, so that no padding lies between values.
template <class... Ts> WARPFOLD_JIT consteval index_list<sizeof...(Ts)> by_alignment() {
  constexpr std::size_t alignments[] = {alignof(Ts)...};
  index_list<sizeof...(Ts)> order{};
  std::size_t count = 0, most = 1;
  for (const std::size_t alignment : alignments) most = alignment > most ? alignment : most;
  for (; most > 0; most /= 2)
    for (std::size_t i = 0; i < sizeof...(Ts); ++i)
      if (alignments[i] == most) order.at[count++] = i;
  return order;
}

template <std::size_t Count> WARPFOLD_JIT consteval std::size_t largest(const std::size_t (&numbers)[Count]) {
  std::size_t most = 0;
  for (const std::size_t number : numbers) most = number > most ? number : most;
  return most;
}

template <class Places, class... Ts> struct fused_storage;
template <std::size_t... Places, class... Ts>
struct fused_storage<std::index_sequence<Places...>, Ts...>
    : fused_element<by_alignment<Ts...>().at[Places], type_at_t<by_alignment<Ts...>().at[Places], Ts...>>... {};

}  // namespace detail

/// Values of types `Ts`, read by get<I>(values) and, on the host, by structured bindings:
/// auto [sum, largest] = wf::reduce_value(in, wf::fuse(wf::plus{}, wf::maximum{})). fused(1.f, 2) deduces the types,
/// and converts to values of others.
template <class... Ts> class fused : public detail::fused_storage<std::index_sequence_for<Ts...>, Ts...> {
 public:
  static_assert(sizeof...(Ts) > 0, "warpfold: there must be at least one value");

  static constexpr std::size_t part_count = sizeof...(Ts);                     ///< how many values there are
  static constexpr std::size_t most_bytes = detail::largest({sizeof(Ts)...});  ///< of a value

  fused() = default;
  __host__ __device__ constexpr fused(const Ts&... values) { assign(std::index_sequence_for<Ts...>(), values...); }
  template <class... Us>
    requires(sizeof...(Us) == sizeof...(Ts) && !std::is_same_v<fused<Us...>, fused> &&
             (std::is_convertible_v<const Us&, Ts> && ...))
  __host__ __device__ constexpr fused(const fused<Us...>& other) {
    assign_from(std::index_sequence_for<Ts...>(), other);
  }

  /// Value `I`.
  template <std::size_t I> __host__ __device__ constexpr detail::type_at_t<I, Ts...>& get() {
    return detail::element<I>(*this);
  }
  /// The same of what is constant.
  template <std::size_t I> __host__ __device__ constexpr const detail::type_at_t<I, Ts...>& get() const {
    return detail::element<I>(*this);
  }

  __host__ __device__ friend constexpr bool operator==(const fused& a, const fused& b) {
    return equal(std::index_sequence_for<Ts...>(), a, b);
  }

 private:
  template <std::size_t... Is>
  __host__ __device__ constexpr void assign(std::index_sequence<Is...>, const Ts&... values) {
    ((get<Is>() = values), ...);
  }
  template <std::size_t... Is, class Other>
  __host__ __device__ constexpr void assign_from(std::index_sequence<Is...>, const Other& other) {
    ((get<Is>() = static_cast<Ts>(other.template get<Is>())), ...);
  }
  template <std::size_t... Is>
  __host__ __device__ static constexpr bool equal(std::index_sequence<Is...>, const fused& a, const fused& b) {
    return ((a.template get<Is>() == b.template get<Is>()) && ...);
  }
};

/// Value `I` of `values`.
template <std::size_t I, class... Ts> __host__ __device__ constexpr auto& get(fused<Ts...>& values) {
  return values.template get<I>();
}
/// The same of what is constant.
template <std::size_t I, class... Ts> __host__ __device__ constexpr const auto& get(const fused<Ts...>& values) {
  return values.template get<I>();
}

namespace detail {
/// An initial value is wider than the accumulators if one of its values is.
template <class... Ts, class... As>
  requires(sizeof...(Ts) == sizeof...(As))
inline constexpr bool is_wider<fused<Ts...>, fused<As...>> = (is_wider<Ts, As> || ...);

/// Checks each value against its accumulator.
template <class... Ts, class... As>
  requires(sizeof...(Ts) == sizeof...(As))
struct conversion<fused<Ts...>, fused<As...>> {
  WARPFOLD_JIT static constexpr void note_loss(lost_numbers& lost, const fused<Ts...>& given, int) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (conversion<Ts, As>::note_loss(lost, given.template get<Is>(), static_cast<int>(Is)), ...);
    }
    (std::index_sequence_for<Ts...>());
  }
};
}  // namespace detail

}  // namespace warpfold

#if !defined(__CUDACC_RTC__)  // for structured bindings on the host
template <class... Ts> struct std::tuple_size<warpfold::fused<Ts...>> {
  static constexpr std::size_t value = sizeof...(Ts);
};
template <std::size_t I, class... Ts> struct std::tuple_element<I, warpfold::fused<Ts...>> {
  using type = warpfold::detail::type_at_t<I, Ts...>;
};
#endif
