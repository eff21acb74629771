// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#include <warpfold/host_memory.cuh>

namespace wf_test {

/// Pinned memory with these items.
template <class T> class pinned_array {
 public:
  explicit pinned_array(const std::vector<T>& items) : count_(std::ssize(items)) {
    void* memory = nullptr;
    warpfold::check(cudaMallocHost(&memory, items.size() * sizeof(T)), "cudaMallocHost");
    items_ = static_cast<T*>(memory);
    std::copy(items.begin(), items.end(), items_);
  }
  pinned_array(const pinned_array&) = delete;
  ~pinned_array() { (void)cudaFreeHost(items_); }
  auto input() const { return warpfold::host(items_, count_); }

 private:
  T* items_;
  std::int64_t count_;
};

}  // namespace wf_test
