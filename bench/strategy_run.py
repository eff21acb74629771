# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of strategy_bench: its compositions, which of them is best, and how two compare."""

import math

from measurements import ResultError

ALGORITHMS = ("tree", "warp_tree", "matrix", "shuffle")
SCHEDULES = ("multi_pass", "persistent", "producer_consumer", "bulk_producer_consumer")
FINISHES = ("last_block", "two_launch", "block_atomic", "warp_atomic")
PAPER_ITEMS = [m << 20 for m in range(16, 32)]
TABLE_ITEMS = 30 << 20  # of the paper's Table I


def parts_of(name):
    """tree.persistent.last_block -> its three parts."""
    return tuple(name.split("."))


def in_words(part):
    return {"bulk_producer_consumer": "bulk copies"}.get(part, part.replace("_", "-"))


def gigabytes(group, name):
    return f"{group.bandwidth(name):.0f}"


def limit_bandwidth(group):
    """GB/s."""
    return group.bytes / group.limit_seconds() * 1e-9


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class StrategyRun:
    """The float minima of one run, all of whose groups hold the same compositions."""

    def __init__(self, run):
        self.run = run
        self.groups = run.select("strategies", operator="minimum")
        if not self.groups:
            raise ResultError("no strategies/float/minimum in the kept results")
        self.device = run.context.get("device", "unknown device")
        by_items = {g.items: g for g in self.groups}
        self.paper = [by_items[items] for items in PAPER_ITEMS if items in by_items] or self.groups
        self.largest = self.groups[-1]
        self.table = by_items.get(TABLE_ITEMS, self.largest)

    def compositions(self, algorithm=None, schedule=None):
        names = [name for name in self.table.seconds if len(parts_of(name)) == 3]
        return [name for name in names if algorithm in (None, parts_of(name)[0])
                and schedule in (None, parts_of(name)[1])]

    def best(self, algorithm=None, schedule=None):
        """The fastest at the paper's sizes; None if there is none."""
        return min(self.compositions(algorithm, schedule), default=None,
                   key=lambda name: geometric_mean(g.seconds[name] for g in self.paper))

    def paper_in_words(self):
        return f"{len(self.paper)} sizes from {self.paper[0].items:,} to {self.paper[-1].items:,} items"

    def fact(self, name, key):
        return self.table.counters[name][key]

    def share_of_limit(self, name):
        return self.table.limit_seconds() / self.table.seconds[name]

    def turn_ns(self, name, group):
        """How long a byte's place is taken, from one request to the next: bytes in flight over bandwidth."""
        in_flight = int(self.run.context["multiprocessors"]) * self.fact(name, "bytes_in_flight")
        return 1e9 * in_flight * group.seconds[name] / group.bytes

    def times_as_fast(self, groups, name, than):
        return geometric_mean(g.seconds[than] / g.seconds[name] for g in groups)
