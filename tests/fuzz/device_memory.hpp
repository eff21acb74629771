// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a case. On a GPU it is kept for the next cases of the thread, since most of a case's time would be allocation.
#pragma once
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>
#include <warpfold/error.hpp>

namespace wf_fuzz {

inline void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  warpfold::check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

#if defined(__CUDACC__)
/// The thread's free blocks, of 2^i bytes each.
class kept_blocks {
 public:
  ~kept_blocks() {
    for (const auto& blocks : free_)
      for (void* block : blocks) (void)cudaFree(block);
  }
  void* take(std::size_t bytes) {
    auto& blocks = free_[size_class(bytes)];
    if (blocks.empty()) return allocate(std::size_t{1} << size_class(bytes));
    void* const block = blocks.back();
    blocks.pop_back();
    return block;
  }
  void give_back(void* block, std::size_t bytes) { free_[size_class(bytes)].push_back(block); }

 private:
  static std::size_t size_class(std::size_t bytes) { return static_cast<std::size_t>(std::bit_width(bytes)); }
  std::vector<void*> free_[65];
};
inline kept_blocks& blocks_of_thread() {
  static thread_local kept_blocks blocks;
  return blocks;
}
#endif

/// `bytes` of device memory, or one if there are none.
class device_memory {
 public:
#if defined(__CUDACC__)
  explicit device_memory(std::size_t bytes) : bytes_(bytes), data_(blocks_of_thread().take(bytes)) {}
  ~device_memory() { blocks_of_thread().give_back(data_, bytes_); }
#else
  explicit device_memory(std::size_t bytes) : bytes_(bytes), data_(allocate(bytes > 0 ? bytes : 1)) {}
  ~device_memory() { (void)cudaFree(data_); }
#endif
  device_memory(const device_memory&) = delete;

  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace wf_fuzz
