# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Promises about speed, each held against the worst that was measured."""

from dataclasses import dataclass

from pages import table


@dataclass
class Bar:
    """A promise about speed: the worst of its cases against what it must reach."""
    case: str
    must: float
    cases: list  # of (value, where)
    at_most: bool = False

    def row(self):
        value, where = (max if self.at_most else min)(self.cases)
        met = value <= self.must if self.at_most else value >= self.must
        bound = f"{'≤' if self.at_most else '≥'} {self.must:g}"
        return [self.case, bound, f"{value:.3f}", where, "met" if met else "**missed**"]


def bars_table(bars):
    return table(["case", "must", "worst", "at", ""], [bar.row() for bar in bars])
