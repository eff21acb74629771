# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/segmented_report.py on a small synthetic run: names, README table, page, bars, plots, and what is stale."""

import json
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import measurements  # noqa: E402
import segmented_report  # noqa: E402
import segmented_run  # noqa: E402
from report_case import ReportCase  # noqa: E402
from segmented_run import SegmentedRun  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
MAIN = 1 << 26
SUM = "segmented_reduce/float/plus/items:"
DEVICE = "segmented_reduce-nvidia-test-1"
PAGE = "segmented_reduce.md"
BEGIN, END = SegmentedRun.markers


def entries(name, segments, times, item_bytes=4, items=None):
    """A group as Google Benchmark writes it; `items` where there are fewer than the name says."""
    held = items or measurements.item_count(name.split("items:")[1].split("/")[0])
    return [{"name": f"{name}/{contender}/cold/iterations:1/manual_time", "run_type": "iteration", "iterations": 1,
             "real_time": microseconds, "cpu_time": 1.0, "time_unit": "us", "items": float(held),
             "bytes": float(item_bytes * held + 8 * segments), "segments": float(segments)}
            for contender, microseconds in times.items()]


def results():
    benchmarks = [
        *entries(SUM + "2^26/segments:all_1/form:offsets", MAIN,
                 dict(warpfold=200, cub_segmented=70000, cub_by_key=350, move_a=190, move_b=180)),
        *entries(SUM + "2^26/segments:all_32/form:offsets", MAIN // 32,
                 dict(warpfold=100, cub_segmented=2300, cub_by_key=220, move_a=65, move_b=66)),
        *entries(SUM + "2^26/segments:one/form:offsets", 1, dict(warpfold=64, cub_by_key=208, move_a=62)),
        *entries(SUM + "2^26/segments:power_law/form:offsets", MAIN // 8,
                 dict(warpfold=100, cub_by_key=227, move_a=75)),
        *entries(SUM + "2^26/segments:three_of_four_empty/form:offsets", 22 << 20, dict(warpfold=60, move_a=50),
                 items=16 << 20),
        *entries(SUM + "2^20/segments:all_32/form:offsets", 1 << 15, dict(warpfold=5, cub_segmented=12, cub_by_key=9)),
        *entries(SUM + "2^20/segments:one/form:offsets", 1, dict(warpfold=5, cub_segmented=7.5, cub_by_key=9)),
        *entries(SUM + "2^26/segments:one/form:owners", 1, dict(warpfold=125, move_a=120)),
        *entries("segmented_reduce/vector3/add_components/items:22369621/segments:all_32/form:offsets", 699050,
                 dict(warpfold=100, move_a=64), item_bytes=12),
        *entries("segmented_reduce/int8/plus/items:2^28/segments:all_1/form:offsets", 1 << 28,
                 dict(warpfold=300, move_a=240), item_bytes=1),
    ]
    for length, microseconds in ((1, 150), (2, 100), (3, 140), (4, 80)):
        benchmarks += entries(f"{SUM}2^26/segments:length_{length}/form:fixed_length", MAIN // length,
                              dict(warpfold=microseconds, move_a=75))
    context = {"device": "NVIDIA Test 1", "commit": "0123456789abcdef", "multiprocessors": "132", "cub": "3.0.1",
               "l2_bytes": "62914560", "cuda_runtime": "13.0", "host_name": "secret"}
    return {"context": context, "benchmarks": benchmarks}


class SegmentedReportTest(ReportCase):
    report, markers = segmented_report, (BEGIN, END)

    def add(self, keep_entry=lambda entry: True):
        document = results()
        document["benchmarks"] = [entry for entry in document["benchmarks"] if keep_entry(entry)]
        return self.run_report("--add", self.raw(document))

    def page(self, keep_entry=lambda entry: True):
        self.assertEqual(self.add(keep_entry), 0, self.errors.getvalue())
        return (self.results / PAGE).read_text()

    def kept_run(self):
        self.page()
        return SegmentedRun(measurements.read_run(self.results / f"{DEVICE}.json"))


class Names(unittest.TestCase):
    def test_takes_a_name_apart(self):
        group, contender = measurements.split_name(SUM + "2^26/segments:all_2^20/form:owners/cub_by_key/cold")
        self.assertEqual((group.segments, group.form, group.items), ("all_2^20", "owners", MAIN))
        self.assertEqual((group.function, group.mode, contender), ("segmented_reduce", "cold", "cub_by_key"))

    def test_a_name_without_segments_has_none(self):
        group, _ = measurements.split_name("reduce/float/plus/items:2^26/offset:1/warpfold/cold")
        self.assertEqual((group.segments, group.form, group.offset), ("", "", 1))

    def test_segments_and_form_tell_groups_apart(self):
        keys = {measurements.split_name(f"{SUM}2^26/segments:{segments}/form:{form}/warpfold/cold")[0].key()
                for segments in ("one", "all_2") for form in ("offsets", "owners")}
        self.assertEqual(len(keys), 4)

    def test_in_words(self):
        words = {"all_2^20": "all of 2^20", "uniform_10_50": "uniform in [10, 50]", "tiny_then_one": "tiny then one",
                 "geometric_200": "geometric of mean 200"}
        self.assertEqual({name: segmented_run.in_words(name) for name in words}, words)


