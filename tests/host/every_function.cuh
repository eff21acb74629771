// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of every public function, on any stream and with any scratch, of a size that needs scratch where any does.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <warpfold/strategies.cuh>
#include <warpfold/warpfold.cuh>

#include "common/device.cuh"

namespace wf_test {

namespace wf = warpfold;

struct is_positive {
  __host__ __device__ bool operator()(float x) const { return x > 0; }
};
struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct same_key {
  __host__ __device__ bool operator()(int a, int b) const { return a == b; }
};

class every_function {
 public:
  struct where {
    cudaStream_t stream;
    wf::workspace_ref workspace;
  };
  struct function {
    std::string name;
    std::function<void(const where&)> call;
    bool waits = false;  ///< returns a value, so it cannot be captured
  };

  every_function() {
    add_reductions();
    add_values();
    add_segments();
    add_axes();
    add_keys();
    add_scans();
    add_strategies();
  }
  const std::vector<function>& all() const { return all_; }

 private:
  static constexpr std::int64_t count = 9216, segments = 4, rows = 96;

  void add(std::string name, std::function<void(const where&)> call) { all_.push_back({std::move(name), call}); }
  void add_value(std::string name, std::function<void(const where&)> call) {
    all_.push_back({std::move(name), call, true});
  }
  template <class A> static wf::reduce_options<A> two_blocks(const where& w) {
    return {.stream = w.stream, .workspace = w.workspace, .max_blocks = 2};
  }
  template <class A> static wf::segmented_options<A> of_segments(const where& w) {
    return {.stream = w.stream, .workspace = w.workspace, .max_blocks = 2};
  }
  static wf::call_options of_call(const where& w) {
    return {.stream = w.stream, .workspace = w.workspace, .max_blocks = 2};
  }

  void add_reductions() {
    add("reduce", [this](const where& w) { wf::reduce(items(), out(), wf::plus{}, two_blocks<float>(w)); });
    add("reduce with top_k", [this](const where& w) {
      using best = wf::accumulator_t<wf::top_k<2>, float>;
      wf::reduce(items(), room<best>(), wf::top_k<2>{}, two_blocks<best>(w));
    });
    add("reduce with exact_plus", [this](const where& w) {
      wf::reduce(items(), out(), wf::exact_plus{}, two_blocks<wf::accumulator_t<wf::exact_plus, float>>(w));
    });
    add("reduce with fuse", [this](const where& w) {
      using op = decltype(wf::fuse(wf::plus{}, wf::maximum{}));
      wf::reduce(items(), wf::outputs(out(), out() + 1), op{wf::fuse(wf::plus{}, wf::maximum{})},
                 two_blocks<wf::accumulator_t<op, float>>(w));
    });
    add("transform_reduce",
        [this](const where& w) { wf::transform_reduce(items(), out(), wf::plus{}, twice{}, two_blocks<float>(w)); });
    add("asum", [this](const where& w) { wf::asum(items(), out(), two_blocks<float>(w)); });
    add("amax", [this](const where& w) { wf::amax(items(), out(), two_blocks<float>(w)); });
    add("norm2", [this](const where& w) {
      wf::norm2(items(), out(), two_blocks<wf::accumulator_t<wf::euclidean_norm, float>>(w));
    });
    add("mean", [this](const where& w) {
      wf::mean(items(), out(), two_blocks<wf::accumulator_t<wf::arithmetic_mean, float>>(w));
    });
    add("minmax", [this](const where& w) {
      using both = wf::accumulator_t<wf::minimum_maximum, float>;
      wf::minmax(items(), room<wf::lowered_t<wf::minimum_maximum, both>>(), two_blocks<both>(w));
    });
    add("logsumexp", [this](const where& w) {
      wf::logsumexp(items(), out(), two_blocks<wf::accumulator_t<wf::log_sum_exp, float>>(w));
    });
    add("dot", [this](const where& w) { wf::dot(items(), items(), out(), two_blocks<float>(w)); });
    add("argmin", [this](const where& w) { wf::argmin(items(), room<place>(), two_blocks<place>(w)); });
    add("argmax", [this](const where& w) { wf::argmax(items(), room<place>(), two_blocks<place>(w)); });
    add("arg_minmax", [this](const where& w) { wf::arg_minmax(items(), room<places>(), two_blocks<places>(w)); });
    add("top_k_items",
        [this](const where& w) { wf::top_k_items(items(), 9, out(), room<std::int64_t>() + 100, of_call(w)); });
    add("any_of", [this](const where& w) { wf::any_of(items(), room<bool>(), is_positive{}, of_call(w)); });
    add("all_of", [this](const where& w) { wf::all_of(items(), room<bool>(), is_positive{}, of_call(w)); });
    add("none_of", [this](const where& w) { wf::none_of(items(), room<bool>(), is_positive{}, of_call(w)); });
    add("count_if", [this](const where& w) { wf::count_if(items(), room<std::int64_t>(), is_positive{}, of_call(w)); });
  }

