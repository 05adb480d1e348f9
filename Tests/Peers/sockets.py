"""RFC 6455 case by case, with wsproto as the peer.

wsproto makes the handshake and reads all that Grove sends, so a masked frame, a wrong length or a
wrong closing code is its error. What a client must not send is written here by hand.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from typing import NamedTuple

from stage import Grove, Report, connect, number, running
from web import Web
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate
from wsproto.utilities import RemoteProtocolError

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10

#: The longest message of the server (`max-line`).
MESSAGE_BYTES_MAX = 1 << 20


def frame(
    opcode: int, payload: bytes = b"", *, final: bool = True, reserved: int = 0,
    mask: bytes | None = b"\x37\xfa\x21\x3d", form: int | None = None,
) -> bytes:
    """A frame of a client. `form` is the number of bytes of its length, `mask` may be missing."""
    size = len(payload)
    form = form if form is not None else 1 if size < 126 else 2 if size < 65_536 else 8
    marker = {1: size, 2: 126, 8: 127}[form]
    head = bytes([final << 7 | reserved << 4 | opcode, (mask is not None) << 7 | marker])
    head += {1: b"", 2: struct.pack("!H", size & 0xFFFF), 8: struct.pack("!Q", size)}[form]
    if mask is None:
        return head + payload
    key = int.from_bytes((mask * (size // 4 + 1))[:size])
    return head + mask + (int.from_bytes(payload) ^ key).to_bytes(size)


def echo(text: str) -> bytes:
    """A line whose reply has the text."""
    return json.dumps({"op": "ping", "id": 1, "t": text}, ensure_ascii=False).encode()


def closing(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack("!H", code) + reason)


class Case(NamedTuple):
    """Frames, and what must come back: `echo TEXT`, `pong PAYLOAD`, `error CODE`, `close CODE`.
    Without a close at the end, the connection must stand."""

    name: str
    frames: bytes
    expected: list[str]


# MARK: The peer


class Peer:
    """A WebSocket, from handshake to end."""

    def __init__(self, address: str, **offers: list) -> None:
        self.socket = connect(address)
        self.protocol = WSConnection(ConnectionType.CLIENT)
        self.socket.sendall(
            self.protocol.send(Request(host="localhost", target="/v1/socket", **offers)))
        self.is_over = False
        self.waiting: list[Event] = []
        self.handshake = self.next()

    def next(self) -> Event | None:
        """The next event; `None` at the end."""
        while not self.waiting:
            if self.is_over:
                return None
            try:
                piece = self.socket.recv(1 << 16)
            except ConnectionResetError:
                piece = b""
            self.is_over = not piece
            self.protocol.receive_data(piece or None)
            self.waiting += self.protocol.events()
            if self.is_over:
                # wsproto makes an event with 1006 of an end without a frame.
                self.waiting = [event for event in self.waiting
                                if not (isinstance(event, CloseConnection) and event.code == 1006)]
        return self.waiting.pop(0)

    def send(self, frames: bytes, piece: int | None = None) -> None:
        """Sends bytes, all at once or in pieces."""
        try:
            for place in range(0, len(frames), piece or len(frames) or 1):
                self.socket.sendall(frames[place : place + (piece or len(frames))])
        except (BrokenPipeError, ConnectionResetError):
            pass  # The server has closed: what it said is read all the same.

    def messages(self) -> Iterator[str]:
        """What comes back, as cases say it; ends after a close."""
        text = ""
        while (event := self.next()) is not None:
            match event:
                case TextMessage():
                    text += event.data
                    if event.message_finished:
                        yield shown(text)
                        text = ""
                case Pong():
                    yield f"pong {bytes(event.payload).hex()}"
                case Ping():
                    self.send(self.protocol.send(event.response()))
                case CloseConnection():
                    yield f"close {int(event.code)}"
                    return
                case BytesMessage():
                    yield "binary"

    def close(self) -> None:
        self.socket.close()


def shown(line: str) -> str:
    """A line of the protocol, as cases say it."""
    reply = json.loads(line)
    if "error" in reply:
        return f"error {reply['error']['code']}"
    return f"echo {reply['t']}" if "t" in reply else reply.get("op", line)


# MARK: Cases


def messages() -> Iterator[Case]:
    """5.6 and 5.2: messages of each form of length."""
    base = len(echo(""))
    for size in (base, 125, 126, 127, 128, 1000, 65_535, 65_536, 65_537, 200_000):
        text = "x" * (size - base)
        yield Case(f"a message of {size} bytes", frame(TEXT, echo(text)), [f"echo {text}"])
    text = "x" * (MESSAGE_BYTES_MAX - base)
    yield Case("the longest message", frame(TEXT, echo(text)), [f"echo {text}"])
    yield Case("a longer one", frame(TEXT, echo(text + "x")), ["close 1009"])
    yield Case("a mask of zeros", frame(TEXT, echo("a"), mask=bytes(4)), ["echo a"])
    yield Case("an empty message", frame(TEXT), [])
    yield Case("many messages at once", frame(TEXT, echo("a")) * 100, ["echo a"] * 100)
    yield Case("no JSON", frame(TEXT, b"hello"), ["error BAD_JSON"])
    # 5.2: the least number of bytes must be used.
    for form, name in ((2, "two"), (8, "eight")):
        yield Case(f"a length in {name} bytes that needs one",
                   frame(TEXT, echo("a"), form=form), ["close 1002"])
    yield Case("a length in eight bytes that needs two",
               frame(TEXT, echo("x" * 200), form=8), ["close 1002"])
    huge = bytes([0x81, 0xFF]) + b"\xff" * 8 + bytes(4)
    yield Case("a length with its highest bit", huge, ["close 1002"])
    yield Case("a length of 2^62", bytes([0x81, 0xFF, 0x40]) + bytes(11), ["close 1009"])


def masks() -> Iterator[Case]:
    """5.1: a server closes upon a frame without a mask."""
    for opcode, name in ((TEXT, "text"), (BINARY, "binary"), (PING, "a ping"), (PONG, "a pong")):
        # 5.1: the code may be 1002; that binary isn't accepted may be said first.
        code = "close 1002|close 1003" if opcode == BINARY else "close 1002"
        yield Case(f"{name} without a mask", frame(opcode, b"{}", mask=None), [code])
    yield Case("a close without a mask", frame(CLOSE, b"\x03\xe8", mask=None), ["close 1002"])


def reserved() -> Iterator[Case]:
    """5.2: reserved bits and opcodes; nothing was negotiated that gives them a meaning."""
    for bits in range(1, 8):
        yield Case(f"reserved bits {bits:03b}", frame(TEXT, echo("a"), reserved=bits),
                   ["close 1002"])
        yield Case(f"reserved bits {bits:03b} of a ping", frame(PING, reserved=bits),
                   ["close 1002"])
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        yield Case(f"opcode {opcode}", frame(opcode, b"a"), ["close 1002"])
        yield Case(f"opcode {opcode} within a message",
                   frame(TEXT, b"a", final=False) + frame(opcode), ["close 1002"])
    yield Case("binary", frame(BINARY, b"{}"), ["close 1003"])


def fragments() -> Iterator[Case]:
    """5.4: fragmentation."""
    text = echo("a message in parts")
    for count in (2, 3, 10, len(text)):
        step = -(-len(text) // count)
        parts = [text[place : place + step] for place in range(0, len(text), step)]
        frames = [frame(TEXT if n == 0 else CONTINUATION, part, final=n == len(parts) - 1)
                  for n, part in enumerate(parts)]  # fmt: skip
        yield Case(f"{count} fragments", b"".join(frames), ["echo a message in parts"])
        between = frame(PING, b"p").join(frames)
        yield Case(f"pings between {count} fragments", between,
                   ["pong 70"] * (len(parts) - 1) + ["echo a message in parts"])
    empty = frame(TEXT, final=False) + frame(CONTINUATION, final=False)
    yield Case("empty fragments", empty + frame(CONTINUATION, echo("a")), ["echo a"])
    yield Case("empty fragments of an empty message", empty + frame(CONTINUATION), [])
    begun = frame(TEXT, b"a", final=False)
    yield Case("no beginning", frame(CONTINUATION, b"a"), ["close 1002"])
    yield Case("no beginning, and no end", frame(CONTINUATION, b"a", final=False), ["close 1002"])
    yield Case("more of a message after its end", frame(TEXT) + frame(CONTINUATION),
               ["close 1002"])
    yield Case("a message within another", begun + frame(TEXT, b"b"), ["close 1002"])
    yield Case("binary within a message", begun + frame(BINARY, b"b"), ["close 1002"])
    many = frame(CONTINUATION, b"x" * 65_536, final=False) * 17
    yield Case("fragments that add up to more than the longest", begun + many, ["close 1009"])
    yield Case("a close within a message", begun + closing(1000), ["close 1000"])


def controls() -> Iterator[Case]:
    """5.5: control frames."""
    for size in (0, 1, 125):
        payload = bytes(range(size))
        yield Case(f"a ping of {size} bytes", frame(PING, payload), [f"pong {payload.hex()}"])
    yield Case("pings at once", b"".join(frame(PING, bytes([n])) for n in range(10)),
               [f"pong {n:02x}" for n in range(10)])
    yield Case("a ping of no UTF-8", frame(PING, b"\xff\xfe"), ["pong fffe"])
    for opcode, name in ((PING, "ping"), (PONG, "pong"), (CLOSE, "close")):
        yield Case(f"a {name} of 126 bytes", frame(opcode, b"\x03\xe8" + b"a" * 124),
                   ["close 1002"])
        yield Case(f"a {name} in parts", frame(opcode, b"\x03\xe8", final=False), ["close 1002"])
        yield Case(f"a {name} with a length in two bytes",
                   frame(opcode, b"\x03\xe8", form=2), ["close 1002"])
    yield Case("a pong that nobody asked for", frame(PONG, b"a"), [])


def texts() -> Iterator[Case]:
    """5.6 and 8.1: text is UTF-8, in whichever parts."""
    for text in ("κόσμε", "\u07ff\u0800\uffff\U00010000", "\ud7ff\ue000\ufffd", "\U0010ffff",
                 "\ufffe\uffff", "👩‍👩‍👧"):  # fmt: skip
        line = echo(text)
        yield Case(f"text {text!a}", frame(TEXT, line), [f"echo {text}"])
        for cut in range(len(line) - len(text.encode()) - 2, len(line)):
            frames = frame(TEXT, line[:cut], final=False) + frame(CONTINUATION, line[cut:])
            yield Case(f"text {text!a} cut at {cut}", frames, [f"echo {text}"])
    wrong = ("80 bf c080 c1bf e08080 e09fbf f0808080 f08fbfbf eda080 edbfbf edb080 f4908080 "
             "f5808080 f888808080 fc8480808080 fe ff fefeffff c3 e282 f09f98 c328 e228a1 e28228 "
             "f0288cbc f09028bc f0288c28 cebae1bdb9cf83cebcceb5eda080656469746564")  # fmt: skip
    for text in map(bytes.fromhex, wrong.split()):
        line = echo("§").replace("§".encode(), text)
        yield Case(f"no UTF-8: {text.hex()}", frame(TEXT, line), ["close 1007"])
        cut = line.index(text) + 1
        frames = frame(TEXT, line[:cut], final=False) + frame(CONTINUATION, line[cut:])
        yield Case(f"no UTF-8 in parts: {text.hex()}", frames, ["close 1007"])
    yield Case("text that ends within a character", frame(TEXT, b"\xe2\x82"), ["close 1007"])
    yield Case("a newline within a message", frame(TEXT, echo("a") + b"\n"), ["close 1007"])


def closes() -> Iterator[Case]:
    """5.5.1 and 7.4: closing, and its codes."""
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999):
        yield Case(f"code {code}", closing(code), [f"close {code}"])
        yield Case(f"code {code} with a reason", closing(code, b"enough"), [f"close {code}"])
    # 7.4.1: 1004 is reserved, 1005, 1006 and 1015 must not be sent; 7.4.2: below 1000 isn't used,
    # and up to 2999 is for the standard.
    for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535):
        yield Case(f"code {code}, which isn't one", closing(code), ["close 1002"])
    yield Case("a close of one byte", frame(CLOSE, b"\x03"), ["close 1002"])
    yield Case("the longest reason", closing(1000, b"r" * 123), ["close 1000"])
    yield Case("a reason of no UTF-8", closing(1000, b"\xff"), ["close 1007"])
    # 5.5.1: the answer typically repeats the code, so of none it may be none, which wsproto calls
    # 1005, or that of a normal end.
    yield Case("a close without a code", frame(CLOSE), ["close 1000|close 1005"])
    yield Case("a message after the close", closing(1000) + frame(TEXT, echo("a")),
               ["close 1000"])
    yield Case("a ping after the close", closing(1000) + frame(PING, b"a"), ["close 1000"])
    yield Case("two closes", closing(1000) + closing(1001), ["close 1000"])
    yield Case("what isn't a frame after the close", closing(1000) + b"\xff" * 64,
               ["close 1000"])


# MARK: Playing


def play(report: Report, address: str, case: Case, piece: int | None) -> None:
    """Plays a case; then the connection must be closed, or stand and be closed by this end."""
    peer = Peer(address)
    name = case.name + (f", in pieces of {piece}" if piece else "")
    expected = ["hello", *case.expected]
    stands = not expected[-1].startswith("close")
    if stands:
        expected += ["echo the end", "close 1000"]
    seen = []
    try:
        peer.send(case.frames + (frame(TEXT, echo("the end")) if stands else b""), piece)
        for text in peer.messages():
            seen.append(text)
            # 5.5.1: who has sent a close need not be answered any more, so it comes last.
            if text == "echo the end":
                peer.send(closing(1000))
        while peer.next() is not None:
            pass  # The server closes the connection.
    except (RemoteProtocolError, TimeoutError) as error:
        report.finding(f"{name}: {type(error).__name__} {error} after {brief(seen)}; "
                       f"sent {case.frames[:80]!r}")  # fmt: skip
        return
    finally:
        peer.close()
    is_right = len(seen) == len(expected) and all(
        text in (wanted.split("|") if wanted.startswith("close") else [wanted])
        for text, wanted in zip(seen, expected))  # fmt: skip
    report.expect(is_right, f"{name}: {brief(seen)} came back, and not {brief(expected)}; "
                            f"sent {case.frames[:80]!r}")  # fmt: skip


def brief(texts: list[str]) -> list[str]:
    return [text[:60] for text in texts[:8]]


def check(report: Report) -> None:
    """Handshakes, then each case, whole and in pieces."""
    grove = Grove("--max-line", str(MESSAGE_BYTES_MAX))
    with running(grove):
        count = sum(1 for _ in handshakes(report, grove.web))
        report.say(f"handshakes: {number(count)}")
        for group in (messages, masks, reserved, fragments, controls, texts, closes):
            cases = list(group())
            for case in cases:
                for piece in (None, 1, 7):
                    if piece is None or len(case.frames) < 2_000:
                        play(report, grove.web, case, piece)
            report.say(f"{group.__name__}: {number(len(cases))} cases")
        grove.check(report)


def handshakes(report: Report, address: str) -> Iterator[None]:
    """Section 4: what is accepted, and what isn't."""
    for offers, protocol in (({}, None), ({"subprotocols": ["grove.v1"]}, "grove.v1"),
                             ({"subprotocols": ["soap", "grove.v1"]}, "grove.v1"),
                             ({"extensions": [PerMessageDeflate()]}, None)):  # fmt: skip
        peer = Peer(address, **offers)
        accepted = peer.handshake
        if report.expect(isinstance(accepted, AcceptConnection), f"{offers}: {accepted}"):
            report.expect(accepted.subprotocol == protocol and not accepted.extensions,
                          f"{offers}: {accepted}")
        peer.close()
        yield
    key = base64.b64encode(bytes(16)).decode()
    right = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": key}  # fmt: skip
    changes: list[tuple[dict[str, str | None], tuple[int, ...]]] = [
        ({}, (101,)),
        ({"Upgrade": "WebSocket", "Connection": "keep-alive, upgrade"}, (101,)),
        ({"Upgrade": None}, (400, 426)), ({"Connection": None}, (400, 426)),
        ({"Upgrade": "h2c"}, (400, 426)), ({"Connection": "close"}, (400, 426)),
        ({"Sec-WebSocket-Key": None}, (400,)), ({"Sec-WebSocket-Key": "abc"}, (400,)),
        ({"Sec-WebSocket-Key": base64.b64encode(bytes(15)).decode()}, (400,)),
        ({"Sec-WebSocket-Version": None}, (400, 426)), ({"Sec-WebSocket-Version": "8"}, (426,)),
        ({"Sec-WebSocket-Version": "14"}, (426,)), ({"Origin": "http://other.example"}, (403,)),
    ]  # fmt: skip
    for change, statuses in changes:
        web = Web(address)
        fields = {name: value for name, value in (right | change).items() if value is not None}
        web.request("GET", "/v1/socket", headers=fields)
        answer = web.getresponse()
        report.expect(answer.status in statuses, f"handshake {change}: {answer.status}")
        version = answer.getheader("Sec-WebSocket-Version")
        # 4.4: the versions that are understood.
        report.expect(answer.status != 426 or version == "13", f"handshake {change}: {version}")
        web.close()
        yield
