// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden bits of reduce, transform_reduce and one named strategy; golden.hpp says why the bits are promised.
#include <algorithm>
#include <warpfold/strategies.cuh>

#include "golden.hpp"

namespace wf = warpfold;
using namespace wf_test;
using golden::buffer, golden::expect_golden, golden::items_of, golden::record;

namespace {

constexpr std::size_t small_counts[] = {1, 2, 3, 8, 31, 33, 129, 1000, 4097, 100003};
constexpr std::size_t large_count = 1000003;

template <class A> std::uint64_t hash_of_one(const buffer<A>& out) {
  A value{};
  EXPECT_EQ(cudaMemcpy(&value, out.data(), sizeof(A), cudaMemcpyDeviceToHost), cudaSuccess);
  std::vector<unsigned char> bytes(sizeof(A));
  std::memcpy(bytes.data(), &value, sizeof(A));
  return golden::hash_of(bytes);
}

/// Bases are misaligned by 0 to 7 items, as the count has it.
template <class T>
void record_reductions(const std::string& name, const std::vector<T>& items, auto op, bool large = false) {
  using A = wf::accumulator_t<decltype(op), T>;
  std::vector<std::size_t> counts(std::begin(small_counts), std::end(small_counts));
  if (large) counts.push_back(large_count);
  const buffer<A> out(1);
  for (const std::size_t count : counts) {
    const buffer<T> in(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)), count % 8);
    wf::reduce(in.items(), out.data(), op);
    record(name + '/' + std::to_string(count), hash_of_one(out));
  }
  const buffer<T> in(std::vector<T>(items.begin() + 5, items.begin() + 5 + 4097), 3);
  A init;
  {
    wf::reduce(in.items().subspan(0, 1), out.data(), op);
    EXPECT_EQ(cudaMemcpy(&init, out.data(), sizeof(A), cudaMemcpyDeviceToHost), cudaSuccess);
  }
  wf::reduce(in.items().subspan(1), out.data(), op, {.init = init});
  record(name + "/init", hash_of_one(out));
}

/// Close to 1, so that a product of a million stays finite.
std::vector<float> factors() {
  random_source source(3);
  std::vector<float> items;
  for (std::size_t i = 0; i < large_count; ++i) {
    const auto z = static_cast<std::uint32_t>(source() >> 32);
    items.push_back(golden::from_bits<float>(z & 1 ? 0x3f800000u | (z >> 23) : 0x3f7fff00u | (z >> 24)));
  }
  return items;
}

TEST(golden_bits, reduce) {
  record_reductions("reduce/float/plus", items_of<float>(large_count), wf::plus{}, true);
  record_reductions("reduce/float/multiplies", factors(), wf::multiplies{}, true);
  record_reductions("reduce/float/minimum", items_of<float>(large_count), wf::minimum{});
  record_reductions("reduce/float/maximum_number", items_of<float>(large_count), wf::maximum_number{});
  record_reductions("reduce/double/plus", items_of<double>(large_count), wf::plus{}, true);
  record_reductions("reduce/double/maximum", items_of<double>(large_count), wf::maximum{});
  record_reductions("reduce/double/minimum_number", items_of<double>(large_count), wf::minimum_number{});
  record_reductions("reduce/half/plus", items_of<__half>(large_count), wf::plus{}, true);
  record_reductions("reduce/bfloat16/plus", items_of<__nv_bfloat16>(large_count), wf::plus{});
  record_reductions("reduce/int8/plus", items_of<std::int8_t>(large_count), wf::plus{}, true);
  record_reductions("reduce/uint8/maximum", items_of<std::uint8_t>(large_count), wf::maximum{});
  record_reductions("reduce/uint8/logical_and", items_of<std::uint8_t>(large_count), wf::logical_and{});
  record_reductions("reduce/int16/plus", items_of<std::int16_t>(large_count), wf::plus{});
  record_reductions("reduce/int32/plus", items_of<std::int32_t>(large_count), wf::plus{});
  record_reductions("reduce/int32/multiplies", items_of<std::int32_t>(large_count), wf::multiplies{});
  record_reductions("reduce/int32/logical_or", items_of<std::int32_t>(large_count), wf::logical_or{});
  record_reductions("reduce/uint32/bit_xor", items_of<std::uint32_t>(large_count), wf::bit_xor{});
  record_reductions("reduce/uint32/bit_and", items_of<std::uint32_t>(large_count), wf::bit_and{});
  record_reductions("reduce/int64/plus", items_of<std::int64_t>(large_count), wf::plus{});
  record_reductions("reduce/int64/bit_or", items_of<std::int64_t>(large_count), wf::bit_or{});
  record_reductions("reduce/int64/first", items_of<std::int64_t>(large_count), wf::first{});
  record_reductions("reduce/int32/last", items_of<std::int32_t>(large_count), wf::last{});
  record_reductions("reduce/affine/compose", items_of<affine<>>(large_count), compose{}, true);
  record_reductions("reduce/triple/add", items_of<triple>(large_count), add_triples{}, true);
  record_reductions("reduce/hash8/tree", items_of<tree_hash<8, 8>>(large_count), hash_pair{}, true);
  expect_golden("reduce");
}

