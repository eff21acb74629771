#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns kept results of reduce_by_key_bench into the README's table, results/reduce_by_key.md and its plot.

  reduce_by_key_report.py --add raw.json ...   keep a run's raw output as results/reduce_by_key-<device>.json, then write
  reduce_by_key_report.py                      write README table, page and plot from the kept results
  reduce_by_key_report.py --check              exit 1 if they differ from what would be written

Needs python3 and nothing else. No figure is typed by hand.
"""

import sys

import segmented_report
from segmented_run import SegmentedRun, form_bars, form_in_words, in_words, over_cub_bar, share_bars, where_in_words

TITLE = """# Reduction by key

Written by `bench/reduce_by_key_report.py` from the results beside it; [bench/README.md](../README.md) says how they are
measured. Random items in runs of equal keys, cold: L2 holds neither the input nor dirty lines. *Floor*: the fastest of
the kernels that read keys and values, write a key and a value a run, and reduce nothing. *Limit*: the fastest of all
contenders of that input, reducers included."""


def kind_in_words(group):
    return f"{group.item_type} {group.operator.replace('_', ' ')}, {in_words(group.segments)}"


class ByKeyRun(SegmentedRun):
    """Its segments are the runs; what takes a form's place is the type of the keys."""
    function = "reduce_by_key"
    contenders = ("warpfold", "cub_by_key")
    all_forms = ("int32", "int64")
    limit_aim = None
    title, part, forms_title = "Sum by key", "run", "Keys"
    markers = "<!-- by-key-table:begin -->", "<!-- by-key-table:end -->"

    def bars(self):
        """By the limit at one size; beside CUB at all of them."""
        found = []
        for form in self.all_forms:
            sums = self.run.select(self.function, form=form)
            found += form_bars(self, form)
            found.append(over_cub_bar(f"{form_in_words(form)}, float sum, all sizes", sums, where_in_words))
        others = [g for groups in self.kinds().values() for g in groups.values()]
        case = "other types and operators"
        return found + share_bars(case, others, kind_in_words) + [over_cub_bar(case, others, kind_in_words)]


def main(arguments=None):
    return segmented_report.main(arguments, ByKeyRun, TITLE, "reduce_by_key_report.py", __doc__)


if __name__ == "__main__":
    sys.exit(main())
