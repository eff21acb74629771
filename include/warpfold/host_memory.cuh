// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input that lies in host memory, however large: reduce, transform_reduce and their _value forms take it as they take
// device memory. segmented_reduce of it is in host_memory_segments.cuh, scans are in host_memory_scan.cuh.
//
//   double sum = wf::reduce_value(wf::host(numbers), wf::accumulate_in<double>(wf::plus{}));    // a std::vector, say
//   wf::reduce(wf::host(numbers), out, wf::maximum{}, {.devices = {0, 1}});                     // two GPUs, one answer
//   wf::reduce_value(wf::chunks<float>(count, [](std::int64_t first, std::span<float> to) { … }), wf::plus{});
//
// | input                  | what it is                                                                               |
// |------------------------|------------------------------------------------------------------------------------------|
// | host(range)            | a contiguous range in host memory: pageable, pinned, managed, or a mapped file           |
// | host(pointer, count)   | the same                                                                                 |
// | chunks<T>(count, fill) | items that fill(first, std::span<T> to) writes: those from number `first` on.            |
// |                        | Several threads call it at once, for other items each, in any order                      |
//
// All functions of this header
// - give the bits of `reduce` over the same items in device memory, whatever the devices, the length of the chunks and
//   the order in which they arrive; indices (argmax, top_k) count from the first item of all;
// - copy a chunk while the one before is reduced, and stage the next. Pinned and managed memory is copied from where it
//   lies, everything else through pinned buffers, which .threads threads fill. The limit is the link to the device;
// - return when the result has been written: `out` is memory that .devices[0] can write. The input must not change
//   meanwhile. They read it when they are called, whatever is enqueued on .stream, and cannot be captured;
// - keep their buffers for later calls: .buffers times .chunk_bytes on each device, and as much pinned memory if
//   something was staged. release_host_buffers() frees those that no call uses;
// - throw std::invalid_argument, before anything is read, for negative counts, null pointers, device memory as `in`,
//   inputs of different lengths, devices that do not exist, chunk_bytes, buffers or threads that are not positive, a
//   stream that is being captured, and where reduce does; cuda_error for what CUDA reports; and what `fill` or
//   .progress throws. Nothing is left enqueued then, no thread runs, and the next call works.
#pragma once
#include <mutex>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host_memory/part_lists.hpp>
#include <warpfold/host_memory/pipeline.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_part.cuh>

namespace warpfold {

/// `count` items in host memory as an input.
template <class T> host_items<T> host(const T* first, std::int64_t count) { return {first, count}; }
/// A contiguous range in host memory as an input. It must live until the call returns.
template <std::ranges::contiguous_range R> auto host(const R& range) {
  return host(std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range)));
}
/// `count` items that fill(first, std::span<T> to) writes.
template <class T, class Fill>
  requires std::is_invocable_v<Fill&, std::int64_t, std::span<T>> host_chunks<T, Fill> chunks(std::int64_t count,
                                                                                              Fill fill) {
    return {std::move(fill), count};
  }

