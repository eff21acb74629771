# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/report.py on small synthetic results: names, limit, tables, bars, plots, and what --check sees as stale."""

import json
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import measurements  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402
from report_case import ReportCase  # noqa: E402

ITEM_BYTES = {"float": 4, "int8": 1, "vector3": 12}


def entry(name, microseconds, **extra):
    """As Google Benchmark writes it, suffixes of the name included."""
    parts = name.split("/")
    items = measurements.item_count(parts[3].split(":")[1])
    return {"name": name + "/iterations:1/manual_time", "run_type": "iteration", "iterations": 1,
            "real_time": microseconds, "cpu_time": 1.0, "time_unit": "us", "items": float(items),
            "bytes": float(items * ITEM_BYTES[parts[1]]), **extra}


def results():
    times = {
        "reduce/float/plus/items:2^8/{}/cold": {"warpfold": 3.0, "cub": 3.3, "read_a": 2.9},
        "reduce/float/plus/items:2^16/{}/cold": {"warpfold": 4.0, "cub": 6.0, "read_a": 4.4, "read_b": 3.9},
        "reduce/float/plus/items:2^28/{}/cold": {"warpfold": 250.0, "cub": 260.0, "read_a": 245.0},
        "reduce/float/plus/items:2^28/offset:1/{}/cold": {"warpfold": 255.0, "cub": 270.0, "float_plus": 250.0},
        "reduce/float/plus/items:65537/{}/cold": {"warpfold": 4.1, "cub": 6.0},
        "reduce/float/plus/items:2^16/{}/graph": {"warpfold": 2.0, "cub": 3.0},
        "reduce/float/plus/items:2^16/{}/enqueue": {"warpfold": 3.3, "cub": 8.0, "empty_kernel": 3.0},
        "reduce/float/plus/items:2^16/{}/wait": {"warpfold": 10.0, "cub": 12.0, "empty_kernel": 8.0},
        "reduce/int8/plus/items:2^30/{}/cold": {"warpfold": 260.0, "cub": 280.0, "float_plus": 250.0, "read_a": 245.0},
        "reduce/vector3/add_components/items:89478485/{}/cold": {"warpfold": 280.0, "float_plus": 250.0},
    }
    benchmarks = [entry(name.format(contender), time) for name, row in times.items() for contender, time in row.items()]
    context = {"device": "NVIDIA Test 1", "commit": "0123456789abcdef", "multiprocessors": "132",
               "l2_bytes": "62914560", "cuda_runtime": "13.0", "cub": "3.0.1", "date": "2025-01-01",
               "host_name": "secret", "executable": "/home/someone/reduce_bench"}
    return {"context": context, "benchmarks": benchmarks}


class ReportTest(ReportCase):
    report, markers = report, (report.BEGIN, report.END)

    def add(self):
        self.assertEqual(self.run_report("--add", self.raw(results())), 0, self.errors.getvalue())
        return self.results / "reduce-nvidia-test-1.json"

    def kept_run(self):
        return measurements.read_run(self.add())

    def row(self, first_cells):
        rows = [line for line in self.readme.read_text().splitlines() if line.startswith("| " + first_cells + " |")]
        self.assertEqual(len(rows), 1, first_cells)
        return [cell.strip() for cell in rows[0].strip("|").split("|")]


class Names(unittest.TestCase):
    def test_takes_a_name_apart(self):
        name = "reduce/float/plus/items:2^28/offset:1/cub/cold/iterations:1/manual_time"
        group, contender = measurements.split_name(name)
        self.assertEqual((group.function, group.item_type, group.operator), ("reduce", "float", "plus"))
        self.assertEqual(group.mode, "cold")
        self.assertEqual((group.items, group.offset, contender), (1 << 28, 1, "cub"))

    def test_plain_counts(self):
        self.assertEqual(measurements.split_name("reduce/int8/plus/items:1009/warpfold/graph")[0].items, 1009)

    def test_refuses_other_names(self):
        with self.assertRaises(measurements.ResultError):
            measurements.split_name("BM_something/8")


