// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library says to bad arguments.
#pragma once
#include <stdexcept>
#include <string>

namespace wf_test {

/// The text of the std::invalid_argument that `call` throws; "accepted" if it throws nothing.
template <class Call> std::string refusal(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace wf_test
