"""The measurements of Benchmarks/builds/run: python3 measure.py BEFORE NOW FOLDER ROUNDS"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "serving"))
from serving import Server, bench

BEFORE, NOW, FOLDER = sys.argv[1:4]
ROUNDS = int(sys.argv[4])
SECONDS = 5
STORED = 200_000
BUSY = 10_000
FILLED = 300_000
COLUMNS = ("per second", "p50 ms", "p99 ms", "p99.9 ms")


class Build:
    """A program with a data file of its own. The newer program is the client of both."""

    def __init__(self, name, program):
        self.name = name
        self.program = program
        self.data = os.path.join(FOLDER, f"{name}.db")
        self.server = None

    def start(self, *flags):
        self.server = Server(self.program, self.data, "--listen", "127.0.0.1:0", *flags)

    def stop(self):
        self.server.stop()

    @property
    def address(self):
        return self.server.addresses[0]

    def fill(self, instances, events):
        bench(NOW, self.address, "--connections", "32", "--pipeline", "64",
              "--instances", str(instances), "--events", str(events))

    def measure(self, rate):
        """The columns of a load; `None` is as many events as the server takes."""
        pace = [] if rate is None else ["--rate", str(rate)]
        report = bench(NOW, self.address, "--instances", str(BUSY), "--duration", f"{SECONDS}s",
                       *pace)
        latency = report["latency_us"]
        return (report["per_second"], *(latency[key] / 1000 for key in ("p50", "p99", "p99.9")))

    def gauge(self, name):
        run = subprocess.run([NOW, "stats", "--server", self.address, "--json"],
                             capture_output=True, text=True, check=True)
        return json.loads(run.stdout)[name]


@contextlib.contextmanager
def backups(build):
    """Backups of the server, one after the other. The one under way at the end is ended, too."""
    over = threading.Event()
    running = []

    def copy():
        while not over.is_set():
            running[:] = [subprocess.Popen(
                [build.program, "backup", "--server", build.address,
                 os.path.join(FOLDER, f"{build.name}-copy.db"), "--force"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
            if running[0].wait() != 0 and not over.is_set():
                os.write(2, b"a backup failed\n")
                os._exit(1)

    thread = threading.Thread(target=copy)
    thread.start()
    yield
    over.set()
    running[0].terminate()
    thread.join()
    # The server drops what it copied when the client is gone; the next turn begins without it.
    time.sleep(1)


def beside_nothing(build, rate):
    build.start()
    build.fill(BUSY, FILLED)
    row = build.measure(rate)
    build.stop()
    return row, ""


def beside_backups(build, rate):
    build.start()
    build.fill(BUSY, FILLED)
    with backups(build):
        row = build.measure(rate)
    build.stop()
    return row, ""


def beside_retention(gauge, *flags):
    """What is made without the flags is removed while the load runs."""
    def turn(build, rate):
        build.start()
        build.fill(BUSY, FILLED)
        build.stop()
        build.start(*flags)
        row = build.measure(rate)
        removed = build.gauge(gauge)
        build.stop()
        if removed == 0:
            sys.exit(f"{build.name}: nothing was removed in the measurement")
        return row, f"{removed:,}"
    return turn


TURNS = [
    ("nothing", beside_nothing),
    ("backups, one after the other", beside_backups),
    ("`keep-steps` 1000", beside_retention("removed_steps", "--keep-steps", "1000")),
    ("`keep-machines` counter:steps=1000",
     beside_retention("trimmed_steps", "--keep-machines", "counter:steps=1000")),
]


def compare(builds, rate):
    print(f"| beside | build | {' | '.join(COLUMNS)} | steps removed |")
    print(f"|---|---|{'---|' * len(COLUMNS)}---|")
    alone = None
    for title, turn in TURNS:
        rounds = {build.name: [] for build in builds}
        removed = {}
        for number in range(ROUNDS):
            for build in builds if number % 2 == 0 else reversed(builds):
                row, removed[build.name] = turn(build, rate)
                rounds[build.name].append(row)
        middles = {name: [statistics.median(column) for column in zip(*rows)]
                   for name, rows in rounds.items()}
        for name, middle in middles.items():
            print_row(title, name, middle, removed[name])
        ratios = [statistics.median(now / before for before, now in zip(*pair))
                  for pair in zip(zip(*rounds["before"]), zip(*rounds["now"]))]
        print_row(title, "now to before", ratios, "", digits=2)
        alone = alone or middles
    return alone["before"][0]


def print_row(title, name, figures, removed, digits=0):
    rate, *latencies = figures
    cells = [f"{rate:,.{digits}f}", *(f"{value:.2f}" for value in latencies)]
    print(f"| {title} | {name} | {' | '.join(cells)} | {removed} |", flush=True)


def main():
    builds = [Build("before", BEFORE), Build("now", NOW)]
    for build in builds:
        build.start()
        build.fill(STORED, 3 * STORED)
        build.stop()
    print(f"Medians of {ROUNDS} rounds in turns, {SECONDS} s each, 16 connections × 16 under way, "
          f"{BUSY:,} of {STORED:,} stored counters.\n\nAt full load:\n")
    most = compare(builds, None)
    rate = int(most * 0.4) // 100 * 100
    print(f"\nAt {rate:,} events per second, for which the older build takes 0.4 of its time:\n")
    compare(builds, rate)


main()
