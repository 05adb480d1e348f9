"""Measures records to a thousand streams of events, to as many subscribers of lines, and through
nginx with nchan, which keeps nothing on disk."""

import json
import re
import select
import socket
import time

STREAMS = 1_000
RECORD = re.compile(rb'"output","data":(\d+)')
SELECTION = {"machine": "counter", "kind": ["output"]}
OPEN = {
    "events": b"GET /v1/records?machine=counter&kind=output HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "lines": json.dumps({"op": "subscribe", "id": 1, "sub": "s", "select": SELECTION}).encode()
    + b"\n",
    "nchan": b"GET /subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
}
EVENT = b'{"op":"send","id":1,"to":"counter/streamed","event":"increment"}\n'


class Streams:
    """Subscribers that read everything in one loop, and a connection that sends events."""

    def __init__(self, address, lines, kind):
        self.sender = connect(lines)
        self.poll = select.epoll()
        self.sockets = {}
        self.tails = {}
        for _ in range(STREAMS):
            stream = connect(address)
            stream.sendall(OPEN[kind])
            stream.setblocking(False)
            self.sockets[stream.fileno()] = stream
            self.poll.register(stream.fileno(), select.EPOLLIN)
        self.read_for(1.5)

    def close(self):
        for stream in self.sockets.values():
            # A reset frees its place at once.
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            stream.close()
        self.sender.close()

    def read(self, wait):
        """The numbers of the records that arrive within a moment."""
        found = []
        for number, _ in self.poll.poll(wait):
            data = self.tails.get(number, b"") + self.sockets[number].recv(1 << 18)
            end = 0
            for record in RECORD.finditer(data):
                # A number at the end of the bytes may go on in the next ones.
                if record.end() == len(data):
                    break
                found.append(int(record.group(1)))
                end = record.end()
            self.tails[number] = data[max(end, len(data) - 64):]
        return found

    def read_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)

    def answered(self):
        """Takes the answers that are there."""
        while select.select([self.sender], [], [], 0)[0]:
            self.sender.recv(1 << 18)

    def delay(self, rate, seconds):
        """The 99th percentile of the seconds from sending an event to its last arrival."""
        sent, missing, delays = [], {}, []
        first = None
        begin = time.monotonic()
        while len(delays) < rate * seconds:
            now = time.monotonic()
            if now - begin > seconds + 30:
                raise SystemExit(f"only {len(delays)} events arrived everywhere")
            if len(sent) < rate * seconds and now >= begin + len(sent) / rate:
                sent.append(now)
                self.sender.sendall(EVENT)
            for number in self.read(0.001):
                first = number if first is None else first
                left = missing[number] = missing.get(number, STREAMS) - 1
                if left == 0:
                    delays.append(time.monotonic() - sent[number - first])
            self.answered()
        return sorted(delays)[int(len(delays) * 0.99)]

    def rate(self, rest, events):
        """Records per second when events come as fast as they are taken, from their bytes."""
        self.sender.setblocking(False)
        count = 0
        begin = time.monotonic()
        while count < events * STREAMS:
            if time.monotonic() - begin > 60:
                raise SystemExit(f"only {count} of {events * STREAMS} records arrived")
            if rest:
                try:
                    rest = rest[self.sender.send(rest[: 1 << 16]):]
                except BlockingIOError:
                    pass
            count += len(self.read(0.01))
            self.answered()
        return count / (time.monotonic() - begin)


def connect(address):
    host, port = address.removeprefix("http://").rsplit(":", 1)
    return socket.create_connection((host, int(port)))


def delay(lines, web):
    """The 99th percentile of the delay to the last of the event streams, in seconds."""
    streams = Streams(web, lines, "events")
    result = streams.delay(20, 20)
    streams.close()
    return result


def rate(address, lines, kind):
    """Records per second to all streams."""
    streams = Streams(address, lines, kind)
    result = streams.rate(EVENT * 1_000, 1_000)
    streams.close()
    return result


def record(address):
    """The bytes of a record of a stream of events, without its frame."""
    with connect(address) as stream:
        stream.sendall(
            b"GET /v1/records?machine=counter&kind=output&from=last:1 HTTP/1.1\r\n"
            b"Host: 127.0.0.1\r\n\r\n")
        text = b""
        while not (found := re.search(rb"data: ?(\{.*\})\n", text)):
            text += stream.recv(1 << 16)
        return found.group(1)


def peer_rate(address, text):
    """Records per second of nginx, whose text has the same length."""
    def post(number):
        body = re.sub(rb'"data":\d+', b'"data":%d' % number, text)
        return (b"POST /publish HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
                % len(body)) + body
    streams = Streams(address, address, "nchan")
    result = streams.rate(b"".join(map(post, range(1_000))), 1_000)
    streams.close()
    return result


def memory(server, web, count, requests):
    """The KiB that a connection takes which has sent these bytes and has been answered."""
    before = server.mebibytes()
    connections = []
    for _ in range(count):
        connection = connect(web)
        connection.sendall(requests)
        connection.recv(1 << 16)
        connections.append(connection)
    time.sleep(1)
    after = server.mebibytes()
    for connection in connections:
        connection.close()
    return (after - before) * 1024 / count
