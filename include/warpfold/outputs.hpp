// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// outputs(a, b, c): an output with a destination for each result of a fused reduction (fuse.hpp).
#pragma once
#include <warpfold/fused.hpp>
#include <warpfold/iterators.hpp>
#include <warpfold/thread/put.cuh>

namespace warpfold {

namespace detail {
template <class Place, class It, class T>
concept takes = thread::assigns<decltype(std::declval<const Place&>()(std::declval<const It&>())), T>;
}  // namespace detail

/// Several outputs as kernels write them, by a pointer or an iterator each: *places = values and places[i] = values
/// write value k through output k.
template <class... Its> struct output_places : detail::fused_storage<std::index_sequence_for<Its...>, Its...> {
  /// Output `I`.
  template <std::size_t I> __host__ __device__ constexpr const detail::type_at_t<I, Its...>& get() const {
    return detail::element<I>(*this);
  }

  /// Values are assigned to it. `place(it)` is the item of one output.
  template <class Place> struct reference {
    const output_places& outputs;  ///< whose items they are
    Place place;                   ///< of the item

    template <class... Ts>
      requires(sizeof...(Ts) == sizeof...(Its) && (detail::takes<Place, Its, Ts> && ...))
    __host__ __device__ void operator=(const fused<Ts...>& values) const {
      write(values, std::index_sequence_for<Ts...>());
    }

   private:
    template <class Values, std::size_t... Is>
    __host__ __device__ void write(const Values& values, std::index_sequence<Is...>) const {
      (thread::assign(place(outputs.template get<Is>()), values.template get<Is>()), ...);
    }
  };
  /// Finds the item of *places.
  struct first_item {
    template <class It> __host__ __device__ decltype(auto) operator()(const It& it) const { return *it; }
  };
  /// Finds the item of places[index].
  struct numbered_item {
    std::ptrdiff_t index;  ///< of the item
    template <class It> __host__ __device__ decltype(auto) operator()(const It& it) const { return it[index]; }
  };

  __host__ __device__ reference<first_item> operator*() const { return {*this, {}}; }
  __host__ __device__ reference<numbered_item> operator[](std::ptrdiff_t i) const { return {*this, {i}}; }
  /// The outputs from their items number `items` on.
  __host__ __device__ constexpr output_places operator+(std::ptrdiff_t items) const {
    return advanced(items, std::index_sequence_for<Its...>());
  }

 private:
  template <std::size_t... Is>
  __host__ __device__ constexpr output_places advanced(std::ptrdiff_t items, std::index_sequence<Is...>) const {
    output_places result = *this;
    ((detail::element<Is>(result) = get<Is>() + items), ...);
    return result;
  }
};

/// How many items each output holds, where known.
template <class... Its> struct output<output_places<Its...>> {
  static constexpr std::int64_t unknown_size = -1;
  output_places<Its...> first;
  std::int64_t size = unknown_size;  ///< the smallest size that is known
  std::int64_t sizes[sizeof...(Its)]{};

  /// Calls visit(k, first, size) for each output k.
  template <class Visit> WARPFOLD_JIT void for_each(Visit visit) const {
    visit_all(visit, std::index_sequence_for<Its...>());
  }

 private:
  template <class Visit, std::size_t... Is>
  WARPFOLD_JIT void visit_all(Visit& visit, std::index_sequence<Is...>) const {
    (visit(Is, first.template get<Is>(), sizes[Is]), ...);
  }
};

/// The result of `outputs`. `IsSized` says whether any of the outputs is a range.
template <bool IsSized, class... Its> struct outputs_argument {
  static constexpr bool is_sized = IsSized;  ///< whether the least size is known
  output<output_places<Its...>> all;         ///< in the caller's order

  /// As kernels write them.
  WARPFOLD_JIT constexpr const output<output_places<Its...>>& to_output() const { return all; }
};

/// An output for each result of a fused reduction: device pointers, iterators that device code can assign through, or
/// ranges, as single outputs are. They must be apart from each other. Functions with many results need ranges that are
/// equally long. The ranges are not copied: they must outlive the reduction. Along axes: arrays, or ranges for rows and
/// columns (reduce_axes.cuh).
template <class... Outs> WARPFOLD_JIT constexpr auto outputs(Outs&&... outs) {
  static_assert(sizeof...(Outs) > 0, "warpfold: outputs needs an output for each result");
  static_assert(!(requires { std::remove_cvref_t<Outs>::is_sized; } || ...),
                "warpfold: outputs cannot be nested: pass a pointer to fused<...> for a fused part");
  constexpr bool is_sized = (is_sized_output<Outs> || ...);
  outputs_argument<is_sized, output_iterator_t<Outs&>...> result{};
  std::size_t k = 0;
  const auto add = [&](auto& place, const auto& out) {
    place = out.first;
    result.all.sizes[k++] = out.size;
    if (out.size >= 0 && (result.all.size < 0 || out.size < result.all.size)) result.all.size = out.size;
  };
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (add(detail::element<Is>(result.all.first), warpfold::to_output(outs)), ...);
  }
  (std::index_sequence_for<Outs...>());
  return result;
}

}  // namespace warpfold
