"""No request that Grove accepts is framed otherwise by its peers: h11, llhttp and nginx.

Each text is sent to Grove, followed by a request that ends the connection. What Grove answers shows
which requests it saw: a refusal names the path, and a machine that keeps its event shows it, which
is the body. The same bytes go to h11 and llhttp, and to nginx, which logs what it saw. For each
request that Grove accepted, a peer must have seen the same one at the same place, or have refused
it.
"""

from __future__ import annotations

import collections
import json
import os
import socket
import time
from dataclasses import dataclass
from typing import NamedTuple

import corpus
import h11
import httptools
from stage import Grove, Nginx, Report, connect, number, running
from web import make_instance

#: Grove's answer to a request that isn't complete comes once its client has ended its stream, which
#: it does after this time; a peer that waits for more bytes has not seen the end of the request.
SILENCE_S = 0.05
PEER_SILENCE_S = 0.3

#: Findings that are printed; more of a kind say nothing more.
FINDINGS_MAX = 10

NO_BODY = [("Content-Length", "0")]

CLOSING = b"GET /v1/%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


class Request(NamedTuple):
    """A request as a peer saw it."""

    method: str
    path: str
    body: bytes


@dataclass
class Reading:
    """What a peer made of a text: requests, and then an end. `refused` are the bytes that follow,
    `unfinished` is a request, `closed` is the connection, and `clean` is the end of all bytes."""

    requests: list[Request]
    end: str


class Answer(NamedTuple):
    status: int
    fields: dict[str, str]
    body: bytes
    #: The problem that the body says, if it is one.
    problem: dict


# MARK: Answers


def receive(
    connection: socket.socket, silence: float = SILENCE_S, is_ending: bool = True
) -> tuple[bytes, bool]:
    """All bytes up to the end, and whether the end came by itself."""
    connection.settimeout(silence)
    pieces: list[bytes] = []
    by_itself = True
    while True:
        try:
            piece = connection.recv(1 << 16)
        except TimeoutError:
            if not by_itself or not is_ending:
                return b"".join(pieces), False
            by_itself = False
            connection.settimeout(10)
            connection.shutdown(socket.SHUT_WR)
            continue
        except ConnectionResetError:
            piece = b""
        if not piece:
            return b"".join(pieces), by_itself
        pieces.append(piece)


def answers(stream: bytes) -> list[Answer]:
    """The answers in a stream; 1xx are left out, and so is one that isn't complete."""
    found: list[Answer] = []
    place = 0
    while (end := stream.find(b"\r\n\r\n", place)) >= 0:
        lines = stream[place:end].decode("latin-1").split("\r\n")
        place = end + 4
        status = int(lines[0].split(" ")[1])
        if status < 200:
            continue
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        length = int(fields.get("content-length", "0"))
        body = stream[place : place + length]
        if len(body) < length:
            break
        place += length
        is_problem = fields.get("content-type") == "application/problem+json"
        found.append(Answer(status, fields, body, json.loads(body) if is_problem else {}))
    return found


# MARK: Peers


def ask_h11(text: bytes) -> Reading:
    """What h11 makes of a text."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=32_768)
    requests: list[Request] = []
    body = bytearray()
    head: h11.Request | None = None
    connection.receive_data(text)
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                is_clean = head is None and not connection.trailing_data[0]
                return Reading(requests, "clean" if is_clean else "unfinished")
            if event is h11.PAUSED:
                return Reading(requests, "closed")
            if isinstance(event, h11.Request):
                head, body = event, bytearray()
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                target = head.target.decode("latin-1")
                requests.append(Request(head.method.decode(), path_of(target), bytes(body)))
                head = None
                # No success: that would end HTTP for CONNECT.
                connection.send(h11.Response(status_code=404, headers=NO_BODY))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    return Reading(requests, "closed")
                connection.start_next_cycle()
    except h11.RemoteProtocolError:
        return Reading(requests, "refused")


class Collector:
    """What llhttp calls."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.is_inside = False
        self.parser = httptools.HttpRequestParser(self)

    def on_message_begin(self) -> None:
        self.is_inside = True
        self.url = self.body = b""

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_inside = False
        method = self.parser.get_method().decode()
        path = path_of(self.url.decode("latin-1"))
        self.requests.append(Request(method, path, self.body))


def ask_llhttp(text: bytes) -> Reading:
    """What llhttp makes of a text."""
    requests: list[Request] = []
    while True:
        collector = Collector()
        try:
            collector.parser.feed_data(text)
        except httptools.HttpParserUpgrade as upgrade:
            # The server stays with HTTP, and reads a body. The parser leaves that to the other
            # protocol, so it is asked again, with the field under another name.
            end_of_head = upgrade.args[0]
            place = text.lower().rfind(b"\nupgrade", 0, end_of_head) + 1
            if place > 0:
                text = text[:place] + b"X" + text[place + 1 :]
            else:
                requests += collector.requests
                text = text[end_of_head:]
            continue
        except httptools.HttpParserError as error:
            end = "closed" if "Connection: close" in str(error) else "refused"
            return Reading(requests + collector.requests, end)
        end = "unfinished" if collector.is_inside else "clean"
        return Reading(requests + collector.requests, end)


