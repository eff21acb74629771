// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-overs to the last one to arrive, and the drawing of work.
#include "memory_model/protocol.hpp"

namespace {

using namespace memory_model;

/// arch/ticket.cuh, warp_completes: each of two blocks has a warp of two lanes. Lane 1 leaves a partial result; lane 0
/// arrives for both, and tells lane 1 by a shuffle whether they are last. Both read the other block's partial result.
program last_warp(orders& with) {
  program all;
  struct warp {
    int partial, before_arrival, after_arrival, last;
  };
  warp of[2];
  for (warp& own : of) own = {all.location("partial"), all.barrier(2), all.barrier(2), all.channel("last")};
  const int ticket = all.location("ticket");
  for (int b = 0; b < 2; ++b) {
    const warp mine = of[b], other = of[1 - b];
    all.run("lane 0", {b}, [=, &with](thread& own) {
      if (with.step("__syncwarp before the arrival")) own.sync(mine.before_arrival);
      const value before = own.inc(ticket, 1, with.atomic("arrive", acq_rel(scope::gpu)));
      if (with.step("__syncwarp after the arrival")) own.sync(mine.after_arrival);
      own.send(mine.last, before);
      if (before == 1) own.expect(own.read(other.partial, weak) == 1, "not a partial result, in lane 0");
    });
    all.run("lane 1", {b}, [=, &with](thread& own) {
      own.write(mine.partial, 1, weak);
      if (with.step("__syncwarp before the arrival")) own.sync(mine.before_arrival);
      if (with.step("__syncwarp after the arrival")) own.sync(mine.after_arrival);
      if (own.receive(mine.last) == 1) own.expect(own.read(other.partial, weak) == 1, "not a partial result");
    });
  }
  return all;
}

TEST(memory_model_ticket, last_warp_sees_partial_results_of_lanes) { check("last warp", last_warp, {}); }

/// grid/last_block.cuh: each of two blocks has its first warp and another thread, which leaves a partial result, too.
/// All threads of the last block read the others'.
program last_block(orders& with) {
  program all;
  struct block {
    int of_first, of_other, is_last, handed_over, joined;
  };
  block of[2];
  for (block& own : of)
    own = {all.location("partial of warp 0"), all.location("partial of another warp"), all.location("is_last"),
           all.barrier(2), all.barrier(2)};
  const int ticket = all.location("ticket");
  for (int b = 0; b < 2; ++b) {
    const block mine = of[b], other = of[1 - b];
    const auto join = [=, &with](thread& own) {
      if (with.step("barrier after is_last")) own.sync(mine.joined);
      if (own.read(mine.is_last, weak) == 0) return;
      own.expect(own.read(other.of_first, weak) == 1, "not the partial of warp 0");
      own.expect(own.read(other.of_other, weak) == 1, "not the partial of another warp");
    };
    all.run("warp 0", {b}, [=, &with](thread& own) {
      own.write(mine.of_first, 1, weak);
      if (with.step("barrier that hands over")) own.sync(mine.handed_over);
      own.write(mine.is_last, own.inc(ticket, 1, with.atomic("arrive", acq_rel(scope::gpu))), weak);
      join(own);
    });
    all.run("another warp", {b}, [=, &with](thread& own) {
      own.write(mine.of_other, 1, weak);
      if (with.step("barrier that hands over")) own.sync(mine.handed_over);
      join(own);
    });
  }
  return all;
}

TEST(memory_model_ticket, last_block_sees_all_partial_results) { check("last block", last_block, {}); }

/// The same with three blocks of one thread, which arrive with several partial results at once: arrive(counter,
/// arrivals, expected). The last one clears the counter by a plain store. The next launch finds it zero.
program several_arrivals(orders& with) {
  program all;
  const int counter = all.location("counter"), stream = all.barrier(4);
  int partial[3];
  for (int& own : partial) own = all.location("partial");
  for (int b = 0; b < 3; ++b)
    all.run("block", {b}, [=, &with](thread& own) {
      own.write(partial[b], 1, weak);
      const int arrivals = b == 0 ? 2 : 1;
      const value before = own.add(counter, arrivals, with.atomic("arrive", acq_rel(scope::gpu)));
      if (before + arrivals == 4) {
        own.write(counter, 0, weak);
        for (const int other : partial) own.expect(own.read(other, weak) == 1, "not a partial result");
      }
      own.arrive(stream);
    });
  all.run("next launch", {0}, [=](thread& own) {
    own.sync(stream);
    own.expect(own.read(counter, relaxed(scope::gpu)) == 0, "the counter is not cleared");
  });
  return all;
}

TEST(memory_model_ticket, three_blocks_of_several_arrivals) { check("several arrivals", several_arrivals, {}); }

/// axes/join_splits.cuh: two blocks leave a node each, and wait for each other's; each joins a slice. The counter goes
/// round once. A block has a clerk, which arrives and waits, and a thread that folds and joins.
program waiting_splits(orders& with) {
  program all;
  const int counter = all.location("counter"), stream = all.barrier(5);
  const int node[2] = {all.location("node 0"), all.location("node 1")};
  for (int b = 0; b < 2; ++b) {
    const int left = all.barrier(2), all_left = all.barrier(2);
    all.run("clerk", {b}, [=, &with](thread& own) {
      if (with.step("barrier before the arrival")) own.sync(left);
      own.inc(counter, 3, with.atomic("count_arrival", release(scope::gpu)));
      own.await(counter, with.access("wait for all", acquire(scope::gpu)), [](int splits) { return splits >= 2; });
      if (with.step("barrier after the wait")) own.sync(all_left);
      own.reduce(counter, with.atomic("count the slice", relaxed(scope::gpu)),
                 [](const value& before) { return (before + 1) % 4; });
      own.arrive(stream);
    });
    all.run("folds", {b}, [=, &with](thread& own) {
      own.write(node[b], 1, weak);
      if (with.step("barrier before the arrival")) own.sync(left);
      if (with.step("barrier after the wait")) own.sync(all_left);
      for (const int each : node) own.expect(own.read(each, weak) == 1, "not a node");
      own.arrive(stream);
    });
  }
  all.run("next launch", {0}, [=](thread& own) {
    own.sync(stream);
    own.expect(own.read(counter, relaxed(scope::gpu)) == 0, "the counter is not zero again");
  });
  return all;
}

TEST(memory_model_splits, blocks_that_wait_for_each_other) { check("splits that wait", waiting_splits, {}); }

/// The same where nobody waits: the last one to arrive joins, behind a fence.
program last_split(orders& with) {
  program all;
  const int counter = all.location("counter");
  int node[2][2];
  for (auto& block : node)
    for (int& own : block) own = all.location("node");
  for (int b = 0; b < 2; ++b) {
    const int left = all.barrier(2), is_last = all.location("is_last"), known = all.barrier(2);
    const auto join = [=](thread& own) {
      if (own.read(is_last, weak) == 0) return;
      for (const int each : node[1 - b]) own.expect(own.read(each, weak) == 1, "not a node");
    };
    all.run("clerk", {b}, [=, &with](thread& own) {
      own.write(node[b][0], 1, weak);
      if (with.step("barrier before the arrival")) own.sync(left);
      const value before = own.inc(counter, 1, with.atomic("count_arrival", release(scope::gpu)));
      if (before == 1) own.fence(with.fence("fence_after_arrivals", acquire(scope::gpu)));
      own.write(is_last, before, weak);
      if (with.step("barrier after is_last")) own.sync(known);
      join(own);
    });
    all.run("folds", {b}, [=, &with](thread& own) {
      own.write(node[b][1], 1, weak);
      if (with.step("barrier before the arrival")) own.sync(left);
      if (with.step("barrier after is_last")) own.sync(known);
      join(own);
    });
  }
  return all;
}

TEST(memory_model_splits, last_block_joins) { check("last split", last_split, {}); }

/// grid/drawn_work.cuh: two blocks draw the numbers of two items, and a number past them each.
program draws(orders& with) {
  program all;
  const int counter = all.location("counter"), stream = all.barrier(3);
  const int item[2] = {all.location("item 0"), all.location("item 1")};
  for (int b = 0; b < 2; ++b)
    all.run("block", {b}, [=, &with](thread& own) {
      for (int draw = 0;; ++draw) {
        if (draw == 3) own.give_up();
        const value drawn = own.inc(counter, 3, with.atomic("draw", relaxed(scope::gpu)));
        if (drawn >= 2) break;
        own.write(item[drawn.number], 1, weak);  // which races if two blocks have the item
      }
      own.arrive(stream);
    });
  all.run("next launch", {0}, [=](thread& own) {
    own.sync(stream);
    own.expect(own.read(counter, relaxed(scope::gpu)) == 0, "the counter is not zero again");
    for (const int each : item) own.expect(own.read(each, weak) == 1, "an item that nobody has");
  });
  return all;
}

TEST(memory_model_drawn_work, each_item_comes_to_one_block) { check("draws", draws, {}); }

/// The same within a block: a clerk shows each number that it draws; another thread reads it after a barrier. There is
/// one barrier for each item, so two places take turns.
program shown_numbers(orders& with) {
  program all;
  const int shown[2] = {all.location("shown 0"), all.location("shown 1")}, barrier = all.barrier(2);
  for (const bool is_clerk : {true, false})
    all.run(is_clerk ? "clerk" : "works", {0}, [=, &with](thread& own) {
      for (int item = 1; item <= 3; ++item) {
        const int place = shown[with.step("two places") ? item % 2 : 0];
        if (is_clerk) own.write(place, item, weak);
        if (with.step("barrier after show")) own.sync(barrier);
        own.expect(own.read(place, weak) == item, "another item");
      }
    });
  return all;
}

TEST(memory_model_drawn_work, block_sees_the_number) { check("shown numbers", shown_numbers, {}); }

}  // namespace
