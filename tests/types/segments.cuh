// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments, runs of equal keys, rows and columns, in the table of types.
#pragma once
#include <algorithm>
#include "types/reductions.cuh"

namespace types {

/// Offsets of segments of 0 items, a few and many.
inline std::vector<int> offsets_of(std::size_t items) {
  const int lengths[] = {0, 3, 1, 0, 0, 40, 700, 31};
  std::vector<int> offsets{0, 0};
  for (std::size_t s = 1; offsets.back() < static_cast<int>(items); ++s)
    offsets.push_back(std::min(offsets.back() + lengths[s % 8], static_cast<int>(items)));
  offsets.push_back(offsets.back());
  return offsets;
}
/// Keys of runs of 1 item to 9 ones.
inline std::vector<int> keys_of(std::size_t items) {
  std::vector<int> keys;
  for (std::size_t i = 0; i < items; ++i) keys.push_back(static_cast<int>(i / 9 + i / 7 + i / 63 * 2 % 3));
  return keys;
}
/// The first items of the runs, and the number of items.
inline std::vector<int> heads_of(const std::vector<int>& keys) {
  std::vector<int> heads;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || keys[i] != keys[i - 1]) heads.push_back(static_cast<int>(i));
  heads.push_back(static_cast<int>(keys.size()));
  return heads;
}
/// Calls visit(the items of segment s) for each segment.
template <class T, class Visit> void for_segments(const list<T>& items, const std::vector<int>& offsets, Visit visit) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    visit(items.span(static_cast<std::size_t>(offsets[s]), static_cast<std::size_t>(offsets[s + 1] - offsets[s])));
}

