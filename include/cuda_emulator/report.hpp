// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of an error: the kernel, the block, the thread, and where each group of threads waits.
#pragma once

#include <cuda_emulator/scheduler.hpp>
#include <cuda_emulator/symbols.hpp>

#include <cstdio>
#include <map>

namespace cuda_emulator {

struct report {
  static std::string triple(uint3 v) { return text("(", v.x, ", ", v.y, ", ", v.z, ")"); }

  static std::string place(const std::source_location& site) {
    const std::string file = site.file_name();
    return text(file.substr(file.find_last_of('/') + 1), ":", site.line());
  }

  static std::string describe(const scheduler& s, const thread& t, const std::string& message) {
    return message + thread_of(s, t.parent->index, t.index) + waiting(s);
  }
  static std::string thread_of(const scheduler& s, uint3 block, uint3 thread) {
    return text("\n  kernel ", function_name(s.launch_.kernel), ", block ", triple(block), ", thread ", triple(thread));
  }

  static std::string deadlock(const scheduler& s) {
    return text("no thread can run\n  kernel ", function_name(s.launch_.kernel), waiting(s));
  }

 private:
  // The ranks of the threads that wait at one place, as in "0-15, 20".
  static std::string ranges(const std::vector<unsigned>& ranks) {
    std::string result;
    for (std::size_t i = 0; i < ranks.size();) {
      std::size_t last = i;
      while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
      result += text(result.empty() ? "" : ", ", ranks[i]);
      if (last > i) result += text("-", ranks[last]);
      i = last + 1;
    }
    return result;
  }

  static std::string waiting(const scheduler& s) {
    constexpr int most_lines = 24;
    int lines = 0;
    std::string result;
    for (const auto& c : s.resident_)
      for (const auto& b : c->blocks) {
        std::map<std::string, std::vector<unsigned>> groups;
        for (const thread& t : b->threads) groups[state(t)].push_back(t.rank);
        for (const auto& [what, ranks] : groups)
          if (++lines <= most_lines)
            result += text("\n  block ", triple(b->index), ", threads ", ranges(ranks), ": ", what);
      }
    if (lines > most_lines) result += text("\n  and ", lines - most_lines, " more groups");
    return result;
  }

  static std::string state(const thread& t) {
    if (t.exited) return "left the kernel";
    if (t.waits_at == nullptr) return (t.home->ready >> t.lane & 1) != 0 ? "can run" : "running";
    char mask[24] = "";
    if (t.waits_mask != 0) std::snprintf(mask, sizeof mask, ", mask 0x%08x", t.waits_mask);
    return text("wait at ", t.waits_at, mask, ", ", place(t.site));
  }
};

}  // namespace cuda_emulator
