// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden bits of operators with a state of their own, of segmented scans and of reductions along axes; golden.hpp says
// why the bits are promised.
#include "golden.hpp"

namespace wf_golden_statistics {

namespace wf = warpfold;
using namespace wf_test;
using golden::buffer, golden::expect_golden, golden::items_of, golden::record;

constexpr std::size_t count = 20011;

/// reduce over prefixes of a few lengths, whose results are of type R, without padding.
template <class R, class T, class Op>
void record_prefixes(const std::string& name, const std::vector<T>& items, Op op) {
  const buffer<R> out(1);
  for (const std::size_t length : {1ul, 3ul, 33ul, 1000ul, 4097ul, 20011ul}) {
    const buffer<T> in(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(length)), length % 4);
    wf::reduce(in.items(), out.data(), op);
    record(name + '/' + std::to_string(length), golden::hash_of(out.to_host(1)));
  }
}

/// The same of each part of a fused operator, which has the bits of a call of its own. `names` are those of the parts.
template <class T, class Op>
void record_parts(const std::string& group, const std::vector<T>& items, Op op, const std::vector<const char*>& names) {
  ASSERT_EQ(names.size(), Op::part_count);
  for (const std::size_t length : {1ul, 3ul, 33ul, 1000ul, 4097ul, 20011ul}) {
    const buffer<T> in(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(length)), length % 4);
    const auto results = wf::reduce_value(in.items(), op);
    const auto record_part = [&](const char* name, const auto& part) {
      record(group + '/' + name + '/' + std::to_string(length), golden::hash_of(std::vector{part}));
    };
    [&]<std::size_t... Is>(std::index_sequence<Is...>) { (record_part(names[Is], results.template get<Is>()), ...); }
    (std::make_index_sequence<Op::part_count>());
  }
}

TEST(golden_statistics, operators) {
  const auto floats = items_of<float>(count);
  record_prefixes<wf::moments_of<2>>("statistics/float/moments2", floats, wf::moments<2>{});
  record_prefixes<wf::moments_of<4>>("statistics/float/moments4", floats, wf::moments<4>{});
  record_prefixes<float>("statistics/float/log_sum_exp", floats, wf::log_sum_exp{});
  record_prefixes<float>("statistics/float/euclidean_norm", floats, wf::euclidean_norm{});
  record_prefixes<double>("statistics/double/euclidean_norm", items_of<double>(count), wf::euclidean_norm{});
  const auto everyday = wf::fuse(wf::arithmetic_mean{}, wf::minimum_maximum{}, wf::statistics{}, wf::arg_minimum{},
                                 wf::arg_extrema<wf::ties::last, wf::nans::ignore>{}, wf::top_k<4>{});
  record_parts("statistics/double", items_of<double>(count), everyday,
               {"arithmetic_mean", "minimum_maximum", "statistics", "arg_minimum", "arg_extrema", "top_4"});
  expect_golden("statistics");
}

TEST(golden_statistics, segmented_scans) {
  std::vector<int> offsets{0};
  while (offsets.back() < 15000)
    offsets.push_back(offsets.back() + static_cast<int>(offsets.size() * 37 % 100 + (offsets.size() == 60) * 5000));
  const auto length = static_cast<std::size_t>(offsets.back());
  const auto floats = items_of<float>(length);
  const buffer<int> device_offsets(offsets);
  const buffer<float> in(floats, 1), out(length, 2);
  wf::segmented_inclusive_scan(in.items(), device_offsets.items(), out.span(), wf::plus{});
  record("segmented_scan/float/plus/inclusive", golden::hash_of(out.to_host()));
  wf::segmented_exclusive_scan(in.items(), device_offsets.items(), out.span(), wf::plus{});
  record("segmented_scan/float/plus/exclusive", golden::hash_of(out.to_host()));
  expect_golden("segmented_scan");
}

TEST(golden_statistics, axes) {
  const auto floats = items_of<float>(7 * 33 * 65);
  const buffer<float> in(floats);
  const auto array = wf::strided<const float, 3>{in.data(), {7, 33, 65}};
  const auto record_axes = [&](const std::string& name, auto axes, std::size_t outputs, auto to) {
    const buffer<float> out(outputs);
    to.data = out.data();
    wf::reduce_axes(array, to, axes, wf::plus{});
    record("axes/float/plus/" + name, golden::hash_of(out.to_host()));
  };
  record_axes("0", wf::axes{0}, 33 * 65, wf::strided<float, 2>{nullptr, {33, 65}});
  record_axes("1", wf::axes{1}, 7 * 65, wf::strided<float, 2>{nullptr, {7, 65}});
  record_axes("2", wf::axes{2}, 7 * 33, wf::strided<float, 2>{nullptr, {7, 33}});
  record_axes("0_2", wf::axes{0, 2}, 33, wf::strided<float, 1>{nullptr, {33}});
  expect_golden("axes");
}

}  // namespace wf_golden_statistics