class WatchingNginx(Nginx):
    """nginx that logs each request with its body, and gives it to a server after it."""

    def __init__(self, directives: str, more: str = "") -> None:
        super().__init__(f"""
            log_format seen escape=json
                '["$request_id","$request_method","$request_uri","$request_body"]';
            {more}
            server {{
                listen unix:{{folder}}/front; access_log {{folder}}/requests seen;
                add_header X-Id $request_id always;
                location / {{ client_body_in_single_buffer on; {directives} }}
            }}""")
        self.entries: dict[str, Request] = {}
        self.file = open(self.log, encoding="latin-1", newline="\n")
        self.rest = ""

    def remove(self) -> None:
        self.file.close()
        super().remove()

    def ask(self, text: bytes, is_ending: bool = False) -> tuple[list[Answer], Reading]:
        """The answers to a text, and what nginx makes of it."""
        with connect(self.address("front")) as connection:
            send(connection, text)
            silence = SILENCE_S if is_ending else PEER_SILENCE_S
            stream, is_closed = receive(connection, silence, is_ending)
        seen = answers(stream)
        requests: list[Request] = []
        self.entries.clear()
        for answer in seen:
            # nginx's own answers are pages in HTML without a policy.
            is_own = "x-content-type-options" not in answer.fields and answer.status != 200
            if is_own:
                return seen, Reading(requests, "refused")
            requests.append(self.entry(answer.fields["x-id"]))
        return seen, Reading(requests, "closed" if is_closed else "unfinished")

    def entry(self, identity: str) -> Request:
        """The request with an answer of this name; nginx may log it a little later."""
        end = time.monotonic() + 5
        while identity not in self.entries:
            *lines, self.rest = (self.rest + self.file.read()).split("\n")
            for line in lines:
                name, method, uri, body = json.loads(line)
                self.entries[name] = Request(method, path_of(uri), body.encode("latin-1"))
            if time.monotonic() > end:
                raise RuntimeError(f"nginx doesn't log {identity}")
        return self.entries.pop(identity)


def answering_nginx() -> WatchingNginx:
    """nginx that answers itself, by a second server inside."""
    return WatchingNginx(
        """proxy_pass http://unix:{folder}/back; proxy_pass_request_body off;
        proxy_set_header Content-Length "";""",
        """server { listen unix:{folder}/back; location / { return 200 ""; } }""")


def send(connection: socket.socket, text: bytes) -> None:
    """Sends to a server that may have closed already, because it refuses the beginning."""
    try:
        connection.sendall(text)
    except (BrokenPipeError, ConnectionResetError):
        pass


def path_of(target: str) -> str:
    """A target without its query; of the absolute form, the path. An empty path is `/`: nginx
    writes `?x` for `http://host?x`."""
    if not target.startswith(("/", "*")) and "://" in target:
        target = "/" + target.split("://", 1)[1].partition("/")[2]
    return target.partition("?")[0] or "/"


# MARK: The comparison


def is_accepted(answer: Answer) -> bool:
    """Whether a request was read to its end, or at least its head: a refusal of what isn't HTTP
    has no path."""
    return not answer.problem or "instance" in answer.problem


def is_head_refused(answer: Answer) -> bool:
    """Whether Grove has refused a request by its head, and closed the connection: it didn't look
    for the request's end."""
    return answer.status >= 400 and answer.fields.get("connection") == "close"


def difference(answer: Answer, seen: Request) -> str | None:
    """How what Grove saw, by its answer, differs from what a peer saw."""
    path = answer.problem.get("instance")
    if path is not None and path != seen.path:
        return f"Grove saw the path {path}, the peer {seen.path}"
    if path is None and corpus.is_echo(seen.path) and seen.method == "POST":
        shown = json.loads(answer.body)
        event = shown["state"]["context"]["seen"] if "state" in shown else shown
        body = as_json(seen.body)
        if event != ({"type": body} if isinstance(body, str) else body):
            return f"Grove saw the event {event}, the peer the body {seen.body!r}"
    elif path is None and answer.status == 200 and seen.path != "/":
        return f"Grove has answered {answer.body[:200]!r}, the peer saw {seen}"
    if answer.problem.get("code") == "BAD_JSON" and as_json(seen.body) is not None:
        return f"Grove saw no JSON ({answer.problem['detail']}), the peer {seen.body!r}"
    return None


