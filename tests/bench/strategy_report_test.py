# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/strategy_report.py on a small synthetic run: what is kept, the tables, and words that follow the figures."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import measurements  # noqa: E402
import strategy_answers  # noqa: E402
import strategy_report  # noqa: E402
from report_test import entry  # noqa: E402
from strategy_run import StrategyRun  # noqa: E402

SIZES = {"2^12": 1 << 12, "2^24": 1 << 24, "31457280": 30 << 20, "2^30": 1 << 30}
# GB/s of each composition at any size, and KiB in flight on a multiprocessor.
SPEEDS = {"tree.multi_pass.none": (1000, 16), "tree.persistent.last_block": (2000, 16),
          "tree.persistent.two_launch": (1900, 16), "tree.producer_consumer.last_block": (2010, 16),
          "tree.bulk_producer_consumer.last_block": (4000, 96),
          "matrix.multi_pass.none": (2000, 32), "matrix.persistent.last_block": (3000, 32),
          "matrix.persistent.two_launch": (2900, 32), "matrix.producer_consumer.two_launch": (2400, 20),
          "matrix.bulk_producer_consumer.last_block": (4200, 192), "warpfold": (4400, 0), "read_a": (4500, 0)}


def results(speeds):
    benchmarks = []
    for operator in ("minimum", "plus"):
        for size, items in SIZES.items():
            for name, (speed, in_flight) in speeds.items():
                facts = {"registers": 24.0, "local_bytes": 0.0, "shared_bytes": 4224.0, "block_threads": 256.0,
                         "data_block_items": 1024.0, "blocks_per_multiprocessor": 8.0, "occupancy": 1.0,
                         "grid_blocks": 1056.0, "launches": 3.0 if "multi_pass" in name else 1.0,
                         "bytes_in_flight": 1024.0 * in_flight}
                benchmarks.append(entry(f"strategies/float/{operator}/items:{size}/{name}/cold",
                                        4e-3 * items / speed, **(facts if "." in name else {})))
    context = {"device": "NVIDIA Test 1", "commit": "0123456789abcdef", "multiprocessors": "100",
               "l2_bytes": "62914560", "cuda_runtime": "13.0", "host_name": "secret"}
    return {"context": context, "benchmarks": benchmarks}


class StrategyReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = Path(folder.name)
        self.output, self.errors = io.StringIO(), io.StringIO()

    def run_report(self, *arguments):
        with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.errors):
            return strategy_report.main([*arguments, "--results", str(self.results)])

    def page(self, speeds):
        raw = self.results / "raw.txt"
        raw.write_text(json.dumps(results(speeds)))
        self.assertEqual(self.run_report("--add", str(raw)), 0, self.errors.getvalue())
        return (self.results / "strategies.md").read_text()

    def run_of(self, speeds):
        self.page(speeds)
        return StrategyRun(measurements.read_run(self.results / "strategies-nvidia-test-1.json"))


class Page(StrategyReportTest):
    def test_keeps_the_run_under_the_devices_name_without_the_host(self):
        self.page(SPEEDS)
        kept = (self.results / "strategies-nvidia-test-1.json").read_text()
        self.assertNotIn("secret", kept)
        self.assertIn('"bytes_in_flight": 16384', kept)

    def test_table_of_features(self):
        page = self.page(SPEEDS)
        self.assertIn("float minimum over 31,457,280 items", page)
        turn = 100 * 32 * 1024 / 3000
        self.assertIn("| `matrix.persistent.last_block` | 24 | 0 | 4,224 | 256 | 1,024 | 8 | 1,056 | 1 | 100 % | 32 | "
                      f"{turn:.0f} | 3000 | 66.7 % | 3000 |", page)

    def test_bandwidth_tables(self):
        page = self.page(SPEEDS)
        self.assertIn("| items | TB2 | Matrix | Persistent Matrix | Diffwarps | "
                      "`matrix.bulk_producer_consumer.last_block` | default | limit |", page)
        self.assertIn("| 31,457,280 | 1000 | 2000 | 2900 | 2400 | 4200 | 4400 | 4500 |", page)
        self.assertIn("| 2^30 | 2000 | 3000 | 2400 | 4200 | 4400 | 4500 |", page)

    def test_check_sees_what_is_stale(self):
        self.page(SPEEDS)
        self.assertEqual(self.run_report("--check"), 0)
        plot = self.results / "strategies-nvidia-test-1-schedules.svg"
        plot.write_text(plot.read_text() + " ")
        self.assertEqual(self.run_report("--check"), 1)
        self.assertIn("out of date", self.output.getvalue())

    def test_plots_are_linked_and_well_formed(self):
        page = self.page(SPEEDS)
        for kind in ("schedules", "algorithms"):
            self.assertIn(f"(strategies-nvidia-test-1-{kind}.svg)", page)
            ElementTree.parse(self.results / f"strategies-nvidia-test-1-{kind}.svg")

    def test_no_results_is_an_error(self):
        self.assertEqual(self.run_report(), 2)
        self.assertIn("no strategies-*.json", self.errors.getvalue())


