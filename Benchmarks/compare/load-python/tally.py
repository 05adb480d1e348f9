"""Counts a load's events and prints what the load generator in C prints."""

import json
import time


class Tally:
    """Events of a load that warms up and is then measured, in one process."""

    def __init__(self, warm, seconds):
        self.seconds = seconds
        self.begin = time.perf_counter() + warm
        self.end = self.begin + seconds
        self.acknowledged = 0
        self.times = []
        self.own = None

    def is_over(self):
        now = time.perf_counter()
        if self.own is None and now >= self.begin:
            self.own = time.process_time()
        return now >= self.end

    def add(self, sent):
        """An event that was sent at this time and is acknowledged now."""
        now = time.perf_counter()
        self.acknowledged += 1
        if self.begin <= now < self.end:
            self.times.append(now - sent)

    def report(self):
        self.times.sort()

        def quantile(part):
            return round(self.times[int(part * len(self.times))] * 1e6) if self.times else 0

        print(json.dumps({
            "per_second": len(self.times) / self.seconds, "acknowledged": self.acknowledged,
            "measured": len(self.times), "measured_s": self.seconds, "p50_us": quantile(0.5),
            "p99_us": quantile(0.99), "p999_us": quantile(0.999),
            "own_s": time.process_time() - self.own}))
