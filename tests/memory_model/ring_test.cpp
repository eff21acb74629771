// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ring of published nodes (grid/node_ring.cuh), by the names of its events: enter, publish, fence, receive, leave,
// finish, release.
#include "memory_model/protocol.hpp"

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
void leave_and_finish(thread& own, const ring& places, orders& with, order leave) {
  const value before = own.inc(places.departures, 1, with.atomic("leave", leave));
  if (before != 1) return;
  own.fence(with.fence("finish: acquire", acquire(scope::gpu)));
  for (const int node : places.node) own.write(node, 0, with.access("finish: clear", relaxed(scope::gpu)));
  own.write(places.rounds, 1, with.access("release", release(scope::gpu)));
}

/// Two tiles of a window and the two tiles of the next one, which has the same place. A tile of the scan has a warp
/// that publishes, fences and leaves, and one that receives; they meet at a barrier before the tile leaves. The nodes
/// of the first round are 1, those of the second one 2.
program scan_ring(orders& with, order leave) {
  program all;
  const ring places(all);
  const int received = all.barrier(2), entered = all.barrier(2);
  all.run("tile 0", {0}, [=, &with](thread& own) {
    own.write(places.node[0], 1, with.access("publish", relaxed(scope::gpu)));
    own.fence(with.fence("fence", release(scope::gpu)));
    leave_and_finish(own, places, with, leave);
  });
  all.run("tile 1, publisher", {1}, [=, &with](thread& own) {
    own.write(places.node[1], 1, with.access("publish", relaxed(scope::gpu)));
    own.fence(with.fence("fence", release(scope::gpu)));
    if (with.step("barrier before leave")) own.sync(received);
    leave_and_finish(own, places, with, leave);
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

program relaxed_scan_ring(orders& with) { return scan_ring(with, relaxed(scope::gpu)); }

TEST(memory_model_ring, scan) { check("ring of a scan", relaxed_scan_ring, {}, barriers::carry_dependencies_too); }

/// The arrival comes after reads that no fence follows. That a node of the round after could be received is excluded
/// by No-Thin-Air alone: that node depends on the arrival, which waits at the barrier for the read. The axiom's words
/// are "chains of instruction dependencies and inter-thread communication"; its formula in the paper, acyclic(rf +
/// dep), has no barriers. A release by the arrival would do without them, as strips have it (axes/strip_ring.cuh).
TEST(memory_model_ring, leave_rests_on_a_dependency_through_a_barrier) {
  orders as_it_is, with_release;
  const program all = relaxed_scan_ring(as_it_is), stronger = scan_ring(with_release, release(scope::gpu));
  const judgement found = judge(all, barriers::order_memory);
  EXPECT_EQ(found.fault, "receives a node of the round after") << found.text;
  EXPECT_EQ(judge(stronger, barriers::order_memory).fault, "");
}

/// The same within warps of two lanes, as the segmented scan has them: lane 1 publishes, receives and clears; lane 0
/// fences, leaves and finishes. Two tiles of a call of one window, then the next call, which finds all nodes zero.
program warp_ring(orders& with) {
  program all;
  const ring places(all);
  const int stream = all.barrier(5);
  for (int tile = 0; tile < 2; ++tile) {
    const int lanes = all.barrier(2), vote = all.channel("vote"), departed = all.channel("departed before");
    all.run("lane 0", {tile}, [=, &with](thread& own) {
      if (with.step("fence: __syncwarp")) own.sync(lanes);
      own.fence(with.fence("fence", release(scope::gpu)));
      if (tile > 0) own.receive(vote);
      const value before = own.inc(places.departures, 1, with.atomic("leave", relaxed(scope::gpu)));
      own.send(departed, before);
      if (before == 1) {
        own.fence(with.fence("finish: acquire", acquire(scope::gpu)));
        if (with.step("finish: __syncwarp")) own.sync(lanes);
      }
      own.arrive(stream);
    });
    all.run("lane 1", {tile}, [=, &with](thread& own) {
      own.write(places.node[tile], 1, with.access("publish", relaxed(scope::gpu)));
      if (with.step("fence: __syncwarp")) own.sync(lanes);
      if (tile > 0) {
        const value node = own.await(places.node[0], with.access("receive", relaxed(scope::gpu)), is_there);
        own.send(vote, node);
      }
      if (own.receive(departed) == 1) {
        if (with.step("finish: __syncwarp")) own.sync(lanes);
        for (const int node : places.node) own.write(node, 0, with.access("finish: clear", relaxed(scope::gpu)));
      }
      own.arrive(stream);
    });
  }
  all.run("next call", {0}, [=](thread& own) {
    own.sync(stream);
    for (const int node : places.node)
      own.expect(own.read(node, relaxed(scope::gpu)) == 0, "a node is left to the next call");
    own.expect(own.read(places.departures, relaxed(scope::gpu)) == 0, "a count is left to the next call");
  });
  return all;
}

TEST(memory_model_ring, within_warps) { check("ring of warps", warp_ring, {}); }

/// clear and release by a warp of two lanes, of which lane 1 clears; and enter by such a warp, of which lane 0
/// acquires.
program cleared_by_lanes(orders& with) {
  program all;
  const int node = all.location("node", 1), rounds = all.location("rounds"), cleared = all.barrier(2),
            entered = all.barrier(2);
  all.run("finish, lane 0", {0}, [=, &with](thread& own) {
    if (with.step("release: __syncwarp")) own.sync(cleared);
    own.write(rounds, 1, with.access("release", release(scope::gpu)));
  });
  all.run("finish, lane 1", {0}, [=, &with](thread& own) {
    own.write(node, 0, relaxed(scope::gpu));
    if (with.step("release: __syncwarp")) own.sync(cleared);
  });
  all.run("enter, lane 0", {1}, [=, &with](thread& own) {
    own.await(rounds, with.access("enter", acquire(scope::gpu)), [](int round) { return round == 1; });
    if (with.step("enter: __syncwarp")) own.sync(entered);
  });
  all.run("enter, lane 1", {1}, [=, &with](thread& own) {
    if (with.step("enter: __syncwarp")) own.sync(entered);
    own.expect(own.read(node, relaxed(scope::gpu)) == 0, "receives a node of the round before");
  });
  return all;
}

TEST(memory_model_ring, cleared_by_lanes) { check("cleared by lanes", cleared_by_lanes, {}); }

/// A node of the second level above the tiles. Tile 1 of a window receives node 0, and publishes that node by a warp
/// that does not fence; so its publisher releases as it leaves. No other block receives the node. It is cleared by the
/// last of two groups of windows, of which one has a last window of two: the counts of both levels must hand it on.
program next_levels(orders& with) {
  program all;
  const int node = all.location("node 0"), joined = all.location("node above"), departures = all.location("departures"),
            windows = all.location("departures of windows"), groups = all.location("departures of groups"),
            rounds = all.location("rounds"), received = all.barrier(2);
  const auto count = [=, &with](thread& own, int counter) {
    return own.inc(counter, 1, with.atomic("finish: count", acq_rel(scope::gpu))) == 1;
  };
  const auto count_group = [=](thread& own) {
    if (!count(own, groups)) return;
    own.write(joined, 0, relaxed(scope::gpu));
    own.write(rounds, 1, release(scope::gpu));
  };
  const auto count_window = [=, &with](thread& own) {
    own.fence(with.fence("finish: acquire", acquire(scope::gpu)));
    if (count(own, windows)) count_group(own);
  };
  all.run("tile 0", {0}, [=](thread& own) {
    own.write(node, 1, relaxed(scope::gpu));
    own.fence(release(scope::gpu));
    if (own.inc(departures, 1, relaxed(scope::gpu)) == 1) count_window(own);
  });
  all.run("tile 1, publisher", {1}, [=, &with](thread& own) {
    own.fence(release(scope::gpu));
    if (with.step("barrier before leave")) own.sync(received);
    if (own.inc(departures, 1, with.atomic("leave with release", release(scope::gpu))) == 1) count_window(own);
  });
  all.run("tile 1, receiver", {1}, [=, &with](thread& own) {
    own.await(node, relaxed(scope::gpu), is_there);
    own.write(joined, 1, relaxed(scope::gpu));
    if (with.step("barrier before leave")) own.sync(received);
  });
  all.run("other window", {2}, count_window);
  all.run("other group", {3}, count_group);
  all.run("next round", {4}, [=](thread& own) {
    own.await(rounds, acquire(scope::gpu), [](int round) { return round == 1; });
    own.expect(own.read(joined, relaxed(scope::gpu)) == 0, "a node is not cleared");
  });
  return all;
}

TEST(memory_model_ring, next_levels) { check("next levels", next_levels, {}, barriers::carry_dependencies_too); }

/// Nodes that two windows read, of a tile each. Window 0 has two nodes, of which window 1 needs one. The last of both
/// windows clears them.
program pairs_of_windows(orders& with) {
  program all;
  const int node = all.location("node 0"), other = all.location("node 1"), pair = all.location("pair"),
            rounds = all.location("rounds");
  const auto count_pair = [=, &with](thread& own) {
    own.fence(acquire(scope::gpu));  // its window's tiles have left
    if (own.inc(pair, 1, with.atomic("finish: count the pair", acq_rel(scope::gpu))) != 1) return;
    own.write(node, 0, relaxed(scope::gpu)), own.write(other, 0, relaxed(scope::gpu));
    own.write(rounds, 1, release(scope::gpu));
  };
  all.run("window 0", {0}, [=](thread& own) {
    own.write(node, 1, relaxed(scope::gpu)), own.write(other, 1, relaxed(scope::gpu));
    count_pair(own);
  });
  all.run("window 1", {1}, [=](thread& own) {
    own.expect(own.await(node, relaxed(scope::gpu), is_there) == 1, "receives a node of the round after");
    count_pair(own);
  });
  all.run("next round", {2}, [=](thread& own) {
    own.await(rounds, acquire(scope::gpu), [](int round) { return round == 1; });
    own.write(node, 2, relaxed(scope::gpu));
  });
  all.run("next round, receives", {3}, [=](thread& own) {
    own.await(rounds, acquire(scope::gpu), [](int round) { return round == 1; });
    own.expect(own.await(node, relaxed(scope::gpu), is_there) == 2, "receives a node of the round before");
    own.expect(own.read(other, relaxed(scope::gpu)) == 0, "a node is not cleared");
  });
  return all;
}

TEST(memory_model_ring, pairs_of_windows) { check("pairs of windows", pairs_of_windows, {}); }

/// The same by warps of two lanes: lane 0 has acquired what its window's tiles released, and clears; lane 1 counts.
program pairs_counted_by_lanes(orders& with) {
  program all;
  const int node = all.location("node"), pair = all.location("pair"), rounds = all.location("rounds");
  for (int window = 0; window < 2; ++window) {
    const int lanes = all.barrier(2), counted = all.barrier(2), completed = all.channel("completed");
    all.run("lane 0", {window}, [=, &with](thread& own) {
      if (window == 0) own.write(node, 1, relaxed(scope::gpu));
      else own.expect(own.await(node, relaxed(scope::gpu), is_there) == 1, "receives a node of the round after");
      if (with.step("finish: __syncwarp")) own.sync(lanes);
      const value before = own.receive(completed);
      if (with.step("count: __syncwarp")) own.sync(counted);
      if (before != 1) return;
      own.write(node, 0, relaxed(scope::gpu));
      own.write(rounds, 1, release(scope::gpu));
    });
    all.run("lane 1", {window}, [=, &with](thread& own) {
      if (with.step("finish: __syncwarp")) own.sync(lanes);
      own.send(completed, own.inc(pair, 1, with.atomic("finish: count the pair", acq_rel(scope::gpu))));
      if (with.step("count: __syncwarp")) own.sync(counted);
    });
  }
  all.run("next round", {2}, [=](thread& own) {
    own.await(rounds, acquire(scope::gpu), [](int round) { return round == 1; });
    own.expect(own.read(node, relaxed(scope::gpu)) == 0, "a node is not cleared");
    own.write(node, 2, relaxed(scope::gpu));
  });
  return all;
}

TEST(memory_model_ring, pairs_counted_by_lanes) { check("pairs counted by lanes", pairs_counted_by_lanes, {}); }

/// A list of nodes (grid/node_list.cuh) of two tiles. A warp of tile 1 receives the node of tile 0, and meets the warp
/// that leaves at a barrier. The last tile to leave clears by a warp of two lanes. The next call finds all words zero.
program list(orders& with) {
  program all;
  const int node[2] = {all.location("node 0"), all.location("node 1")}, departures = all.location("departures"),
            stream = all.barrier(6);
  for (int tile = 0; tile < 2; ++tile) {
    const int lanes = all.barrier(2), received = all.barrier(2), departed = all.channel("departed before");
    const auto clear = [=, &with](thread& own, int place) {
      if (with.step("finish: __syncwarp")) own.sync(lanes);
      own.write(node[place], 0, with.access("finish: clear", relaxed(scope::gpu)));
    };
    all.run("lane 0", {tile}, [=, &with](thread& own) {
      own.write(node[tile], 1, with.access("publish", relaxed(scope::gpu)));
      own.fence(with.fence("fence", release(scope::gpu)));
      if (tile > 0 && with.step("barrier before leave")) own.sync(received);
      const value before = own.inc(departures, 1, with.atomic("leave", relaxed(scope::gpu)));
      own.send(departed, before);
      if (before == 1) {
        own.fence(with.fence("finish: acquire", acquire(scope::gpu)));
        clear(own, 0);
      }
      own.arrive(stream);
    });
    all.run("lane 1", {tile}, [=](thread& own) {
      if (own.receive(departed) == 1) clear(own, 1);
      own.arrive(stream);
    });
    if (tile > 0)
      all.run("receiver", {tile}, [=, &with](thread& own) {
        const value seen = own.await(node[0], with.access("receive", relaxed(scope::gpu)), is_there);
        own.expect(seen == 1, "receives what is no node");
        if (with.step("barrier before leave")) own.sync(received);
        own.arrive(stream);
      });
  }
  all.run("next call", {0}, [=](thread& own) {
    own.sync(stream);
    for (const int place : node)
      own.expect(own.read(place, relaxed(scope::gpu)) == 0, "a node is left to the next call");
    own.expect(own.read(departures, relaxed(scope::gpu)) == 0, "a count is left to the next call");
  });
  return all;
}

TEST(memory_model_ring, list_of_few_tiles) { check("list", list, {}, barriers::carry_dependencies_too); }

}  // namespace
