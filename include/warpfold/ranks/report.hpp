// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mistakes that an exchange has found: the kernel that joins the ranks' lists writes a report, and the host throws
// it.
//
// The report lies in pinned memory. The kernel writes all of it, fences, and sets `is_there`. The host reads it when it
// has waited for the kernel, or has acquired `is_there`.
#pragma once
#include <atomic>
#include <string>
#include <warpfold/error.hpp>
#include <warpfold/ranks/message.hpp>

namespace warpfold {

/// Thrown on the ranks that go on when another rank could not take part in a call, or did not answer in time. (What
/// ranks say that does not fit together, parts with gaps say, is thrown as std::invalid_argument, on all ranks.)
class WARPFOLD_EXPORTED rank_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpfold

namespace warpfold::ranks {

enum class problem : std::int32_t {
  none,
  cannot_take_part,  ///< `rank`; the text says why
  other_call,        ///< `rank` makes the call that the text names, rank 0 another one
  other_root,        ///< `rank` sends the result to rank `from`, rank 0 to rank `to`
  other_count,       ///< `rank` has `from` results, rank 0 `to`
  other_nodes,       ///< the part of `rank` has `from` nodes, that of rank 0 `to`
  negative_count,    ///< `rank` has `from` items
  overlap,           ///< both ranks have the items `from` to `to`
  gap,               ///< nobody has the items `from` to `to`; `rank`, if not -1, has those before, `other` those behind
  elsewhere,         ///< the first or last segment of `rank`, items `from` to `to`, does not lie where its items are
  other_segment,     ///< of what crosses item `from`, `rank` and `other` name other bounds
  beyond,            ///< `rank` has a segment of the items `from` to `to`, of which no rank has all
  no_items,
  no_answer,  ///< from `rank`; `from` is the number of milliseconds
  given_up    ///< because of an earlier call, by `rank`
};

struct report {
  unsigned is_there = 0;
  problem what = problem::none;
  std::int32_t rank = 0, other = 0;
  std::int64_t from = 0, to = 0;
  short_text text = {}, own = {};  ///< what rank `rank` said, and rank 0
};

/// Writes a report, unless an earlier one has not been thrown yet. One thread calls it. Texts may be null. Not inlined:
/// to copy texts takes code, which a kernel that has nothing to report would load.
__device__ __attribute__((noinline)) inline void put_report(report* to, problem what, int rank, int other = 0,
                                                            std::int64_t from = 0, std::int64_t until = 0,
                                                            const short_text* text = nullptr,
                                                            const short_text* own = nullptr) {
  volatile unsigned* const is_there = &to->is_there;  // the host's, too: volatile has the scope of the system
  if (*is_there != 0) return;
  to->what = what;
  to->rank = rank, to->other = other;
  to->from = from, to->to = until;
  if (text != nullptr) to->text = *text;
  if (own != nullptr) to->own = *own;
  __threadfence_system();
  *is_there = 1;
}

[[noreturn, gnu::cold]] inline void throw_report(const char* function, const report& found) {
  using warpfold::detail::joined;
  const std::string rank = joined({"rank ", found.rank}), other = joined({"rank ", found.other}),
                    items = found.from == found.to ? joined({"item ", found.from})
                                                   : joined({"items ", found.from, " to ", found.to});
  const auto root = [](std::int64_t of) { return of < 0 ? std::string("all ranks") : joined({"rank ", of}); };
  const auto error = [&](std::initializer_list<warpfold::detail::message_part> parts) {
    return rank_error(joined({"warpfold::", function, ": ", joined(parts)}));
  };
  switch (found.what) {
    case problem::cannot_take_part: throw error({rank, " cannot take part: ", found.text.of});
    case problem::other_call: reject(function, {rank, " calls ", found.text.of, ", rank 0 ", found.own.of});
    case problem::other_root:
      reject(function, {rank, " sends the result to ", root(found.from), ", rank 0 to ", root(found.to)});
    case problem::other_count: reject(function, {rank, " has ", found.from, " results, rank 0 ", found.to});
    case problem::other_nodes:
      reject(function, {"the stream is being captured, and the part of ", rank, " has ", found.from,
                        " nodes, that of rank 0 ", found.to});
    case problem::negative_count: reject(function, {rank, " has ", found.from, " items"});
    case problem::overlap: reject(function, {rank, " and ", other, " both have ", items});
    case problem::gap:
      reject(function, {"no rank has ", items, found.rank < 0 ? "" : ", which follow those of ",
                        found.rank < 0 ? "" : rank.c_str(), ", before those of ", other});
    case problem::elsewhere:
      if (found.to == found.from - 1)
        reject(function, {rank, " has an empty segment before item ", found.from, ", not where its items are"});
      reject(function, {rank, " has a segment of ", items, ", but none of them"});
    case problem::other_segment:
      reject(function, {rank, " and ", other, " name other bounds of the segment that goes on with item ", found.from});
    case problem::beyond: reject(function, {rank, " has a segment of ", items, ", beyond the items of all ranks"});
    case problem::no_items: reject(function, "no rank has items, the operator has no identity, and no .init was given");
    case problem::no_answer: throw error({rank, " has not answered for ", found.from, " ms"});
    default: throw error({rank, " has given up an earlier call; no call works until all ranks start anew"});
  }
}

}  // namespace warpfold::ranks