def as_json(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None


class Comparison:
    """Counts what is compared, and reports what differs."""

    def __init__(self, report: Report, grove: Grove, nginx: WatchingNginx) -> None:
        self.report = report
        self.grove = grove
        self.nginx = nginx
        self.texts = 0
        self.counts: collections.Counter[str] = collections.Counter()

    def compare(self, name: str, text: bytes, others: bytes | None = None) -> None:
        """Gives a text to all; the peers get another one to prove that a difference is found."""
        self.texts += 1
        whole = text + CLOSING % b"marked"
        others = whole if others is None else others + CLOSING % b"marked"
        with connect(self.grove.web) as connection:
            send(connection, whole)
            stream, by_itself = receive(connection)
        seen = answers(stream)
        accepted = []
        for answer in seen:
            if not is_accepted(answer):
                break
            accepted.append(answer)
        if any(answer.status == 500 for answer in seen):
            self.differ(name, whole, "Grove", f"answers {seen}")
        if not accepted:
            self.counts["refused"] += 1
            return
        if len(accepted) == 1 and is_head_refused(accepted[0]):
            self.counts["refused by the head"] += 1
            return
        self.counts["accepted"] += len(accepted)
        self.hold(name, whole, "h11", accepted, ask_h11(others))
        self.hold(name, whole, "llhttp", accepted, ask_llhttp(others))
        self.hold(name, whole, "nginx", accepted, self.nginx.ask(others)[1])

    def hold(
        self, name: str, text: bytes, peer: str, accepted: list[Answer], reading: Reading
    ) -> None:
        for place, answer in enumerate(accepted):
            if place >= len(reading.requests):
                is_unread = is_head_refused(answer) and reading.end == "unfinished"
                if reading.end == "closed":
                    # RFC 9112, section 9.5: a connection may be closed at any time. llhttp does so
                    # for `Connection: close` after a body, nginx for any value with that word.
                    self.counts[f"closed by {peer}"] += 1
                elif reading.end == "refused" or is_unread:
                    self.counts[f"refused by {peer}"] += 1
                else:
                    what = f"Grove saw {len(accepted)} requests, the peer {reading}"
                    self.differ(name, text, peer, what)
                return
            seen = reading.requests[place]
            what = difference(answer, seen)
            # What has no route is refused by its head. Without a close, there was no body.
            has_route = answer.status not in (404, 405, 501) or "code" in answer.problem
            if not has_route and seen.body and not is_head_refused(answer):
                what = f"Grove saw no body, the peer {seen.body!r}"
            if what is not None:
                self.differ(name, text, peer, what)
                return
        self.counts[f"the same for {peer}"] += 1

    def differ(self, name: str, text: bytes, peer: str, what: str) -> None:
        self.counts[f"otherwise by {peer}"] += 1
        if self.counts[f"otherwise by {peer}"] <= FINDINGS_MAX:
            self.report.finding(f"{peer}, from “{name}”: {what}\n{text!r}")

    def prove(self) -> int:
        """Compares texts that differ between Grove and its peers; returns how many of the
        differences aren't found."""
        head = f"POST {corpus.ECHO} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        right = (head + 'Content-Length: 6\r\n\r\n"abcd"').encode()
        planted = {
            "another body": right.replace(b"abcd", b"abce"),
            "another path": right.replace(b"echo/e", b"echo/f/g"),
            "a shorter body": right.replace(b": 6", b": 5").replace(b'd"', b'"'),
            "a body with the next request": right.replace(b": 6", b": 66"),
            "a body without its end": right.replace(b": 6", b": 600"),
            "one request more": b"GET /v1 HTTP/1.1\r\nHost: h\r\n\r\n" + right,
        }
        silent = Comparison(Report(False, 1, is_silent=True), self.grove, self.nginx)
        for name, text in planted.items():
            silent.compare(name, right, text)
        return 3 * len(planted) - len(silent.report.findings)

    def summary(self) -> str:
        parts = [f"{number(count)} {kind}" for kind, count in sorted(self.counts.items())]
        return f"{number(self.texts)} texts: " + ", ".join(parts)


def check(report: Report) -> None:
    """The corpus and its mutations, to Grove and its peers."""
    flags = [flag for name in ("h", "a,b", "other") for flag in ("--web-hosts", name)]
    grove = Grove(*flags)
    with running(grove):
        make_instance(grove.web, corpus.ECHO_CHART, "e")
        nginx = answering_nginx()
        with running(nginx):
            missed = Comparison(report, grove, nginx).prove()
            report.expect(missed == 0, f"{missed} planted differences aren't found")
            for title, texts in (
                ("corpus", corpus.seeds().items()),
                ("mutations", corpus.mutations(report.seed, 1_000_000 if report.long else 20_000)),
            ):
                comparison = Comparison(report, grove, nginx)
                start = time.monotonic()
                for name, text in texts:
                    comparison.compare(name, text)
                took = time.monotonic() - start
                report.say(f"{title}: {comparison.summary()} ({took:.0f} s)")
            grove.check(report)
