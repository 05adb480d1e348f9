"""axe-core looks at every page of the console, in light and dark.

The console's own tests have the pages, the data and the browser; this runs the one that reads axe.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from stage import ROOT, Report

TEST = ROOT / "Tests/ConsoleTests/axe.test.mjs"


def check(report: Report) -> None:
    """Runs that test, if there are a browser and the file of axe-core."""
    missing = [name for name in ("node", "chromium", "chromedriver") if not shutil.which(name)]
    if missing:
        report.say(f"skipped, without {', '.join(missing)}")
        return
    file = os.environ.get("GROVE_AXE")
    if not file:
        fetched = subprocess.run([ROOT / ".ci/axe"], capture_output=True, text=True)
        if fetched.returncode:
            report.say(f"skipped: {fetched.stderr.strip()}")
            return
        file = fetched.stdout.strip()
    run = subprocess.run(
        ["node", "--test", TEST], env=os.environ | {"GROVE_AXE": file},
        capture_output=True, text=True, timeout=300)  # fmt: skip
    passed = re.findall(r"^ *(?:ok \d+ -|✔) nothing on (\d+) pages", run.stdout, re.MULTILINE)
    report.expect(
        run.returncode == 0 and len(passed) == 2,
        f"{len(passed)} of 2 tests passed:\n{run.stdout[-4000:]}")  # fmt: skip
    report.say(f"axe-core: {'+'.join(passed)} pages, {len(report.findings)} findings")
