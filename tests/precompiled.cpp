// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target with precompiled headers needs a source: it has these headers and nothing else.
