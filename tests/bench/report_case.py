# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the reports share: a README and kept results in a folder of their own."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path


class ReportCase(unittest.TestCase):
    """Tests of `report`, a module with main(), which writes between `markers` of a README."""

    report = None
    markers = ("", "")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.results = self.root / "bench" / "results"
        self.results.mkdir(parents=True)
        self.readme = self.root / "README.md"
        begin, end = self.markers
        self.readme.write_text(f"before\n{begin}\nsuperseded\n{end}\nafter\n")
        self.output, self.errors = io.StringIO(), io.StringIO()

    def run_report(self, *arguments):
        with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.errors):
            return self.report.main([*arguments, "--results", str(self.results), "--readme", str(self.readme)])

    def raw(self, document, name="raw.json"):
        path = self.root / name
        path.write_text(json.dumps(document))
        return str(path)