  void add_values() {
    add_value("reduce_value", [this](const where& w) { (void)wf::reduce_value(items(), two_blocks<float>(w)); });
    add_value("transform_reduce_value", [this](const where& w) {
      (void)wf::transform_reduce_value(items(), wf::plus{}, twice{}, two_blocks<float>(w));
    });
    add_value("argmax_value", [this](const where& w) { (void)wf::argmax_value(items(), two_blocks<place>(w)); });
    add_value("any_of_value", [this](const where& w) { (void)wf::any_of_value(items(), is_positive{}, of_call(w)); });
    add_value("count_if_value",
              [this](const where& w) { (void)wf::count_if_value(items(), is_positive{}, of_call(w)); });
    add_value("dot_value", [this](const where& w) { (void)wf::dot_value(items(), items(), two_blocks<float>(w)); });
    add_value("norm2_value", [this](const where& w) {
      (void)wf::norm2_value(items(), two_blocks<wf::accumulator_t<wf::euclidean_norm, float>>(w));
    });
  }

  void add_segments() {
    const auto sum = [this](const auto& segments) {
      return [this, segments](const where& w) {
        wf::segmented_reduce(items(), segments, results(every_function::segments), wf::plus{}, of_segments<float>(w));
      };
    };
    const auto offsets = offsets_.items();
    add("segmented_reduce by offsets", sum(offsets));
    add("segmented_reduce by bounds", sum(wf::bounds{offsets.first(segments), offsets.last(segments)}));
    add("segmented_reduce by length", sum(wf::fixed_length{count / segments}));
    add("segmented_reduce by owners", sum(wf::owners{keys_.items()}));
    add("transform_segmented_reduce", [this](const where& w) {
      wf::transform_segmented_reduce(items(), offsets_.items(), out(), wf::plus{}, twice{}, of_segments<float>(w));
    });
    add("segmented_reduce with exact_plus", [this](const where& w) {
      wf::segmented_reduce(items(), offsets_.items(), out(), wf::exact_plus{},
                           of_segments<wf::accumulator_t<wf::exact_plus, float>>(w));
    });
    add("segmented_argmin",
        [this](const where& w) { wf::segmented_argmin(items(), offsets_.items(), room<place>(), of_call(w)); });
    add("segmented_argmax",
        [this](const where& w) { wf::segmented_argmax(items(), offsets_.items(), room<place>(), of_call(w)); });
    add("segmented_arg_minmax",
        [this](const where& w) { wf::segmented_arg_minmax(items(), offsets_.items(), room<places>(), of_call(w)); });
    add("segmented_inclusive_scan", [this](const where& w) {
      wf::segmented_inclusive_scan(items(), offsets_.items(), out(), wf::plus{}, two_blocks<float>(w));
    });
    add("segmented_exclusive_scan", [this](const where& w) {
      wf::segmented_exclusive_scan(items(), offsets_.items(), out(), wf::plus{}, two_blocks<float>(w));
    });
    add("transform_segmented_inclusive_scan", [this](const where& w) {
      wf::transform_segmented_inclusive_scan(items(), offsets_.items(), out(), wf::plus{}, twice{},
                                             two_blocks<float>(w));
    });
    add("transform_segmented_exclusive_scan", [this](const where& w) {
      wf::transform_segmented_exclusive_scan(items(), offsets_.items(), out(), wf::plus{}, twice{},
                                             two_blocks<float>(w));
    });
  }

  wf::strided<const float, 2> matrix() const { return {in_.data(), {rows, count / rows}, {count / rows, 1}}; }
  wf::strided<float, 1> row(std::int64_t length) const { return {out(), {length}, {1}}; }
  void add_axes() {
    add("reduce_axes", [this](const where& w) {
      wf::reduce_axes(matrix(), row(count / rows), wf::axes{0}, wf::plus{}, of_segments<float>(w));
    });
    add("transform_reduce_axes", [this](const where& w) {
      wf::transform_reduce_axes(matrix(), row(rows), wf::axes{1}, wf::plus{}, twice{}, of_segments<float>(w));
    });
    add("reduce_rows", [this](const where& w) { wf::reduce_rows(matrix(), results(rows), of_segments<float>(w)); });
    add("reduce_columns",
        [this](const where& w) { wf::reduce_columns(matrix(), results(count / rows), of_segments<float>(w)); });
  }

