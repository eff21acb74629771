// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/compensated_plus.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/groups.hpp"
#include "../common/limit_kernels.hpp"
#include "../common/random_data.cuh"
#include "../common/timing.hpp"
#include "../reduce/peers.cuh"
#include "../segmented/lengths.hpp"

namespace bench {

/// Magnitudes, with random signs: uniform in [0, 1); with exponents uniform over 60 octaves (for half, over all of its
/// own); any finite bits.
enum class spread { narrow, octaves_60, wide };
inline const char* name_of(spread s) {
  return s == spread::narrow ? "narrow" : s == spread::octaves_60 ? "octaves_60" : "wide";
}

template <class T> __device__ T spread_item(spread s, std::uint64_t bits) {
  using f = warpfold::exact::format<T>;
  const std::uint64_t sign = bits >> 63 << (8 * sizeof(T) - 1);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << (f::digits - 1)) - 1);
  std::uint64_t field = (bits >> 53) % f::max_field;
  if (s == spread::octaves_60) field = f::max_field < 60 ? field : f::max_exponent - 30 + field % 60;
  if (s == spread::narrow) {
    const T item = random_item<T>(bits << 1);
    return bits >> 63 ? T(-static_cast<float>(item)) : item;
  }
  return warpfold::exact::bits_as<T>(static_cast<typename f::bits>(sign | field << (f::digits - 1) | fraction));
}
template <class T> __global__ void fill_spread_kernel(T* items, std::int64_t count, spread s) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    items[i] = spread_item<T>(s, random_bits(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(i)));
}

