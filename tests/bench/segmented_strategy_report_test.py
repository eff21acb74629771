# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/segmented_strategy_report.py on a small synthetic run: tables, plot, and words that follow the figures."""

import contextlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import segmented_strategy_report  # noqa: E402
from report_case import ReportCase  # noqa: E402
from report_test import entry  # noqa: E402
from segmented_strategy_report import MARKERS, NOT_MEASURED  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
BEGIN, END = MARKERS
STEM = "segmented_strategies-nvidia-test-1"
SIZES = {"2^24": 1 << 24, "32505856": 31 << 20, "2^26": 1 << 26}
# GB/s of items of each contender: in (a) and (b), and in (c).
SPEEDS = {"tree.multi_pass.none": (500, 600), "tree.persistent.last_block": (520, 750),
          "warp_tree.multi_pass.none": (400, 500), "matrix.multi_pass.none": (1000, 300),
          "matrix.persistent.two_launch": (1100, 300), "matrix.producer_consumer.two_launch": (700, 200),
          "matrix16.producer_consumer.two_launch": (800, 250), "warpfold": (2000, 1500), "cub_by_key": (1250, 1000),
          "offsets_warpfold": (4000, 3000), "move_a": (2100, 1900), "move_b": (2200, 2000), "offsets_move_a": (4400, 3750)}
OCCUPANCY = {"matrix.producer_consumer.two_launch": 0.70}


