// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory of a job: inputs that can be written again, outputs with room around them that must stay as it is.
#pragma once
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <warpfold/error.hpp>

#include "fuzz/job.hpp"
#include "fuzz/models.hpp"

namespace wf_fuzz {

template <class T> std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Nothing is allocated behind the last item, so that checkers see reads past it.
template <class T> class input {
 public:
  input(std::int64_t count, std::int64_t offset) : count_(count), offset_(offset) {
    const auto bytes = static_cast<std::size_t>(count + offset) * sizeof(T);
    warpfold::check(cudaMalloc(&memory_, bytes > 0 ? bytes : 1), "cudaMalloc");
  }
  input(const input&) = delete;
  ~input() { (void)cudaFree(memory_); }

  void set(std::vector<T> values) {
    values_ = std::move(values);
    if (!values_.empty())
      warpfold::check(cudaMemcpy(data(), values_.data(), values_.size() * sizeof(T), cudaMemcpyHostToDevice),
                      "cudaMemcpy");
    warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  T* data() const { return static_cast<T*>(memory_) + offset_; }
  std::int64_t count() const { return count_; }
  std::span<const T> range() const { return {data(), static_cast<std::size_t>(count_)}; }
  const std::vector<T>& values() const { return values_; }
  shown_array show(const char* name, const char* type) const { return {name, type, offset_, bytes_of(values_), false}; }

 private:
  void* memory_ = nullptr;
  std::int64_t count_, offset_;
  std::vector<T> values_;
};

template <class T> class output {
 public:
  output(std::int64_t count, std::int64_t offset)
      : count_(count), offset_(offset), bytes_(static_cast<std::size_t>(offset + count + behind) * sizeof(T)) {
    warpfold::check(cudaMalloc(&memory_, bytes_), "cudaMalloc");
  }
  output(const output&) = delete;
  ~output() { (void)cudaFree(memory_); }

  /// The first items are expected; what lies behind them must not be written.
  void expect(std::vector<T> expected) {
    expected_ = std::move(expected);
    warpfold::check(cudaMemset(memory_, mark, bytes_), "cudaMemset");
    warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  T* data() const { return static_cast<T*>(memory_) + offset_; }
  std::span<T> range() const { return {data(), static_cast<std::size_t>(count_)}; }

  bool untouched() const {
    for (const unsigned char byte : read())
      if (byte != mark) return false;
    return true;
  }
  std::string difference(const char* name) const {
    const auto bytes = read();
    const auto begin = static_cast<std::size_t>(offset_) * sizeof(T), end = begin + expected_.size() * sizeof(T);
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      T value;
      std::memcpy(&value, bytes.data() + begin + i * sizeof(T), sizeof(T));
      if (!same_bits(value, expected_[i]))
        return std::string(name) + "[" + std::to_string(i) + "] is " + hex(value) + ", expected " + hex(expected_[i]);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if ((i < begin || i >= end) && bytes[i] != mark)
        return "byte " + std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(begin)) + " of " +
               name + " is written, and has no result";
    return {};
  }
  shown_array show(const char* name, const char* type) const {
    return {name, type, offset_, bytes_of(expected_), true};
  }

 private:
  static constexpr unsigned char mark = 0xA5;
  static constexpr std::int64_t behind = 9;

  std::vector<unsigned char> read() const {
    std::vector<unsigned char> bytes(bytes_);
    warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    warpfold::check(cudaMemcpy(bytes.data(), memory_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return bytes;
  }
  static std::string hex(const T& value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    std::string text = "0x";
    for (std::size_t i = sizeof(T); i-- > 0;) {
      const char* digits = "0123456789abcdef";
      (text += digits[bytes[i] >> 4]) += digits[bytes[i] & 15];
    }
    return text;
  }

  void* memory_ = nullptr;
  std::int64_t count_, offset_;
  std::size_t bytes_;
  std::vector<T> expected_;
};

/// The initial value of a case: none, a value, or a value in device memory.
template <class Model> class initial_value {
 public:
  using item = typename Model::item;
  initial_value(const fuzz_case& c, bool is_needed)
      : mode_(c[init] % 3 == 0 && is_needed && !Model::has_identity ? 1 : c[init] % 3), on_device_(1, 0) {}
  void fill(std::uint64_t data) {
    // A value that a graph has recorded stays what it is.
    if (mode_ == 2 || !value_) value_ = make_init<Model>(data);
    if (mode_ == 2) on_device_.set({*value_});
  }
  std::optional<item> value() const { return mode_ > 0 ? value_ : std::nullopt; }
  warpfold::initial<item> option() const {
    if (mode_ == 2) return static_cast<const item*>(on_device_.data());
    if (mode_ == 1) return *value_;
    return {};
  }
  void show(shown_call& shown) const {
    if (mode_ == 0) return;
    shown.arrays.push_back({"init", "T", 0, bytes_of(std::vector<item>{*value_}), false});
    shown.init = mode_ == 1 ? ".init = init_array.value()" : ".init = static_cast<const T*>(init)";
  }
  warpfold::reduce_options<item> options(const place& where) const {
    return {.stream = where.stream, .init = option(), .workspace = where.workspace, .max_blocks = where.max_blocks};
  }

 private:
  std::int64_t mode_;
  std::optional<item> value_;
  input<item> on_device_;
};

}  // namespace wf_fuzz
