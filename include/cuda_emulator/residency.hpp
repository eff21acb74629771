// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler's outer half: it starts and ends blocks.
#pragma once

#include <cuda_emulator/report.hpp>

#include <algorithm>

namespace cuda_emulator {

// Draws ranks from a sliding window, which shuffles a grid of any size in constant memory.
inline std::uint64_t scheduler::next_cluster_rank() {
  constexpr std::size_t window = 4096;
  if (options_.order == block_order::ascending) return order_next_++;
  while (order_pool_.size() < window && order_next_ < cluster_total_) order_pool_.push_back(order_next_++);
  std::swap(order_pool_[draw(static_cast<std::uint32_t>(order_pool_.size()))], order_pool_.back());
  const std::uint64_t rank = order_pool_.back();
  order_pool_.pop_back();
  return rank;
}

namespace detail {
void watch_for_endless_loops(bool runs);
}
void cluster_thread_left(thread& t);         // counts it as arrived at the cluster barrier
void release_rendezvous_without(thread& t);  // it may be the last lane that others wait for

inline void scheduler::prepare(block& b, cluster& c, std::uint64_t cluster_index, unsigned cluster_rank) {
  const dim3 shape = launch_.block, grid = launch_.grid, group = launch_.cluster;
  const std::uint64_t across = grid.x / group.x, down = grid.y / group.y;
  b.index.x = static_cast<unsigned>(cluster_index % across) * group.x + cluster_rank % group.x;
  b.index.y = static_cast<unsigned>(cluster_index / across % down) * group.y + cluster_rank / group.x % group.y;
  b.index.z = static_cast<unsigned>(cluster_index / across / down) * group.z + cluster_rank / group.x / group.y;
  b.cluster_rank = cluster_rank;
  b.thread_count = shape.x * shape.y * shape.z;
  b.exited = 0;
  b.parent = &c;
  b.barrier = {};
  b.barrier_objects.clear();
  b.named_barriers = {};
  b.images.clear();
  b.dynamic_shared.reset(launch_.shared_bytes, options_.poison);
  b.threads.assign(b.thread_count, thread{});
  b.warps.resize((b.thread_count + 31) / 32);
  for (unsigned rank = 0; rank < b.thread_count; ++rank) {
    thread& t = b.threads[rank];
    t.index = {rank % shape.x, rank / shape.x % shape.y, rank / shape.x / shape.y};
    t.rank = rank;
    t.lane = rank % 32;
    t.home = &b.warps[rank / 32];
    t.parent = &b;
  }
  for (unsigned i = 0; i < b.warps.size(); ++i) {
    warp& w = b.warps[i];
    const unsigned lanes = std::min(32u, b.thread_count - i * 32);
    w.existing = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.exited = w.ready = w.at_barrier = 0;
    w.open_count = 0;
    w.steps = 0;
    w.priority = static_cast<unsigned>(random_());
    w.parent = &b;
    w.lanes = &b.threads[i * 32];
    wake(w, w.existing);
  }
  races::block_begins(b);
}

inline void scheduler::admit_cluster() {
  const unsigned blocks = launch_.cluster.x * launch_.cluster.y * launch_.cluster.z;
  std::unique_ptr<cluster> c;
  if (spare_.empty()) {
    c = std::make_unique<cluster>();
  } else {
    c = std::move(spare_.back());
    spare_.pop_back();
  }
  while (c->blocks.size() < blocks) c->blocks.push_back(std::make_unique<block>());
  c->blocks.resize(blocks);
  c->blocks_done = c->arrived = c->exited_unarrived = c->phase = 0;
  c->race = {};
  c->thread_count = blocks * launch_.block.x * launch_.block.y * launch_.block.z;
  const std::uint64_t index = next_cluster_rank();
  for (unsigned rank = 0; rank < blocks; ++rank) prepare(*c->blocks[rank], *c, index, rank);
  resident_.push_back(std::move(c));
  ++admitted_;
  spins_ = 0;
  progress();
}

inline void scheduler::admit() {
  while (static_cast<int>(resident_.size()) < resident_target_ && admitted_ < cluster_total_) admit_cluster();
}

// The last call of a thread. When it returns, the thread's block may already be in use for another one.
inline void scheduler::leave(thread& t) {
  warp& w = *t.home;
  block& b = *t.parent;
  const unsigned bit = 1u << t.lane;
  if (!t.copies.empty()) fail(fault::async_copy, "the thread ends without having waited for its copies");
  t.exited = true;
  t.on = nullptr;
  w.exited |= bit;
  ++b.exited;
  spins_ = 0;
  progress();
  if (b.barrier.arrived > 0)
    fail(fault::divergent_barrier, "a thread leaves the kernel while others wait in __syncthreads");
  for (int i = 0; i < w.open_count && !options_.allow_exited_lanes; ++i)
    if ((w.open[i].mask & bit) != 0)
      fail(fault::exited_lane, "a lane leaves the kernel while others of its mask wait for it");
  if (options_.allow_exited_lanes) release_rendezvous_without(t);
  cluster_thread_left(t);
  if (b.exited == b.thread_count) finish_block(b);
}

inline void scheduler::finish_block(block& b) {
  if (!b.dynamic_shared.guards_intact())
    fail(fault::shared_memory, "the block wrote outside its ", launch_.shared_bytes, " bytes of dynamic shared memory");
  for (const late_copy& copy : late_copies_)
    if (copy.owner == &b) fail(fault::bulk_copy, "the block ended while a bulk copy into it was on its way");
  b.dynamic_shared.close();
  if (last_block_ == &b) last_block_ = nullptr;
  b.images.clear();
  cluster& c = *b.parent;
  if (++c.blocks_done < c.blocks.size()) return;
  last_warp_ = nullptr;
  const auto place = std::find_if(resident_.begin(), resident_.end(), [&](const auto& r) { return r.get() == &c; });
  spare_.push_back(std::move(*place));
  resident_.erase(place);
  admit();
}

inline bool scheduler::deliver_one() {
  if (late_copies_.empty()) return false;
  std::swap(late_copies_[draw(static_cast<std::uint32_t>(late_copies_.size()))], late_copies_.back());
  late_copy copy = late_copies_.back();
  late_copies_.pop_back();
  spins_ = 0;
  progress();
  try {
    deliver(std::move(copy));
  } catch (...) {  // the caller runs outside the kernel's own handlers
    if (!failure_) failure_ = std::current_exception();
    return false;
  }
  return true;
}

const unsigned* uncaught_exceptions_of_this_thread();

inline void scheduler::run(const grid_launch& launch) {
  launch_ = launch;
  options_ = settings();
  random_ = random_source(options_.seed);
  // The scheduler stays with a warp 0, 3/4, 15/16 or 63/64 of the time: schedules from fine to coarse grain.
  static constexpr std::uint64_t grains[] = {0, 0x3, 0xF, 0x3F};
  stay_mask_ = grains[draw(4)];
  skewed_ = coin();
  until_preemption_ = 1 + draw(32);
#if defined(CUDA_EMULATOR_SPLIT_ACCESSES)
  split_grain_ = 4u << 2 * draw(4);  // every 2nd to every 128th access
  until_split = 1 + draw(split_grain_);
#endif

  const unsigned cluster_blocks = launch.cluster.x * launch.cluster.y * launch.cluster.z;
  cluster_total_ = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z / cluster_blocks;
  order_next_ = admitted_ = spins_ = 0;
  progress();
  order_pool_.clear();
  variables_.clear();
  resident_most_ = std::max(1, launch.most_resident_blocks / static_cast<int>(cluster_blocks));
  resident_target_ = std::clamp(options_.resident_blocks / static_cast<int>(cluster_blocks), 1, resident_most_);
  uncaught_exceptions_ = uncaught_exceptions_of_this_thread();
  host_exceptions_ = *uncaught_exceptions_;
  blockDim = launch.block;
  gridDim = launch.grid;

  struct session {  // restores the scheduler for the next launch, also after an exception
    explicit session(scheduler& of) : s(of) {
      current_scheduler = &s;
      ++running_launches();
      races::launch_begins(s);
      if (s.options_.endless_seconds > 0) detail::watch_for_endless_loops(true);
    }
    ~session() {
      if (s.options_.endless_seconds > 0) detail::watch_for_endless_loops(false);
      --running_launches();
      races::launch_ends();
      current_scheduler = nullptr;
      current_thread = nullptr;
      for (auto& c : s.resident_) s.spare_.push_back(std::move(c));
      s.resident_.clear();
      s.ready_warps_.clear();
      s.late_copies_.clear();
      s.last_warp_ = nullptr;
      s.last_block_ = nullptr;
      s.failure_ = nullptr;
      s.unwinding_ = false;
      std::erase_if(s.workers_, [](const auto& w) { return w->abandoned; });
    }
    scheduler& s;
  } running(*this);

  admit();
  if (thread* first = pick()) resume(*first, host_, host_bounds_);
  if (!failure_ && !done()) failure_ = std::make_exception_ptr(error(fault::deadlock, report::deadlock(*this)));
  if (!failure_) failure_ = races::verdict();
  if (failure_) {
    unwind_all();
    std::rethrow_exception(failure_);
  }
}

}  // namespace cuda_emulator