class Readme(SegmentedReportTest):
    def test_replaces_what_is_between_the_markers_only(self):
        self.page()
        text = self.readme.read_text()
        self.assertTrue(text.startswith(f"before\n{BEGIN}\n**NVIDIA Test 1**, 132 multiprocessors"))
        self.assertTrue(text.endswith(f"{END}\nafter\n"))
        self.assertNotIn("superseded", text)
        self.assertIn("[segmented_reduce.md](bench/results/segmented_reduce.md)", text)

    def test_rows(self):
        self.page()
        text = self.readme.read_text()
        self.assertIn("| all of 1 | 1 | 67,108,864 | 200.0 | 70000.0 | 350.0 | 180.0 | 90.0 % | 1.75 |", text)
        self.assertIn("| one | 67,108,864 | 1 | 64.00 |  | 208.0 | 62.00 | 96.9 % | 3.25 |", text)
        self.assertNotIn("length 1", text)  # fixed lengths are on the page

    def test_mean_length_is_that_of_the_items_that_there_are(self):
        self.page()
        self.assertIn("| three of four empty | 0.727 | 23,068,672 | 60.00 |  |  | 50.00 | 83.3 % |  |",
                      self.readme.read_text())

    def test_no_mean_length_where_the_items_are_not_known(self):
        self.page(lambda entry: entry.pop("items"))
        text = self.readme.read_text()
        self.assertIn("| three of four empty |  | 23,068,672 | 60.00 |  |  | 50.00 | 83.3 % |  |", text)
        self.assertIn("| all of 1 | 1 | 67,108,864 |", text)

    def test_image_only_where_it_is_drawn(self):
        self.page()
        image = f"](bench/results/{DEVICE}-time.svg)"
        self.assertIn(image, self.readme.read_text())
        (self.results / f"{DEVICE}.json").unlink()
        self.page(lambda entry: "power_law" in entry["name"])
        self.assertNotIn(image, self.readme.read_text())
        self.assertIn("| power law |", self.readme.read_text())


class Page(SegmentedReportTest):
    def test_other_sizes(self):
        page = self.page()
        self.assertIn("### 2^20 items", page)
        self.assertNotIn("### 2^26 items", page)
        self.assertIn("| all of 32 | 32 | 32,768 | 5.00 | 12.00 | 9.00 |  | 100.0 % | 1.80 |", page)

    def test_forms_each_by_its_own_limit(self):
        page = self.page()
        self.assertIn("| segments | offsets: µs | offsets: of the limit | owners: µs | owners: of the limit |", page)
        self.assertIn("| one | 64.00 | 96.9 % | 125.0 | 96.0 % |", page)
        self.assertIn("| all of 32 | 100.00 | 65.0 % |  |  |", page)

    def test_types_over_the_float_sum_of_the_same_segments(self):
        page = self.page()
        self.assertIn("| segments | float plus: of the limit | vector3 add components: of the limit | "
                      "vector3 add components: over float | int8 plus: of the limit | int8 plus: over float |", page)
        self.assertIn("| all of 32 | 65.0 % | 64.0 % | 0.98 |  |  |", page)
        self.assertIn("| all of 1 | 90.0 % |  |  | 80.0 % | 0.89 |", page)

    def test_fixed_lengths_beside_their_neighbours(self):
        page = self.page()
        self.assertIn("| 1 | 67,108,864 | 150.0 | 75.00 | 50.0 % | 1.50 | 1.00 |", page)  # 12 bytes an item and 8
        self.assertIn("| 3 | 22,369,621 | 140.0 | 75.00 | 53.6 % | 1.75 | 1.68 |", page)

    def test_names_what_is_below_the_aim(self):
        self.assertIn("Below the aim of 90 % of the limit: all of 32 (65.0 %), power law (75.0 %), three of four empty "
                      "(83.3 %).", self.page())

    def test_keeps_the_run_without_the_host(self):
        self.page()
        kept = json.loads((self.results / f"{DEVICE}.json").read_text())
        self.assertNotIn("host_name", kept["context"])
        by_name = {entry["name"].removeprefix(SUM + "2^26/segments:"): entry for entry in kept["benchmarks"]}
        self.assertEqual(by_name["three_of_four_empty/form:offsets/warpfold/cold"]["items"], 16 << 20)
        self.assertNotIn("items", by_name["one/form:offsets/warpfold/cold"])


