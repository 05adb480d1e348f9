"""schemathesis makes requests of the description, and finds no 500 and nothing undocumented."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

from stage import Grove, Report, running
from web import Lines

FOLDER = pathlib.Path(__file__).parent

#: Left out, because no description knows it: which events a machine accepts, and which instances
#: there are.
LEFT_OUT = "positive_data_acceptance"

#: What is wrong with an item of a batch is said in the item's result, and the answer is 200.
LEFT_OUT_OF_BATCHES = f"{LEFT_OUT},negative_data_rejection"

#: Batches.
BATCH = "^/v1/batch$"

#: What has no end, or isn't HTTP after its head.
ENDLESS = "/(socket|records)$"

#: What makes others ask for a token.
LOCKING = "^/v1/(accounts|tokens)$"

GRANTS = ["admin */*", "send,read,subscribe,manage */*"]


def check(report: Report) -> None:
    """A server that everybody may use, then one with accounts."""
    grove = Grove(ports=True)
    with running(grove):
        run(report, grove, "without accounts",
            ["--exclude-path-regex", f"{ENDLESS}|{LOCKING}|{BATCH}"])
        run(report, grove, "of batches", ["--include-path-regex", BATCH], LEFT_OUT_OF_BATCHES)
        grove.check(report)
    grove = Grove(ports=True)
    with running(grove):
        lines = Lines(grove.address)
        made = lines.ask(op="token", action="create", principal="ops", grants=GRANTS)
        lines.close()
        run(report, grove, "with accounts",
            ["--exclude-path-regex", f"{ENDLESS}|{BATCH}",
             "--header", f"Authorization: Bearer {made['token']}"])
        grove.check(report)


def run(report: Report, grove: Grove, title: str, options: list[str],
        left_out: str = LEFT_OUT) -> None:
    """One run of schemathesis; each test that fails is a finding."""
    command = ["schemathesis", "--config-file", str(FOLDER / "schemathesis.toml"), "--no-color",
               "run", f"http://{grove.web}/v1/openapi.json", "--seed", str(report.seed),
               "--workers", "1", "--checks", "all", "--exclude-checks", left_out,
               "--max-examples", "300" if report.long else "10", "--request-timeout", "40",
               "--continue-on-failure", "--no-shrink", "--generation-database", "none",
               "--output-sanitize", "false", "--warnings", "off", *options]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=grove.folder,
                          env=os.environ | {"COLUMNS": "120"})  # fmt: skip
    generated = re.search(r"(\d+) generated", done.stdout)
    tested = re.search(r"Tested: (\d+)", done.stdout)
    if not generated or not tested:
        report.finding(f"{title}: schemathesis failed\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return
    # A block for each operation begins with its name between lines.
    begin, _, _ = done.stdout.partition("= SUMMARY =")
    blocks = re.split(r"^_{3,} (.+?) _{3,}$", begin, flags=re.MULTILINE)[1:]
    for name, text in zip(blocks[::2], blocks[1::2]):
        report.finding(f"{title}, {name}:\n" + re.sub(r"\n\s*\n", "\n", text.strip()))
    report.expect(bool(blocks) or done.returncode == 0, f"{title}: {done.stdout[-2000:]}")
    report.say(f"schemathesis {title}: {int(generated[1]):,} requests to {tested[1]} operations, "
               f"{len(blocks) // 2} failures")  # fmt: skip
