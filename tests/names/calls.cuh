// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every public function, called with the ranges and iterators of one library: where Warpfold calls a function without a
// namespace, the compiler also looks for it in theirs.
#pragma once
#include <gtest/gtest.h>

#include <cuda/std/mdspan>
#include <vector>
#include <warpfold/warpfold.cuh>

#include "common/device.cuh"

namespace wf_test::names {

namespace wf = warpfold;

struct is_many {
  __host__ __device__ bool operator()(int x) const { return x > 4; }
};

/// A user's range, and pointers.
struct pointers {
  template <class T> class array : public device_array<T> {
   public:
    using device_array<T>::device_array;
    const array& in() const { return *this; }
    const T* first() const { return this->data(); }
    array& out() { return *this; }
    T* out_first() { return this->data(); }
  };
};

/// `Span` of std or of cuda::std, and its iterators.
template <template <class> class Span> struct spans {
  template <class T> class array : public device_array<T> {
   public:
    using device_array<T>::device_array;
    Span<T> in() const { return Span<T>(this->data(), this->size()); }
    auto first() const { return in().begin(); }
    Span<T> out() { return in(); }
    auto out_first() { return in().begin(); }
  };
};

/// Calls every function with arrays of `Form`, and expects what it writes.
template <class Form> class caller {
 public:
  void reductions() {
    expect_value(31, [&](auto&& out) { wf::reduce(in(), out); });
    expect_value(31, [&](auto&& out) { wf::reduce(first(), 8, out); });
    expect_value(9, [&](auto&& out) { wf::reduce(in(), out, wf::maximum{}); });
    expect_value(9, [&](auto&& out) { wf::reduce(first(), 8, out, wf::maximum{}); });
    expect_value(31, [&](auto&& out) { wf::transform_reduce(in(), out, wf::plus{}, wf::magnitude{}); });
    expect_value(31, [&](auto&& out) { wf::transform_reduce(first(), 8, out, wf::plus{}, wf::magnitude{}); });
    expect_value(173, [&](auto&& out) { wf::transform_reduce(in(), in(), out, wf::plus{}, wf::multiplies{}); });
    expect_value(173,
                 [&](auto&& out) { wf::transform_reduce(first(), first(), 8, out, wf::plus{}, wf::multiplies{}); });
    EXPECT_EQ(wf::reduce_value(in()) + wf::reduce_value(first(), 8), 62);
    EXPECT_EQ(wf::reduce_value(in(), wf::minimum{}) + wf::reduce_value(first(), 8, wf::minimum{}), 2);
    EXPECT_EQ(wf::transform_reduce_value(in(), wf::plus{}, wf::magnitude{}), 31);
    EXPECT_EQ(wf::transform_reduce_value(first(), 8, wf::plus{}, wf::magnitude{}), 31);
    EXPECT_EQ(wf::transform_reduce_value(in(), in(), wf::plus{}, wf::multiplies{}), 173);
    EXPECT_EQ(wf::transform_reduce_value(first(), first(), 8, wf::plus{}, wf::multiplies{}), 173);
  }

  void several_at_once() {
    array<int> sum(1), most(1);
    const auto both = wf::fuse(wf::plus{}, wf::with(wf::magnitude{}, wf::maximum{}));
    wf::reduce(in(), wf::outputs(sum.out(), most.out_first()), both);
    EXPECT_EQ(sum.to_host()[0] + most.to_host()[0], 40);
    const auto values = wf::reduce_value(first(), 8, both);
    EXPECT_EQ(get<0>(values) + get<1>(values), 40);
    EXPECT_EQ(wf::reduce_value(in(), wf::top_k<2>{}).item[0].value, 9);
  }

  void everyday_functions() {
    expect_value(31, [&](auto&& out) { wf::asum(in(), out), wf::asum(first(), 8, out); });
    expect_value(9, [&](auto&& out) { wf::amax(in(), out), wf::amax(first(), 8, out); });
    expect_value(173, [&](auto&& out) { wf::dot(in(), in(), out), wf::dot(first(), first(), 8, out); });
    expect_value(3.875, [&](auto&& out) { wf::mean(in(), out), wf::mean(first(), 8, out); });
    expect_value(wf::norm2_value(in()), [&](auto&& out) { wf::norm2(in(), out), wf::norm2(first(), 8, out); });
    expect_value(wf::logsumexp_value(in()),
                 [&](auto&& out) { wf::logsumexp(in(), out), wf::logsumexp(first(), 8, out); });
    array<wf::extrema<int>> extrema(1);
    wf::minmax(in(), extrema.out()), wf::minmax(first(), 8, extrema.out_first());
    EXPECT_EQ(extrema.to_host()[0].maximum, 9);
    EXPECT_EQ(wf::asum_value(in()) + wf::asum_value(first(), 8), 62);
    EXPECT_EQ(wf::amax_value(in()) + wf::amax_value(first(), 8), 18);
    EXPECT_EQ(wf::dot_value(in(), in()) + wf::dot_value(first(), first(), 8), 346);
    EXPECT_EQ(wf::mean_value(in()) + wf::mean_value(first(), 8), 7.75);
    EXPECT_EQ(wf::norm2_value(in()), wf::norm2_value(first(), 8));
    EXPECT_EQ(wf::logsumexp_value(in()), wf::logsumexp_value(first(), 8));
    EXPECT_EQ(wf::minmax_value(in()).minimum + wf::minmax_value(first(), 8).minimum, 2);
  }

  void places() {
    array<wf::indexed_value<int>> place(1);
    array<wf::indexed_extrema<int>> both(1);
    wf::argmin(in(), place.out()), wf::argmin(first(), 8, place.out_first());
    EXPECT_EQ(place.to_host()[0].index, 1);
    wf::argmax(in(), place.out()), wf::argmax(first(), 8, place.out_first());
    EXPECT_EQ(place.to_host()[0].index, 5);
    wf::arg_minmax(in(), both.out()), wf::arg_minmax(first(), 8, both.out_first());
    EXPECT_EQ(both.to_host()[0].maximum.index, 5);
    EXPECT_EQ(wf::argmin_value(in()).index + wf::argmin_value(first(), 8).index, 2);
    EXPECT_EQ(wf::argmax_value(in()).index + wf::argmax_value(first(), 8).index, 10);
    EXPECT_EQ(wf::arg_minmax_value(in()).maximum.index + wf::arg_minmax_value(first(), 8).maximum.index, 10);
  }

  void questions() {
    expect_value(1, [&](auto&& out) { wf::any_of(in(), out, is_many{}), wf::any_of(first(), 8, out, is_many{}); });
    expect_value(0, [&](auto&& out) { wf::all_of(in(), out, is_many{}), wf::all_of(first(), 8, out, is_many{}); });
    expect_value(0, [&](auto&& out) { wf::none_of(in(), out, is_many{}), wf::none_of(first(), 8, out, is_many{}); });
    array<std::int64_t> count(1);
    wf::count_if(in(), count.out(), is_many{}), wf::count_if(first(), 8, count.out_first(), is_many{});
    EXPECT_EQ(count.to_host()[0], 3);
    EXPECT_TRUE(wf::any_of_value(in(), is_many{}) && wf::any_of_value(first(), 8, is_many{}));
    EXPECT_FALSE(wf::all_of_value(in(), is_many{}) || wf::all_of_value(first(), 8, is_many{}));
    EXPECT_FALSE(wf::none_of_value(in(), is_many{}) || wf::none_of_value(first(), 8, is_many{}));
    EXPECT_EQ(wf::count_if_value(in(), is_many{}) + wf::count_if_value(first(), 8, is_many{}), 6);
    EXPECT_EQ(wf::count_value(in(), 4.5f) + wf::count_value(first(), 8, 4.f), 1);
  }

  void segments() {
    const auto over = [&](const auto& by, std::vector<int> sums, std::vector<int> most) {
      expect(sums, [&](auto&& out) { wf::segmented_reduce(in(), by, out); });
      expect(sums, [&](auto&& out) { wf::segmented_reduce(first(), 8, by, out); });
      expect(most, [&](auto&& out) { wf::segmented_reduce(in(), by, out, wf::maximum{}); });
      expect(most, [&](auto&& out) { wf::segmented_reduce(first(), 8, by, out, wf::maximum{}); });
      expect(sums, [&](auto&& out) { wf::transform_segmented_reduce(in(), by, out, wf::plus{}, wf::magnitude{}); });
      expect(sums,
             [&](auto&& out) { wf::transform_segmented_reduce(first(), 8, by, out, wf::plus{}, wf::magnitude{}); });
    };
    over(offsets_.in(), {8, 15, 8}, {4, 9, 6});
    over(wf::bounds{offsets_.items().first(3), offsets_.items().last(3)}, {8, 15, 8}, {4, 9, 6});
    over(wf::fixed_length{4}, {9, 22}, {4, 9});
  }

  void places_in_segments() {
    array<wf::indexed_value<int>> places(3);
    array<wf::indexed_extrema<int>> both(3);
    wf::segmented_argmin(in(), offsets_.in(), places.out());
    wf::segmented_argmin(first(), 8, offsets_.in(), places.out_first());
    EXPECT_EQ(places.to_host()[1].index, 0);
    wf::segmented_argmax(in(), offsets_.in(), places.out());
    wf::segmented_argmax(first(), 8, offsets_.in(), places.out_first());
    EXPECT_EQ(places.to_host()[1].index, 2);
    wf::segmented_arg_minmax(in(), offsets_.in(), both.out());
    wf::segmented_arg_minmax(first(), 8, offsets_.in(), both.out_first());
    EXPECT_EQ(both.to_host()[1].maximum.index, 2);
  }

  void runs() {
    in_forms_of_keys([&](const auto&... in) {
      const auto over = [&](const std::vector<int>& values, auto call) {
        array<int> keys(8), sums(8), count(1);
        call(keys.out(), sums.out(), count.out());
        expect_first({0, 1, 2}, keys), expect_first(values, sums), expect_first({3}, count);
        call(keys.out_first(), sums.out_first(), count.out_first());
        expect_first(values, sums);
      };
      over({8, 15, 8}, [&](auto&&... out) { wf::reduce_by_key(in..., out...); });
      over({4, 9, 6}, [&](auto&&... out) { wf::reduce_by_key(in..., out..., wf::maximum{}); });
      over({4, 9, 6}, [&](auto&&... out) { wf::reduce_by_key(in..., out..., wf::maximum{}, wf::equal_to{}); });
      over({8, 15, 8}, [&](auto&&... out) { wf::transform_reduce_by_key(in..., out..., wf::plus{}, wf::magnitude{}); });
      over({8, 15, 8}, [&](auto&&... out) {
        wf::transform_reduce_by_key(in..., out..., wf::plus{}, wf::magnitude{}, wf::equal_to{});
      });
    });
  }

  void places_in_runs() {
    array<int> keys(8), count(1);
    array<wf::indexed_value<int>> places(8);
    array<wf::indexed_extrema<int>> both(8);
    wf::argmin_by_key(keys_.in(), in(), keys.out(), places.out(), count.out());
    EXPECT_EQ(places.to_host()[1].index, 3);
    wf::argmax_by_key(keys_.in(), in(), keys.out(), places.out_first(), count.out_first());
    EXPECT_EQ(places.to_host()[1].index, 5);
    wf::arg_minmax_by_key(keys_.in(), first(), keys.out_first(), both.out(), count.out());
    EXPECT_EQ(both.to_host()[1].maximum.index, 5);
  }

  void scans() {
    const std::vector<int> through{3, 4, 8, 9, 14, 23, 25, 31}, before{0, 3, 4, 8, 9, 14, 23, 25};
    expect(through, [&](auto&& out) { wf::inclusive_scan(in(), out); });
    expect(through, [&](auto&& out) { wf::inclusive_scan(first(), 8, out); });
    expect(through, [&](auto&& out) { wf::inclusive_scan(in(), out, wf::plus{}); });
    expect(through, [&](auto&& out) { wf::inclusive_scan(first(), 8, out, wf::plus{}); });
    expect(before, [&](auto&& out) { wf::exclusive_scan(in(), out); });
    expect(before, [&](auto&& out) { wf::exclusive_scan(first(), 8, out); });
    expect(before, [&](auto&& out) { wf::exclusive_scan(in(), out, wf::plus{}); });
    expect(before, [&](auto&& out) { wf::exclusive_scan(first(), 8, out, wf::plus{}); });
    const auto size = wf::magnitude{};
    expect(through, [&](auto&& out) { wf::transform_inclusive_scan(in(), out, wf::plus{}, size); });
    expect(through, [&](auto&& out) { wf::transform_inclusive_scan(first(), 8, out, wf::plus{}, size); });
    expect(before, [&](auto&& out) { wf::transform_exclusive_scan(in(), out, wf::plus{}, size); });
    expect(before, [&](auto&& out) { wf::transform_exclusive_scan(first(), 8, out, wf::plus{}, size); });
  }

  void scans_of_runs() {
    const std::vector<int> through{3, 4, 8, 1, 6, 15, 2, 8}, before{0, 3, 4, 0, 1, 6, 0, 2};
    in_forms_of_keys([&](const auto&... in) {
      expect(through, [&](auto&& out) { wf::inclusive_scan_by_key(in..., out); });
      expect(through, [&](auto&& out) { wf::inclusive_scan_by_key(in..., out, wf::plus{}); });
      expect(through, [&](auto&& out) { wf::inclusive_scan_by_key(in..., out, wf::plus{}, wf::equal_to{}); });
      expect(before, [&](auto&& out) { wf::exclusive_scan_by_key(in..., out); });
      expect(before, [&](auto&& out) { wf::exclusive_scan_by_key(in..., out, wf::plus{}); });
      expect(before, [&](auto&& out) { wf::exclusive_scan_by_key(in..., out, wf::plus{}, wf::equal_to{}); });
    });
  }

  void scans_of_segments() {
    const std::vector<int> through{3, 4, 8, 1, 6, 15, 2, 8}, before{0, 3, 4, 0, 1, 6, 0, 2};
    const auto& by = offsets_.in();
    const auto size = wf::magnitude{};
    expect(through, [&](auto&& out) { wf::segmented_inclusive_scan(in(), by, out); });
    expect(through, [&](auto&& out) { wf::segmented_inclusive_scan(first(), 8, by, out); });
    expect(through, [&](auto&& out) { wf::segmented_inclusive_scan(in(), by, out, wf::plus{}); });
    expect(through, [&](auto&& out) { wf::segmented_inclusive_scan(first(), 8, by, out, wf::plus{}); });
    expect(before, [&](auto&& out) { wf::segmented_exclusive_scan(in(), by, out); });
    expect(before, [&](auto&& out) { wf::segmented_exclusive_scan(first(), 8, by, out); });
    expect(before, [&](auto&& out) { wf::segmented_exclusive_scan(in(), by, out, wf::plus{}); });
    expect(before, [&](auto&& out) { wf::segmented_exclusive_scan(first(), 8, by, out, wf::plus{}); });
    expect(through, [&](auto&& out) { wf::transform_segmented_inclusive_scan(in(), by, out, wf::plus{}, size); });
    expect(through, [&](auto&& out) { wf::transform_segmented_inclusive_scan(first(), 8, by, out, wf::plus{}, size); });
    expect(before, [&](auto&& out) { wf::transform_segmented_exclusive_scan(in(), by, out, wf::plus{}, size); });
    expect(before, [&](auto&& out) { wf::transform_segmented_exclusive_scan(first(), 8, by, out, wf::plus{}, size); });
  }

  void axes() {
    const int* const data = items_.items().data();
    over_axes(wf::strided(data, {2, 4}));
    over_axes(cuda::std::mdspan<const int, cuda::std::extents<int, 2, 4>>(data));
  }

 private:
  template <class T> using array = typename Form::template array<T>;

  decltype(auto) in() const { return items_.in(); }
  auto first() const { return items_.first(); }

  /// Calls call(keys, values[, count]) with every pair of ranges and iterators.
  template <class Call> void in_forms_of_keys(Call call) {
    call(keys_.in(), in());
    call(keys_.in(), first());
    call(keys_.first(), in());
    call(keys_.first(), first(), 8);
  }

  template <class View> void over_axes(const View& view) {
    array<int> rows(2), columns(4);
    wf::reduce_rows(view, rows.out());
    expect_first({9, 22}, rows);
    wf::reduce_rows(view, rows.out(), wf::maximum{});
    expect_first({4, 9}, rows);
    wf::reduce_columns(view, columns.out());
    expect_first({8, 10, 6, 7}, columns);
    wf::reduce_columns(view, columns.out(), wf::maximum{});
    expect_first({5, 9, 4, 6}, columns);
    const wf::strided out(rows.data(), {2});
    wf::reduce_axes(view, out, wf::axes{1});
    expect_first({9, 22}, rows);
    wf::reduce_axes(view, out, wf::keep_axes{0}, wf::maximum{});
    expect_first({4, 9}, rows);
    wf::transform_reduce_axes(view, out, wf::axes{1}, wf::plus{}, wf::magnitude{});
    expect_first({9, 22}, rows);
    array<int> prefixes(8);
    const wf::strided scanned(prefixes.data(), {2, 4});
    wf::inclusive_scan_axes(view, scanned, wf::axes{1});
    expect_first({3, 4, 8, 9, 5, 14, 16, 22}, prefixes);
    wf::exclusive_scan_axes(view, scanned, wf::backwards{1}, wf::plus{});
    expect_first({6, 5, 1, 0, 17, 8, 6, 0}, prefixes);
    wf::transform_inclusive_scan_axes(view, scanned, wf::axes{0}, wf::plus{}, wf::magnitude{});
    expect_first({3, 1, 4, 1, 8, 10, 6, 7}, prefixes);
    wf::transform_exclusive_scan_axes(view, scanned, wf::axes{0}, wf::plus{}, wf::magnitude{});
    expect_first({0, 0, 0, 0, 3, 1, 4, 1}, prefixes);
  }

  /// Calls call(out) with a range of as many items, and with an iterator.
  template <class Call> static void expect(const std::vector<int>& expected, Call call) {
    array<int> range(std::ssize(expected)), pointed(std::ssize(expected));
    call(range.out());
    expect_first(expected, range);
    call(pointed.out_first());
    expect_first(expected, pointed);
  }
  template <class T, class Call> static void expect_value(T expected, Call call) {
    array<T> range(1), pointed(1);
    call(range.out()), call(pointed.out_first());
    EXPECT_EQ(range.to_host()[0], expected);
    EXPECT_EQ(pointed.to_host()[0], expected);
  }
  static void expect_first(const std::vector<int>& expected, const array<int>& written) {
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(written.to_host()[i], expected[i]) << "item " << i;
  }

  const array<int> items_{std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6}}, keys_{std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2}},
      offsets_{std::vector<int>{0, 3, 6, 8}};
};

}  // namespace wf_test::names
