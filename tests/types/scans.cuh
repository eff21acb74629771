// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of sequences, runs and segments, in the table of types.
#pragma once
#include "types/segments.cuh"

namespace types {

/// The scan of segments that begin at `heads`.
template <bool IsExclusive, class Op, class Out, class T>
list<Out> scanned(const list<T>& items, const std::vector<int>& heads, bool has_init) {
  using A = folded_t<Op, T>;
  list<Out> results;
  for (std::size_t s = 0; s + 1 < heads.size(); ++s) {
    std::optional<A> all;
    if (has_init) all = as<A>(make<T>(5));
    const auto write = [&](const std::optional<A>& value) {
      results.push_back(fold<Op, Out>(std::span<const T>{}, value));
    };
    for (auto i = static_cast<std::size_t>(heads[s]); i < static_cast<std::size_t>(heads[s + 1]); ++i) {
      if (IsExclusive) write(all);
      all = all ? model<Op>::join(*all, as<A>(items[i])) : as<A>(items[i]);
      if (!IsExclusive) write(all);
    }
  }
  if constexpr (IsExclusive && !model<Op>::template has_nothing<T>)
    if (!has_init) throw std::invalid_argument("an exclusive scan needs init or an identity");
  return results;
}

/// Common to the three scans: without and with init. F::scan(items, out, options) calls one of them, and
/// F::heads(number of items) says where segments begin.
template <class F, class Op, bool IsExclusive> struct scans : with_operator<Op> {
  static std::string name() {
    return std::string(F::title) + (IsExclusive ? "_exclusive_" : "_inclusive_") + model<Op>::name;
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    using A = wf::accumulator_t<Op, T>;
    const device_array<T> in(items.span());
    const device_array<Out> out(in.count());
    all.record([&] { return F::template scan<A>(in.items(), out.data(), {}), to_host(out); });
    if constexpr (has_plain_values<Op, T>)
      all.record([&] {
        F::template scan<A>(in.items(), out.data(), {.init = as<A>(make<T>(5))});
        return to_host(out);
      });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    for (const bool has_init : {false, true})
      if (!has_init || has_plain_values<Op, T>)
        all.record([&] { return scanned<IsExclusive, Op, Out>(items, F::heads(items.size()), has_init); });
  }
};

template <class Op, bool IsExclusive> struct scans_sequence : scans<scans_sequence<Op, IsExclusive>, Op, IsExclusive> {
  static constexpr const char* title = "scan";
  template <class A, class In, class Out>
  static void scan(const In& in, Out* out, const wf::reduce_options<A>& options) {
    if constexpr (IsExclusive) wf::exclusive_scan(in, out, Op{}, options);
    else wf::inclusive_scan(in, out, Op{}, options);
  }
  static std::vector<int> heads(std::size_t items) { return {0, static_cast<int>(items)}; }
};

template <class Op, bool IsExclusive> struct scans_by_key : scans<scans_by_key<Op, IsExclusive>, Op, IsExclusive> {
  static constexpr const char* title = "scan_by_key";
  template <class A, class In, class Out>
  static void scan(const In& in, Out* out, const wf::reduce_options<A>& options) {
    const device_array<int> keys(keys_of(in.size()));
    if constexpr (IsExclusive) wf::exclusive_scan_by_key(keys.items(), in, out, Op{}, options);
    else wf::inclusive_scan_by_key(keys.items(), in, out, Op{}, options);
  }
  static std::vector<int> heads(std::size_t items) { return heads_of(keys_of(items)); }
};

template <class Op, bool IsExclusive> struct scans_segments : scans<scans_segments<Op, IsExclusive>, Op, IsExclusive> {
  static constexpr const char* title = "segmented_scan";
  template <class A, class In, class Out>
  static void scan(const In& in, Out* out, const wf::reduce_options<A>& options) {
    const device_array<int> offsets(offsets_of(in.size()));
    if constexpr (IsExclusive) wf::segmented_exclusive_scan(in, offsets.items(), out, Op{}, options);
    else wf::segmented_inclusive_scan(in, offsets.items(), out, Op{}, options);
  }
  static std::vector<int> heads(std::size_t items) { return offsets_of(items); }
};

/// Along the columns of a matrix. Without items it has 67 rows of nothing.
template <class Op, bool IsExclusive> struct scans_axis : with_operator<Op> {
  static std::string name() {
    return std::string("scan_axes") + (IsExclusive ? "_exclusive_" : "_inclusive_") + model<Op>::name;
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const std::int64_t rows = reduces_axes<Op>::rows_of(items.size()), columns = in.count() / rows;
    const device_array<Out> out(rows * columns);
    const wf::strided<const T, 2> from(in.data(), {rows, columns});
    const wf::strided<Out, 2> to(out.data(), {rows, columns});
    all.record([&] {
      if constexpr (IsExclusive) wf::exclusive_scan_axes(from, to, wf::axes{0}, Op{});
      else wf::inclusive_scan_axes(from, to, wf::axes{0}, Op{});
      return to_host(out);
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    const auto rows = static_cast<std::size_t>(reduces_axes<Op>::rows_of(items.size())), columns = items.size() / rows;
    all.record([&] {
      list<T> columnwise;
      std::vector<int> heads{0};
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t r = 0; r < rows; ++r) columnwise.push_back(items[r * columns + c]);
        heads.push_back(heads.back() + static_cast<int>(rows));
      }
      const list<Out> turned = scanned<IsExclusive, Op, Out>(columnwise, heads, false);
      list<Out> results;
      for (std::size_t r = 0; r < rows && columns > 0; ++r)
        for (std::size_t c = 0; c < columns; ++c) results.push_back(turned[c * rows + r]);
      return results;
    });
  }
};

}  // namespace types
