"""Server-sent events through nginx, cut at random moments, miss nothing and repeat nothing.

Clients post events without a pause, one watcher reads the stream of each instance, and one that of
the machine. Connections are cut at random: by the watcher within a record, by nginx that gets new
workers, by the server that is killed. A watcher continues after the last `id` that it read to the
end of its record, as an `EventSource` does.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import threading
import time

from stage import Grove, Nginx, Report, number, running
from web import Web

INSTANCES = 8
SECONDS = 20
SECONDS_LONG = 600

#: How long a watcher may take to read what is left once nothing is posted any more.
SECONDS_LEFT = 30


class Watcher(threading.Thread):
    """Reads a stream, in pieces of connections."""

    def __init__(self, address: str, path: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.path = path
        self.random = random.Random(seed)
        self.last: str | None = None
        #: The versions of each instance in the order of their records.
        self.versions: dict[str, list[int]] = {}
        self.cuts = 0
        self.ends = 0
        self.refusals: list[str] = []
        self.lasts_until = time.monotonic() + 10_000
        self.cutting_until = self.lasts_until

    def run(self) -> None:
        while time.monotonic() < self.lasts_until:
            web = Web(self.address)
            try:
                self.read(web)
                self.ends += 1
            except (OSError, http.client.HTTPException):
                self.ends += 1
                time.sleep(0.02)
            finally:
                web.close()

    def read(self, web: Web) -> None:
        """Reads until the stream ends, or cuts it."""
        fields = {"Accept": "text/event-stream"}
        if self.last is not None:
            fields["Last-Event-ID"] = self.last
        web.request("GET", f"{self.path}from=first", headers=fields)
        answer = web.getresponse()
        if answer.status != 200:
            # nginx itself says 502 while the server isn't there.
            if answer.status != 502:
                self.refusals.append(f"{answer.status} {answer.read()[:300]!r}")
            time.sleep(0.05)
            return
        web.sock and web.sock.settimeout(1)
        bytes_left = int(self.random.expovariate(1 / 30_000)) + 1
        time_left = time.monotonic() + self.random.expovariate(1 / 0.7)
        rest = b""
        while time.monotonic() < self.lasts_until:
            is_cutting = time.monotonic() < self.cutting_until
            if is_cutting and (bytes_left <= 0 or time.monotonic() > time_left):
                self.cuts += 1
                return
            with contextlib.suppress(TimeoutError):
                piece = answer.read1(min(bytes_left, 4096) if is_cutting else 65_536)
                if not piece:
                    return
                bytes_left -= len(piece)
                *events, rest = (rest + piece).split(b"\n\n")
                for event in events:
                    self.take(event.decode())

    def take(self, event: str) -> None:
        """Takes a whole event, up to its empty line."""
        kinds = {}
        for line in event.split("\n"):
            name, _, value = line.partition(": ")
            kinds[name] = value
        if "data" in kinds and "event" not in kinds:
            record = json.loads(kinds["data"])
            self.versions.setdefault(record["to"], []).append(record["v"])
        if "id" in kinds:
            self.last = kinds["id"]


class Poster(threading.Thread):
    """Posts events to an instance, each with a key, until it is answered."""

    def __init__(self, address: str, instance: str, pause: float) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.instance = instance
        self.pause = pause
        self.is_over = False
        self.count = 0

    def run(self) -> None:
        web = Web(self.address)
        while not self.is_over:
            try:
                fields = {"Content-Type": "application/json",
                          "Idempotency-Key": f'"{self.count + 1}"'}  # fmt: skip
                web.request("POST", f"/v1/instances/{self.instance}/events", '"increment"', fields)
                answer = web.getresponse()
                answer.read()
                if answer.status == 200:
                    self.count += 1
                    time.sleep(self.pause)
                    continue
            except (OSError, http.client.HTTPException):
                pass
            web.close()
            time.sleep(0.05)
        web.close()


def prove(report: Report) -> None:
    """A record that is missed, one that comes twice and one too few are found."""
    for versions in ([1, 3], [1, 2, 2, 3], [1, 2], [1, 3, 2]):
        silent = Report(False, 1, is_silent=True)
        watcher = Watcher("", "/planted", 1)
        watcher.versions["counter/a"] = versions
        hold(silent, watcher, {"counter/a": 3})
        report.expect(len(silent.findings) == 1, f"the planted fault of {versions} isn't found")


def check(report: Report) -> None:
    """Posts, cuts and compares."""
    prove(report)
    grove = Grove()
    nginx = Nginx("""
        server {
            listen unix:{folder}/front;
            location / {
                proxy_pass http://unix:GROVE; proxy_http_version 1.1;
                proxy_set_header Connection ""; proxy_set_header Host localhost;
                proxy_buffering off; proxy_read_timeout 60s;
            }
        }""".replace("GROVE", grove.web.removeprefix("unix:")), workers=2)
    with running(grove, nginx):
        posters = [Poster(grove.web, f"counter/s-{n}", 0.01) for n in range(INSTANCES)]
        front = nginx.address("front")
        paths = [f"/v1/instances/{each.instance}/records?kind=output&" for each in posters]
        paths.append("/v1/records?machine=counter&kind=output&")
        watchers = [Watcher(front, path, report.seed + n) for n, path in enumerate(paths)]
        for thread in posters + watchers:
            thread.start()
        trouble(report, grove, nginx)
        for poster in posters:
            poster.is_over = True
        for poster in posters:
            poster.join(30)
        drain(watchers, {each.instance: each.count for each in posters})
        for poster, watcher in zip(posters, watchers):
            hold(report, watcher, {poster.instance: poster.count})
        hold(report, watchers[-1], {each.instance: each.count for each in posters})
        sums = [sum(map(counted, watchers)) for counted in (
            lambda each: sum(map(len, each.versions.values())), lambda each: each.cuts,
            lambda each: each.ends - each.cuts)]  # fmt: skip
        report.say(f"{number(sum(each.count for each in posters))} events, "
                   f"{number(sums[0])} records in {len(watchers)} streams, "
                   f"{number(sums[1])} cuts, {number(sums[2])} other ends, "
                   f"{number(len(report.findings))} findings")  # fmt: skip
        grove.check(report)


def trouble(report: Report, grove: Grove, nginx: Nginx) -> None:
    """Replaces nginx's workers and kills the server, at random moments."""
    generator = random.Random(report.seed)
    end = time.monotonic() + (SECONDS_LONG if report.long else SECONDS)
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, generator.uniform(1, 4)))
        if generator.random() < 0.6:
            nginx.reload()
        else:
            grove.kill()
            grove.start()