  void add_keys() {
    add("reduce_by_key", [this](const where& w) {
      wf::reduce_by_key(keys_.items(), items(), run_keys(), out(), runs_.data(), wf::plus{}, two_blocks<float>(w));
    });
    add("transform_reduce_by_key", [this](const where& w) {
      wf::transform_reduce_by_key(keys_.items(), items(), run_keys(), out(), runs_.data(), wf::plus{}, twice{},
                                  two_blocks<float>(w));
    });
    add("argmin_by_key", [this](const where& w) {
      wf::argmin_by_key(keys_.items(), items(), run_keys(), room<place>(), runs_.data(), of_call(w));
    });
    add("argmax_by_key", [this](const where& w) {
      wf::argmax_by_key(keys_.items(), items(), run_keys(), room<place>(), runs_.data(), of_call(w));
    });
    add("arg_minmax_by_key", [this](const where& w) {
      wf::arg_minmax_by_key(keys_.items(), items(), run_keys(), room<places>(), runs_.data(), of_call(w));
    });
    add("inclusive_scan_by_key", [this](const where& w) {
      wf::inclusive_scan_by_key(keys_.items(), items(), out(), wf::plus{}, same_key{}, two_blocks<float>(w));
    });
    add("exclusive_scan_by_key", [this](const where& w) {
      wf::exclusive_scan_by_key(keys_.items(), items(), out(), wf::plus{}, same_key{}, two_blocks<float>(w));
    });
  }

  void add_scans() {
    add("inclusive_scan",
        [this](const where& w) { wf::inclusive_scan(items(), out(), wf::plus{}, two_blocks<float>(w)); });
    add("exclusive_scan",
        [this](const where& w) { wf::exclusive_scan(items(), out(), wf::plus{}, two_blocks<float>(w)); });
    add("transform_inclusive_scan", [this](const where& w) {
      wf::transform_inclusive_scan(items(), out(), wf::plus{}, twice{}, two_blocks<float>(w));
    });
    add("transform_exclusive_scan", [this](const where& w) {
      wf::transform_exclusive_scan(items(), out(), wf::plus{}, twice{}, two_blocks<float>(w));
    });
  }

  void add_strategies() {
    using tree = wf::block::tree<128>;
    add("reduce by a strategy of one launch", [this](const where& w) {
      wf::reduce<wf::strategy<tree, wf::grid::persistent, wf::finish::last_block>>(items(), out(), wf::plus{},
                                                                                   two_blocks<float>(w));
    });
    add("reduce by a strategy of many passes", [this](const where& w) {
      wf::reduce<wf::strategy<tree, wf::grid::multi_pass>>(
          items(), out(), wf::plus{}, wf::reduce_options<float>{.stream = w.stream, .workspace = w.workspace});
    });
    add("strategies::inclusive_scan", [this](const where& w) {
      wf::strategies::inclusive_scan<wf::scan_strategy<wf::block::up_down_sweep<>>>(
          items(), out(), wf::plus{}, wf::reduce_options<float>{.stream = w.stream, .workspace = w.workspace});
    });
  }

  using place = wf::accumulator_t<wf::arg_minimum<>, float>;
  using places = wf::accumulator_t<wf::arg_extrema<>, float>;

  std::span<const float> items() const { return in_.items(); }
  float* out() const { return room<float>(); }
  std::span<float> results(std::int64_t n) const { return {out(), static_cast<std::size_t>(n)}; }
  std::span<int> run_keys() const { return {out_keys_.data(), out_keys_.size()}; }
  template <class T> T* room() const { return reinterpret_cast<T*>(out_.data()); }

  static std::vector<float> some_items() {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i % 13);
    return result;
  }
  static std::vector<int> sorted_keys() {
    std::vector<int> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<int>(i * segments / count);
    return result;
  }

  device_array<float> in_{some_items()};
  device_array<int> offsets_{std::vector<int>{0, 5000, 5001, 8000, count}}, keys_{sorted_keys()};
  device_array<double> out_{count};
  device_array<int> out_keys_{segments}, runs_{1};
  std::vector<function> all_;
};

}  // namespace wf_test
