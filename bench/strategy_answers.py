# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers to the paper's questions, in words that follow from the figures of a run."""

import math
from dataclasses import dataclass

from pages import percent, ratio, size, table
from strategy_run import ALGORITHMS, SCHEDULES, in_words, parts_of

EQUAL = 0.02  # ratios this close to 1 count as equal
AT_LIMIT = 0.95  # of the limit: nothing left to gain


@dataclass
class Pair:
    """Two compositions that differ in what is asked."""
    label: str  # what they have in common
    old: str
    new: str
    paper: float  # how many times as fast as `old` is `new`, at the paper's sizes
    largest: float
    in_flight: float  # times as many bytes

    def reason(self):
        """Bandwidth is bytes in flight over turn: which of the two makes most of the difference at the largest N."""
        gain = math.log(self.largest)
        if abs(self.largest - 1) <= EQUAL:
            return None
        if math.log(self.in_flight) / gain > 0.5:
            return "more bytes in flight" if gain > 0 else "fewer bytes in flight"
        return "a shorter turn" if gain > 0 else "a longer turn"


def pair(run, label, old, new):
    in_flight = run.fact(new, "bytes_in_flight") / run.fact(old, "bytes_in_flight")
    return Pair(label, old, new, run.times_as_fast(run.paper, new, old), run.times_as_fast([run.largest], new, old),
                in_flight)


def pairs(run, labels, old, new):
    """`old` and `new` turn a label into keywords of StrategyRun.best; labels that lack one of the two are left out."""
    found = [(label, run.best(**old(label)), run.best(**new(label))) for label in labels]
    return [pair(run, *row) for row in found if row[1] and row[2]]


def joined(parts):
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def listed(names):
    return joined([f"`{name}`" for name in names])


def span(values):
    low, high = ratio(min(values)), ratio(max(values))
    return low if low == high else f"{low} to {high}"


def verdict(rows):
    """Yes, no or in part, and with what."""
    faster = [p for p in rows if p.paper > 1 + EQUAL]
    slower = [p for p in rows if p.paper < 1 - EQUAL]
    equal = [p for p in rows if p not in faster and p not in slower]
    said = [f"{word} with {listed(p.label for p in group)} ({span([p.paper for p in group])})"
            for word, group in (("faster", faster), ("as fast", equal), ("slower", slower)) if group]
    answer = "No" if not faster else "In part" if slower or equal else "Yes"
    return f"{answer}: {'; '.join(said)}."


def reasons(rows, items):
    """What makes the difference at the largest N, pair by pair."""
    why = {}
    for p in rows:
        why.setdefault(p.reason(), []).append(p.label)
    said = [f"{reason} with {listed(labels)}" for reason, labels in why.items() if reason]
    if None in why:
        said.append(f"no difference with {listed(why[None])}")
    return f"At {size(items)}: {'; '.join(said)}."


def pairs_table(run, rows):
    def cells(p):
        def both(value):
            return f"{value(p.old)} → {value(p.new)}"

        return [both(lambda name: f"`{name}`"), ratio(p.paper), ratio(p.largest),
                both(lambda name: f"{run.fact(name, 'registers'):.0f}"),
                both(lambda name: percent(run.fact(name, "occupancy"), 0)),
                both(lambda name: f"{run.fact(name, 'bytes_in_flight') / 1024:.0f}"),
                both(lambda name: f"{run.turn_ns(name, run.largest):.0f}"),
                both(lambda name: f"{run.fact(name, 'launches'):.0f}")]

    return table(["compared", "times as fast, paper's sizes", f"at {size(run.largest.items)}", "registers", "occupancy",
                  "KiB in flight", f"turn at {size(run.largest.items)}, ns", "launches"], map(cells, rows))


def question(run, title, rows, before=""):
    if not rows:
        return []
    text = f"**{title}** {before}{verdict(rows)} {reasons(rows, run.largest.items)}"
    return [text, pairs_table(run, rows)]


