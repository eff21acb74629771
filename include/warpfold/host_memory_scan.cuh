// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans from host memory to host memory.
//
//   wf::inclusive_scan(wf::host(numbers), std::span(prefixes), wf::plus{});
//   wf::exclusive_scan(wf::chunks<float>(count, fill), std::span(prefixes), wf::plus{}, {.init = 1});
//
// - Inputs, chunks, buffers and errors are those of host_memory.cuh; results are those of scan.cuh: each prefix has the
//   bits of `reduce` over it, whatever the chunks.
// - `out`: a contiguous range of as many results, or more, in host, device or managed memory. Pinned memory is written
//   while later chunks are read: both directions of the link are busy. Copies to pageable memory wait for each other.
//   It may be the input, if items and results have one size; otherwise it must be apart from it.
// - The call returns when all results have been written. One device takes part.
//
// A chunk begins at a multiple of its length, a power of two, so it is a node of the canonical tree, and its own
// prefixes are right halves of the whole ones. For each chunk, on its buffer's stream:
// 1. its items are copied to the device, and scanned into accumulators;
// 2. the stream waits for step 3 of the chunk before;
// 3. a kernel joins the nodes of all items before to each prefix, on its left, and writes the results; one thread adds
//    the chunk's node to the list of nodes, for the next chunk;
// 4. the results are copied back.
// A chunk's list lies in its buffer, at one of two places in turn. It is written in step 3 of a chunk, after step 3 of
// the chunk before: nobody reads the list that it replaces any more.
#pragma once
#include <warpfold/host_memory.cuh>
#include <warpfold/scan.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class A, class Op, class Out> struct prefix_arguments {
  const A* own;  ///< inclusive prefixes of the chunk
  std::int64_t count;
  Out out;
  Op op;
  grid::initial_value<A> init;
  A first;                             ///< result of an exclusive scan of nothing, without init
  const canonical_nodes<A, Op>* left;  ///< of all items before; null if there are none
  canonical_nodes<A, Op>* with_own;    ///< of these and the chunk's; null for the last chunk
  int level;                           ///< of the chunk's node
};

/// Writes the results of a chunk.
template <scan::scan_kind Kind, class A, class Op, class Out> __global__ void __launch_bounds__(256)
write_prefixes_kernel(const __grid_constant__ prefix_arguments<A, Op, Out> arguments) {
  const auto& [own, count, out, op, init, first, left, with_own, level] = arguments;
  constexpr bool is_exclusive = Kind == scan::scan_kind::exclusive;
  const int nodes = left != nullptr ? left->size() : 0;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x,
                     thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::int64_t i = thread; i < count; i += step) {
    int node = nodes;
    if (is_exclusive && i == 0 && nodes == 0) {
      if (init.exists()) out[i] = init.alone();
      else out[i] = first;
      continue;
    }
    A value = is_exclusive && i == 0 ? (*left)[--node] : own[is_exclusive ? i - 1 : i];
    while (node > 0) value = op((*left)[--node], value);
    out[i] = init.join(value, op);
  }
  if (thread != 0 || with_own == nullptr) return;
  using writer = list_writer;
  writer::set_items(*with_own, 0, left != nullptr ? left->end() : 0);
  for (int node = 0; node < nodes; ++node) writer::set_node(*with_own, node, (*left)[node]);
  with_own->append_node(level, own[count - 1], op);
}

template <scan::scan_kind Kind, class A, class T, class R, class Op>
void scan_host(const char* function, const host_memory::reader& reader, std::int64_t count, R* out, Op op,
               const host_options<A>& options) {
  using nodes = canonical_nodes<A, Op>;
  const host_memory::settings how = host_memory::checked_settings(function, options);
  if (how.devices.size() > 1) reject(function, {"devices name ", how.devices.size(), "; a scan takes one"});
  check_not_captured(function, options.stream);
  const host_memory::device_guard guard(how.devices[0]);
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  const A first = host_side::first_without_init<Kind == scan::scan_kind::exclusive, Op, R*>(function, options.init);
  if (count == 0) return;
  const host_memory::partition parts =
      host_memory::partition_of(count, greatest_of(greatest_of(sizeof(T), sizeof(A)), sizeof(R)), how);
  const auto rounded = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const auto most = static_cast<std::size_t>(parts.part_items);
  const std::size_t lists_at = rounded(most * sizeof(A));

  cudaEvent_t joined{};
  require_success(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  struct destroyer {
    cudaEvent_t event;
    ~destroyer() { (void)cudaEventDestroy(event); }
  } const destroys{joined};
  const nodes* left = nullptr;
  const auto lowered = [&](R* to) { return lower_into<A>(op, to); };
  using Out = decltype(lowered(out));
  const int blocks = 4 * host_side::limits_of(how.devices[0]).multiprocessors;

  const host_memory::enqueue_part enqueue = [&](const host_memory::part& of, const host_memory::part_places& at,
                                                cudaStream_t stream) {
    auto* const own = reinterpret_cast<A*>(at.room);
    auto* const results = reinterpret_cast<R*>(at.results);
    constexpr int items = warp::chunk_items_of<T, A*>();
    auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(reinterpret_cast<const T*>(at.inputs[0]), of.count),
                                 thread::no_transform{});
    thread::number_from(leaves, of.first);
    constexpr auto policy = scan::policy_of<std::remove_cv_t<decltype(leaves)>, Op, A*>();
    scan::enqueue<scan::scan_kind::inclusive, policy>(function, leaves, own, op, reduce_options<A>{stream});
    if (of.number > 0) require_success(cudaStreamWaitEvent(stream, joined, 0), "cudaStreamWaitEvent");
    auto* const list =
        of.number + 1 < parts.parts() ? reinterpret_cast<nodes*>(at.room + lists_at) + of.number % 2 : nullptr;
    host_side::enqueue(
        &write_prefixes_kernel<Kind, A, Op, Out>,
        host_side::launch_shape{static_cast<int>(least_of<std::int64_t>(blocks, (of.count + 255) / 256)), 256}, stream,
        prefix_arguments<A, Op, Out>{own, of.count, lowered(results), op, init, first, left, list,
                                     std::countr_zero(static_cast<std::uint64_t>(parts.part_items))});
    require_success(cudaEventRecord(joined, stream), "cudaEventRecord");
    left = list;
  };
  const std::vector<host_memory::reader> readers{reader};
  std::vector<host_memory::ring_loan> rings = host_memory::borrow_rings(parts, how);
  host_memory::pipeline(readers, parts, how, enqueue, lists_at + 2 * sizeof(nodes), host_memory::writer_to(out, count))
      .run(rings);
}

template <class In>
  requires is_host_input<In>
struct host_scan<In> {
  static constexpr bool exists = true;
  using T = typename In::item;
  template <class Op> using options = host_options<accumulator_t<Op, T>>;

  template <scan::scan_kind Kind, class Out, class Op>
  static void scan(const char* function, const In& in, Out&& out, Op op, const options<Op>& how) {
    using A = accumulator_t<Op, T>;
    using R = std::ranges::range_value_t<Out>;
    if constexpr (check_types<Op, thread::no_transform, A, R*, T>()) {
      const auto size = static_cast<std::int64_t>(std::ranges::size(out));
      if (size < in.count) reject(function, {"out has ", size, " items, in has ", in.count});
      const host_memory::reader reader = host_memory::reader_of(function, "in", in);
      scan_host<Kind, A, T>(function, reader, in.count, std::ranges::data(out), op, how);
    }
  }
};
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

}  // namespace warpfold
