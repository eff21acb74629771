# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/reduce_by_key_report.py on a small synthetic run: names, README table, page, bars, plot, and what is stale."""

import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import measurements  # noqa: E402
import reduce_by_key_report  # noqa: E402
from reduce_by_key_report import ByKeyRun  # noqa: E402
from report_case import ReportCase  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
MAIN = 1 << 26
DEVICE = "reduce_by_key-nvidia-test-1"
PAGE = "reduce_by_key.md"
BEGIN, END = ByKeyRun.markers


def entries(kind, items, lengths, runs, warpfold, cub, floor, keys="int32"):
    """A group as Google Benchmark writes it; times in µs."""
    name = f"reduce_by_key/{kind}/items:{items}/segments:{lengths}/keys:{keys}"
    held = measurements.item_count(items)
    return [{"name": f"{name}/{contender}/cold/iterations:1/manual_time", "run_type": "iteration", "iterations": 1,
             "real_time": microseconds, "cpu_time": 1.0, "time_unit": "us", "items": float(held),
             "bytes": 8.0 * (held + runs), "segments": float(runs)}
            for contender, microseconds in (("warpfold", warpfold), ("cub_by_key", cub), ("move_a", floor))]


def results():
    benchmarks = [
        *entries("float/plus", "2^20", "all_32", 1 << 15, warpfold=8.5, cub=8, floor=5),
        *entries("float/plus", "2^26", "all_1", MAIN, warpfold=400, cub=500, floor=270),
        *entries("float/plus", "2^26", "all_32", MAIN // 32, warpfold=160, cub=200, floor=140),
        *entries("float/plus", "2^26", "one", 1, warpfold=150, cub=210, floor=144),
        *entries("float/plus", "2^26", "power_law", MAIN // 8, warpfold=200, cub=250, floor=160),
        *entries("float/plus", "2^26", "one", 1, warpfold=240, cub=300, floor=200, keys="int64"),
        *entries("affine/compose", "2^26", "all_32", MAIN // 32, warpfold=220, cub=200, floor=150),
        *entries("int8/plus", "2^26", "one", 1, warpfold=110, cub=220, floor=77),
    ]
    context = {"device": "NVIDIA Test 1", "commit": "0123456789abcdef", "multiprocessors": "132", "cub": "3.0.1",
               "l2_bytes": "62914560", "cuda_runtime": "13.0", "host_name": "secret"}
    return {"context": context, "benchmarks": benchmarks}


class ByKeyReportTest(ReportCase):
    report, markers = reduce_by_key_report, (BEGIN, END)

    def add(self, keep_entry=lambda entry: True):
        document = results()
        document["benchmarks"] = [entry for entry in document["benchmarks"] if keep_entry(entry)]
        return self.run_report("--add", self.raw(document))

    def page(self, keep_entry=lambda entry: True):
        self.assertEqual(self.add(keep_entry), 0, self.errors.getvalue())
        return (self.results / PAGE).read_text()


class Names(unittest.TestCase):
    def test_keys_tell_groups_apart(self):
        name = "reduce_by_key/float/plus/items:2^26/segments:all_2^20/keys:{}/cub_by_key/cold"
        groups = [measurements.split_name(name.format(keys))[0] for keys in ("int32", "int64")]
        self.assertEqual([g.form for g in groups], ["int32", "int64"])
        self.assertEqual((groups[0].function, groups[0].segments, groups[0].items), ("reduce_by_key", "all_2^20", MAIN))
        self.assertNotEqual(*(g.key() for g in groups))


class Readme(ByKeyReportTest):
    def test_replaces_what_is_between_the_markers_only(self):
        self.page()
        text = self.readme.read_text()
        self.assertTrue(text.startswith(f"before\n{BEGIN}\n**NVIDIA Test 1**, 132 multiprocessors"))
        self.assertTrue(text.endswith(f"{END}\nafter\n"))
        self.assertNotIn("superseded", text)
        self.assertIn("Float sums of at most 2^26 items, int32 keys, cold.", text)
        self.assertIn(f"![Time over the mean length of a run](bench/results/{DEVICE}-time.svg)", text)
        self.assertIn("Other sizes, keys, types and lengths, and what must hold: "
                      "[reduce_by_key.md](bench/results/reduce_by_key.md).", text)

    def test_rows(self):
        self.page()
        text = self.readme.read_text()
        self.assertIn("| runs | mean length | how many | Warpfold µs | CUB by key µs | floor µs | of the limit |", text)
        self.assertIn("| all of 1 | 1 | 67,108,864 | 400.0 | 500.0 | 270.0 | 67.5 % | 1.25 |", text)
        self.assertNotIn("segment", text.replace("segmented", ""))


class Page(ByKeyReportTest):
    def test_sizes_keys_and_types(self):
        page = self.page()
        self.assertIn("### 2^20 items\n\nFloat sums, int32 keys.", page)
        self.assertIn("| all of 32 | 32 | 32,768 | 8.50 | 8.00 | 5.00 | 58.8 % | 0.94 |", page)
        self.assertIn("### Keys", page)
        self.assertIn("| one | 150.0 | 96.0 % | 240.0 | 83.3 % |", page)
        self.assertIn("Int32 keys. *Over float*", page)
        self.assertIn("| all of 32 | 87.5 % | 68.2 % | 0.78 |  |  |", page)

    def test_has_nothing_of_segments_alone(self):
        page = self.page()
        self.assertIn("Over 4 kinds of runs.", page)
        self.assertNotIn("ixed length", page)
        self.assertNotIn("aim", page)
        self.assertNotIn("CUB segmented", page)


class Bars(ByKeyReportTest):
    def rows(self):
        self.page()
        run = ByKeyRun(measurements.read_run(self.results / f"{DEVICE}.json"))
        return {bar.case: bar.row()[1:] for bar in run.bars() if bar.cases}

    def test_shares_of_the_limit(self):
        rows = self.rows()
        self.assertEqual(rows["int32 keys, float sum, 2^26: share of the limit"],
                         ["≥ 0.7", "0.675", "all of 1", "**missed**"])
        self.assertEqual(rows["int32 keys, float sum, 2^26, mean length 1000 and more: share of the limit"],
                         ["≥ 0.9", "0.960", "one", "met"])
        self.assertEqual(rows["int64 keys, float sum, 2^26, mean length 1000 and more: share of the limit"],
                         ["≥ 0.9", "0.833", "one", "**missed**"])
        self.assertEqual(rows["other types and operators: share of the limit"],
                         ["≥ 0.7", "0.682", "affine compose, all of 32", "**missed**"])
        self.assertEqual(rows["other types and operators, mean length 1000 and more: share of the limit"],
                         ["≥ 0.9", "0.700", "int8 plus, one", "**missed**"])

    def test_never_slower_than_cub(self):
        rows = self.rows()
        self.assertEqual(rows["int32 keys, float sum, all sizes: time over the best of CUB's"],
                         ["≤ 1.02", "1.062", "all of 32, 2^20", "**missed**"])
        self.assertEqual(rows["int64 keys, float sum, all sizes: time over the best of CUB's"],
                         ["≤ 1.02", "0.800", "one, 2^26", "met"])
        self.assertEqual(rows["other types and operators: time over the best of CUB's"],
                         ["≤ 1.02", "1.100", "affine compose, all of 32", "**missed**"])

    def test_what_was_not_measured_is_named(self):
        page = self.page(lambda entry: "int64" not in entry["name"])
        self.assertIn("Not measured in this run: int64 keys, float sum, 2^26: share of the limit;", page)


class Files(ByKeyReportTest):
    def test_check_sees_every_kind_of_staleness_and_writes_nothing(self):
        self.page()
        self.assertEqual(self.run_report("--check"), 0)
        for path in (self.readme, self.results / PAGE, self.results / f"{DEVICE}-time.svg"):
            written = path.read_text()
            path.write_text(written.replace("NVIDIA", "Nvidia"))
            self.assertEqual(self.run_report("--check"), 1, path)
            self.assertNotEqual(path.read_text(), written)
            path.write_text(written)
        self.assertEqual(self.run_report("--check"), 0)

    def test_no_results_and_no_markers_are_errors(self):
        self.assertEqual(self.run_report(), 2)
        self.assertIn("reduce_by_key_report.py: ", self.errors.getvalue())
        self.assertIn("no reduce_by_key-*.json", self.errors.getvalue())
        self.page()
        self.readme.write_text("no markers")
        self.assertEqual(self.run_report(), 2)
        self.assertIn(BEGIN, self.errors.getvalue())

    def test_results_of_other_functions_stay_apart(self):
        self.page()
        self.assertEqual([path.name for path in self.results.glob("*.json")], [f"{DEVICE}.json"])
        self.assertEqual(list(self.results.glob("reduce-*")), [])

    def test_plot_holds_all_contenders_and_the_floor(self):
        self.page()
        document = ElementTree.parse(self.results / f"{DEVICE}-time.svg").getroot()
        texts = [element.text for element in document.iter(f"{SVG}text")]
        for label in ("Warpfold", "CUB by key", "floor"):
            self.assertEqual(texts.count(label), 2, label)  # in the legend and where the line ends
        self.assertIn("Sum by key of 2^26 floats, cold: time, NVIDIA Test 1", texts)
        self.assertEqual(len(list(document.iter(f"{SVG}circle"))), 3)  # power law


if __name__ == "__main__":
    unittest.main()
