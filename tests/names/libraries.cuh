// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranges of std, cuda::std and thrust as the arrays of calls.cuh.
#pragma once
#include <thrust/device_vector.h>

#include <cuda/std/span>
#include <span>

#include "names/calls.cuh"
#include "names/same_names.hpp"

namespace wf_test::names {

struct thrust_vectors {
  template <class T> class array {
   public:
    explicit array(std::int64_t count) : items_(static_cast<std::size_t>(count)) {}
    explicit array(const std::vector<T>& items) : items_(items) {}
    const auto& in() const { return items_; }
    auto first() const { return items_.begin(); }
    auto& out() { return items_; }
    auto out_first() { return items_.begin(); }
    T* data() { return thrust::raw_pointer_cast(items_.data()); }
    std::span<const T> items() const { return {thrust::raw_pointer_cast(items_.data()), items_.size()}; }
    std::vector<T> to_host() const {
      std::vector<T> result(items_.size());
      thrust::copy(items_.begin(), items_.end(), result.begin());
      return result;
    }

   private:
    thrust::device_vector<T> items_;
  };
};

template <class T> using std_span = std::span<T>;
template <class T> using cuda_span = cuda::std::span<T>;
template <class T> struct own_range : same_names::range<T> {
  own_range(T* begin, std::size_t items) : same_names::range<T>{begin, items} {}
  T* begin() const { return this->first; }
};
using own_ranges = spans<own_range>;
using std_spans = spans<std_span>;
using cuda_spans = spans<cuda_span>;

template <class Form> void call_every_function() {
  caller<Form> call;
  call.reductions();
  call.several_at_once();
  call.everyday_functions();
  call.places();
  call.questions();
  call.segments();
  call.places_in_segments();
  call.runs();
  call.places_in_runs();
  call.scans();
  call.scans_of_runs();
  call.scans_of_segments();
  call.axes();
}

/// Items and an operator whose namespace has functions of the same names.
inline void call_functions_of_own_items() {
  using same_names::number, same_names::sum;
  const device_array<number> in(std::vector<number>{{3}, {1}, {4}, {1}, {5}, {9}, {2}, {6}}), out(8), out_keys(8);
  const device_array<int> count(1), offsets(std::vector<int>{0, 3, 6, 8});
  const number* const first = in.data();
  const number nothing{0};
  const auto expect = [&](std::int64_t item, int value) { EXPECT_EQ(out.value(item).value, value); };
  wf::reduce(in, out.data(), sum{});
  expect(0, 31);
  EXPECT_EQ(wf::transform_reduce_value(first, 8, sum{}, wf::thread::no_transform{}).value, 31);
  EXPECT_EQ(wf::minmax_value(in).maximum.value, 9);
  EXPECT_EQ(wf::argmax_value(in).index, 5);
  EXPECT_EQ(wf::count_if_value(in, same_names::is_many{}), 3);
  EXPECT_TRUE(wf::any_of_value(in, same_names::is_many{}));
  EXPECT_EQ(get<0>(wf::reduce_value(in, wf::fuse(sum{}, wf::maximum{}))).value, 31);
  wf::segmented_reduce(in, offsets.items(), out.data(), sum{}, {.init = nothing});
  expect(1, 15);
  wf::reduce_by_key(in, in, out_keys.data(), out.data(), count.data(), sum{});
  expect(5, 9);
  wf::inclusive_scan(in, out.data(), sum{});
  expect(7, 31);
  wf::exclusive_scan(in, out.data(), sum{}, {.init = nothing});
  expect(7, 25);
  wf::inclusive_scan_by_key(in, in, out.data(), sum{});
  expect(7, 6);
  wf::segmented_inclusive_scan(in, offsets.items(), out.data(), sum{});
  expect(7, 8);
  wf::reduce_columns(wf::strided(first, {2, 4}), std::span(out.data(), 4), sum{});
  expect(1, 10);
  wf::reduce_rows(wf::strided(first, {2, 4}), std::span(out.data(), 2), sum{});
  expect(1, 22);
}

}  // namespace wf_test::names