def drain(watchers: list[Watcher], counts: dict[str, int]) -> None:
    """Lets the watchers read the rest, and ends them."""
    for watcher in watchers:
        watcher.cutting_until = time.monotonic()
    end = time.monotonic() + SECONDS_LEFT
    while time.monotonic() < end and any(is_behind(each, counts) for each in watchers):
        time.sleep(0.1)
    time.sleep(0.5)
    for watcher in watchers:
        watcher.lasts_until = time.monotonic()
    for watcher in watchers:
        watcher.join(10)


def is_behind(watcher: Watcher, counts: dict[str, int]) -> bool:
    """Whether records are missing at the end."""
    if not watcher.versions:
        return True
    return any(len(watcher.versions.get(name, [])) < count for name, count in counts.items()
               if "machine=" in watcher.path or f"/{name}/" in watcher.path)  # fmt: skip


def hold(report: Report, watcher: Watcher, counts: dict[str, int]) -> None:
    """The versions of each instance follow each other from 1 to the last."""
    report.expect(not watcher.refusals, f"{watcher.path}: {watcher.refusals[:3]}")
    for name, count in counts.items():
        versions = watcher.versions.get(name, [])
        if versions == list(range(1, count + 1)):
            continue
        wrong = next((n for n, v in enumerate(versions) if v != n + 1), len(versions))
        report.finding(f"{watcher.path}: of {name}, {count} events were posted, {len(versions)} "
                       f"records came, and after {versions[max(0, wrong - 3):wrong]} came "
                       f"{versions[wrong:wrong + 3]}")  # fmt: skip
