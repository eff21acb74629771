#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/report.py: what is kept of a run, what is refused, what bars say, and that the checked-in pages are current."""
import json
import pathlib
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import report  # noqa: E402


def raw(folder, file="raw.json", commit="abc", **entry):
    entries = [{"name": "reduce/float/plus/items:2^10/warpfold/cold/manual_time", "real_time": 2.0, "time_unit": "us", "bytes": 4096,
                "iterations": 7, **entry},
               {"name": "reduce/float/plus/items:2^10/cub/cold", "real_time": 3.0, "time_unit": "us", "bytes": 4096}]
    context = {"device": "GPU One", "commit": commit, "host_name": "somewhere", "l2_bytes": "0", "multiprocessors": "1"}
    path = pathlib.Path(folder) / file
    path.write_text(json.dumps({"context": context, "benchmarks": entries}))
    return path


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.results = pathlib.Path(self.folder.name)

    def test_keeps_what_a_figure_needs(self):
        report.keep([raw(self.folder.name, label="kernel 2x32")], self.results)
        context, entries = report.read_json(self.results / "reduce-gpu-one.json")
        self.assertEqual(context, {"device": "GPU One", "commit": "abc", "l2_bytes": "0", "multiprocessors": "1"})
        self.assertEqual(entries[0], {"name": "reduce/float/plus/items:2^10/warpfold/cold", "real_time": 2, "time_unit": "us", "bytes": 4096,
                                      "label": "kernel 2x32"})

    def test_refuses_failures_and_mixtures(self):
        with self.assertRaisesRegex(report.ResultError, "failed: out of memory"):
            report.keep([raw(self.folder.name, error_occurred=True, error_message="out of memory")], self.results)
        with self.assertRaisesRegex(report.ResultError, "differ in commit"):
            report.keep([raw(self.folder.name), raw(self.folder.name, "other.json", commit="def")], self.results)
        with self.assertRaisesRegex(report.ResultError, "cannot take the benchmark name apart"):
            report.keep([raw(self.folder.name, name="reduce/float")], self.results)
        self.assertFalse((self.results / "reduce-gpu-one.json").exists())

    def test_ratios_and_bars(self):
        report.keep([raw(self.folder.name)], self.results)
        rows = report.Run(self.results / "reduce-gpu-one.json").select(type="float")
        self.assertEqual((rows["items"][0], rows["over_cub"][0], rows["of_limit"][0]), (1024, 1.5, 1.0))
        self.assertIn("| 1.500 | float plus, 2^10 | met |", report.bars(("fast", 1.5, rows, "over_cub")))
        self.assertIn("| **missed** |", report.bars(("faster", 1.6, rows, "over_cub")))
        self.assertIn("| **missed** |", report.bars(("short", 1.4, rows, "over_cub", "at most")))
        self.assertEqual(report.markdown(rows, "items: items as size", "µs: warpfold").splitlines()[-1], "| 2^10 | 2.00 |")

    def test_matrices_of_all_extents_become_a_heat_map(self):
        path = raw(self.folder.name)
        document = json.loads(path.read_text())
        document["benchmarks"] = [{"name": f"reduce_axes/float/plus/items:64/form:8x8_axis_{axis}/{contender}/cold", "real_time": time,
                                   "time_unit": "us", "bytes": 256}
                                  for axis in (0, 1) for contender, time in (("warpfold", 4.0), ("cub", 8.0), ("move_a", 3.0))]
        path.write_text(json.dumps(document))
        report.keep([path], self.results)
        drawn = report.plots.of("reduce_axes", report.Run(self.results / "reduce_axes-gpu-one.json"))["grid"]
        for percent in (75, 38):
            self.assertIn(f">{percent}</text>", drawn)

    def test_pages_are_those_of_the_kept_results(self):
        self.assertEqual(report.main(["--check"]), 0)


if __name__ == "__main__":
    unittest.main()