/// Sums of one array: exact, compensated, plain, and CUB's.
template <class T> class exact_sums {
 public:
  using accumulator = warpfold::accumulator_t<warpfold::plus, T>;

  exact_sums(std::int64_t items, spread s)
      : items_(items), data_(static_cast<std::size_t>(items)), exact_(1), plain_(2) {
    fill_spread_kernel<<<8 * device_attribute(cudaDevAttrMultiProcessorCount), 256>>>(data_.data(), items, s);
    check(cudaGetLastError());
    std::size_t bytes = 0;
    check(cub_sum(nullptr, bytes, nullptr));
    scratch_ = device_buffer<std::byte>(bytes);
    check(cudaDeviceSynchronize());
  }
  std::int64_t bytes() const { return items_ * static_cast<std::int64_t>(sizeof(T)); }
  const void* data() const { return data_.data(); }

  static std::vector<std::string> names() {
    std::vector<std::string> list{"warpfold", "compensated", "plain", "cub_sum"};
    if (has_gpu_to_gpu) list.push_back("cub_gpu_to_gpu");
    return list;
  }
  contenders all() {
    contenders list{{"warpfold", call(warpfold::exact_plus{}, exact_.data())},
                    {"compensated", call(warpfold::compensated_plus{}, plain_.data())},
                    {"plain", call(warpfold::plus{}, plain_.data() + 1)},
                    {"cub_sum", [this](cudaStream_t stream, int) {
                       std::size_t given = scratch_.bytes();
                       check(cub_sum(scratch_.data(), given, stream));
                     }}};
#if CUB_VERSION >= 300200
    if constexpr (has_gpu_to_gpu)
      list.push_back(
          {"cub_gpu_to_gpu", [this](cudaStream_t stream, int) {
             const auto needs = cuda::execution::require(cuda::execution::determinism::gpu_to_gpu);
             const auto where = cuda::std::execution::env{cuda::stream_ref{stream}, needs};
             check(cub::DeviceReduce::Reduce(data_.data(), plain_.data() + 1, items_, cuda::std::plus<>{}, T{}, where));
           }});
#endif
    return list;
  }

  /// Throws unless the exact sum does not depend on the grid and, of up to 2^22 items, is the host's.
  void verify() {
    const T first = exact_sum(0), second = exact_sum(7);
    if (std::memcmp(&first, &second, sizeof(T)) != 0) throw std::runtime_error("the exact sum depends on the grid");
    if (items_ > 1 << 22) return;
    std::vector<T> items(static_cast<std::size_t>(items_));
    check(cudaMemcpy(items.data(), data_.data(), static_cast<std::size_t>(bytes()), cudaMemcpyDeviceToHost));
    auto sum = warpfold::exact_plus{}.lift(items[0]);
    for (std::size_t i = 1; i < items.size(); ++i)
      sum = warpfold::exact_plus{}(sum, warpfold::exact_plus{}.lift(items[i]));
    const T expected = warpfold::exact_plus{}.lower(sum);
    if (std::memcmp(&first, &expected, sizeof(T)) != 0) throw std::runtime_error("the exact sum is not the host's");
  }

 private:
#if CUB_VERSION >= 300200
  static constexpr bool has_gpu_to_gpu = warpfold::detail::is_real<T>;
#else
  static constexpr bool has_gpu_to_gpu = false;
#endif
  template <class Op, class Out> auto call(Op op, Out* out) {
    return [this, op, out](cudaStream_t stream, int) {
      warpfold::reduce(data_.data(), items_, out, op, {.stream = stream, .workspace = workspace_});
    };
  }
  using peer_plus = std::conditional_t<warpfold::detail::is_real<T>, cuda::std::plus<>, add_floats>;
  T exact_sum(int max_blocks) {
    warpfold::reduce(data_.data(), items_, exact_.data(), warpfold::exact_plus{}, {.max_blocks = max_blocks});
    T sum{};
    check(cudaMemcpy(&sum, exact_.data(), sizeof sum, cudaMemcpyDeviceToHost));
    return sum;
  }
  cudaError_t cub_sum(void* scratch, std::size_t& given, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(scratch, given, data_.data(), plain_.data() + 1, items_, peer_plus{},
                                     accumulator{}, stream);
  }

  std::int64_t items_;
  device_buffer<T> data_, exact_;
  device_buffer<accumulator> plain_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

inline constexpr sampling short_sampling{5, 31, 0.1};

inline std::vector<measurement> without_counters(const std::vector<statistics>& times) {
  std::vector<measurement> result;
  for (const statistics& seconds : times) result.push_back({seconds});
  return result;
}

template <class T> void register_exact_sum(const std::string& type, std::int64_t items, spread s) {
  std::vector<std::string> names = exact_sums<T>::names();
  const auto readers = read_contender_names();
  names.insert(names.end(), readers.begin(), readers.end());
  add_group({"exact_sum/" + type + "/" + name_of(s) + "/items:" + size_name(items), "cold", items,
             items * static_cast<std::int64_t>(sizeof(T)), names, [=] {
               exact_sums<T> problem(items, s);
               problem.verify();
               contenders list = problem.all();
               std::ranges::move(make_read_contenders(problem.data(), static_cast<std::size_t>(problem.bytes())),
                                 std::back_inserter(list));
               return without_counters(time_cold(list, short_sampling));
             }});
}

/// 4 KiB to 1 GiB of items; of narrow ones also 4 GiB.
template <class T> void register_exact_sums(const std::string& type) {
  for (const int bits : {10, 13, 16, 20, 24, 28, 30})
    register_exact_sum<T>(type, (std::int64_t{4} << bits) / sizeof(T), spread::narrow);
  for (const spread s : {spread::octaves_60, spread::wide})
    for (const int bits : {16, 24, 28}) register_exact_sum<T>(type, (std::int64_t{4} << bits) / sizeof(T), s);
}

/// Throws unless each of some segments has the sum that `reduce` finds.
template <class T>
void verify_segments(const device_buffer<T>& data, const std::vector<int>& offsets, const device_buffer<T>& sums) {
  std::vector<T> ours(offsets.size() - 1);
  check(cudaMemcpy(ours.data(), sums.data(), ours.size() * sizeof(T), cudaMemcpyDeviceToHost));
  const device_buffer<T> out(1);
  for (std::size_t s = 0; s < ours.size(); s += ours.size() / 50 + 1) {
    warpfold::reduce(data.data() + offsets[s], offsets[s + 1] - offsets[s], out.data(), warpfold::exact_plus{});
    T expected{};
    check(cudaMemcpy(&expected, out.data(), sizeof expected, cudaMemcpyDeviceToHost));
    if (std::memcmp(&ours[s], &expected, sizeof(T)) != 0)
      throw std::runtime_error("the exact sum of segment " + std::to_string(s) + " is not that of reduce");
  }
}

/// Exact, compensated and plain sums of segments told apart by offsets.
template <class T> void register_exact_segments(const std::string& type, spread s, const distribution& lengths) {
  constexpr std::int64_t most_items = (std::int64_t{1} << 28) / static_cast<std::int64_t>(sizeof(T));
  add_group({"exact_segmented_sum/" + type + "/" + name_of(s) + "/items:" + size_name(most_items) +
                 "/segments:" + lengths.name + "/form:offsets",
             "cold",
             most_items,
             most_items * static_cast<std::int64_t>(sizeof(T)),
             {"warpfold", "compensated", "plain"},
             [=] {
               const std::vector<int> offsets = lengths(most_items);
               const auto items = static_cast<std::int64_t>(offsets.back());
               const device_buffer<T> data(static_cast<std::size_t>(items)), out(offsets.size() - 1);
               fill_spread_kernel<<<8 * device_attribute(cudaDevAttrMultiProcessorCount), 256>>>(data.data(), items, s);
               check(cudaGetLastError());
               const device_buffer<int> device_offsets(offsets.size());
               check(cudaMemcpy(device_offsets.data(), offsets.data(), device_offsets.bytes(), cudaMemcpyHostToDevice));
               const warpfold::workspace workspace(sizeof(warpfold::accumulator_t<warpfold::exact_plus, T>));
               const auto call = [&](auto op) {
                 return [&, op](cudaStream_t stream, int) {
                   warpfold::segmented_reduce(data.data(), items,
                                              std::span<const int>(device_offsets.data(), offsets.size()), out.data(),
                                              op, {.stream = stream, .workspace = workspace});
                 };
               };
               const contenders list{{"warpfold", call(warpfold::exact_plus{})},
                                     {"compensated", call(warpfold::compensated_plus{})},
                                     {"plain", call(warpfold::plus{})}};
               list[0].run(nullptr, 0);
               verify_segments(data, offsets, out);
               return without_counters(time_cold(list, short_sampling));
             }});
}

}  // namespace bench