def segment_count(workload, items):
    return {"one": 1, "uniform_10_50": items // 30, "all_3": items // 3}[workload]


def results(speeds, workloads=("one", "uniform_10_50", "all_3"), operators=("minimum", "plus")):
    benchmarks = []
    for operator in operators:
        for size, items in SIZES.items():
            for workload in workloads:
                segments, held = segment_count(workload, items), items // 3 * 3 if workload == "all_3" else items
                for name, speed in speeds.items():
                    per_item = 4 if name.startswith("offsets_") else 8
                    entries = segments + 1 if name.startswith("offsets_") else 0
                    counters = {"items": held, "segments": segments,
                                "bytes": per_item * held + 4 * entries + 4 * segments}
                    if "." in name:
                        counters |= {"registers": 32.0, "local_bytes": 0.0, "shared_bytes": 8720.0, "block_threads": 256.0,
                                     "data_block_items": 1024.0, "blocks_per_multiprocessor": 8.0,
                                     "occupancy": OCCUPANCY.get(name, 1.0), "grid_blocks": 1056.0, "launches": 3.0,
                                     "bytes_in_flight": 65536.0}
                    microseconds = 4e-3 * held / speed[workload == "all_3"]
                    benchmarks.append(entry(f"segmented_strategies/float/{operator}/items:{size}/segments:{workload}/"
                                            f"form:owners/{name}/cold", microseconds, **counters))
    context = {"device": "NVIDIA Test 1", "commit": "0123456789abcdef", "multiprocessors": "132", "cub": "3.0.1",
               "l2_bytes": "62914560", "cuda_runtime": "13.0", "host_name": "secret"}
    return {"context": context, "benchmarks": benchmarks}


class SegmentedStrategyReportTest(ReportCase):
    report, markers = segmented_strategy_report, MARKERS

    def add(self, document):
        return self.run_report("--add", self.raw(document))

    def page(self, speeds=SPEEDS, **what):
        self.assertEqual(self.add(results(speeds, **what)), 0, self.errors.getvalue())
        return (self.results / "segmented_strategies.md").read_text()


class NotMeasured(SegmentedStrategyReportTest):
    def test_the_readme_says_so_and_nothing_else_is_written(self):
        self.assertEqual(self.run_report("--check"), 1)
        self.assertEqual(self.run_report(), 0)
        self.assertEqual(self.readme.read_text(), f"before\n{BEGIN}\n{NOT_MEASURED}\n{END}\nafter\n")
        self.assertEqual(self.run_report("--check"), 0)
        self.assertEqual(list(self.results.iterdir()), [])

    def test_the_projects_own_pages_are_up_to_date(self):
        with contextlib.redirect_stdout(self.output):
            self.assertEqual(segmented_strategy_report.main(["--check"]), 0, self.output.getvalue())


class Page(SegmentedStrategyReportTest):
    def test_throughput_over_the_number_of_items(self):
        page = self.page()
        self.assertIn("| items | TB2 | TB4-warp | Matrix | P_Matrix | Diffwarps | Diffwarps16 | Warpfold, owners | "
                      "Warpfold, offsets | CUB by key | floor, owners |", page)
        self.assertEqual(page.count("| 32,505,856 | 500 | 400 | 1000 | 1100 | 700 | 800 | 2000 | 4000 | 1250 | 2200 |"), 2)
        self.assertIn("| 2^26 | 600 | 500 | 300 | 300 | 200 | 250 | 1500 | 3000 | 1000 | 2000 |", page)

    def test_ranking_by_time_each_by_the_floor_of_its_form(self):
        page = self.page()
        microseconds = 4e-3 * (1 << 26) / 4000
        self.assertIn(f"| 1 | `offsets_warpfold` |  | {microseconds:.2f} | 4000 | 4000 | 90.9 % |", page)
        self.assertIn("| 2 | `warpfold` |  | 134.2 | 2000 | 4000 | 90.9 % |", page)
        self.assertIn("| 4 | `matrix.persistent.two_launch` | P_Matrix | 244.0 | 1100 | 2200 | 50.0 % |", page)
        self.assertIn("|  | floor, owners |  | 122.0 | 2200 | 4400 |  |", page)

    def test_segments_of_three_hold_whole_segments_only(self):
        page = self.page()
        held = ((1 << 26) // 3) * 3
        self.assertIn(f"| 2 | `warpfold` |  | {4e-3 * held / 1500:.1f} | 1500 | 3500 | 75.0 % |", page)

    def test_table_of_features(self):
        page = self.page()
        self.assertIn("float minimum over 32,505,856 items", page)
        self.assertIn("| `matrix.producer_consumer.two_launch` | Diffwarps | 32 | 0 | 8,720 | 256 | 1,024 | 8 | 1,056 | 3 | "
                      "70 % | 64 |", page)

    def test_minimum_and_plus_side_by_side(self):
        self.assertIn("| (a) 2^26 | 536.9 / 536.9 | ", self.page())
        self.assertNotIn("### Minimum and plus", self.page(operators=["minimum"]))

    def test_a_run_of_one_workload_has_one_panel(self):
        page = self.page(workloads=["all_3"])
        self.assertNotIn("### (a)", page)
        self.assertNotIn("Over one segment", page)
        self.assertEqual(len(self.panels()), 1)

    def panels(self):
        return ElementTree.parse(self.results / f"{STEM}.svg").getroot().findall(f"{SVG}svg")

    def test_plot_has_a_panel_a_workload_with_every_line(self):
        page = self.page()
        self.assertIn(f"]({STEM}.svg)", page)
        self.assertEqual([panel.get("y") for panel in self.panels()], ["0", "430", "860"])
        for panel in self.panels():
            self.assertEqual(len(panel.findall(f"{SVG}polyline")), 11)
            self.assertIn("Diffwarps16", [element.text for element in panel.iter(f"{SVG}text")])


class Answers(SegmentedStrategyReportTest):
    def test_the_fastest(self):
        page = self.page()
        self.assertIn("The fastest of the paper's six is in (a) P_Matrix (1100 GB/s of items, 50 % of the floor), in (b) "
                      "P_Matrix (1100 GB/s of items, 50 % of the floor) and in (c) TB2 (600 GB/s of items, 30 % of the "
                      "floor). Of all compositions it is in (c) `tree.persistent.last_block`, 1.25 times as fast.", page)

    def test_nothing_new_is_faster(self):
        page = self.page({name: speed for name, speed in SPEEDS.items() if name != "tree.persistent.last_block"})
        self.assertIn("No other composition is faster by more than 2 %.", page)
        self.assertNotIn("Do trees gain", page)

    def test_still_so(self):
        page = self.page()
        self.assertIn("Still so: TB2 is faster than TB4-warp in (a), (b) and (c) (1.20 to 1.25).", page)
        self.assertIn("Still so: the best matrix form is faster than the best tree in (a) and (b) (2.20), slower in (c) "
                      "(0.50).", page)
        self.assertIn("Still so: the better Diffwarps is slower than P_Matrix in (a), (b) and (c) (0.73 to 0.83).", page)

    def test_no_longer(self):
        page = self.page({**SPEEDS, "matrix16.producer_consumer.two_launch": (600, 150)})
        self.assertIn("No longer: Diffwarps16 is slower than Diffwarps in (a), (b) and (c) (0.75 to 0.86).", page)

    def test_in_part(self):
        page = self.page()
        self.assertIn("Still so in (a) and (c), no longer in (b): P_Matrix is faster than Matrix in (a) and (b) (1.10), "
                      "as fast in (c) (1.00).", page)

    def test_the_default_is_held_against_all_strategies_and_cub(self):
        page = self.page()
        self.assertIn("The default, from the same owners, is faster than the fastest of all strategies in (a), (b) and (c) "
                      "(1.82 to 2.00).", page)
        self.assertIn("2.00: Warpfold, owners / `tree.persistent.last_block` |", page)
        self.assertIn("The default, from owners, is faster than CUB's reduction by key in (a), (b) and (c) (1.50 to 1.60).",
                      page)

    def test_the_papers_figures_stand_beside_todays(self):
        page = self.page()
        self.assertIn("Diffwarps fills 70 % (38 % on the GTX 480) and Diffwarps16 fills 100 % (94 % on the GTX 480). "
                      "Over one segment Diffwarps16 read 53.67 GB/s on the GTX 480; here it moves 1600 GB/s at 32,505,856 items.", page)

    def test_plus_takes_as_long(self):
        self.assertIn("Still so: by strategy, plus takes 1.00 times as long as minimum.", self.page())


class Readme(SegmentedStrategyReportTest):
    def test_plot_and_paragraph_between_the_markers(self):
        self.page()
        text = self.readme.read_text()
        self.assertTrue(text.startswith(f"before\n{BEGIN}\n**NVIDIA Test 1**, 132 multiprocessors"))
        self.assertTrue(text.endswith(f"{END}\nafter\n"))
        self.assertIn(f"](bench/results/{STEM}.svg)", text)
        self.assertIn("That neither Diffwarps is competitive: still so; the better Diffwarps is slower than P_Matrix", text)
        self.assertIn("the default, from offsets, is faster than from owners in (a), (b) and (c) (2.00).", text)
        self.assertIn("[segmented_strategies.md](bench/results/segmented_strategies.md)", text)
        self.assertNotIn(NOT_MEASURED, text)


class Files(SegmentedStrategyReportTest):
    def test_check_sees_every_kind_of_staleness_and_writes_nothing(self):
        self.page()
        self.assertEqual(self.run_report("--check"), 0)
        for path in (self.readme, self.results / "segmented_strategies.md", self.results / f"{STEM}.svg"):
            written = path.read_text()
            path.write_text(written.replace("NVIDIA", "Nvidia"))
            self.assertEqual(self.run_report("--check"), 1, path)
            self.assertNotEqual(path.read_text(), written)
            path.write_text(written)
        self.assertEqual(self.run_report("--check"), 0)

    def test_keeps_the_run_without_the_host(self):
        self.page()
        self.assertNotIn("secret", (self.results / f"{STEM}.json").read_text())

    def test_a_contender_that_is_missing_is_an_error(self):
        self.assertEqual(self.add(results({name: s for name, s in SPEEDS.items() if name != "cub_by_key"})), 2)
        self.assertIn("not in every group: cub_by_key", self.errors.getvalue())

    def test_sums_alone_are_an_error(self):
        self.assertEqual(self.add(results(SPEEDS, operators=["plus"])), 2)
        self.assertIn("no segmented_strategies/float/minimum", self.errors.getvalue())


if __name__ == "__main__":
    unittest.main()
