// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to ask for one and the same reduction by key, none of which may change a bit; and comparisons of results.
#pragma once
#include <algorithm>
#include <functional>
#include <warpfold/reduce_by_key.cuh>

#include "segmented/ways.cuh"

namespace wf_test {

struct by_key_way {
  from init = from::nothing;
  int max_blocks = 0;
  bool own_workspace = false;
  std::int64_t keys_off = 0, values_off = 0, out_off = 0;  ///< items by which these are misaligned
  std::int64_t spare = 0;                                  ///< room beyond the runs; negative where it is too little
  std::uint64_t seed = 1;                                  ///< of the emulator's schedule

  friend std::ostream& operator<<(std::ostream& out, const by_key_way& w) {
    constexpr const char* names[] = {"no", "a", "a device-resident"};
    return out << names[static_cast<int>(w.init)] << " init, max_blocks " << w.max_blocks
               << (w.own_workspace ? ", a workspace, " : ", ") << w.keys_off << ", " << w.values_off << " and "
               << w.out_off << " off, " << w.spare << " spare, seed " << w.seed;
  }
};

/// Number `turn` of a sequence that goes through all values of all members.
inline by_key_way by_key_way_of(std::int64_t step) {
  constexpr int bounds[] = {0, 1, 7};
  const auto at_times_aligned = [&](std::int64_t every, std::int64_t most) {
    return step % every == 0 ? 0 : step % most;
  };
  return {static_cast<from>(step % 3),
          bounds[step / 3 % 3],
          step % 2 == 1,
          at_times_aligned(3, 19),
          at_times_aligned(4, 7),
          step % 4,
          step % 5,
          static_cast<std::uint64_t>(step) + 1};
}

/// Only the segments that have items: runs always do.
inline layout runs_of(const layout& where) {
  lengths own;
  for (std::int64_t s = 0; s < where.segments(); ++s)
    if (where.length(s) > 0) own.push_back(where.length(s));
  return {where.name, own};
}

/// The key of each item: neighbouring runs have different ones, and each comes again.
template <class K> std::vector<K> keys_of(const layout& runs) {
  std::vector<K> keys;
  for (std::int64_t s = 0; s < runs.segments(); ++s)
    keys.insert(keys.end(), static_cast<std::size_t>(runs.length(s)), static_cast<K>(s % 3));
  return keys;
}

/// One key and one value per run.
template <class K, class A> struct run_list {
  std::vector<K> keys;
  std::vector<A> values;
};

/// The expected results without an init: `equal` tells runs apart, the key is that of the first item, and the value is
/// the tree over all items, in which only the items of the run exist.
template <class K, class T, class Op, class Equal = std::equal_to<>, class A = warpfold::accumulator_t<Op, T>>
run_list<K, A> canonical_runs(const std::vector<K>& keys, const std::vector<T>& items, Op op, Equal equal = {}) {
  run_list<K, A> result;
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    for (end = begin + 1; end < keys.size() && equal(keys[end - 1], keys[end]);) ++end;
    result.keys.push_back(keys[begin]);
    result.values.push_back(warpfold::canonical_tree::replay_part(items.data(), static_cast<std::int64_t>(begin),
                                                                  static_cast<std::int64_t>(end), op));
  }
  return result;
}

/// Room for results, `offset` items past a boundary of 256 bytes, amid bytes that nobody may write.
template <class T> class guarded_array {
 public:
  explicit guarded_array(std::int64_t room, std::int64_t offset = 0)
      : room_(static_cast<std::size_t>(room)),
        offset_(static_cast<std::size_t>(offset)),
        bytes_(static_cast<std::int64_t>(sizeof(T)) * (offset + room + 5)) {
    clear();
  }
  void clear() const { warpfold::check(cudaMemset(bytes_.data(), pattern, bytes_.size()), "cudaMemset"); }
  std::span<T> span() const { return {reinterpret_cast<T*>(bytes_.data()) + offset_, room_}; }

  /// Whether it begins with `expected`, by bits, and no other byte has been written.
  testing::AssertionResult holds(std::span<const T> expected) const {
    const auto found = bytes_.to_host();
    const std::size_t begin = offset_ * sizeof(T), end = begin + expected.size_bytes();
    for (std::size_t s = 0; s < expected.size(); ++s) {
      T actual;
      std::memcpy(&actual, found.data() + begin + s * sizeof(T), sizeof(T));
      if (std::memcmp(&actual, &expected[s], sizeof(T)) != 0)
        return testing::AssertionFailure()
               << "number " << s << " of " << expected.size() << " is " << testing::PrintToString(actual) << ", not "
               << testing::PrintToString(expected[s]);
    }
    for (std::size_t b = 0; b < found.size(); ++b)
      if ((b < begin || b >= end) && found[b] != std::byte{pattern})
        return testing::AssertionFailure() << "byte " << static_cast<std::ptrdiff_t>(b - begin) << " has been written, "
                                           << expected.size() << " results belong there, in room for " << room_;
    return testing::AssertionSuccess();
  }

 private:
  static constexpr unsigned char pattern = 0x5a;
  std::size_t room_, offset_;
  device_array<std::byte> bytes_;
};