/// Offsets with empty segments, without and with .empty; and segments of equal lengths.
template <class Op> struct reduces_segments : with_operator<Op> {
  static std::string name() { return std::string("segmented_reduce_") + model<Op>::name; }
  static constexpr int length = 7;

  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    using A [[maybe_unused]] = folded_t<Op, T>;
    const device_array<T> in(items.span());
    const device_array<int> offsets(offsets_of(items.size()));
    const std::int64_t segments = offsets.count() - 1, whole = in.count() / length;
    const device_array<Out> out(segments), rows(whole);
    all.record([&] { return wf::segmented_reduce(in.items(), offsets.items(), out.data(), Op{}), to_host(out); });
    if constexpr (has_plain_values<Op, T>)
      all.record([&] {
        wf::segmented_reduce(in.items(), offsets.items(), std::span<Out>(out.data(), out.size()), Op{},
                             {.empty = as<A>(make<T>(6))});
        return to_host(out);
      });
    all.record([&] {
      wf::segmented_reduce(in.items().first(static_cast<std::size_t>(whole * length)), wf::fixed_length{length},
                           rows.data(), Op{});
      return to_host(rows);
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    const auto offsets = offsets_of(items.size());
    const auto reduce = [&](const std::vector<int>& bounds, std::optional<T> empty) {
      list<Out> results;
      for_segments(items, bounds, [&](std::span<const T> segment) {
        if (empty && segment.empty()) results.push_back(as<Out>(as<result_t<Op, T>>(as<folded_t<Op, T>>(*empty))));
        else results.push_back(fold<Op, Out>(segment));
      });
      return results;
    };
    all.record([&] { return reduce(offsets, {}); });
    if constexpr (has_plain_values<Op, T>) all.record([&] { return reduce(offsets, make<T>(6)); });
    std::vector<int> rows{0};
    while (rows.back() + length <= static_cast<int>(items.size())) rows.push_back(rows.back() + length);
    all.record([&] { return reduce(rows, {}); });
  }
};

/// Runs of equal keys; the results are followed by the keys, as far as an `Out` can hold them.
template <class Op> struct reduces_by_key : with_operator<Op> {
  static std::string name() { return std::string("reduce_by_key_") + model<Op>::name; }
  template <class T, class Out> static consteval refusal refused() {
    const refusal why = refused_of<Op, T, Out>();
    if (why == not_written) return "keys and results must be assignable";
    if (why == accepted && alignof(folded_t<Op, T>) > 16)
      return "reduce_by_key takes accumulators that are aligned to 16 bytes";
    return why;
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const device_array<int> keys(keys_of(items.size())), out_keys(keys.count()), count(1);
    const device_array<Out> out(in.count());
    all.record([&] {
      wf::reduce_by_key(keys.items(), in.items(), out_keys.data(), out.data(), count.data(), Op{});
      const auto heads = heads_of(keys_of(items.size()));
      for (int run = 0; run < count.value(); ++run)
        EXPECT_EQ(out_keys.value(run), keys.value(heads[static_cast<std::size_t>(run)]));
      return to_host(out, count.value());
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    list<Out> results;
    for_segments(items, heads_of(keys_of(items.size())),
                 [&](std::span<const T> run) { results.push_back(fold<Op, Out>(run)); });
    all.record([&] { return results; });
  }
};

/// Items as keys: how many items each run has.
struct counts_equal_keys {
  static std::string name() { return "reduce_by_key_of_keys"; }
  template <class T, class Kind> using output = std::conditional_t<std::is_same_v<Kind, of_items>, int, none>;
  template <class T, class> static consteval refusal refused() {
    return requires(const T& a) { bool(a == a); }
    ? refusal{} : refusal{"the equality must be callable"};
  }
  template <class T> static list<T> pairs(const list<T>& items) {
    list<T> keys;
    for (std::size_t i = 0; i < items.size(); ++i) keys.push_back(items[i / 3]);
    return keys;
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> keys(pairs(items).span()), out_keys(keys.count());
    const device_array<int> ones(std::vector<int>(keys.size(), 1)), out(keys.count()), count(1);
    all.record([&] {
      wf::reduce_by_key(keys.items(), ones.items(), out_keys.data(), out.data(), count.data());
      return to_host(out, count.value());
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    const list<T> keys = pairs(items);
    list<int> counts;
    int count = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ++count;
      if (i + 1 < keys.size() && same(keys[i], keys[i + 1])) continue;
      counts.push_back(count);
      count = 0;
    }
    all.record([&] { return counts; });
  }
};

/// Rows and columns of a matrix. Without items it has 67 rows of nothing, or columns.
template <class Op> struct reduces_axes : with_operator<Op> {
  static std::string name() { return std::string("reduce_axes_") + model<Op>::name; }
  static std::int64_t rows_of(std::size_t items) { return items == 1 ? 1 : 67; }

  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const std::int64_t rows = rows_of(items.size()), columns = in.count() / rows;
    const device_array<Out> of_rows(rows), of_columns(columns == 0 ? rows : columns);
    const auto matrix = [&](std::int64_t r, std::int64_t c) { return wf::strided<const T, 2>(in.data(), {r, c}); };
    all.record([&] {
      wf::reduce_rows(matrix(rows, columns), std::span<Out>(of_rows.data(), of_rows.size()), Op{});
      return to_host(of_rows);
    });
    all.record([&] {
      const auto in_columns = columns == 0 ? matrix(0, rows) : matrix(rows, columns);
      wf::reduce_columns(in_columns, std::span<Out>(of_columns.data(), of_columns.size()), Op{});
      return to_host(of_columns);
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    const auto rows = static_cast<std::size_t>(rows_of(items.size())), columns = items.size() / rows;
    all.record([&] {
      list<Out> results;
      for (std::size_t r = 0; r < rows; ++r) results.push_back(fold<Op, Out>(items.span(r * columns, columns)));
      return results;
    });
    all.record([&] {
      list<Out> results;
      for (std::size_t c = 0; c < (columns == 0 ? rows : columns); ++c) {
        list<T> column;
        for (std::size_t r = 0; columns > 0 && r < rows; ++r) column.push_back(items[r * columns + c]);
        results.push_back(fold<Op, Out>(column.span()));
      }
      return results;
    });
  }
};

}  // namespace types