/// Frees the buffers on all devices, and the pinned ones, that no call uses now.
inline void release_host_buffers() {
  host_memory::idle_buffers<host_memory::device_ring>::instance().release();
  host_memory::idle_buffers<host_memory::list_buffer>::instance().release();
}

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {
// A part of 2^k items that begins at a multiple of 2^k is a node of the canonical tree, and the last part is the right
// edge of the tree. So each part is reduced by the kernel of `reduce`, and the tree over the parts' nodes gives the
// bits of one call over all items, whatever the parts' length.

inline void check_not_captured(const char* function, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  if (status != cudaStreamCaptureStatusNone)
    reject(function, "the stream is being captured; host memory is read by the call, not by a graph");
}

/// The leaves of a part, which begins with item `first` of the input.
template <class A, class T, class Op, class Transform>
auto leaves_of_part(const Op& op, const Transform& transform, const host_memory::part& of,
                    const std::byte* const* inputs, std::type_identity<std::tuple<T>>) {
  auto leaves = make_leaves<A>(op, make_source(reinterpret_cast<const T*>(inputs[0]), of.count), transform);
  if constexpr (requires { leaves.source.first_index; }) leaves.source.first_index = of.first;
  return leaves;
}
template <class A, class Left, class Right, class Op, class Transform>
auto leaves_of_part(const Op& op, const Transform& transform, const host_memory::part& of,
                    const std::byte* const* inputs, std::type_identity<std::tuple<Left, Right>>) {
  return make_leaves<A>(
      op, make_zip(reinterpret_cast<const Left*>(inputs[0]), reinterpret_cast<const Right*>(inputs[1]), of.count),
      transform);
}

/// Reduces the items, and returns when the result has been written. `Ts` are the items' types, one per reader.
template <class... Ts, class Out, class Op, class Transform, class A>
void reduce_parts(const char* function, const std::vector<host_memory::reader>& readers, std::int64_t count, Out out,
                  Op op, Transform transform, const host_options<A>& options) {
  const host_memory::settings how = host_memory::checked_settings(function, options);
  check_not_captured(function, options.stream);
  if (count > 0) (void)host_side::initial_value_of<Op>(function, options.init);  // a wrong one is refused at once
  const host_memory::device_guard guard(how.devices[0]);
  const reduce_options<A> of_result{options.stream, options.init};
  const auto lowered = lower_into<A>(op, out);
  using nodes_source = thread::pointer_source<A>;
  using node_leaves = thread::leaves<nodes_source, thread::no_transform, A>;

  const host_memory::partition parts = host_memory::partition_of(count, (sizeof(Ts) + ...), how);
  std::vector<host_memory::ring_loan> rings = host_memory::borrow_rings(parts, how);
  auto* const nodes = static_cast<A*>(
      rings[0]->nodes.reserve(static_cast<std::size_t>(greatest_of<std::int64_t>(parts.parts(), 1)) * sizeof(A)));
  const host_memory::enqueue_part enqueue = [&](const host_memory::part& of, const host_memory::part_places& at,
                                                cudaStream_t stream) {
    const auto leaves = leaves_of_part<A>(op, transform, of, at.inputs, std::type_identity<std::tuple<Ts...>>());
    host_side::reduce_with<automatic>::enqueue(function, leaves, nodes + of.number, op, reduce_options<A>{stream});
  };
  if (count > 0) host_memory::pipeline(readers, parts, how, enqueue).run(rings);
  reduction::enqueue(function, node_leaves{nodes_source{nodes, parts.parts()}, {}}, lowered, op, of_result);
  const host_side::relaxed_capture relaxed;
  require_success(cudaStreamSynchronize(options.stream), "cudaStreamSynchronize");
}

template <class In, class Out, class Op, class Transform, class A>
void reduce_host(const char* function, const In& in, Out&& out, Op op, Transform transform,
                 const host_options<A>& options) {
  using T = typename In::item;
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>, T>())
    reduce_parts<T>(function, {host_memory::reader_of(function, "in", in)}, in.count, checked_output(function, out), op,
                    transform, options);
}
template <class Left, class Right, class Out, class Op, class Transform, class A>
void reduce_host_pairs(const char* function, const Left& left, const Right& right, Out&& out, Op op,
                       Transform transform, const host_options<A>& options) {
  using L = typename Left::item;
  using R = typename Right::item;
  if constexpr (check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>, L, R>()) {
    host_side::check_equal_counts(function, left.count, right.count);
    reduce_parts<L, R>(
        function, {host_memory::reader_of(function, "left", left), host_memory::reader_of(function, "right", right)},
        left.count, checked_output(function, out), op, transform, options);
  }
}
/// The lists of the items first, first + 1, …, which `reader` has. Each buffer of the pipeline has a list of its own,
/// which is taken when the buffer's next part comes.
template <class T, class A, class Op>
host_memory::part_lists<A, Op> lists_of_host(const char* function, const host_memory::reader& reader,
                                             std::int64_t count, std::int64_t first, const Op& op,
                                             const host_options<A>& options) {
  using nodes = canonical_nodes<A, Op>;
  const host_memory::settings how = host_memory::checked_settings(function, options);
  const host_memory::device_guard guard(how.devices[0]);
  const host_memory::partition parts = host_memory::partition_of(count, sizeof(T), how);
  std::vector<host_memory::ring_loan> rings = host_memory::borrow_rings(parts, how);
  const std::size_t slots = rings.size() * static_cast<std::size_t>(how.buffers);
  auto* const slot = static_cast<nodes*>(rings[0]->nodes.reserve(slots * sizeof(nodes)));

  host_memory::part_lists<A, Op> result;
  std::unordered_map<cudaStream_t, nodes*> slot_of;  // of the buffers' streams
  std::mutex mutex;
  const host_memory::enqueue_part enqueue = [&](const host_memory::part& of, const host_memory::part_places& at,
                                                cudaStream_t stream) {
    nodes* to = nullptr;
    {
      std::lock_guard lock(mutex);
      const auto [found, is_new] = slot_of.try_emplace(stream, slot + slot_of.size());
      to = found->second;
      if (!is_new) result.add(*to, op);
    }
    reduce_part_of(function, thread::pointer_source<T>{reinterpret_cast<const T*>(at.inputs[0]), of.count},
                   part{first + of.first}, to, op, thread::no_transform{}, call_options{stream});
  };
  const std::vector<host_memory::reader> readers{reader};
  host_memory::pipeline(readers, parts, how, enqueue).run(rings);
  for (const auto& [stream, list] : slot_of) result.add(*list, op);
  return result;
}
/// Calls reduce(out) for a result that is returned.
template <class R, class A, class Reduce>
R host_value(const char* function, const host_options<A>& options, Reduce reduce) {
  return host_side::wait_for_value<R>(function, options.stream, reduce);
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = init op in[0] op … op in[count - 1].
template <host_input In, class Out, operator_argument Op, class A = accumulator_t<Op, typename In::item>>
  requires any_device_output<Out>
void reduce(const In& in, Out&& out, Op op, const std::type_identity_t<host_options<A>>& options = {}) {
  detail::reduce_host("reduce", in, out, op, thread::no_transform{}, options);
}
/// The sum.
template <host_input In, class Out, class A = accumulator_t<plus, typename In::item>>
  requires any_device_output<Out>
void reduce(const In& in, Out&& out, const std::type_identity_t<host_options<A>>& options = {}) {
  warpfold::reduce(in, out, plus{}, options);
}
/// *out = init op transform(in[0]) op transform(in[1]) ….
template <host_input In, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, typename In::item>>
  requires any_device_output<Out>
void transform_reduce(const In& in, Out&& out, Op op, Transform transform,
                      const std::type_identity_t<host_options<A>>& options = {}) {
  detail::reduce_host("transform_reduce", in, out, op, transform, options);
}
/// *out = init op transform(left[0], right[0]) op ….
template <host_input Left, host_input Right, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, typename Left::item, typename Right::item>>
  requires any_device_output<Out>
void transform_reduce(const Left& left, const Right& right, Out&& out, Op op, Transform transform,
                      const std::type_identity_t<host_options<A>>& options = {}) {
  detail::reduce_host_pairs("transform_reduce", left, right, out, op, transform, options);
}

/// reduce, returning the value.
template <host_input In, operator_argument Op, class A = accumulator_t<Op, typename In::item>>
[[nodiscard]] lowered_t<Op, A> reduce_value(const In& in, Op op,
                                            const std::type_identity_t<host_options<A>>& options = {}) {
  return detail::host_value<lowered_t<Op, A>>("reduce_value", options, [&](lowered_t<Op, A>* out) {
    detail::reduce_host("reduce_value", in, out, op, thread::no_transform{}, options);
  });
}
/// The sum.
template <host_input In, class A = accumulator_t<plus, typename In::item>>
[[nodiscard]] A reduce_value(const In& in, const std::type_identity_t<host_options<A>>& options = {}) {
  return warpfold::reduce_value(in, plus{}, options);
}
/// transform_reduce, returning the value.
template <host_input In, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, typename In::item>>
  requires(!host_input<Op>)
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(const In& in, Op op, Transform transform,
                                                      const std::type_identity_t<host_options<A>>& options = {}) {
  return detail::host_value<lowered_t<Op, A>>("transform_reduce_value", options, [&](lowered_t<Op, A>* out) {
    detail::reduce_host("transform_reduce_value", in, out, op, transform, options);
  });
}
/// The form of two inputs.
template <host_input Left, host_input Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, typename Left::item, typename Right::item>>
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(const Left& left, const Right& right, Op op, Transform transform,
                                                      const std::type_identity_t<host_options<A>>& options = {}) {
  return detail::host_value<lowered_t<Op, A>>("transform_reduce_value", options, [&](lowered_t<Op, A>* out) {
    detail::reduce_host_pairs("transform_reduce_value", left, right, out, op, transform, options);
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
