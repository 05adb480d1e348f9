"""The golden conversations over WebSocket say what they say over lines.

Each conversation is played to two fresh servers, to one over a socket with lines, to the other over
WebSocket with wsproto as the peer. What clients receive must be the same but for what differs
between any two servers: times, cursors, tokens. What only the tests' own server can do (the lines
with `!`) is left out; the golden files themselves are held elsewhere.
"""

from __future__ import annotations

import collections
import concurrent.futures
import json
import pathlib
import re
import time

from sockets import TEXT, Peer, frame
from stage import ROOT, Grove, Report, connect, number, running
from wsproto.events import CloseConnection, Ping, TextMessage

FOLDER = ROOT / "Tests/ConversationTests/Golden"

#: The id of the request whose reply shows that all before it was read.
MARK = "~mark"

#: After its last line, a client waits so long for what comes without being asked for.
PATIENCE_S = 0.3

#: How long a client waits for the reply to its mark, which some conversations hold back.
MARK_S = 3

#: Conversations that are played at once: their clients mostly wait.
AT_ONCE = 6

#: How often a conversation is played before it is said to differ.
TRIES = 4

#: How long a client waits for a reply, which comes later in some conversations.
REPLY_S = 0.3

#: What differs between two servers with the same data file.
_CHANGING = [
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "TIME"),
    (re.compile(r'"due_ms":\d+'), '"due_ms":0'),
    (re.compile(r"grove_[A-Za-z0-9_-]+"), "TOKEN"),
    (re.compile(r'"(token_id|id)":"[a-z0-9]{8}"'), r'"\1":"ID"'),
    (re.compile(r'"token":"(\d+-\d+)-[0-9a-f]{32}"'), r'"token":"\1"'),
    (re.compile(r"\btoken [a-z0-9]{8}\b"), "token ID"),
    (re.compile(r'"hash":"[0-9a-f]{64}"'), '"hash":"HASH"'),
    (re.compile(r'"engine_requests":.*'), '"engine_requests":…'),
]

#: How far a copy has come, and when a handler has failed, is a matter of time. A message is no request
#: of another protocol.
LEFT_OUT = {
    "ops/backup.txt", "ops/retry.txt", "topics/chart-requests.txt", "topics/http.txt",
    "topics/order.txt",
}  # fmt: skip


