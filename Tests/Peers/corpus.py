"""Requests to compare servers with: those of the parser's tests, those of the fuzzer, some more
with bodies, and seeded changes of all of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from stage import ROOT

HOSTILE = ROOT / "Tests/GroveHTTPTests/Parsing/HostileRequests.swift"
FUZZED = ROOT / "Tests/Fuzz/Corpus/http"

#: Where the body of a request shows itself in Grove's answer: it is an event, and the answer has
#: the state after it, in which this machine keeps the event. Nothing is stored.
ECHO = "/v1/instances/echo/e/can"
ECHO_CHART = {
    "id": "echo", "context": {"seen": None}, "initial": "a",
    "states": {"a": {"on": {"*": {"assign": {"seen": "event"}}}}},
}  # fmt: skip


def is_echo(path: str) -> bool:
    """Whether a path is that of some instance that shows its event."""
    return re.fullmatch("/v1/instances/echo/[^/]+/can", path) is not None


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NUMBERED = re.compile(r'\(0\.\.<(\d+)\)\.map \{ "A\\\(\$0\): b" \}\.joined\(separator: "\\r\\n"\)')


def _string(literal: str) -> str:
    """A string literal of Swift as one of Python."""
    return re.sub(r"\\u\{(\w+)\}", lambda match: rf"\U{int(match[1], 16):08x}", literal)


def _expression(text: str) -> str:
    """A list of cases in Swift as an expression of Python: strings apart, few words differ."""
    text = _NUMBERED.sub(r"numbered(\1)", text)
    parts: list[str] = []
    place = 0
    for match in [*_STRING.finditer(text), None]:
        code = text[place : match.start() if match else len(text)]
        code = code.replace("String(repeating:", "repeating(")
        code = re.sub(r"\b(name|text|verdicts|count): ", r"\1=", code)
        code = re.sub(r"(?<![\w)])\.(accepted|refused|unfinished)\b", r"\1", code)
        parts.append(code)
        if match:
            parts.append(_string(match[0]))
            place = match.end()
    return "".join(parts)


def hostile() -> dict[str, bytes]:
    """The requests of HostileRequests.swift by their names, from its very text."""
    source = HOSTILE.read_text()

    def case(name: str, text: str, verdicts: object) -> tuple[str, str]:
        return name, text

    def post(name: str, fields: str, body: str, verdict: object = None) -> tuple[str, str]:
        return name, f"POST /e HTTP/1.1\r\nHost: h\r\n{fields}\r\n\r\n{body}"

    words = {
        "Case": case,
        "get": lambda name, fields, verdict=None: (
            name, f"GET / HTTP/1.1\r\nHost: h\r\n{fields}\r\n\r\n"),
        "post": post,
        "chunked": lambda name, body, verdict=None: post(
            name, "Transfer-Encoding: chunked", body),
        "line": lambda name, line, verdict=None: (name, line + "\r\nHost: h\r\n\r\n"),
        "host": lambda name, lines, verdict: (name, f"GET / HTTP/1.1\r\n{lines}\r\n"),
        "numbered": lambda count: "\r\n".join(f"A{n}: b" for n in range(count)),
        "repeating": lambda text, count: text * count,
        "accepted": lambda *parts: None, "refused": lambda status: None,
        "plain": None, "unfinished": None,
    }  # fmt: skip
    found: dict[str, bytes] = {}
    for match in re.finditer(r"let \w+: \[Case\] = (\[\n.*?\n    \])", source, re.DOTALL):
        for name, text in eval(_expression(match[1]), {"__builtins__": {}}, words):
            key = name if name not in found else f"{name} (2)"
            found[key] = text.encode()
    if len(found) < 120:
        raise RuntimeError(f"only {len(found)} requests were found in {HOSTILE.name}")
    return found


def with_bodies() -> dict[str, bytes]:
    """Requests whose bodies show themselves, in each form of framing."""
    head = f"POST {ECHO} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
    inner = '"GET / HTTP/1.1  Host: h    "'
    texts = {
        "a length": head + 'Content-Length: 6\r\n\r\n"abcd"',
        "zeros before a length": head + 'Content-Length: 006\r\n\r\n"abcd"',
        "a long length": head + 'Content-Length: 302\r\n\r\n"' + "x" * 300 + '"',
        "a request in a body": head + f"Content-Length: {len(inner)}\r\n\r\n{inner}",
        "expect": head + 'Expect: 100-continue\r\nContent-Length: 6\r\n\r\n"abcd"',
        "one chunk": chunked + '6\r\n"abcd"\r\n0\r\n\r\n',
        "two chunks": chunked + '3\r\n"ab\r\n3\r\ncd"\r\n0\r\n\r\n',
        "many chunks": chunked + "".join(f"1\r\n{c}\r\n" for c in '"abcdefgh"') + "0\r\n\r\n",
        "a chunk of many digits": chunked + '00000006\r\n"abcd"\r\n0000\r\n\r\n',
        "extensions": chunked + '3;a=b\r\n"ab\r\n3;c="d;e"\r\ncd"\r\n0;f\r\n\r\n',
        "a trailer": chunked + '6\r\n"abcd"\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n',
        "a long chunk": chunked + "1a0\r\n\"" + "y" * 414 + '"\r\n0\r\n\r\n',
        "another case of letters": head.replace("Host", "hOST")
        + 'tRANSFER-eNCODING: ChUnKeD\r\n\r\n6\r\n"abcd"\r\n0\r\n\r\n',
        "absolute form": head.replace(ECHO, "http://h" + ECHO) + 'Content-Length: 3\r\n\r\n"a"',
        "a query": head.replace(ECHO, ECHO + "?reply=state") + 'Content-Length: 3\r\n\r\n"a"',
    }
    return {name: text.encode() for name, text in texts.items()}


def seeds() -> dict[str, bytes]:
    """All requests to begin with. Those to `/e` go where their bodies show themselves."""
    found = hostile()
    for file in sorted(FUZZED.iterdir()):
        found[f"fuzzed {file.name}"] = file.read_bytes()
    echoed = f"POST {ECHO} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n".encode()
    for name, text in list(found.items()):
        if text.startswith(b"POST /e HTTP/1.1\r\nHost: h\r\n"):
            rest = text.removeprefix(b"POST /e HTTP/1.1\r\nHost: h\r\n")
            found[f"{name}, echoed"] = echoed + rest.replace(b"abc", b'"a"')
    found.update(with_bodies())
    # Two of them in a row, the first with a body.
    pairs = {f"two: {name}": text + text for name, text in with_bodies().items()}
    return found | pairs


#: What mutations put in: what framing is made of.
_PIECES = [
    b"\r\n", b"\n", b"\r", b"\t", b" ", b":", b";", b",", b"\0", b"\x0b", b'"', b"0", b"1", b"a",
    b"0\r\n\r\n", b"\r\n\r\n", b"Content-Length: 1\r\n", b"Content-Length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity\r\n", b"chunked", b"\x80",
    b"HTTP/1.0", b"Connection: close\r\n", b"Connection: keep-alive\r\n", b"Host: h\r\n",
    b"Expect: 100-continue\r\n", b"Upgrade: h2c\r\n", b"Connection: upgrade\r\n",
]  # fmt: skip


def mutations(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Changed requests, the same ones for the same seed, each with the name of its origin."""
    generator = random.Random(seed)
    origins = [(name, text) for name, text in seeds().items() if len(text) < 1000]
    # Most of them are refused as they are; what is accepted is closer to what two read differently.
    origins += 8 * list(with_bodies().items())
    for _ in range(count):
        name, text = generator.choice(origins)
        changed = bytearray(text)
        for _ in range(generator.choice((1, 1, 1, 2, 2, 3))):
            _mutate(changed, generator, origins)
        yield name, bytes(changed)


def _mutate(
    text: bytearray, generator: random.Random, origins: list[tuple[str, bytes]]
) -> None:
    place = generator.randrange(len(text) + 1)
    match generator.randrange(8):
        case 0 if place < len(text):
            text[place] = generator.randrange(256)
        case 1 if place < len(text):
            del text[place]
        case 2 if place < len(text):
            # Another case, or the digit next to it.
            text[place] ^= generator.choice((0x20, 1))
        case 3:
            end = min(len(text), place + generator.randrange(1, 12))
            text[place:place] = text[place:end]
        case 4:
            other = generator.choice(origins)[1]
            begin = generator.randrange(len(other))
            text[place:] = other[begin:]
        case 5:
            # Between two lines, where a field would be.
            line = text.find(b"\r\n", place)
            if line >= 0:
                text[line + 2 : line + 2] = generator.choice(_PIECES)
        case _:
            text[place:place] = generator.choice(_PIECES)
    if not text:
        text += b"\r\n"
