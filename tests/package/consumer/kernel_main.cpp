// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

int add_in_two_threads();

int main() {
  const int sum = add_in_two_threads();
  std::printf("sum %d\n", sum);
  return sum == 82 ? 0 : 1;
}