class Keeping(ReportTest):
    def test_keeps_what_a_figure_needs_and_nothing_about_the_host(self):
        document = json.loads(self.add().read_text())
        self.assertEqual(document["context"]["device"], "NVIDIA Test 1")
        self.assertEqual(document["context"]["commit"], "0123456789abcdef")
        self.assertNotIn("host_name", document["context"])
        self.assertNotIn("executable", document["context"])
        self.assertEqual(document["benchmarks"][0]["name"], "reduce/float/plus/items:2^8/warpfold/cold")
        self.assertNotIn("cpu_time", document["benchmarks"][0])

    def test_large_counts_stay_exact(self):
        groups = [g for g in self.kept_run().groups if g.item_type == "vector3"]
        self.assertEqual((groups[0].items, groups[0].bytes), (89478485, 1073741820))

    def test_refuses_a_failed_benchmark(self):
        document = results()
        document["benchmarks"][3] |= {"error_occurred": True, "error_message": "CUB's result differs"}
        self.assertEqual(self.run_report("--add", self.raw(document)), 2)
        self.assertIn("CUB's result differs", self.errors.getvalue())
        self.assertEqual(list(self.results.iterdir()), [])
        self.assertEqual(self.run_report("--drop-failed", "--add", self.raw(document)), 0)
        run = measurements.read_run(self.results / "reduce-nvidia-test-1.json")
        self.assertNotIn("warpfold", next(g for g in run.groups if g.items == 1 << 16 and g.mode == "cold").seconds)

    def test_refuses_to_mix_devices(self):
        other = results()
        other["context"]["device"] = "NVIDIA Test 2"
        self.assertEqual(self.run_report("--add", self.raw(results()), self.raw(other, "other.json")), 2)
        self.assertIn("device", self.errors.getvalue())

    def test_later_files_replace_entries(self):
        later = results()
        later["benchmarks"] = [entry("reduce/float/plus/items:2^8/warpfold/cold", 2.5)]
        self.assertEqual(self.run_report("--add", self.raw(results()), self.raw(later, "later.json")), 0)
        run = measurements.read_run(self.results / "reduce-nvidia-test-1.json")
        self.assertAlmostEqual(run.select()[0].seconds["warpfold"], 2.5e-6)
        self.assertAlmostEqual(run.select()[0].seconds["cub"], 3.3e-6)

    def test_refuses_other_json(self):
        self.assertEqual(self.run_report("--add", self.raw({"a": 1})), 2)
        self.assertIn("not the JSON of Google Benchmark", self.errors.getvalue())


class Figures(ReportTest):
    def test_limit_is_the_fastest_kernel_reducers_included_but_no_empty_kernel(self):
        by_items = {g.items: g for g in self.kept_run().select()}
        self.assertAlmostEqual(by_items[1 << 16].limit_seconds(), 3.9e-6)
        self.assertAlmostEqual(by_items[1 << 16].share_of_limit(), 3.9 / 4.0)
        group = measurements.Group("reduce", "float", "plus", "cold", 4, seconds={"warpfold": 2, "empty_kernel": 1})
        self.assertEqual(group.limit_seconds(), 2)

    def test_sum_table(self):
        self.add()
        self.assertEqual(self.row("2^28"), ["2^28", "250.0", "260.0", "1.04", "4295", "98.0 %"])

    def test_latency_table(self):
        self.add()
        rows = [line for line in self.readme.read_text().splitlines() if line.startswith("| 2^16 |")]
        cells = [cell.strip() for cell in rows[1].strip("|").split("|")]
        self.assertEqual(cells, ["2^16", "2.00", "3.00", "3.30", "8.00", "3.00", "10.00", "12.00", "8.00"])

    def test_types_table_holds_every_type_against_the_float_sum(self):
        self.add()
        self.assertEqual(self.row("int8 | plus"), ["int8", "plus", "1", "4130", "94.2 %", "0.96", "", "1.08"])
        self.assertEqual(self.row("float | plus"), ["float", "plus", "4", "4295", "98.0 %", "1.00", "0.98", "1.04"])

    def test_bars_take_the_worst_case_and_say_missed(self):
        run = self.kept_run()
        bars = {bar.case: bar.row() for bar in report.bars(run, [(0.7, "nvcc 13.0")])}

        def by_prefix(prefix):
            return next(row for case, row in bars.items() if case.startswith(prefix))

        self.assertEqual(by_prefix("float sum, 2^24")[1:], ["≥ 0.98", "0.980", "2^28", "met"])
        self.assertEqual(by_prefix("host time")[1:], ["≤ 1.2", "1.100", "2^16", "met"])
        self.assertEqual(by_prefix("call and wait")[1:], ["≥ 1.25", "1.200", "2^16", "**missed**"])
        self.assertEqual(by_prefix("any operator")[1:], ["≥ 0.97", "0.962", "int8 plus, 2^30", "**missed**"])
        self.assertEqual(by_prefix("the same, 12-byte")[1:],
                         ["≥ 0.9", "0.893", "vector3 add_components, 89,478,485", "**missed**"])
        self.assertEqual(by_prefix("compile time")[1:], ["≤ 0.6", "0.700", "nvcc 13.0", "**missed**"])

    def test_bars_without_cases_are_left_out(self):
        self.assertEqual(report.bars(measurements.Run({}, []), []), [])


