"""Through nginx in front, with connections to Grove kept open, every client gets its own answers.

The texts of the comparison go through nginx. Each is followed by a request with a path of its own,
and then another client asks for another path, which nginx sends over the same connection to Grove.
If nginx and Grove disagreed about the end of any request, somebody would get another's answer.
"""

from __future__ import annotations

import collections
import time

import corpus
from framing import FINDINGS_MAX, WatchingNginx, difference, is_accepted
from stage import Grove, Report, number, running
from web import Web, make_instance

PROXY = """proxy_pass http://grove; proxy_http_version 1.1; proxy_set_header Connection "";
    proxy_set_header Host $http_host; proxy_request_buffering %s;"""

UPSTREAM = "upstream grove { server unix:%s; keepalive 1; }"


class Proxied:
    """Sends texts through one nginx."""

    def __init__(self, report: Report, nginx: WatchingNginx, knows_bodies: bool) -> None:
        self.report = report
        self.nginx = nginx
        self.knows_bodies = knows_bodies
        self.texts = 0
        self.counts: collections.Counter[str] = collections.Counter()

    def pass_on(self, name: str, text: bytes) -> None:
        """Sends a text and two requests after it."""
        self.texts += 1
        mark = f"/v1/mark-{self.texts}"
        whole = text + f"GET {mark} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode()
        answers, reading = self.nginx.ask(whole, is_ending=True)
        for answer, seen in zip(answers, reading.requests):
            if not is_accepted(answer):
                continue  # nginx passes on some bytes that Grove refuses.
            if not self.knows_bodies and corpus.is_echo(seen.path):
                continue  # nginx logs no body that it passes on.
            what = difference(answer, seen)
            if what:
                self.differ(name, whole, what)
        self.counts["answers"] += len(reading.requests)
        self.counts["refused by nginx"] += reading.end == "refused"
        self.counts["unfinished"] += reading.end == "unfinished"
        probe = f"/v1/probe-{self.texts}"
        web = Web(self.nginx.address("front"))
        status, answer = web.ask("GET", probe)
        web.close()
        if status != 404 or answer.get("instance") != probe:
            self.differ(name, whole, f"another client got {status} {answer} for {probe}")

    def differ(self, name: str, text: bytes, what: str) -> None:
        self.counts["mixed up"] += 1
        if self.counts["mixed up"] <= FINDINGS_MAX:
            self.report.finding(f"through nginx, from “{name}”: {what}\n{text!r}")


def check(report: Report) -> None:
    """The corpus and some mutations, with bodies that nginx reads first, and that it passes on."""
    flags = [flag for name in ("h", "a,b", "other") for flag in ("--web-hosts", name)]
    count = 100_000 if report.long else 2_000
    for buffering, title in (("on", "bodies read first"), ("off", "bodies passed on")):
        grove = Grove(*flags)
        upstream = UPSTREAM % grove.web.removeprefix("unix:")
        with running(grove):
            make_instance(grove.web, corpus.ECHO_CHART, "e")
            nginx = WatchingNginx(PROXY % buffering, upstream)
            with running(nginx):
                proxied = Proxied(report, nginx, buffering == "on")
                start = time.monotonic()
                for name, text in corpus.seeds().items():
                    proxied.pass_on(name, text)
                for name, text in corpus.mutations(report.seed, count):
                    proxied.pass_on(name, text)
                counts = ", ".join(f"{number(n)} {kind}" for kind, n in proxied.counts.items())
                took = time.monotonic() - start
                report.say(f"{title}: {number(proxied.texts)} texts, {counts} ({took:.0f} s)")
            grove.check(report)