class Answers(StrategyReportTest):
    def test_yes(self):
        page = self.page(SPEEDS)
        self.assertIn("**Does persistent still beat multi-pass?** Yes: faster with `tree` and `matrix` (1.50 to 2.00).",
                      page)
        self.assertIn("The fastest at the paper's sizes is `matrix.bulk_producer_consumer.last_block`, at 93.3 % of "
                      "the limit; the next schedule's best, `matrix.persistent.last_block`, takes 1.40 times as long.",
                      page)

    def test_no(self):
        page = self.page({**SPEEDS, "tree.multi_pass.none": (2500, 16), "matrix.multi_pass.none": (3010, 32)})
        self.assertIn("multi-pass?** No: as fast with `matrix` (1.00); slower with `tree` (0.80).", page)

    def test_in_part(self):
        page = self.page({**SPEEDS, "matrix.multi_pass.none": (4200, 32)})
        self.assertIn("multi-pass?** In part: faster with `tree` (2.00); slower with `matrix` (0.71).", page)
        self.assertIn("The fastest at the paper's sizes is `matrix.multi_pass.none`, at 93.3 % of the limit; "
                      "`matrix.bulk_producer_consumer.last_block` is as fast within 2 %.", page)

    def test_the_paper_form_is_held_against_persistent(self):
        page = self.page(SPEEDS)
        self.assertIn("in the paper's form?** No: as fast with `tree` (1.00); slower with `matrix` (0.80).", page)
        self.assertIn("fewer bytes in flight with `matrix`; no difference with `tree`.", page)

    def test_the_reason_is_what_makes_most_of_the_difference(self):
        run = self.run_of(SPEEDS)
        reasons = {(old, new): strategy_answers.pair(run, "", old, new).reason() for old, new in [
            ("tree.multi_pass.none", "tree.persistent.last_block"),
            ("tree.persistent.last_block", "tree.bulk_producer_consumer.last_block"),
            ("matrix.multi_pass.none", "tree.multi_pass.none"),
            ("tree.persistent.last_block", "tree.multi_pass.none")]}
        self.assertEqual(list(reasons.values()),
                         ["a shorter turn", "more bytes in flight", "fewer bytes in flight", "a longer turn"])

    def test_a_device_without_bulk_copies_has_one_question_less(self):
        page = self.page({name: speed for name, speed in SPEEDS.items() if "bulk" not in name})
        self.assertNotIn("modern form", page)
        self.assertIn("the paper's form?", page)

    def test_rank_correlation(self):
        self.assertAlmostEqual(strategy_answers.rank_correlation([1, 2, 3, 10], [10, 20, 30, 31]), 1)
        self.assertAlmostEqual(strategy_answers.rank_correlation([1, 2, 3], [3, 2, 1]), -1)
        self.assertIsNone(strategy_answers.rank_correlation([5, 5, 5], [1, 2, 3]))
        self.assertEqual(strategy_answers.ranks([7, 3, 7]), [1.5, 0, 1.5])


if __name__ == "__main__":
    unittest.main()
