// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that come together in other ways than by the last block alone.
#include "memory_model/protocol.hpp"

namespace {

using namespace memory_model;

/// segmented/segment_units.cuh: three warps fold the units of a segment of two bundles, the first of which has two
/// units. The last warp of a bundle joins it, overwrites the value of its first unit, and counts the bundle. A warp
/// has two lanes that read; all lanes read the first unit (warp/fold_values.cuh).
program units_of_a_segment(orders& with) {
  program all;
  const int unit[3] = {all.location("unit 0"), all.location("unit 1"), all.location("unit 2")},
            bundle = all.location("bundle"), segment = all.location("segment");
  const auto count = [=, &with](thread& own, int counter) {
    return own.inc(counter, 1, with.atomic("warp_completes", acq_rel(scope::gpu))) == 1;
  };
  const auto join_bundles = [=](thread& own) {
    if (!count(own, segment)) return;
    own.expect(own.read(unit[0], weak) == 3, "not the first bundle");
    own.expect(own.read(unit[2], weak) == 4, "not the second bundle");
  };
  for (int warp = 0; warp < 2; ++warp) {
    const int last = all.channel("last"), folded = all.barrier(2), counted = all.barrier(2);
    all.run("lane 0", {warp}, [=, &with](thread& own) {
      own.write(unit[warp], 1 + warp, weak);
      const bool is_last = bool(value(count(own, bundle)));
      if (with.step("__syncwarp of warp_completes")) own.sync(counted);
      own.send(last, is_last);
      if (!is_last) return;
      own.expect(own.read(unit[1 - warp], weak) == 2 - warp, "not the other warp's unit");
      if (with.step("__syncwarp before a unit is overwritten")) own.sync(folded);
      own.write(unit[0], 3, weak);  // both joined
      join_bundles(own);
    });
    all.run("lane 1", {warp}, [=, &with](thread& own) {
      if (with.step("__syncwarp of warp_completes")) own.sync(counted);
      if (own.receive(last) == 0) return;
      own.expect(own.read(unit[0], weak) == 1, "not the first unit");
      if (with.step("__syncwarp before a unit is overwritten")) own.sync(folded);
    });
  }
  all.run("other bundle", {2}, [=](thread& own) {
    own.write(unit[2], 4, weak);
    join_bundles(own);
  });
  return all;
}

TEST(memory_model_gather, units_of_a_segment) { check("units of a segment", units_of_a_segment, {}); }

/// quantifiers/kernel.cuh: a warp that finds an item raises a flag; others look at it as they go. The last block reads
/// the answer, and clears the flag for the next call.
program raised_flag(orders& with) {
  program all;
  const int flag = all.location("flag"), ticket = all.location("ticket"), handed_over = all.barrier(2),
            stream = all.barrier(4);
  const auto raise = [=, &with](thread& own) { own.write(flag, 1, with.access("raise", relaxed(scope::gpu))); };
  const auto arrive = [=, &with](thread& own) {
    if (own.inc(ticket, 1, with.atomic("arrive", acq_rel(scope::gpu))) == 1) {
      own.expect(own.read(flag, relaxed(scope::gpu)) == 1, "does not see that an item was found");
      own.write(flag, 0, relaxed(scope::gpu));
    }
    own.arrive(stream);
  };
  all.run("first warp", {0}, [=, &with](thread& own) {
    if (with.step("barrier of the block")) own.sync(handed_over);
    arrive(own);
  });
  all.run("finds an item", {0}, [=, &with](thread& own) {
    raise(own);
    if (with.step("barrier of the block")) own.sync(handed_over);
    own.arrive(stream);
  });
  all.run("another block", {1}, [=, &with](thread& own) {
    if (own.read(flag, with.access("look", relaxed(scope::gpu))) == 0) raise(own);
    arrive(own);
  });
  all.run("next call", {0}, [=](thread& own) {
    own.sync(stream);
    own.expect(own.read(flag, relaxed(scope::gpu)) == 0, "the flag is left to the next call");
  });
  return all;
}

TEST(memory_model_gather, raised_flag) { check("raised flag", raised_flag, {}); }

/// reduce/kernel.cuh, gather::cluster: blocks write their results into the shared memory of block 0. A first barrier
/// shows that block 0 runs, and releases nothing.
program cluster(orders& with) {
  program all;
  const int result = all.location("result of block 1"), runs = all.barrier(2), written = all.barrier(2);
  all.run("block 0", {0}, [=, &with](thread& own) {
    own.arrive(runs, relaxed(scope::cluster)), own.wait(runs);
    own.arrive(written);
    if (with.step("cluster_wait")) own.wait(written);
    own.expect(own.read(result, weak) == 1, "not the result of block 1");
  });
  all.run("block 1", {1}, [=, &with](thread& own) {
    own.arrive(runs, relaxed(scope::cluster)), own.wait(runs);
    own.write(result, 1, weak);
    own.arrive(written, with.arrival("cluster_arrive", release(scope::cluster)));
  });
  return all;
}

TEST(memory_model_gather, cluster) { check("cluster", cluster, {}); }

}  // namespace