def winner(run):
    """The fastest composition, and whether another schedule is as fast."""
    name = run.best()
    limit = sum(g.limit_seconds() for g in run.paper) / sum(g.seconds[name] for g in run.paper)
    others = {schedule: run.best(schedule=schedule) for schedule in SCHEDULES if schedule != parts_of(name)[1]}
    ties = [other for other in others.values() if other and run.times_as_fast(run.paper, name, other) <= 1 + EQUAL]
    said = f"The fastest at the paper's sizes is `{name}`, at {percent(limit)} of the limit"
    if ties:
        return f"{said}; {listed(ties)} {'is' if len(ties) == 1 else 'are'} as fast within {percent(EQUAL, 0)}."
    behind = {other: run.times_as_fast(run.paper, name, other) for other in others.values() if other}
    if not behind:
        return said + "."
    second = min(behind, key=behind.get)
    return f"{said}; the next schedule's best, `{second}`, takes {ratio(behind[second])} times as long."


def ranks(values):
    """Ranks from 0, ties share their mean."""
    ordered = sorted(values)
    return [(ordered.index(v) + len(ordered) - 1 - ordered[::-1].index(v)) / 2 for v in values]


def rank_correlation(xs, ys):
    """Spearman's; None where one of them never changes."""
    a, b = ranks(xs), ranks(ys)
    mean = (len(a) - 1) / 2
    spread = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / spread if spread else None


def columns_that_matter(run):
    """Which of Table I's columns goes along with bandwidth, over all compositions."""
    names = run.compositions()
    bandwidth = [run.largest.bandwidth(name) for name in names]
    found = {words: rank_correlation([run.fact(name, key) for name in names], bandwidth)
             for words, key in (("bytes in flight", "bytes_in_flight"), ("occupancy", "occupancy"),
                                ("registers", "registers"), ("launches", "launches"))}
    found = {words: value for words, value in found.items() if value is not None}
    if not found:
        return []
    closest = max(found, key=lambda words: abs(found[words]))
    figures = ", ".join(f"{words} {value:+.2f}" for words, value in found.items())
    said = (f"**Why?** Over all {len(names)} compositions at {size(run.largest.items)}, bandwidth goes along most "
            f"closely with {closest} (rank correlation: {figures}).")
    at_limit = sum(run.largest.limit_seconds() / run.largest.seconds[name] >= AT_LIMIT for name in names)
    if at_limit:
        said += f" {at_limit} reach {percent(AT_LIMIT, 0)} of the limit, where no column matters any more."
    return [said]


def answers(run):
    persistent = pairs(run, ALGORITHMS, lambda a: {"algorithm": a, "schedule": "multi_pass"},
                       lambda a: {"algorithm": a, "schedule": "persistent"})
    hand_over = [pairs(run, ALGORITHMS, lambda a: {"algorithm": a, "schedule": "persistent"},
                       lambda a: {"algorithm": a, "schedule": schedule}) for schedule in SCHEDULES[2:]]
    matrix = [pairs(run, SCHEDULES, lambda s: {"algorithm": tree, "schedule": s},
                    lambda s: {"algorithm": "matrix", "schedule": s}) for tree in ("tree", "warp_tree")]
    default = run.times_as_fast(run.paper, "warpfold", run.best())
    return "\n\n".join([
        f"{winner(run)} Warpfold's default is {ratio(default)} times as fast as that. Equal means within "
        f"{percent(EQUAL, 0)}; of several finishes the fastest is compared; *in flight* and *turn* are explained at "
        "Table I.",
        *question(run, "Does persistent still beat multi-pass?", persistent),
        *question(run, "Does producer-consumer still win over persistent, in the paper's form?", hand_over[0]),
        *question(run, f"And in its modern form, {in_words(SCHEDULES[3])}?", hand_over[1]),
        *question(run, "Does the matrix beat the tree?", matrix[0]),
        *question(run, "And the tree of warps?", matrix[1]), *columns_that_matter(run)])
