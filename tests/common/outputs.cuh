// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of users besides pointers and spans.
#pragma once
#include <vector>

#include "common/device.cuh"

namespace wf_test::outputs {

/// Stores what is assigned, negated. It has no difference_type, nor a value_type.
struct negating_output {
  struct place {
    int* to;
    __host__ __device__ const place& operator=(int value) const { return *to = -value, *this; }
  };
  int* first;
  __host__ __device__ place operator[](std::int64_t i) const { return {first + i}; }
};
/// Stores what is assigned, as a pointer does.
template <class T> struct storing_output {
  struct place {
    T* to;
    __host__ __device__ const place& operator=(const T& value) const { return *to = value, *this; }
  };
  T* first;
  __host__ __device__ place operator[](std::int64_t i) const { return {first + i}; }
};
/// Takes anything, and stores nothing.
struct discarding_output {
  struct place {
    template <class T> __host__ __device__ const place& operator=(const T&) const { return *this; }
  };
  __host__ __device__ place operator[](std::int64_t) const { return {}; }
};
/// A range that is no span, and owns its items, as device vectors do.
template <class T> class device_vector {
 public:
  explicit device_vector(const std::vector<T>& items) : array_(items) {}
  T* data() { return array_.data(); }
  const T* data() const { return array_.data(); }
  std::size_t size() const { return array_.size(); }

 private:
  device_array<T> array_;
};

}  // namespace wf_test::outputs
