"""Grove."""

import json

from .client import Client
from .peer import Peer
from .processes import Failure, output_of


class Grove(Peer):
    key = "grove"
    program_name = "Grove"
    protocol = "grove"
    question = b'{"op":"ping","id":1}\n'
    answer = b'"ok":true'

    def find(self):
        pass  # The bench has its program.

    def version(self):
        return output_of([self.bench.grove, "--version"]).split()[-1]

    def command(self):
        # The load comes from one address, which a server limits to 1,024 connections by default.
        return [self.bench.grove, "serve", "--listen", f"127.0.0.1:{self.port}",
                "--data", f"{self.folder}/grove.db", "--log-level", "warning",
                "--max-connections-per-address", "20000"], {}

    def is_ready(self):
        try:
            with Lines(self.port) as client:
                return client.ask(op="get", to="counter/k000000")
        except ConnectionRefusedError:
            return False

    def read_one(self):
        with Lines(self.port) as client:
            reply = client.ask(op="get", to="counter/k000000")
        if reply.get("v", 0) < 1:
            raise Failure(f"a counter is gone: {reply}")

    def keyed_events(self, setting, seconds, seed):
        return self.bench.generator.events("grove-keyed", self.port, setting, seconds, seed)

    def stored_events(self):
        """The sum of the counters' versions: each event is one."""
        total, page = 0, {}
        with Lines(self.port) as client:
            while True:
                reply = client.ask(op="list", machine="counter", limit=1000, **page)
                for item in reply["items"]:
                    if item["state"]["count"] != item["v"]:
                        raise Failure(f"a counter differs from its version: {item}")
                    total += item["v"]
                if "next" not in reply:
                    return total
                page = {"after": reply["next"]}


class Lines(Client):
    """A client of Grove's protocol, one request after the other."""

    def ask(self, **request):
        """The reply to a request."""
        self.file.write(json.dumps({"id": 1, **request}).encode() + b"\n")
        self.file.flush()
        while True:
            line = self.file.readline()
            if not line:
                raise ConnectionError("Grove closed the connection")
            reply = json.loads(line)
            if "id" in reply:
                return reply
