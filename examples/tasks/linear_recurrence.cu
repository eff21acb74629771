// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence, by an operator of your own
//
// y[i] = a[i] y[i - 1] + b[i] looks as if it had to be computed one by one. But each step is a function, and composing
// functions is associative, though it does not commute: so it is a scan. Warpfold never reorders. An operator is a
// trivially copyable function object, called as `A op(A, A)`.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

struct step {
  float a, b;  // y becomes a y + b
};

struct then {
  __host__ __device__ step operator()(step first, step second) const {
    return {second.a * first.a, second.a * first.b + second.b};
  }
};

int main() {
  const examples::device_array<step> in(std::vector<step>(8, step{0.5f, 1})), out(in.size());

  wf::inclusive_scan(in, out, then{});

  for (const step all : out.to_host()) std::printf("%g ", all.a * 10 + all.b);  // from y = 10
  std::printf("\n");
  return 0;
}
