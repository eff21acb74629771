// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of an input that have come so far, in any order: which items, and their lists of nodes, where neighbours
// have been joined. And their form as bytes.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/host/type_name.hpp>

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items that have been claimed: stretches that do not touch, by their first numbers.
class item_set {
 public:
  /// Throws if an item of [first, end) has come before.
  void check_free(const char* function, std::int64_t first, std::int64_t end) const {
    if (first == end) return;
    const auto after = stretches_.lower_bound(end);  // begins behind the new ones
    if (after == stretches_.begin()) return;
    const auto [begin, last] = *std::prev(after);
    if (last > first)
      reject(function,
             {"items ", greatest_of(begin, first), " to ", least_of(last, end) - 1, " have been pushed before"});
  }
  void add(std::int64_t first, std::int64_t end) {
    if (first == end) return;
    auto after = stretches_.lower_bound(first);
    if (after != stretches_.end() && after->first == end) {
      end = after->second;
      after = stretches_.erase(after);
    }
    if (after != stretches_.begin() && std::prev(after)->second == first) std::prev(after)->second = end;
    else stretches_.emplace_hint(after, first, end);
  }
  /// Throws if there is a gap between item 0 and the last one.
  void check_whole(const char* function) const {
    std::int64_t next = 0;
    for (const auto& [first, end] : stretches_) {
      if (first != next) reject(function, {"items ", next, " to ", first - 1, " have not been pushed"});
      next = end;
    }
  }
  std::int64_t count() const {
    std::int64_t items = 0;
    for (const auto& [first, end] : stretches_) items += end - first;
    return items;
  }

 private:
  std::map<std::int64_t, std::int64_t> stretches_;
};

template <class A, class Op> class part_lists {
 public:
  using list = canonical_nodes<A, Op>;

  /// Adds a list whose items are in no other one.
  void add(const list& of, const Op& op) {
    if (of.first() == of.end()) return;
    const auto after = lists_.lower_bound(of.first());
    const bool meets_left = after != lists_.begin() && std::prev(after)->second.end() == of.first();
    const auto own = meets_left ? std::prev(after) : lists_.emplace_hint(after, of.first(), of);
    if (meets_left) own->second.append(of, op);
    if (after != lists_.end() && after->first == of.end()) {
      own->second.append(after->second, op);
      lists_.erase(after);
    }
  }
  void add(const part_lists& others, const Op& op) {
    for (const auto& [first, of] : others.lists_) add(of, op);
  }
  const std::map<std::int64_t, list>& all() const { return lists_; }

 private:
  std::map<std::int64_t, list> lists_;
};

using host_side::type_name;

/// The bytes of a checkpoint: checkpoint_header, the name, for each list its number of bytes and its bytes, and a sum
/// of all bytes before. In the order of bytes of the machine.
struct checkpoint_header {
  char kind[8] = {'w', 'f', 'a', 'c', 'c', 'u', 'm', '\0'};
  std::uint32_t version = 1;
  std::uint32_t name_bytes = 0;
  std::uint64_t accumulator_bytes = 0;
  std::uint64_t lists = 0;
  std::int64_t next = 0;  ///< the number of the item that comes next
};

inline std::uint64_t checksum(std::span<const std::byte> bytes) {  // FNV-1a
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  return sum;
}

template <class A, class Op>
std::vector<std::byte> save_lists(const part_lists<A, Op>& lists, std::int64_t next, std::string_view name) {
  std::vector<std::byte> bytes;
  const auto put = [&](const void* from, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
  };
  checkpoint_header header;
  header.name_bytes = static_cast<std::uint32_t>(name.size());
  header.accumulator_bytes = sizeof(A);
  header.lists = lists.all().size();
  header.next = next;
  put(&header, sizeof header);
  put(name.data(), name.size());
  for (const auto& [first, list] : lists.all()) {
    const std::uint64_t count = list.byte_count();
    put(&count, sizeof count);
    put(&list, count);
  }
  const std::uint64_t sum = checksum(bytes);
  put(&sum, sizeof sum);
  return bytes;
}

/// Adds the lists that `bytes` hold, and returns the next number. Throws if they are not those of a `name`.
template <class A, class Op>
std::int64_t load_lists(const char* function, std::span<const std::byte> bytes, std::string_view name, const Op& op,
                        part_lists<A, Op>& lists, item_set& items) {
  using list = canonical_nodes<A, Op>;
  const std::size_t given = bytes.size();
  const auto take = [&](void* to, std::size_t count) {
    if (count > bytes.size()) reject(function, {"the checkpoint has ", given, " bytes, which is too few"});
    std::memcpy(to, bytes.data(), count);
    bytes = bytes.subspan(count);
  };
  const std::span<const std::byte> all = bytes;
  checkpoint_header header, own;
  take(&header, sizeof header);
  if (std::memcmp(header.kind, own.kind, sizeof own.kind) != 0) reject(function, "the bytes are no checkpoint");
  if (header.version != own.version)
    reject(function, {"the checkpoint has version ", header.version, "; this is version ", own.version});
  std::string saved(least_of(header.name_bytes, bytes.size()), ' ');
  take(saved.data(), header.name_bytes);
  if (saved != name || header.accumulator_bytes != sizeof(A))
    reject(function, {"the checkpoint is of ", saved, ", not of ", std::string(name)});
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) take(&sum, sizeof sum);
  std::memcpy(&sum, all.data() + all.size() - sizeof sum, sizeof sum);
  if (checksum(all.first(all.size() - sizeof sum)) != sum) reject(function, "the checkpoint's bytes are damaged");
  for (std::uint64_t i = 0; i < header.lists; ++i) {
    std::uint64_t count = 0;
    take(&count, sizeof count);
    auto of = std::make_unique<list>();
    if (count > sizeof(list)) reject(function, "the checkpoint's bytes are damaged");
    take(static_cast<void*>(of.get()), count);
    items.check_free(function, of->first(), of->end());
    items.add(of->first(), of->end());
    lists.add(*of, op);
  }
  return header.next;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
