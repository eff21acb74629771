// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accumulation: a reduction whose items come a part at a time, in any order, from device or host memory, over days.
//
//   wf::accumulation<float, wf::maximum> greatest;
//   for (…) greatest.push(batch);                    // a range in device memory: the next items
//   greatest.push(wf::host(late), 4'000'000);        // in host memory: items 4 000 000 and on
//   std::vector<std::byte> checkpoint = greatest.save();
//   float result = greatest.value();                 // the bits of wf::reduce over all items
//
// - The result depends on the items and their numbers alone: not on the parts, their order, the memory they lie in, or
//   checkpoints between them. reduce_part reduces the parts; the host joins their lists of nodes (canonical_nodes.hpp),
//   with the operator's host code.
// - A push from device memory enqueues one kernel on options.stream and returns. The items must not change before the
//   stream gets there. A push from host memory returns when the items have been read; so do value and save.
// - Device memory: the scratch of reduce, and room for up to 128 lists of about 124 accumulators, at most 1 MiB; from
//   host memory also the buffers of host_memory.cuh. Host memory: a list for each stretch of items between gaps, and
//   pinned as much as on the device. Both are kept for the next accumulation; release_host_buffers() frees them.
// - Not for use by several threads at once. The device that was current when it was made must be current in each call.
#pragma once
#include <warpfold/host_memory.cuh>
#include <warpfold/host_memory/list_ring.cuh>
#include <warpfold/reduce_part.cuh>

namespace warpfold {

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces items of type `T` with `Op`, which come in parts.
template <class T, class Op = plus> class accumulation {
 public:
  using accumulator = accumulator_t<Op, T>;        ///< in which items are folded
  using options = host_options<accumulator>;       ///< what the constructor takes
  using nodes = canonical_nodes<accumulator, Op>;  ///< what `save` writes and `load` reads

  /// `how`: stream, and, for host memory, what host_options says. An init is value's argument; one here throws
  /// std::invalid_argument.
  explicit accumulation(Op op = {}, options how = {})
      : op_(op), how_(std::move(how)), ring_(std::make_unique<host_memory::list_ring<nodes>>(how_.stream)) {
    if (how_.init) reject("accumulation", "options.init is given; pass it to value");
  }

  /// The items of `in` follow those of the last push.
  template <class In>
    requires device_range<In> || host_input<In>
  void push(const In& in) { push(in, next_); }

  /// The items of `in`, in device memory, have the numbers `first` and on.
  template <device_range In> void push(const In& in, std::int64_t first) {
    static_assert(std::is_same_v<item_t<const In>, T>,
                  "warpfold: the items of a part must have the accumulation's type");
    const auto count = static_cast<std::int64_t>(in.size());
    const std::int64_t end = checked_end(first, count);
    detail::check_not_captured("accumulation::push", how_.stream);
    nodes* const to = ring_->next([&](const nodes& list) { lists_.add(list, op_); });
    detail::reduce_part_items("accumulation::push", "in", in.data(), count, part{first}, to, op_,
                              thread::no_transform{}, call_options{how_.stream});
    ring_->enqueued();
    claim(first, end);
  }
  /// The same of host memory, or of a generator. If it throws, none of the items counts as pushed.
  template <host_input In> void push(const In& in, std::int64_t first) {
    static_assert(std::is_same_v<typename In::item, T>,
                  "warpfold: the items of a part must have the accumulation's type");
    const host_memory::reader reader = host_memory::reader_of("accumulation::push", "in", in);
    const std::int64_t end = checked_end(first, in.count);
    detail::check_not_captured("accumulation::push", how_.stream);
    if (in.count > 0)
      lists_.add(detail::lists_of_host<T, accumulator>("accumulation::push", reader, in.count, first, op_, how_), op_);
    claim(first, end);
  }

  /// Refused: the second argument is the number of the first item.
  template <item_iterator It> void push(It, std::int64_t) {
    static_assert(!item_iterator<It>, "warpfold: a part is a range: push(std::span(first, count))");
  }

  /// The number of items that have been pushed, and the number that a push without one takes.
  std::int64_t items() const { return items_.count(); }
  /// The number that a push without one gives to its first item.
  std::int64_t next() const { return next_; }

  /// The result over items 0 to the last one. Throws std::invalid_argument, with the numbers, if items between them
  /// have not been pushed; and if there is no item and the operator has no identity.
  [[nodiscard]] lowered_t<Op, accumulator> value() {
    const nodes& all = whole();
    if (all.end() > 0) return all.value(op_);
    if constexpr (has_identity_v<Op, accumulator>) return all.value(op_, identity<Op, accumulator>::value());
    else reject("accumulation::value", "nothing has been pushed, and the operator has no identity");
  }
  /// The same, with `init` on the left.
  [[nodiscard]] lowered_t<Op, accumulator> value(const accumulator& init) { return whole().value(op_, init); }

  /// All that has been pushed, as bytes, with a version and the names of T and Op. They are for the same program on
  /// machines like this one.
  [[nodiscard]] std::vector<std::byte> save() {
    take_lists();
    return host_memory::save_lists(lists_, next_, name());
  }
  /// The accumulation that was saved. Throws std::invalid_argument for bytes of another version, item type or operator,
  /// and for damaged ones.
  [[nodiscard]] static accumulation load(std::span<const std::byte> bytes, Op op = {}, options how = {}) {
    accumulation result(op, std::move(how));
    result.next_ =
        host_memory::load_lists("accumulation::load", bytes, name(), result.op_, result.lists_, result.items_);
    return result;
  }

 private:
  static std::string name() {
    return std::string(host_memory::type_name<Op>()) + " of " + std::string(host_memory::type_name<T>());
  }
  std::int64_t checked_end(std::int64_t first, std::int64_t count) const {
    if (first < 0 || first > nodes::most_items - count)
      reject("accumulation::push", {"first is ", first, " and there are ", count,
                                    " items; they are numbered from 0 to ", nodes::most_items - 1});
    items_.check_free("accumulation::push", first, first + count);
    return first + count;
  }
  void claim(std::int64_t first, std::int64_t end) {
    items_.add(first, end);
    next_ = end;
  }
  void take_lists() {
    ring_->finish([&](const nodes& list) { lists_.add(list, op_); });
  }
  const nodes& whole() {
    items_.check_whole("accumulation::value");
    take_lists();
    static const nodes none;
    return lists_.all().empty() ? none : lists_.all().begin()->second;
  }

  Op op_;
  options how_;
  host_memory::item_set items_;
  host_memory::part_lists<accumulator, Op> lists_;
  std::unique_ptr<host_memory::list_ring<nodes>> ring_;
  std::int64_t next_ = 0;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
