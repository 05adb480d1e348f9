"""Single requests and lines, for checks whose subject is something else."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any

from stage import connect


class Web(http.client.HTTPConnection):
    """A connection of the standard library to `unix:PATH` or `HOST:PORT`."""

    def __init__(self, address: str) -> None:
        super().__init__("localhost")
        self.address = address

    def connect(self) -> None:
        self.sock = connect(self.address)

    def ask(self, method: str, path: str, document: Any = None) -> tuple[int, Any]:
        """The status of an answer, and its JSON."""
        body = None if document is None else json.dumps(document)
        fields = {} if body is None else {"Content-Type": "application/json"}
        self.request(method, path, body, fields)
        answer = self.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None


def make_instance(address: str, chart: dict[str, Any], name: str) -> None:
    """Gives a server a machine, and creates an instance of it."""
    web = Web(address)
    instance = f"/v1/instances/{chart['id']}/{name}"
    for method, path, document in (
        ("POST", "/v1/machines", {"definition": chart}), ("PUT", instance, None),
    ):  # fmt: skip
        status, answer = web.ask(method, path, document)
        if status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {status} {answer}")
    web.close()


class Lines:
    """The line protocol, one request after the other."""

    def __init__(self, address: str) -> None:
        self.socket: socket.socket = connect(address, timeout=60)
        self.file = self.socket.makefile("rb")
        self.greeting = json.loads(self.file.readline())

    def ask(self, **members: Any) -> dict[str, Any]:
        """Sends a request, and returns its reply; records in between are left out."""
        self.socket.sendall(json.dumps({"id": 1, **members}).encode() + b"\n")
        while True:
            line = self.file.readline()
            if not line:
                raise ConnectionError("the server has closed the connection")
            reply = json.loads(line)
            if "id" in reply:
                return reply

    def close(self) -> None:
        self.file.close()
        self.socket.close()