struct scaled_square {
  __host__ __device__ float operator()(std::int32_t x) const {
    const float value = static_cast<float>(x >> 8);
    return wf::multiplies{}(value, value);
  }
};

TEST(golden_bits, transform_reduce) {
  const auto integers = items_of<std::int32_t>(large_count);
  const auto left = items_of<float>(large_count, 4), right = items_of<float>(large_count, 5);
  const buffer<float> out(1);
  for (const std::size_t count : {1ul, 2ul, 33ul, 1000ul, 4097ul, 100003ul, 1000003ul}) {
    const auto end = static_cast<std::ptrdiff_t>(count);
    const buffer<std::int32_t> in(std::vector<std::int32_t>(integers.begin(), integers.begin() + end), count % 4);
    wf::transform_reduce(in.items(), out.data(), wf::plus{}, scaled_square{});
    record("transform/square/" + std::to_string(count), hash_of_one(out));
    const buffer<float> a(std::vector<float>(left.begin(), left.begin() + end), count % 3);
    const buffer<float> b(std::vector<float>(right.begin(), right.begin() + end), count % 5);
    wf::transform_reduce(a.items(), b.items(), out.data(), wf::plus{}, wf::multiplies{});
    record("transform/dot/" + std::to_string(count), hash_of_one(out));
    wf::transform_reduce(a.items(), b.items(), out.data(), wf::plus{}, wf::multiplies{}, {.init = 1.5f});
    record("transform/dot_init/" + std::to_string(count), hash_of_one(out));
  }
  expect_golden("transform");
}

/// All prefixes of both kinds, hashed.
template <class T> void record_scans(const std::string& name, const std::vector<T>& items, auto op) {
  using A = wf::accumulator_t<decltype(op), T>;
  for (const std::size_t count : {1ul, 33ul, 1000ul, 100003ul}) {
    const buffer<T> in(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)), count % 5);
    const buffer<A> out(count, count % 3);
    wf::inclusive_scan(in.items(), out.data(), op);
    record(name + "/inclusive/" + std::to_string(count), golden::hash_of(out.to_host(count)));
    wf::exclusive_scan(in.items(), out.data(), op, {.init = A{}});
    record(name + "/exclusive/" + std::to_string(count), golden::hash_of(out.to_host(count)));
  }
}

TEST(golden_bits, scan) {
  record_scans("scan/float/plus", items_of<float>(large_count), wf::plus{});
  record_scans("scan/half/plus", items_of<__half>(large_count), wf::plus{});
  record_scans("scan/int8/plus", items_of<std::int8_t>(large_count), wf::plus{});
  record_scans("scan/triple/add", items_of<triple>(large_count), add_triples{});
  record_scans("scan/hash8/tree", items_of<tree_hash<8, 8>>(large_count), hash_pair{});
  expect_golden("scan");
}

// Of the named strategies only multi_pass depends on the count alone.
TEST(golden_bits, multi_pass) {
  using passes = wf::strategy<wf::block::tree<256>, wf::grid::multi_pass>;
  const auto items = items_of<float>(100003);
  const buffer<float> out(1);
  for (const std::size_t count : {1ul, 33ul, 1000ul, 4097ul, 100003ul}) {
    const buffer<float> in(std::vector<float>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)));
    wf::reduce<passes>(in.items(), out.data(), wf::plus{});
    record("strategy/multi_pass/" + std::to_string(count), hash_of_one(out));
  }
  expect_golden("strategy");
}

TEST(golden_bits, file_has_no_other_groups) {
  if (golden::path_to_record()) GTEST_SKIP() << "the file is being written";
  for (const auto& [name, hash] : golden::read_file()) {
    const bool computed = std::ranges::find(golden::groups, golden::group_of(name)) != std::end(golden::groups);
    EXPECT_TRUE(computed) << name << " is of a group that no test computes";
  }
}

}  // namespace
