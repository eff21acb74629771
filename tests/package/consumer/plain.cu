// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same function without a kernel, so that it compiles at once.
int add_in_two_threads() { return 2 * (1 + ADDED); }
