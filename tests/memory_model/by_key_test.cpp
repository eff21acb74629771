// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words by which tiles of a reduction by key join, and how an epoch takes them over from the one before
// (by_key/join_tiles.cuh, by_key/look_back.cuh, by_key/kernel.cuh).
#include "memory_model/protocol.hpp"

namespace {

using namespace memory_model;

const auto is_there = [](int seen) { return seen != 0; };

/// Waits for the epoch before, as finished_epochs::wait does; lane 0 calls it.
void wait_for_epoch(thread& own, int finished, int epoch, orders& with) {
  own.await(finished, with.access("begin: observe", relaxed(scope::gpu)), [=](int now) { return now >= epoch; });
  own.fence(with.fence("begin: acquire", acquire(scope::gpu)));
}

/// An epoch of two tiles, joined by a warp of two lanes; then an epoch of one tile, which uses the first one's words.
/// The words of the first epoch are 1, those of the second one 2.
program one_group(orders& with) {
  program all;
  const int own[2] = {all.location("own 0"), all.location("own 1")},
            carry[2] = {all.location("carry 0"), all.location("carry 1")}, finished = all.location("finished"),
            before = all.location("before, in shared memory"), found = all.barrier(2), cleared = all.barrier(2),
            entered = all.barrier(2), stepped = all.barrier(2);
  const int vote[2] = {all.channel("vote 0"), all.channel("vote 1")};
  const auto publish = [=, &with] { return with.access("publish", relaxed(scope::gpu)); };
  const auto observe = [=, &with] { return with.access("observe", relaxed(scope::gpu)); };
  all.run("tile 0 counts", {0}, [=](thread& t) { t.write(own[0], 1, publish()); });
  all.run("tile 0 sends", {0}, [=](thread& t) { t.write(carry[0], 1, publish()); });
  all.run("tile 1 counts", {1}, [=](thread& t) { t.write(own[1], 1, publish()); });
  all.run("tile 1 looks back", {1}, [=, &with](thread& t) {
    const value heads = t.await(own[0], observe(), is_there);
    t.expect(heads == 1, "counts heads of the next epoch");
    t.write(before, heads, weak);
    if (with.step("block.sync after the look-back")) t.sync(found);
  });
  all.run("tile 1 sends", {1}, [=, &with](thread& t) {
    if (with.step("block.sync after the look-back")) t.sync(found);
    const value heads = t.read(before, weak);
    t.expect(heads == 1, "sends another number");
    t.write(carry[1], heads, publish());
  });
  for (int lane = 0; lane < 2; ++lane)
    all.run(lane == 0 ? "joins, lane 0" : "joins, lane 1", {2}, [=, &with](thread& t) {
      value seen = 1;
      if (with.step("join: has_own")) seen = t.await(own[lane], observe(), is_there);
      t.expect(seen + t.await(carry[lane], observe(), is_there) == 2, "joins words of the next epoch");
      t.send(vote[lane], 1), t.receive(vote[1 - lane]);
      t.write(carry[lane], 0, publish()), t.write(own[lane], 0, publish());
      if (with.step("end: __syncwarp")) t.sync(cleared);
      if (lane != 0) return;
      t.fence(with.fence("end: release", release(scope::gpu)));
      t.write(finished, 1, with.access("end: publish", relaxed(scope::gpu)));
    });
  all.run("next epoch, lane 0", {3}, [=, &with](thread& t) {
    wait_for_epoch(t, finished, 1, with);
    if (with.step("begin: __syncwarp")) t.sync(entered);
    t.write(own[0], 2, publish());
    if (with.step("block.sync of the next step")) t.sync(stepped);
  });
  all.run("next epoch, lane 1", {3}, [=, &with](thread& t) {
    if (with.step("begin: __syncwarp")) t.sync(entered);
    t.expect(t.await(own[0], observe(), is_there) == 2, "counts heads of the epoch before");
    const int word = t.any({own[1], carry[1]});
    t.expect(t.read(word, observe()) == 0, "a word is left to the next epoch");
  });
  all.run("next epoch, another warp", {3}, [=, &with](thread& t) {
    if (with.step("block.sync of the next step")) t.sync(stepped);
    t.write(carry[0], 2, publish());
    t.expect(t.await(carry[0], observe(), is_there) == 2, "joins a carry of the epoch before");
  });
  return all;
}

TEST(memory_model_by_key, one_group) { check("epoch of one group", one_group, {}); }

/// An epoch of groups of tiles. A warp of two lanes joins the tiles of a group and clears their words; another warp
/// joins the groups, and ends the epoch. A tile of the next group looks back over this one; the tile is its group.
program two_groups(orders& with) {
  program all;
  const int own = all.location("own"), carry = all.location("carry"), sums = all.location("sums"),
            through = all.location("through"), of_group = all.location("carry of the group"),
            of_next = all.location("carry of the next group"), finished = all.location("finished"),
            cleared = all.barrier(2), ended = all.barrier(2), vote = all.channel("vote");
  all.run("tile of the next group", {4}, [=](thread& t) {
    const value heads = t.await(through, relaxed(scope::gpu), is_there);
    t.expect(heads == 1, "counts heads of the next epoch");
    t.write(of_next, heads, relaxed(scope::gpu));
  });
  all.run("tile counts", {0}, [=](thread& t) {
    t.write(own, 1, relaxed(scope::gpu));
    t.reduce(sums, relaxed(scope::gpu), [](const value& sum) { return sum + 1; });
  });
  all.run("tile looks back", {0}, [=](thread& t) { t.write(through, 1, relaxed(scope::gpu)); });
  all.run("tile sends", {0}, [=](thread& t) { t.write(carry, 1, relaxed(scope::gpu)); });
  all.run("joins tiles, lane 0", {1}, [=, &with](thread& t) {
    if (with.step("join: __syncwarp")) t.sync(cleared);
    t.fence(with.fence("join: release", release(scope::gpu)));
    t.write(of_group, 1, relaxed(scope::gpu));
  });
  all.run("joins tiles, lane 1", {1}, [=, &with](thread& t) {
    if (with.step("join: has_own")) t.await(own, relaxed(scope::gpu), is_there);
    t.await(carry, relaxed(scope::gpu), is_there);
    t.write(carry, 0, relaxed(scope::gpu)), t.write(own, 0, relaxed(scope::gpu));
    if (with.step("join: __syncwarp")) t.sync(cleared);
  });
  all.run("joins groups, lane 0", {2}, [=, &with](thread& t) {
    t.receive(vote);
    if (with.step("end: __syncwarp")) t.sync(ended);
    t.fence(with.fence("end: release", release(scope::gpu)));
    t.write(finished, 1, relaxed(scope::gpu));
  });
  all.run("joins groups, lane 1", {2}, [=, &with](thread& t) {
    t.await(of_group, relaxed(scope::gpu), is_there), t.await(of_next, relaxed(scope::gpu), is_there);
    if (with.step("join: has_group")) {
      t.await(sums, relaxed(scope::gpu), is_there);
      t.await(through, relaxed(scope::gpu), is_there);
    }
    t.send(vote, 1);
    t.fence(with.fence("join: acquire", acquire(scope::gpu)));
    t.write(of_group, 0, relaxed(scope::gpu));
    t.write(sums, 0, relaxed(scope::gpu)), t.write(through, 0, relaxed(scope::gpu));
    if (with.step("end: __syncwarp")) t.sync(ended);
  });
  all.run("next epoch", {3}, [=, &with](thread& t) {
    wait_for_epoch(t, finished, 1, with);
    const int word = t.any({own, carry, sums, through, of_group});
    t.expect(t.read(word, relaxed(scope::gpu)) == 0, "a word is left to the next epoch");
    t.write(through, 2, relaxed(scope::gpu));
  });
  return all;
}

TEST(memory_model_by_key, two_groups) { check("epoch of groups", two_groups, {}); }

/// Groups of groups: the warp that has seen the words of groups is not the one that ends the epoch and clears them.
/// This is so in the last epoch, too, so the next call finds what is left.
program groups_of_groups(orders& with) {
  program all;
  const int sums = all.location("sums"), through = all.location("through"), carry = all.location("carry"),
            stream = all.barrier(6), acquired = all.barrier(2), vote = all.channel("vote");
  all.run("tile counts", {0}, [=](thread& t) {
    t.reduce(sums, relaxed(scope::gpu), [](const value& sum) { return sum + 1; });
    t.arrive(stream);
  });
  all.run("tile looks back", {0}, [=](thread& t) {
    t.write(through, 1, relaxed(scope::gpu));
    t.arrive(stream);
  });
  all.run("joins groups", {1}, [=, &with](thread& t) {
    if (with.step("join: has_group")) {
      t.await(sums, relaxed(scope::gpu), is_there);
      t.await(through, relaxed(scope::gpu), is_there);
    }
    t.fence(with.fence("join: release", release(scope::gpu)));
    t.write(carry, 1, relaxed(scope::gpu));
    t.arrive(stream);
  });
  all.run("joins groups of groups, lane 0", {2}, [=, &with](thread& t) {
    t.await(carry, relaxed(scope::gpu), is_there);
    t.send(vote, 1);
    t.fence(with.fence("join: acquire", acquire(scope::gpu)));
    t.write(carry, 0, relaxed(scope::gpu));
    if (with.step("join: __syncwarp")) t.sync(acquired);
    t.arrive(stream);
  });
  all.run("joins groups of groups, lane 1", {2}, [=, &with](thread& t) {
    t.receive(vote);
    if (with.step("join: __syncwarp")) t.sync(acquired);
    t.write(sums, 0, relaxed(scope::gpu)), t.write(through, 0, relaxed(scope::gpu));
    t.arrive(stream);
  });
  all.run("next call", {0}, [=](thread& t) {
    t.sync(stream);
    const int word = t.any({carry, sums, through});
    t.expect(t.read(word, relaxed(scope::gpu)) == 0, "a word is left to the next call");
  });
  return all;
}

TEST(memory_model_by_key, groups_of_groups) { check("epoch of groups of groups", groups_of_groups, {}); }

/// The heads of the epochs that are done, and scratch that outlasts an epoch. The number of heads travels in the
/// message that counts the epochs: `n` stands for n epochs with n heads. If it were a word of its own, nothing would
/// order a block's read of it before the end of the next epoch, which needs no more of the block than a relaxed word.
program heads_of_epochs(orders& with) {
  program all;
  const int finished = all.location("finished"), heads = all.location("heads apart"), pending = all.location("pending"),
            own = all.location("own");
  const auto end_epoch = [=, &with](thread& t, int epoch) {
    t.write(pending, epoch, weak);
    if (!with.step("heads in the message")) t.write(heads, epoch, weak);
    t.fence(with.fence("end: release", release(scope::gpu)));
    t.write(finished, epoch, with.access("end: publish", relaxed(scope::gpu)));
  };
  all.run("ends epoch 0", {0}, [=](thread& t) { end_epoch(t, 1); });
  all.run("a block of epoch 1", {1}, [=, &with](thread& t) {
    value known = t.await(finished, with.access("begin: observe", relaxed(scope::gpu)), is_there);
    t.fence(with.fence("begin: acquire", acquire(scope::gpu)));
    if (!with.step("heads in the message")) known = t.read(heads, weak);
    t.expect(known == 1, "heads of another epoch");
    t.write(own, 1, relaxed(scope::gpu));
  });
  all.run("ends epoch 1", {2}, [=, &with](thread& t) {
    wait_for_epoch(t, finished, 1, with);
    t.await(own, relaxed(scope::gpu), is_there);
    t.expect(t.read(pending, weak) == 1, "scratch of another epoch");
    end_epoch(t, 2);
  });
  all.run("ends epoch 2, the last one", {3}, [=, &with](thread& t) {
    wait_for_epoch(t, finished, 2, with);
    t.expect(t.read(pending, weak) == 2, "scratch of another epoch");
    t.write(finished, 0, relaxed(scope::gpu));
  });
  return all;
}

TEST(memory_model_by_key, heads_of_epochs) { check("heads of epochs", heads_of_epochs, {}); }

}  // namespace
