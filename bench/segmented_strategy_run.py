# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of segmented_strategy_bench: the paper's workloads, who is fastest on each, and how two compare."""

from measurements import ResultError
from segmented_run import fastest, held_items
from strategy_run import PAPER_ITEMS, geometric_mean, parts_of

FUNCTION = "segmented_strategies"
OFFSETS = "offsets_"  # before the names of contenders that are given offsets; the others are given owners
# The paper's names for the compositions that it measured; its persistent ones end in a second launch.
PAPER = {"TB2": "tree.multi_pass.none", "TB4-warp": "warp_tree.multi_pass.none", "Matrix": "matrix.multi_pass.none",
         "P_Matrix": "matrix.persistent.two_launch", "Diffwarps": "matrix.producer_consumer.two_launch",
         "Diffwarps16": "matrix16.producer_consumer.two_launch"}
# Its workloads, and its letters for them.
WORKLOADS = {"one": "(a)", "uniform_10_50": "(b)", "all_3": "(c)"}
WORKLOAD_TITLES = {"one": "one segment", "uniform_10_50": "segments of random sizes in [10, 50]",
                   "all_3": "segments of 3"}
OTHERS = {"warpfold": "Warpfold, owners", OFFSETS + "warpfold": "Warpfold, offsets", "cub_by_key": "CUB by key"}


def is_strategy(name):
    return len(parts_of(name)) == 3


def in_paper(name):
    """The paper's name; nothing for what it did not measure."""
    return next((title for title, composition in PAPER.items() if composition == name), "")


def contender_title(name):
    return in_paper(name) or OTHERS.get(name) or f"`{name}`"


def form_prefix(name):
    return OFFSETS if name.startswith(OFFSETS) else ""


def floor_seconds(group, name):
    """Of the fastest kernel that moves the bytes which `name` has to move, and reduces nothing."""
    return fastest(group, form_prefix(name) + "move_")


def share_of_floor(group, name):
    return floor_seconds(group, name) / group.seconds[name]


def item_bandwidth(group, seconds):
    """GB/s of items alone: the one scale for owners and offsets."""
    return 4e-9 * held_items(group) / seconds


def moved_bandwidth(group, name):
    """GB/s of all that has to be read and written, the paper's effective bandwidth."""
    return 1e-9 * group.counters[name]["bytes"] / group.seconds[name]


class SegmentedStrategyRun:
    def __init__(self, run):
        self.run = run
        self.device = run.context.get("device", "unknown device")
        groups = run.select(FUNCTION, operator="minimum", form="owners")
        self.workloads = {w: [g for g in groups if g.segments == w] for w in WORKLOADS}
        self.workloads = {w: found for w, found in self.workloads.items() if found}
        if not self.workloads:
            raise ResultError(f"no {FUNCTION}/float/minimum of Warpfold in the kept results")
        self.names = [n for n in groups[0].seconds if "move_" not in n and all(n in g.seconds for g in groups)]
        missing = [name for name in [*PAPER.values(), *OTHERS] if name not in self.names]
        if missing:
            raise ResultError(f"{FUNCTION}: not in every group: {', '.join(missing)}")

    def strategies(self):
        return [name for name in self.names if is_strategy(name)]

    def sums(self, workload):
        return [g for g in self.run.select(FUNCTION, operator="plus", form="owners") if g.segments == workload]

    def paper_groups(self, workload):
        """Those of the paper's sizes, or all if there are none."""
        groups = self.workloads[workload]
        return [g for g in groups if g.items in PAPER_ITEMS] or groups

    def best(self, names, workload):
        """The fastest at the paper's sizes."""
        return min(names, key=lambda n: geometric_mean(g.seconds[n] for g in self.paper_groups(workload)))

    def times_as_fast(self, workload, name, than):
        return geometric_mean(g.seconds[than] / g.seconds[name] for g in self.paper_groups(workload))

    def mean_share_of_floor(self, workload, name):
        return geometric_mean(share_of_floor(g, name) for g in self.paper_groups(workload))

    def mean_item_bandwidth(self, workload, name):
        return geometric_mean(item_bandwidth(g, g.seconds[name]) for g in self.paper_groups(workload))

    def table_group(self):
        """The one whose facts are shown: of the first workload, the largest of the paper's sizes."""
        return self.paper_groups(next(iter(self.workloads)))[-1]

    def fact(self, name, key):
        return self.table_group().counters[name][key]