class Writing(ReportTest):
    def test_replaces_what_is_between_the_markers_only(self):
        self.add()
        text = self.readme.read_text()
        self.assertTrue(text.startswith(f"before\n{report.BEGIN}\n**NVIDIA Test 1**, 132 multiprocessors, 60 MiB"))
        self.assertTrue(text.endswith(f"{report.END}\nafter\n"))
        self.assertNotIn("superseded", text)
        self.assertIn("(bench/results/reduce-nvidia-test-1-bandwidth.svg)", text)

    def test_check_passes_after_writing_and_sees_every_kind_of_staleness(self):
        kept = self.add()
        self.assertEqual(self.run_report("--check"), 0)
        written = self.readme.read_text()
        self.readme.write_text(written.replace("250.0", "240.0"))
        self.assertEqual(self.run_report("--check"), 1)
        self.readme.write_text(written)
        plot = self.results / "reduce-nvidia-test-1-latency.svg"
        plot.write_text(plot.read_text() + " ")
        self.assertEqual(self.run_report("--check"), 1)
        self.assertEqual(self.run_report(), 0)
        kept.write_text(kept.read_text().replace('"real_time": 260', '"real_time": 261'))
        self.assertEqual(self.run_report("--check"), 1)
        self.assertIn("out of date", self.output.getvalue())

    def test_check_writes_nothing(self):
        self.add()
        self.readme.write_text(f"{report.BEGIN}\n{report.END}\n")
        self.assertEqual(self.run_report("--check"), 1)
        self.assertEqual(self.readme.read_text(), f"{report.BEGIN}\n{report.END}\n")

    def test_missing_markers_results_or_readme_are_errors(self):
        self.assertEqual(self.run_report(), 2)
        self.add()
        self.readme.write_text("no markers")
        self.assertEqual(self.run_report(), 2)
        self.readme.unlink()
        self.assertEqual(self.run_report("--check"), 2)
        self.assertIn("README.md", self.errors.getvalue())

    def test_show_prints_the_tables(self):
        self.add()
        self.assertEqual(self.run_report("--show"), 0)
        self.assertIn("| 2^28 | 250.0 | 260.0 |", self.output.getvalue())


class Plots(ReportTest):
    def test_plots_are_well_formed_and_labelled(self):
        self.add()
        for name, unit in (("bandwidth", "GB/s"), ("latency", "µs")):
            document = ElementTree.parse(self.results / f"reduce-nvidia-test-1-{name}.svg").getroot()
            texts = [element.text for element in document.iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn(unit, texts)
            self.assertIn("items", texts)
            self.assertEqual(texts.count("Warpfold"), 2)  # in the legend and where the line ends
            background = document.find("{http://www.w3.org/2000/svg}rect")
            self.assertEqual(background.get("fill"), "#ffffff")

    def test_lines_stay_inside_the_frame(self):
        series = plots.Series("a", "#000", [(16, 0.7), (1 << 30, 4800.0)])
        for logarithmic in (False, True):
            document = ElementTree.fromstring(plots.line_plot("t", "y", [series], logarithmic))
            line = document.findall("{http://www.w3.org/2000/svg}polyline")[-1]
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                self.assertTrue(plots.LEFT <= x <= plots.WIDTH - plots.RIGHT)
                self.assertTrue(plots.TOP <= y <= plots.HEIGHT - plots.BOTTOM)

    def test_ticks_span_the_values(self):
        self.assertEqual(plots.linear_ticks(4587), [0, 1000, 2000, 3000, 4000, 5000])
        self.assertEqual(plots.logarithmic_ticks(1.2, 21), [1, 2, 5, 10, 20, 50])

    def test_labels_are_moved_apart_and_kept_above_the_axis(self):
        self.assertEqual(plots.spread([10, 12, 40], 15, 100), [10, 25, 40])
        self.assertEqual(plots.spread([95, 98, 99], 15, 100), [70, 85, 100])


if __name__ == "__main__":
    unittest.main()
