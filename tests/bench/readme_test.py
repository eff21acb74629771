# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands in the tables of bench/README.md and examples/ladder/README.md: each names something that there is, and
no strategy part and no rung is left out. Reads the sources, builds nothing."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import segmented_strategy_run  # noqa: E402

BENCH_README = (ROOT / "bench" / "README.md").read_text()
LADDER_README = (ROOT / "examples" / "ladder" / "README.md").read_text()
RUNG = re.compile(r'\.about = \{(?:source|ladder_of::\w+), "([^"]+)",\s*"([^"]+)"')


def sources(folder, pattern):
    return "\n".join(path.read_text() for path in sorted((ROOT / folder).rglob(pattern)))


def rungs():
    """[(name, title)], as `ladder --list` prints them."""
    return RUNG.findall((ROOT / "examples" / "ladder" / "rungs.cuh").read_text())


def compositions(folder, call):
    """Every algorithm that the sources give to `call`, with every schedule and finish that they name."""
    text = sources(folder, "*.cu*")
    algorithms = re.findall(call + r'\(\s*"(\w+)"', text)
    endings = re.findall(r'algorithm \+ "(\.[\w.]+)"', text)
    finishes = re.findall(r'name \+ "(\.\w+)"', text)
    return [a + e + f for a in algorithms for e in endings for f in (finishes if e.count(".") == 1 else [""])]


def benchmarks():
    """Names of strategy_bench at one size."""
    return [f"strategies/float/minimum/items:2^28/{name}/cold"
            for name in compositions("bench/strategy", "all_compositions")]


def segmented_benchmarks():
    """Names of segmented_strategy_bench, of one workload at one size."""
    return [f"segmented_strategies/float/minimum/items:2^26/segments:all_3/form:owners/{name}/cold"
            for name in compositions("bench/segmented_strategy", "all_owned_compositions<[^;]*?>")]


def tested_parts(header):
    """What the strategies under test are made of."""
    text = (ROOT / "tests/strategies" / header).read_text()
    segmented = [f"block::segmented::{algorithm}" for algorithm in re.findall(r"seg::(\w+)<", text)]
    return sorted({*re.findall(r"wf::((?:block|grid|finish)::\w+)", text), *segmented})


def test_names():
    """As ctest lists them; a typed test once for each part that the strategies' tests are made of."""
    parts, segmented_parts = tested_parts("compositions.cuh"), tested_parts("segmented.cuh")
    names = []
    for path in sorted((ROOT / "tests").rglob("*_test.cu")):
        target = f"{path.parent.name}_{path.stem}" if path.parent.name != "tests" else path.stem
        for typed, suite, test in re.findall(r"^(TYPED_)?TEST\((\w+), (\w+)\)", path.read_text(), re.MULTILINE):
            chosen = segmented_parts if path.stem.startswith("segmented") else parts
            types = [f"<warpfold::{part}<>>" for part in chosen] if typed else [""]
            names += [f"{target}/{suite}.{test}{kind}" for kind in types]
    return names


class Commands(unittest.TestCase):
    def expect_matches(self, patterns, names):
        self.assertTrue(patterns)
        for pattern in patterns:
            self.assertTrue(any(re.search(pattern, name) for name in names), f"nothing is named {pattern}")

    def test_benchmark_filters_match_benchmarks(self):
        self.expect_matches(re.findall(r"`strategy_bench --benchmark_filter='([^']+)'", BENCH_README), benchmarks())
        self.expect_matches(re.findall(r"segmented_strategy_bench --benchmark_filter='([^']+)'", BENCH_README),
                            segmented_benchmarks())

    def test_the_papers_segmented_strategies_are_listed_and_measured(self):
        measured = {name.split("/")[-2] for name in segmented_benchmarks()}
        self.assertEqual(len(measured), 20)
        for title, name in segmented_strategy_run.PAPER.items():
            self.assertIn(name, measured)
            row = rf"(?m)^\| `{re.escape(name)}` \| (segmented )?{title} \| `segmented_strategy_bench "
            self.assertRegex(BENCH_README, row)

    def test_ctest_filters_match_tests(self):
        for text in (BENCH_README, LADDER_README):
            self.expect_matches(re.findall(r"ctest --test-dir build/test -R '?([^'`]+)'?`", text), test_names())

    def test_every_part_of_a_strategy_is_listed(self):
        parts = {part for name in benchmarks() for part in name.split("/")[-2].split(".")} - {"none"}
        self.assertGreaterEqual(len(parts), 12)
        for part in parts:
            self.assertRegex(BENCH_README, rf"(?m)^\| `(block|grid|finish)::{part}` \|.*strategy_bench.*ctest")

    def test_listed_parts_are_declared(self):
        for part in re.findall(r"(?m)^\| `(?:block|grid|finish)::(\w+)`.*strategy_bench", BENCH_README):
            self.assertRegex(sources("include/warpfold", "*.cuh"), rf"struct {part}\b")

    def test_every_rung_is_listed_by_its_name_and_title(self):
        rows = re.findall(r"(?m)^\| [\d-]+ \| ([^|]+) \| `ladder --rung ([\w-]+)` \|$", LADDER_README)
        self.assertEqual([(name, title) for title, name in rows if name != "cpu"], rungs())
        self.assertIn(("CPU baselines", "cpu"), rows)

    def test_the_pages_link_each_other(self):
        self.assertIn("](../examples/ladder/README.md#every-rung-and-the-command-that-runs-it)", BENCH_README)
        self.assertIn("## Every rung, and the command that runs it\n", LADDER_README)
        self.assertIn("](../../bench/README.md)", LADDER_README)


if __name__ == "__main__":
    unittest.main()