template <class To, class From> std::vector<To> converted(const std::vector<From>& values, std::size_t most) {
  std::vector<To> result;
  for (std::size_t s = 0; s < std::min(most, values.size()); ++s) result.push_back(static_cast<To>(values[s]));
  return result;
}

/// The outputs of a call: keys and values of `room` runs, and the number of runs.
template <class K, class R, class Count = std::int64_t> class by_key_outputs {
 public:
  explicit by_key_outputs(std::int64_t room, std::int64_t offset = 0)
      : keys_(room, offset), values_(room, (offset + 1) % 4), count_(1, offset) {}

  std::span<K> keys() const { return keys_.span(); }
  std::span<R> values() const { return values_.span(); }
  Count* count() const { return count_.span().data(); }
  void clear() const { keys_.clear(), values_.clear(), count_.clear(); }

  /// Whether they hold the number of `expected` runs, as many of these as there is room for, and nothing else.
  template <class Key, class A> testing::AssertionResult hold(const run_list<Key, A>& expected) const {
    const auto what = [](const char* name, const testing::AssertionResult& same) {
      return same ? same : testing::AssertionFailure() << name << same.message();
    };
    const Count runs[] = {static_cast<Count>(expected.keys.size())};
    if (const auto same = count_.holds(runs); !same) return what("count: ", same);
    if (const auto same = keys_.holds(converted<K>(expected.keys, keys().size())); !same) return what("keys: ", same);
    return what("values: ", values_.holds(converted<R>(expected.values, values().size())));
  }
  testing::AssertionResult are_untouched() const {
    return keys_.holds({}) && values_.holds({}) ? count_.holds({})
                                                : testing::AssertionFailure() << "runs have been written";
  }

 private:
  guarded_array<K> keys_;
  guarded_array<R> values_;
  guarded_array<Count> count_;
};

/// Calls reduce(out_keys, out_values, out_count, options) as `way` says. It must leave the number of `expected` runs,
/// as many of them as there is room for, init joined on their left, and nothing else; in outputs of the types given
/// first.
template <class OutKey = void, class OutValue = void, class Count = std::int64_t, class K, class A, class Op,
          class Reduce>
testing::AssertionResult gives_runs(const by_key_way& way, run_list<K, A> expected, const A& init, Op op,
                                    Reduce reduce) {
  using key = std::conditional_t<std::is_void_v<OutKey>, K, OutKey>;
  using value = std::conditional_t<std::is_void_v<OutValue>, A, OutValue>;
  static const rubbish_workspace workspace(sizeof(A));
  const schedule_seed scheduled(way.seed);
  const device_array<A> constant(std::vector<A>{init});
  const by_key_outputs<key, value, Count> out(std::max<std::int64_t>(0, std::ssize(expected.keys) + way.spare),
                                              way.out_off);
  if (way.init != from::nothing)
    for (A& v : expected.values) v = op(init, v);

  warpfold::reduce_options<A> options{.max_blocks = way.max_blocks};
  if (way.init == from::value) options.init = init;
  if (way.init == from::device_memory) options.init = static_cast<const A*>(constant.data());
  if (way.own_workspace) options.workspace = workspace;
  reduce(out.keys(), out.values(), out.count(), options);

  if (const auto right = out.hold(expected); !right)
    return testing::AssertionFailure() << right.message() << "; " << way;
  if (way.own_workspace && !workspace.is_cleared())
    return testing::AssertionFailure() << "control words are left behind; " << way;
  return testing::AssertionSuccess();
}

}  // namespace wf_test
