// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dynamic shared memory of one block. It has exactly the size that the launch asks for, is poisoned when the block
// starts, and has guards at both ends.
#pragma once

#include <cuda_emulator/fiber.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace cuda_emulator {

// Fills with the bytes FB 7F: a NaN as float, double, half and bfloat16, and an unlikely integer.
inline void fill_poison(void* memory, std::size_t bytes) {
  auto* p = static_cast<unsigned char*>(memory);
  const std::size_t seed_bytes = bytes < 2 ? bytes : 2;
  static constexpr unsigned char pattern[2] = {0xFB, 0x7F};
  std::memcpy(p, pattern, seed_bytes);
  for (std::size_t done = seed_bytes; done < bytes;) {
    const std::size_t step = done < bytes - done ? done : bytes - done;
    std::memcpy(p + done, p, step);
    done += step;
  }
}

class shared_block {
 public:
  static constexpr std::size_t alignment_bytes = 128;

  shared_block() = default;
  ~shared_block() {
    open();
    std::free(memory_);
  }
  shared_block(const shared_block&) = delete;
  shared_block& operator=(const shared_block&) = delete;

  // Called when a block starts to use this memory.
  void reset(std::size_t bytes, bool poison) {
    if (memory_ == nullptr || bytes != bytes_) allocate(bytes);
    open();
    if (poison) fill_poison(data(), bytes_);
    fill_guards();
  }

  // Called when the block has exited: other blocks of the cluster must not touch the memory any more.
  void close() {
#if defined(CUDA_EMULATOR_ASAN)
    ASAN_POISON_MEMORY_REGION(memory_, bytes_);
#endif
  }

  // Whether nothing was written just outside the memory. AddressSanitizer finds such a write at once.
  bool guards_intact() const {
#if !defined(CUDA_EMULATOR_ASAN)
    for (std::size_t i = 0; i < guard_bytes; ++i)
      if (memory_[i] != guard_byte || memory_[guard_bytes + bytes_ + i] != guard_byte) return false;
#endif
    return true;
  }

  std::byte* data() const { return memory_ + guard_bytes; }
  std::size_t bytes() const { return bytes_; }
  bool contains(const void* p) const {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const auto first = reinterpret_cast<std::uintptr_t>(data());
    return memory_ != nullptr && address >= first && address < first + bytes_;
  }

#if defined(CUDA_EMULATOR_ASAN)
  static constexpr std::size_t guard_bytes = 0;  // AddressSanitizer has its own
#else
  static constexpr std::size_t guard_bytes = alignment_bytes;
#endif

 private:
  static constexpr std::byte guard_byte{0xC5};

  void open() {
#if defined(CUDA_EMULATOR_ASAN)
    ASAN_UNPOISON_MEMORY_REGION(memory_, bytes_);
#endif
  }
  void allocate(std::size_t bytes) {
    open();
    std::free(memory_);
    memory_ = nullptr;
    void* fresh = nullptr;
    if (posix_memalign(&fresh, alignment_bytes, bytes + 2 * guard_bytes) != 0) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(fresh);
    bytes_ = bytes;
  }
  void fill_guards() {
    if constexpr (guard_bytes > 0) {
      std::memset(memory_, std::to_integer<int>(guard_byte), guard_bytes);
      std::memset(memory_ + guard_bytes + bytes_, std::to_integer<int>(guard_byte), guard_bytes);
    }
  }

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace cuda_emulator
