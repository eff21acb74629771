// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring of published nodes (grid/node_ring.cuh), by the names of its events: enter, publish, fence, receive, leave,
// finish, release.
#include <memory_model/protocol.hpp>

namespace {

using namespace memory_model;

/// The locations of a ring that has one place: a window of `tiles` nodes.
struct ring {
  int node[2], departures, rounds;
  explicit ring(program& all)
      : node{all.location("node 0"), all.location("node 1")},
        departures(all.location("departures")),
        rounds(all.location("rounds")) {}
};
const auto is_there = [](int seen) { return seen != 0; };

/// Leaves, and finishes if the tile is the last of two. One thread stands for the warp.
void leave_and_finish(thread& own, const ring& places, orders& with) {
  const value before = own.inc(places.departures, 1, with.atomic("leave", relaxed(scope::gpu)));
  if (before != 1) return;
  own.fence(with.fence("finish: acquire", acq_rel(scope::gpu)));
  for (const int node : places.node) own.write(node, 0, with.access("finish: clear", relaxed(scope::gpu)));
  own.write(places.rounds, 1, with.access("release", release(scope::gpu)));
}

/// Two tiles of a window and the two tiles of the next one, which has the same place. A tile of the scan has a warp that
/// publishes, fences and leaves, and one that receives; they meet at a barrier before the tile leaves. The nodes of the
/// first round are 1, those of the second one 2.
program scan_ring(orders& with) {
  program all;
  const ring places(all);
  const int received = all.barrier(2), entered = all.barrier(2);
  all.run("tile 0", {0}, [=, &with](thread& own) {
    own.write(places.node[0], 1, with.access("publish", relaxed(scope::gpu)));
    own.fence(with.fence("fence", release(scope::gpu)));
    leave_and_finish(own, places, with);
  });
  all.run("tile 1, publisher", {1}, [=, &with](thread& own) {
    own.write(places.node[1], 1, with.access("publish", relaxed(scope::gpu)));
    own.fence(with.fence("fence", release(scope::gpu)));
    if (with.step("barrier before leave")) own.sync(received);
    leave_and_finish(own, places, with);
  });
  all.run("tile 1, receiver", {1}, [=, &with](thread& own) {
    const value node = own.await(places.node[0], with.access("receive", relaxed(scope::gpu)), is_there);
    own.expect(node == 1, "receives a node of the round after");
    if (with.step("barrier before leave")) own.sync(received);
  });
  const auto enter = [=, &with](thread& own) {
    own.await(places.rounds, with.access("enter", acquire(scope::gpu)), [](int round) { return round == 1; });
  };
  all.run("tile 2, enters", {2}, [=, &with](thread& own) {
    enter(own);
    if (with.step("enter: barrier")) own.sync(entered);
  });
  all.run("tile 2, publisher", {2}, [=, &with](thread& own) {
    if (with.step("enter: barrier")) own.sync(entered);
    own.write(places.node[0], 2, with.access("publish", relaxed(scope::gpu)));
  });
  all.run("tile 3", {3}, [=, &with](thread& own) {
    enter(own);
    const value node = own.await(places.node[0], with.access("receive", relaxed(scope::gpu)), is_there);
    own.expect(node == 2, "receives a node of the round before");
    own.expect(own.read(places.node[1], relaxed(scope::gpu)) == 0, "a node is not cleared");
  });
  return all;
}

TEST(memory_model_ring, scan) { check("ring of a scan", scan_ring, {}, barriers::carry_dependencies_too); }

/// By the paper's formula alone, in which a barrier carries no dependency, the relaxed arrival would be too weak.
TEST(memory_model_ring, leave_rests_on_a_dependency_through_a_barrier) {
  orders with;
  const program all = scan_ring(with);
  const judgement found = judge(all, barriers::order_memory);
  EXPECT_EQ(found.fault, "receives a node of the round after") << found.text;
}

}  // namespace
