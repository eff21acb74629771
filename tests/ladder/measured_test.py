#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of examples/ladder/measured.py, whose path is the first argument."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
HEADER = ("device,type,items,array,source,rung,title,same_kernel_as,kernel,block_threads,needs_commutativity,time_ms,"
          "bandwidth_gb_s,step_speedup,cumulative_speedup,speedup_to_reduction,share_of_limit,result,emulated\n")
RUNGS = (
    'A GPU,float,67108864,"random, seed 1","003, lecture slides",atomic-global,atomic global,,atomic_global,256,'
    "everywhere,150.5,1.7837,1,1,,0.0005,right,no\n"
    'A GPU,float,67108864,"random, seed 1","003, lecture slides",shared,shared,harris-1,interleaved_divergent,256,'
    "between blocks,0.301,891.8,500,500,1,0.25,right,no\n")
NCU = '''==PROF== Connected to process 1
67 108 864 items of type float
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","1","void ladder::atomic_global<float>(const T1 *, T1 *, long)","smsp__inst_executed.sum","inst","10"
"1","1","void ladder::two_pass<ladder::vector_loads, float>(const T2 *, T2 *, long)","smsp__inst_executed.sum","inst","20"
"2","1","void ladder::two_pass<ladder::vector_loads, float>(const T2 *, T2 *, long)","smsp__inst_executed.sum","inst","30"
"3","1","void ladder::completely_unrolled<(unsigned int)256, ladder::add_to_result, float>(const T3 *, T3 *, long)","smsp__inst_executed.sum","inst","35"
"4","1","void warpfold::grid::v1::reduce_kernel<warpfold::plus, float *>(T1)","smsp__inst_executed.sum","inst","40"
'''


class Measured(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.readme = self.file("README.md", "# The ladder\n\nProse.\n")

    def file(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments), "--readme", str(self.readme)],
                              capture_output=True, text=True, check=False)

    def test_adds_the_section_and_replaces_it(self):
        table = self.file("a.csv", HEADER + RUNGS)
        for _ in range(2):
            run = self.run_script(table, "--plot", pathlib.Path(self.folder.name, "a.svg"))
            self.assertEqual(run.returncode, 0, run.stderr)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("# The ladder\n\nProse.\n\n## Measured\n"))
        self.assertEqual(text.count("## Measured"), 1)
        self.assertIn("A GPU, 67,108,864 items of type float (random, seed 1)", text)
        self.assertIn("| `atomic-global` | everywhere | 150.5 | 1.784 | 1.00 | 1.00 |  | 0.1 % |", text)
        self.assertIn("| `shared` = `harris-1` | between blocks | 0.301 | 891.8 | 500.00 | 500.00 | 1.00 | 25.0 % |", text)
        self.assertIn("](a.svg)", text)

    def test_takes_the_first_launch_of_each_kernel_from_ncu(self):
        self.run_script(self.file("a.csv", HEADER + RUNGS), "--ncu", self.file("ncu.csv", NCU))
        text = self.readme.read_text()
        self.assertRegex(text, r"\| `atomic_global` \|[^\n]* 10 \|")
        self.assertRegex(text, r"\| `two_pass<vector_loads>` \|[^\n]* 20 \|")
        self.assertRegex(text, r"\| `completely_unrolled<256, add_to_result>` \|[^\n]* 35 \|")
        self.assertRegex(text, r"\| `warpfold::grid::v1::reduce_kernel` \|[^\n]* 40 \|")
        self.assertNotIn(" 30 ", text)

    def test_check_tells_whether_the_readme_is_up_to_date(self):
        table = self.file("a.csv", HEADER + RUNGS)
        self.assertNotEqual(self.run_script(table, "--check").returncode, 0)
        self.assertNotIn("Measured", self.readme.read_text())
        self.run_script(table)
        self.assertEqual(self.run_script(table, "--check").returncode, 0)

    def test_refuses_wrong_results_and_the_emulator(self):
        for text in (RUNGS.replace("right", "WRONG: 1"), RUNGS.replace(",no\n", ",yes\n"), ""):
            run = self.run_script(self.file("a.csv", HEADER + text))
            self.assertNotEqual(run.returncode, 0)
            self.assertNotIn("Measured", self.readme.read_text())

    def test_prints_the_options_for_ncu(self):
        run = self.run_script("--ncu-options")
        self.assertIn("--metrics smsp__", run.stdout)
        self.assertEqual(run.returncode, 0)


unittest.main()