class LineClient:
    """A client with lines."""

    def __init__(self, grove: Grove) -> None:
        self.socket = connect(grove.address)
        self.rest = b""
        self.is_over = False

    def send(self, line: str) -> None:
        try:
            self.socket.sendall(line.encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # Read what the server said before.

    def receive(self) -> list[str]:
        """Some more lines; none when time is over or the connection ends."""
        try:
            piece = self.socket.recv(1 << 16)
        except TimeoutError:
            return []
        except ConnectionResetError:
            piece = b""
        self.is_over = self.is_over or not piece
        *lines, self.rest = (self.rest + piece).split(b"\n")
        return [line.decode() for line in lines]

    def close(self) -> None:
        self.socket.close()


class SocketClient:
    """A client with WebSocket."""

    def __init__(self, grove: Grove) -> None:
        self.peer = Peer(grove.web)
        self.socket = self.peer.socket
        self.text = ""

    @property
    def is_over(self) -> bool:
        return self.peer.is_over

    def send(self, line: str) -> None:
        self.peer.send(frame(TEXT, line.encode()))

    def receive(self) -> list[str]:
        """Some more messages."""
        try:
            event = self.peer.next()
        except TimeoutError:
            return []
        match event:
            case TextMessage():
                self.text += event.data
                if event.message_finished:
                    line, self.text = self.text, ""
                    return [line]
            case Ping():
                self.peer.send(self.peer.protocol.send(event.response()))
            case CloseConnection():
                self.peer.is_over = True
        return []

    def close(self) -> None:
        self.peer.close()


def lines(text: str) -> list[tuple[str, str]]:
    """The lines that clients send, each with its client's letter."""
    found = (re.match(r"([a-z]?)> (.*)", line) for line in text.split("\n"))
    return [(match[1], match[2]) for match in found if match]


def play(
    kind: type[LineClient] | type[SocketClient], grove: Grove, sent: list[tuple[str, str]],
    is_rpc: bool,
) -> dict[str, list[str]]:
    """What each client receives. A line is sent when the one before is answered: which requests
    share a commit is a matter of time."""
    clients: dict[str, LineClient | SocketClient] = {}
    received: dict[str, list[str]] = collections.defaultdict(list)
    mark = {"op": "ping", "id": MARK}
    if is_rpc:
        mark = {"jsonrpc": "2.0", "id": MARK, "method": "ping"}
    for name, line in sent:
        if name not in clients:
            clients[name] = kind(grove)
        client = clients[name]
        client.send(line)
        client.send(json.dumps(mark))
        received[name] += wait(client, f'"id":"{MARK}"', MARK_S)
        identity = re.search(r'"id": ?(\d+|"[^"]*")', line)
        if identity and not any(f'"id":{identity[1]}' in one for one in received[name]):
            received[name] += wait(client, f'"id":{identity[1]}', REPLY_S)
    for name, client in clients.items():
        received[name] += wait(client, "nothing has this", PATIENCE_S)
        if client.is_over:
            received[name].append("(closed)")
        client.close()
    return received


def wait(client: LineClient | SocketClient, text: str, seconds: float) -> list[str]:
    """Lines up to the one with a text, or to the end of some time or of the connection."""
    found: list[str] = []
    end = time.monotonic() + seconds
    while not client.is_over and (left := end - time.monotonic()) > 0:
        client.socket.settimeout(left)
        some = client.receive()
        found += some
        if any(text in line for line in some):
            break
    return found


def plain(received: list[str]) -> list[str]:
    """Lines without what differs from server to server, sorted: records that nobody waits for may
    come before or after a reply."""
    found = []
    for line in received:
        if f'"{MARK}"' in line:
            continue
        for pattern, word in _CHANGING:
            line = pattern.sub(word, line)
        # Tokens stand in the order of their ids, which are random.
        found.append("".join(sorted(line)) if '"ID"' in line or "token ID" in line else line)
    return sorted(found)


def check(report: Report) -> None:
    """All conversations."""
    files = [file for file in sorted(FOLDER.rglob("*.txt"))
             if str(file.relative_to(FOLDER)) not in LEFT_OUT]  # fmt: skip
    # One data file for all, so that cursors are the same.
    first = Grove()
    with running(first):
        first.stop()
        data = pathlib.Path(first.folder, "data.db")
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            count = sum(pool.map(lambda file: compare(report, file, data), files))
    report.say(f"{number(len(files))} conversations, {number(count)} lines from the server")


def compare(report: Report, file: pathlib.Path, data: pathlib.Path) -> int:
    """Plays one to both; returns the number of lines from the server. One that differs is played
    again: when a timer or a handler is done may be the reason for one difference, not for all."""
    for _ in range(TRIES):
        difference, count = differ(report, file, data)
        if not difference:
            return count
    report.finding(f"{file.relative_to(FOLDER)}: {difference}")
    return count


def differ(report: Report, file: pathlib.Path, data: pathlib.Path) -> tuple[str, int]:
    """How what clients receive differs, empty if it doesn't; and the number of lines."""
    sent = lines(file.read_text())
    is_rpc = file.parent.name == "json-rpc"
    servers = [Grove("--heartbeat-ms", "600000", data=data) for _ in range(2)]
    with running(*servers):
        over = [play(kind, grove, sent, is_rpc)
                for kind, grove in zip((LineClient, SocketClient), servers)]  # fmt: skip
        for grove in servers:
            grove.check(report)
    text = ""
    for name in over[0]:
        left, right = (collections.Counter(plain(each[name])) for each in over)
        for kind, only in (("lines", left - right), ("WebSocket", right - left)):
            text += "".join(f"\nclient {name or 'alone'}, over {kind} only: {line[:300]}"
                            for line in only.elements())  # fmt: skip
    return text, sum(map(len, over[1].values()))
