// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden bits of the operators and types that golden_bits_test.cu leaves out; golden.hpp says why the bits are
// promised.
#include <cuda_fp8.h>

#include <cuda/std/complex>

#include "golden.hpp"

namespace wf_golden_operators {

namespace wf = warpfold;
using namespace wf_test;
using golden::buffer, golden::expect_golden, golden::items_of, golden::record;

/// reduce over prefixes of a few lengths, whose results are of type R.
template <class R, class T, class Op>
void record_prefixes(const std::string& name, const std::vector<T>& items, Op op) {
  const buffer<R> out(1);
  for (const std::size_t count : {1ul, 3ul, 33ul, 1000ul, 4097ul, 20011ul}) {
    const buffer<T> in(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)), count % 4);
    wf::reduce(in.items(), out.data(), op);
    record(name + '/' + std::to_string(count), golden::hash_of(out.to_host(1)));
  }
}
/// segmented_reduce over segments of 0 to 99 items.
template <class R, class T, class Op>
void record_segments(const std::string& name, const std::vector<T>& items, Op op) {
  std::vector<int> offsets{0};
  while (offsets.back() < 10000) offsets.push_back(offsets.back() + static_cast<int>(offsets.size() * 37 % 100));
  const buffer<T> in(std::vector<T>(items.begin(), items.begin() + offsets.back()), 1);
  const buffer<int> device_offsets(offsets);
  const buffer<R> out(offsets.size() - 1);
  wf::segmented_reduce(in.items(), device_offsets.items(), out.span(), op);
  record(name + "/segments", golden::hash_of(out.to_host()));
}

constexpr std::size_t count = 20011;

template <class T> std::vector<T> fp8_items() {
  random_source source(8);
  std::vector<T> items(count);
  for (T& item : items) {
    std::uint8_t bits = static_cast<std::uint8_t>(source());
    if ((bits & 0x7c) == 0x7c) bits &= 0xbf;  // no infinity, no NaN
    std::memcpy(static_cast<void*>(&item), &bits, 1);
  }
  return items;
}
template <class V, class R, int Components> std::vector<V> vectors() {
  const auto numbers = items_of<R>(count * Components, 9);
  std::vector<V> items(count);
  std::memcpy(static_cast<void*>(items.data()), numbers.data(), count * sizeof(V));
  return items;
}

TEST(golden_operators, sums) {
  const auto floats = items_of<float>(count);
  const auto doubles = items_of<double>(count);
  record_prefixes<float>("sums/float/compensated_plus", floats, wf::compensated_plus{});
  record_segments<float>("sums/float/compensated_plus", floats, wf::compensated_plus{});
  record_prefixes<double>("sums/double/compensated_plus", doubles, wf::compensated_plus{});
  record_prefixes<float>("sums/half/compensated_plus", items_of<__half>(count), wf::compensated_plus{});
  record_prefixes<float>("sums/float/exact_plus", floats, wf::exact_plus{});
  record_segments<float>("sums/float/exact_plus", floats, wf::exact_plus{});
  record_prefixes<double>("sums/double/exact_plus", doubles, wf::exact_plus{});
  record_prefixes<float>("sums/double/exact_plus_as_float", doubles, wf::exact_plus_as<float>{});
  record_prefixes<__half>("sums/half/exact_plus", items_of<__half>(count), wf::exact_plus{});
  record_prefixes<wf::int128>("sums/int64/exact_plus", items_of<std::int64_t>(count), wf::exact_plus{});
  expect_golden("sums");
}

TEST(golden_operators, types) {
  using cuda::std::complex;
  record_prefixes<float>("types/e4m3/plus", fp8_items<__nv_fp8_e4m3>(), wf::plus{});
  record_prefixes<float>("types/e5m2/plus", fp8_items<__nv_fp8_e5m2>(), wf::plus{});
  record_prefixes<complex<float>>("types/complex64/plus", vectors<complex<float>, float, 2>(), wf::plus{});
  record_prefixes<complex<double>>("types/complex128/plus", vectors<complex<double>, double, 2>(), wf::plus{});
  record_prefixes<float2>("types/float2/plus", vectors<float2, float, 2>(), wf::plus{});
  record_prefixes<float4>("types/float4/plus", vectors<float4, float, 4>(), wf::plus{});
  record_prefixes<wf::int128>("types/int128/plus", vectors<wf::int128, std::int64_t, 2>(), wf::plus{});
  record_prefixes<std::int64_t>("types/int64/minimum", items_of<std::int64_t>(count), wf::minimum{});
  record_prefixes<float>("types/half/maximum", items_of<__half>(count), wf::maximum{});
  expect_golden("types");
}

}  // namespace wf_golden_operators