class Bars(SegmentedReportTest):
    def rows(self):
        return {bar.case: bar.row()[1:] for bar in self.kept_run().bars() if bar.cases}

    def test_shares_of_the_limit(self):
        rows = self.rows()
        self.assertEqual(rows["offsets, float sum, 2^26: share of the limit"],
                         ["≥ 0.7", "0.650", "all of 32", "**missed**"])
        self.assertEqual(rows["offsets, float sum, 2^26, mean length 1000 and more: share of the limit"],
                         ["≥ 0.9", "0.969", "one", "met"])
        self.assertEqual(rows["owners, float sum, 2^26: share of the limit"], ["≥ 0.7", "0.960", "one", "met"])

    def test_cub_is_the_faster_of_its_functions(self):
        rows = self.rows()
        self.assertEqual(rows["offsets, float sum, 2^26: time over the best of CUB's"],
                         ["≤ 1.02", f"{200 / 350:.3f}", "all of 1", "met"])
        case = "offsets, float sum, 2^20, CUB's best takes "
        self.assertEqual(rows[case + "more than 8 µs: times as fast"], ["≥ 2", "1.800", "all of 32", "**missed**"])
        self.assertEqual(rows[case + "8 µs or less: times as fast"], ["≥ 1", "1.500", "one", "met"])

    def test_fixed_lengths(self):
        rows, case = self.rows(), "fixed length, float sum, 2^26: "
        self.assertEqual(rows[case + "share of the limit"], ["≥ 0.8", "0.500", "length 1", "**missed**"])
        self.assertEqual(rows[case + "time over a neighbour's"], ["≤ 1.25", "1.750", "length 3", "**missed**"])
        self.assertEqual(rows[case + "time a byte over a neighbour's"], ["≤ 1.25", "1.680", "length 3", "**missed**"])

    def test_types(self):
        rows = self.rows()
        self.assertEqual(rows["int8 plus: share of the limit over float sum's"],
                         ["≥ 0.9", "0.889", "all of 1", "**missed**"])
        self.assertEqual(rows["vector3 add components: share of the limit over float sum's"],
                         ["≥ 0.9", "0.985", "all of 32", "met"])

    def test_what_was_not_measured_is_named(self):
        self.assertIn("Not measured in this run: bounds, float sum, 2^26: share of the limit;", self.page())

    def test_one_length_alone_has_no_neighbour(self):
        self.assertEqual(segmented_run.over_neighbours([5], float), [None])
        self.assertEqual(segmented_run.over_neighbours([2, 4, 1], float), [0.5, 4, 0.25])


class Files(SegmentedReportTest):
    def test_check_sees_every_kind_of_staleness_and_writes_nothing(self):
        self.page()
        self.assertEqual(self.run_report("--check"), 0)
        for path in (self.readme, self.results / PAGE, self.results / f"{DEVICE}-time.svg",
                     self.results / f"{DEVICE}-fixed-length.svg"):
            written = path.read_text()
            path.write_text(written.replace("NVIDIA", "Nvidia"))
            self.assertEqual(self.run_report("--check"), 1, path)
            self.assertNotEqual(path.read_text(), written)
            path.write_text(written)
        self.assertEqual(self.run_report("--check"), 0)

    def test_no_results_and_no_markers_are_errors(self):
        self.assertEqual(self.run_report(), 2)
        self.assertIn("no segmented_reduce-*.json", self.errors.getvalue())
        self.page()
        self.readme.write_text("no markers")
        self.assertEqual(self.run_report(), 2)
        self.assertIn(BEGIN, self.errors.getvalue())

    def test_no_count_of_segments_is_an_error(self):
        self.assertEqual(self.add(lambda entry: entry.pop("segments")), 2)
        self.assertIn("no count of segments", self.errors.getvalue())

    def test_without_warpfold_there_is_nothing_to_report(self):
        self.assertEqual(self.add(lambda entry: "/warpfold/" not in entry["name"]), 2)
        self.assertIn("Warpfold", self.errors.getvalue())

    def test_plots_hold_all_contenders_and_the_floor(self):
        self.page()
        document = ElementTree.parse(self.results / f"{DEVICE}-time.svg").getroot()
        texts = [element.text for element in document.iter(f"{SVG}text")]
        for label in ("Warpfold", "CUB segmented", "CUB by key", "floor"):
            self.assertEqual(texts.count(label), 2, label)  # in the legend and where the line ends
        # Power law: Warpfold, CUB by key and the floor. Those with empty segments hold fewer items: no dots.
        self.assertEqual(len(list(document.iter(f"{SVG}circle"))), 3)
        fixed = ElementTree.parse(self.results / f"{DEVICE}-fixed-length.svg").getroot()
        self.assertIn("% of the limit", [element.text for element in fixed.iter(f"{SVG}text")])


if __name__ == "__main__":
    unittest.main()
