"""Many stored instances: their memory, the rate of events to them, and how long a start takes."""

import os
import time

from .events import Setting
from .figures import median
from .install import say
from .peer import COUNTERS
from .processes import Failure

RATES = ("few_per_second", "all_per_second", "all_by_few")
FIGURES = ("stop_ms", "clean_ms", "started_per_second", "killed_ms", "busy_killed_ms",
           "start_bytes")
ROUNDS_MAX = 3  # A start is long beside its noise.
BUSY = 4  # the instances that get all events before the second SIGKILL, for a second


def compare(grove, peer, options):
    """One row. Both servers are filled once, and then loaded, stopped and killed in turns."""
    say(f"start-up: {peer.key}, {options.instances:,} instances")
    sides = {"grove": Side(grove, options), "peer": Side(peer, options)}
    try:
        for side in sides.values():
            side.fill()
        rounds = range(min(options.rounds, ROUNDS_MAX))
        for number in rounds:
            for side in sides.values():
                side.measure_rates(number)
        for number in rounds:
            for side in sides.values():
                side.measure_starts(number)
        for side in sides.values():
            side.check()
    finally:
        grove.remove()
        peer.remove()
    row = {"beside": peer.key, "instances": options.instances,
           **{name: side.figures() for name, side in sides.items()}}
    row["ratio"] = row["peer"]["killed_ms"] / row["grove"]["killed_ms"]
    for name in sides:
        figures = row[name]
        say(f"  {name}: ready after {figures['clean_ms']:.0f} ms, after SIGKILL "
            f"{figures['killed_ms']:.0f} and {figures['busy_killed_ms']:.0f} ms; "
            f"{figures['bytes_each']:.0f} bytes each")
    yield row


class Side:
    """One server with what was measured of it."""

    def __init__(self, server, options):
        self.server = server
        self.options = options
        self.acknowledged = options.instances
        self.rates = []
        self.starts = []

    def fill(self):
        self.server.start()
        self.empty_bytes = self.server.process.memory()
        self.server.fill(self.options.instances, self.options.instances)
        self.filled_bytes = self.server.process.memory()
        self.disk_bytes = size_of(self.server.folder)

    def load(self, counters, seconds, number):
        """Events to the first instances, this many. Returns their rate."""
        result = self.server.events(Setting(50, 16, counters), seconds, number)
        self.acknowledged += result["acknowledged"]
        return result["per_second"]

    def start(self):
        self.server.start_again()
        self.server.read_one()

    def measure_rates(self, number):
        """Events to some and to all, without a start between filling it and this. Each load comes
        twice: in the first one, the server also does what it put off in the load before."""
        few, all_of_them = (
            [self.load(counters, self.options.seconds, number) for _ in range(2)][1]
            for counters in (min(COUNTERS, self.options.instances), self.options.instances))
        self.rates.append({"few_per_second": few, "all_per_second": all_of_them,
                           "all_by_few": all_of_them / few})

    def measure_starts(self, number):
        figures = {}
        self.server.tidy()
        figures["stop_ms"] = milliseconds(self.server.stop)
        figures["clean_ms"] = milliseconds(self.start)
        figures["start_bytes"] = self.server.process.memory()
        figures["started_per_second"] = self.load(
            self.options.instances, self.options.seconds, number)
        self.server.kill()
        figures["killed_ms"] = milliseconds(self.start)
        # The counter that `start` reads is one of these.
        tail = self.server.keyed_events(Setting(50, 128, BUSY), 1, number)
        self.acknowledged += tail["acknowledged"]
        self.server.kill()
        figures["busy_killed_ms"] = milliseconds(self.start)
        self.starts.append(figures)

    def check(self):
        """All that was acknowledged must be there, kills or not."""
        stored = self.server.stored_events()
        if stored != self.acknowledged:
            raise Failure(f"{self.server.key} acknowledged {self.acknowledged} events and holds "
                          f"{stored} after {2 * len(self.starts)} kills")

    def figures(self):
        return {
            "rates": self.rates, "starts": self.starts, "empty_bytes": self.empty_bytes,
            "filled_bytes": self.filled_bytes, "disk_bytes": self.disk_bytes,
            "bytes_each": (self.filled_bytes - self.empty_bytes) / self.options.instances,
            "disk_bytes_each": self.disk_bytes / self.options.instances,
            **{name: median(figures[name] for figures in self.rates) for name in RATES},
            **{name: median(figures[name] for figures in self.starts) for name in FIGURES},
        }


def milliseconds(action):
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


def size_of(folder):
    """The bytes that a folder takes on the disk."""
    total = 0
    for place, _, names in os.walk(folder):
        total += sum(os.stat(os.path.join(place, name)).st_blocks * 512 for name in names)
    return total
