// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of the bits of results, compared with golden_bits.txt.
//
// The library promises that the same input gives the same bits on every run, every GPU and in the emulator. Users keep
// such results in their own tests, so the bits must not change between versions either: only a major version may change
// golden_bits.txt. WARPFOLD_RECORD_GOLDEN=<path> writes the file instead of comparing; all tests must then run in one
// process.
//
// Inputs come from integer arithmetic alone. There is no sum of no floats, and nothing that depends on the grid.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
#include <warpfold/warpfold.cuh>

#include "../common/monoids.hpp"
#include "../common/random_items.hpp"
#include "../common/tree_hash.hpp"

namespace wf_test::golden {

/// The first part of a record's name. A group of the file that is not listed here is a record that no test makes.
inline constexpr const char* groups[] = {"reduce", "transform", "strategy", "segments",   "segments_inexact", "by_key",
                                         "scan",   "sums",      "types",    "statistics", "segmented_scan",   "axes"};

using hash_map = std::map<std::string, std::uint64_t>;

/// The records that this process has computed, in all groups.
inline hash_map& computed() {
  static hash_map records;
  return records;
}
inline const char* path_to_record() { return std::getenv("WARPFOLD_RECORD_GOLDEN"); }

inline std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

inline hash_map read_file() {
  std::ifstream file(WARPFOLD_GOLDEN_FILE);
  EXPECT_TRUE(file) << "cannot read " << WARPFOLD_GOLDEN_FILE;
  hash_map records;
  for (std::string name, hash; file >> name >> hash;) records[name] = std::stoull(hash, nullptr, 16);
  return records;
}
inline void write_file(const char* path) {
  std::ofstream file(path);
  for (const auto& [name, hash] : computed()) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    file << name << ' ' << digits << '\n';
  }
  file.close();
  EXPECT_TRUE(file) << "cannot write " << path;
}

/// FNV-1a over the bytes of the items. Their types have no padding.
template <class T> std::uint64_t hash_of(const std::vector<T>& items, std::uint64_t hash = 0xcbf29ce484222325u) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = reinterpret_cast<const unsigned char*>(items.data());
  for (std::size_t i = 0; i < items.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

inline void record(const std::string& name, std::uint64_t hash) {
  EXPECT_TRUE(computed().emplace(name, hash).second) << name << " is recorded twice";
}

/// Compares the records of a group, once the group's test has made them all.
inline void expect_golden(const std::string& group) {
  if (const char* path = path_to_record()) return write_file(path);
  const hash_map file = read_file();
  std::size_t in_file = 0, made = 0;
  for (const auto& [name, expected] : file) {
    if (group_of(name) != group) continue;
    ++in_file;
    const auto got = computed().find(name);
    if (got == computed().end()) ADD_FAILURE() << name << " is in the file, but was not computed";
    else if (got->second != expected)
      ADD_FAILURE() << name << std::hex << ": expected " << expected << ", got " << got->second;
  }
  for (const auto& [name, hash] : computed()) {
    if (group_of(name) != group) continue;
    ++made;
    EXPECT_TRUE(file.contains(name)) << name << " was computed as " << std::hex << hash << ", but is not in the file";
  }
  EXPECT_GT(in_file, 0u);
  EXPECT_EQ(in_file, made);
}

/// Device memory, its first item `offset` items past an aligned address.
template <class T> class buffer {
 public:
  explicit buffer(std::size_t count, std::size_t offset = 0) : count_(count), offset_(offset) {
    warpfold::check(cudaMalloc(&memory_, (count + offset + 1) * sizeof(T)), "cudaMalloc");
  }
  explicit buffer(const std::vector<T>& items, std::size_t offset = 0) : buffer(items.size(), offset) {
    if (count_ == 0) return;
    warpfold::check(cudaMemcpy(data(), items.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { (void)cudaFree(memory_); }

  T* data() const { return static_cast<T*>(memory_) + offset_; }
  std::span<T> span() const { return {data(), count_}; }
  std::span<const T> items() const { return {data(), count_}; }
  std::vector<T> to_host(std::size_t count) const requires(!std::is_same_v<T, bool>) {
    std::vector<T> result(count);
    if (count == 0) return result;
    warpfold::check(cudaMemcpy(result.data(), data(), count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return result;
  }
  std::vector<T> to_host() const requires(!std::is_same_v<T, bool>) { return to_host(count_); }

 private:
  void* memory_ = nullptr;
  std::size_t count_, offset_;
};

/// A float's bits from integers: either sign, magnitudes from 2^-low to 2^high, so that each association of a sum
/// rounds differently.
template <int MantissaBits, int Bias, int SignBit> std::uint64_t float_bits(random_source& source, int low, int high) {
  const std::uint64_t z = source();
  const auto exponent = static_cast<std::uint64_t>(Bias - low + source.below(low + high));
  return (z & 1) << SignBit | exponent << MantissaBits | (z >> 1 & ((std::uint64_t{1} << MantissaBits) - 1));
}

template <class T> struct generator {
  static T item(random_source& source, std::size_t) { return static_cast<T>(source() >> 13); }
};
template <class T, class Bits> T from_bits(Bits bits) {
  T result;
  static_assert(sizeof result == sizeof bits);
  std::memcpy(static_cast<void*>(&result), &bits, sizeof result);
  return result;
}
template <> struct generator<float> {
  static float item(random_source& s, std::size_t) {
    return from_bits<float>(static_cast<std::uint32_t>(float_bits<23, 127, 31>(s, 12, 12)));
  }
};
template <> struct generator<double> {
  static double item(random_source& s, std::size_t) { return from_bits<double>(float_bits<52, 1023, 63>(s, 12, 12)); }
};
template <> struct generator<__half> {
  static __half item(random_source& s, std::size_t) {
    return from_bits<__half>(static_cast<std::uint16_t>(float_bits<10, 15, 15>(s, 6, 6)));
  }
};
template <> struct generator<__nv_bfloat16> {
  static __nv_bfloat16 item(random_source& s, std::size_t) {
    return from_bits<__nv_bfloat16>(static_cast<std::uint16_t>(float_bits<7, 127, 15>(s, 12, 12)));
  }
};
template <> struct generator<affine<>> {
  static affine<> item(random_source& s, std::size_t) {
    return {static_cast<std::uint32_t>(s() | 1), static_cast<std::uint32_t>(s())};
  }
};
template <> struct generator<triple> {
  static triple item(random_source& s, std::size_t i) {
    using floats = generator<float>;
    const float x = floats::item(s, i), y = floats::item(s, i), z = floats::item(s, i);
    return {x, y, z};
  }
};
template <int Bytes, int Alignment> struct generator<tree_hash<Bytes, Alignment>> {
  static tree_hash<Bytes, Alignment> item(random_source&, std::size_t i) {
    return tree_hash<Bytes, Alignment>::of(static_cast<std::int64_t>(i));
  }
};

template <class T> std::vector<T> items_of(std::size_t count, std::uint64_t seed = 1) {
  random_source source(seed);
  std::vector<T> items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) items.push_back(generator<T>::item(source, i));
  return items;
}

}  // namespace wf_test::golden
