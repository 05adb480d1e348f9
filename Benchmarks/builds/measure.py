"""The measurements of Benchmarks/builds/run: python3 measure.py BEFORE NOW FOLDER ROUNDS"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "serving"))
from serving import Server, bench

BEFORE, NOW, FOLDER = sys.argv[1:4]
ROUNDS = int(sys.argv[4])
SECONDS = 5
STORED = 200_000
STEPS = 1_500_000
BUSY = 10_000
COLUMNS = ("per second", "p50 ms", "p99 ms", "p99.9 ms")


class Build:
    """A program, and the data that each of its turns begins with. The newer program is the client
    of both, except for backups: each program makes its own."""

    def __init__(self, name, program):
        self.name = name
        self.program = program
        self.data = os.path.join(FOLDER, f"{name}.db")
        self.first = os.path.join(FOLDER, f"{name}-first.db")
        self.server = None

    def fill(self):
        with self.serving():
            self.bench("--connections", "32", "--pipeline", "64", "--instances", str(STORED),
                       "--events", str(STEPS))
        os.rename(self.data, self.first)

    @contextlib.contextmanager
    def turn(self, *flags):
        """A server on a copy of the first data, which is on the disk before the turn begins."""
        shutil.copyfile(self.first, self.data)
        os.sync()
        with self.serving(*flags):
            yield

    @contextlib.contextmanager
    def serving(self, *flags):
        self.server = Server(self.program, self.data, "--listen", "127.0.0.1:0", *flags)
        try:
            yield
            self.server.stop()
        finally:
            # Does nothing to a server that has stopped.
            self.server.process.kill()

    def bench(self, *flags):
        return bench(NOW, self.server.addresses[0], *flags)

    def measure(self, rate):
        """The columns of a load; `None` is as many events as the server takes."""
        # At a fixed rate, whatever waits during a stall needs room, to be sent when it is due.
        pace = ["--pipeline", "16"] if rate is None else ["--pipeline", "256", "--rate", str(rate)]
        report = self.bench("--instances", str(BUSY), "--duration", f"{SECONDS}s", *pace)
        if report["unsent"]:
            sys.exit(f"{self.name}: {report['unsent']} events of the fixed rate weren't sent")
        latency = report["latency_us"]
        return (report["per_second"], *(latency[key] / 1000 for key in ("p50", "p99", "p99.9")))

    def gauge(self, name):
        run = subprocess.run([NOW, "stats", "--server", self.server.addresses[0], "--json"],
                             capture_output=True, text=True, check=True)
        return json.loads(run.stdout)[name]


@contextlib.contextmanager
def backups(build):
    """Backups of the server, one after the other. The one under way at the end is ended, too."""
    over = threading.Event()
    running = []
    failures = []

    def copy():
        while not over.is_set():
            running[:] = [subprocess.Popen(
                [build.program, "backup", "--server", build.server.addresses[0],
                 os.path.join(FOLDER, f"{build.name}-copy.db"), "--force"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)]
            _, notes = running[0].communicate()
            if running[0].returncode != 0 and not over.is_set():
                failures.append(notes)
                return

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        for backup in running:
            backup.terminate()
        thread.join()
    if failures:
        sys.exit(f"{build.name}: a backup failed: {failures[0]}")


def beside_nothing(build, rate):
    with build.turn():
        return build.measure(rate), None


def beside_backups(build, rate):
    with build.turn(), backups(build):
        return build.measure(rate), None


def beside_retention(gauge, *flags):
    """What was made without the flags is removed while the load runs."""
    def turn(build, rate):
        with build.turn(*flags):
            before = build.gauge(gauge)
            row = build.measure(rate)
            removed = build.gauge(gauge) - before
        if removed == 0:
            sys.exit(f"{build.name}: nothing was removed in the measurement")
        return row, removed
    return turn


TURNS = [
    ("nothing", beside_nothing),
    ("backups, one after the other", beside_backups),
    ("`keep-steps` 1000", beside_retention("removed_steps", "--keep-steps", "1000")),
    ("`keep-machines` counter:steps=1000",
     beside_retention("trimmed_steps", "--keep-machines", "counter:steps=1000")),
]


def compare(builds, rate):
    """Prints a table, and returns the older build's events per second beside nothing."""
    print(f"| beside | build | {' | '.join(COLUMNS)} | steps removed |")
    print(f"|---|---|{'---|' * len(COLUMNS)}---|")
    alone = None
    for title, turn in TURNS:
        rounds = {build.name: [] for build in builds}
        removed = {build.name: [] for build in builds}
        for number in range(ROUNDS):
            for build in builds if number % 2 == 0 else reversed(builds):
                row, steps = turn(build, rate)
                rounds[build.name].append(row)
                removed[build.name].append(steps)
        middles = {name: [statistics.median(column) for column in zip(*rows)]
                   for name, rows in rounds.items()}
        for name, middle in middles.items():
            steps = [count for count in removed[name] if count is not None]
            print_row(title, name, middle, f"{statistics.median(steps):,.0f}" if steps else "")
        ratios = [statistics.median(now / before for before, now in zip(*pair))
                  for pair in zip(zip(*rounds["before"]), zip(*rounds["now"]))]
        print_row(title, "now to before", ratios, "", digits=2)
        alone = alone or middles["before"][0]
    return alone


def print_row(title, name, figures, removed, digits=0):
    rate, *latencies = figures
    cells = [f"{rate:,.{digits}f}", *(f"{value:.2f}" for value in latencies)]
    print(f"| {title} | {name} | {' | '.join(cells)} | {removed} |", flush=True)


def main():
    builds = [Build("before", BEFORE), Build("now", NOW)]
    for build in builds:
        build.fill()
    print(f"Medians of {ROUNDS} rounds in turns, {SECONDS} s each, 16 connections, {BUSY:,} counters "
          f"of those of {STEPS:,} steps.\n\nAt full load, 16 under way on each connection:\n")
    most = compare(builds, None)
    rate = int(most * 0.4) // 100 * 100
    print(f"\nAt {rate:,} events per second, 0.4 of what the older build takes:\n")
    compare(builds, rate)


main()
