// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls that -fsanitize=thread makes of std::atomic. No #pragma once: split_accesses.hpp or races/hooks.hpp
// includes this, with CUDA_EMULATOR_HOOK and CUDA_EMULATOR_SEEN_ATOMIC(address, bytes, reads, writes, order) defined.
#if defined(CUDA_EMULATOR_HOOK)
// Atomics are calls, too. They are as they would be without the sanitizer, but sequentially consistent.
#define CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, change)                                                              \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_##change(volatile void* p, word value, [[maybe_unused]] int order) { \
    CUDA_EMULATOR_SEEN_ATOMIC(p, sizeof(word), true, true, order);                                                   \
    return __atomic_##change(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);                               \
  }
#define CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, strength, weak)                                                   \
  CUDA_EMULATOR_HOOK bool __tsan_atomic##bits##_compare_exchange_##strength(                                        \
      volatile void* p, void* expected, word desired, [[maybe_unused]] int order, int) {                            \
    CUDA_EMULATOR_SEEN_ATOMIC(p, sizeof(word), true, true, order);                                                  \
    return __atomic_compare_exchange_n(static_cast<volatile word*>(p), static_cast<word*>(expected), desired, weak, \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                         \
  }
#define CUDA_EMULATOR_ATOMICS(bits, word)                                                                            \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_load(const volatile void* p, [[maybe_unused]] int order) {           \
    CUDA_EMULATOR_SEEN_ATOMIC(p, sizeof(word), true, false, order);                                                  \
    return __atomic_load_n(static_cast<const volatile word*>(p), __ATOMIC_SEQ_CST);                                  \
  }                                                                                                                  \
  CUDA_EMULATOR_HOOK void __tsan_atomic##bits##_store(volatile void* p, word value, [[maybe_unused]] int order) {    \
    CUDA_EMULATOR_SEEN_ATOMIC(p, sizeof(word), false, true, order);                                                  \
    __atomic_store_n(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                                                  \
  CUDA_EMULATOR_HOOK word __tsan_atomic##bits##_exchange(volatile void* p, word value, [[maybe_unused]] int order) { \
    CUDA_EMULATOR_SEEN_ATOMIC(p, sizeof(word), true, true, order);                                                   \
    return __atomic_exchange_n(static_cast<volatile word*>(p), value, __ATOMIC_SEQ_CST);                             \
  }                                                                                                                  \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_add)                                                                 \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_sub)                                                                 \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_and)                                                                 \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_or)                                                                  \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_xor)                                                                 \
  CUDA_EMULATOR_ATOMIC_CHANGE(bits, word, fetch_nand)                                                                \
  CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, strong, false)                                                           \
  CUDA_EMULATOR_ATOMIC_EXCHANGE(bits, word, weak, true)
CUDA_EMULATOR_ATOMICS(8, unsigned char)
CUDA_EMULATOR_ATOMICS(16, unsigned short)
CUDA_EMULATOR_ATOMICS(32, unsigned)
CUDA_EMULATOR_ATOMICS(64, unsigned long)
#undef CUDA_EMULATOR_ATOMICS
#undef CUDA_EMULATOR_ATOMIC_EXCHANGE
#undef CUDA_EMULATOR_ATOMIC_CHANGE
#endif
