"""Servers to test against: the real one, and one that plays a script."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import unittest
from typing import Any, Awaitable, Callable, Dict, List, Optional

BINARY = os.environ.get("GROVE_BINARY", "")
needs_server = unittest.skipUnless(BINARY, "GROVE_BINARY names no server to test against")


async def refused(client: Any, instance: str) -> None:
    """Waits until the server has refused a call about the instance, which the client repeats."""
    while True:
        lane = client._lanes._lanes.get(instance)
        if lane is not None and lane.refusal is not None:
            return
        await asyncio.sleep(0.001)


class Certificates:
    """An authority, and certificates that it has signed, in a folder."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="grove-python-tls-")
        self._key("ca")
        self._openssl("req", "-x509", "-new", "-key", self.path("ca.key"), "-days", "30",
                      "-subj", "/CN=Test authority", "-out", self.ca)  # fmt: skip

    @property
    def ca(self) -> str:
        """The file of the authority's certificate."""
        return self.path("ca.pem")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def make(
        self, name: str, subject: str = "DNS:localhost,IP:127.0.0.1", days: int = 30
    ) -> str:
        """Signs a certificate, and returns the path of ``name.pem``; its key is ``name.key``."""
        self._key(name)
        self._openssl("req", "-new", "-key", self.path(name + ".key"), "-subj", "/CN=" + name,
                      "-addext", "subjectAltName=" + subject,
                      "-out", self.path(name + ".csr"))  # fmt: skip
        self._openssl("x509", "-req", "-in", self.path(name + ".csr"), "-CA", self.ca,
                      "-CAkey", self.path("ca.key"), "-copy_extensions", "copy",
                      "-days", str(days), "-out", self.path(name + ".pem"))  # fmt: skip
        return self.path(name + ".pem")

    def pin(self, name: str) -> str:
        """Returns the hash of a public key, by other code than the client's."""
        key = self._openssl("pkey", "-in", self.path(name + ".key"), "-pubout", "-outform", "DER")
        return "sha256/" + base64.b64encode(hashlib.sha256(key).digest()).decode()

    def context(self, name: str, client_ca: Optional[str] = None) -> ssl.SSLContext:
        """Returns what a server needs, which may require clients of an authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path(name + ".pem"), self.path(name + ".key"))
        context.set_alpn_protocols(["grove/1"])
        if client_ca is not None:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    def _key(self, name: str) -> None:
        self._openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-out", self.path(name + ".key"))  # fmt: skip
        os.chmod(self.path(name + ".key"), 0o600)

    def _openssl(self, *arguments: str) -> bytes:
        done = subprocess.run(["openssl", *arguments], capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.decode()}")
        return done.stdout


class RealServer:
    """A data file, and ``grove serve`` on it, as often as the test needs."""

    def __init__(self, address: str = "127.0.0.1:0", *flags: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="grove-python-")
        self.address = address
        self._flags = flags
        self._process: Optional[subprocess.Popen[str]] = None
        self.start()

    def start(self) -> None:
        """Starts it, at the same address as before, and waits until it listens. A connection of
        any program may have got its port meanwhile, so it tries for some seconds."""
        for _ in range(50):
            problem = self._start_once()
            if problem is None:
                return
            if "Address already in use" not in problem:
                break
            time.sleep(0.1)
        raise RuntimeError(f"the server did not listen: {problem}")

    def _start_once(self) -> Optional[str]:
        """Returns what the server has said if it has ended."""
        data = os.path.join(self.folder, "data.grove")
        log = os.path.join(self.folder, "log")
        with open(log, "w") as errors:
            process = subprocess.Popen(
                [BINARY, "serve", "--listen", self.address, "--data", data, *self._flags],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._process = process
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if len(words) < 2 or words[0] != "listening":
            self.kill()
            with open(log) as errors:
                return errors.read()
        self.address = words[1]
        return None

    def kill(self) -> None:
        """Ends it as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ends it gracefully; returns its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        process, self._process = self._process, None
        if process is None:
            return -1
        process.send_signal(number)
        code = process.wait(timeout=60)
        if process.stdout is not None:
            process.stdout.close()
        return code

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder)


class Connection:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def write(self, text: str, end: str = "\n") -> None:
        self._writer.write((text + end).encode())

    async def greet(self, more: str = "") -> None:
        self.write('{"op":"hello","server":"grove","version":"9","proto":[1]%s}' % more)
        self.reply(await self.request("hello"))

    async def line(self) -> Dict[str, Any]:
        line = await asyncio.wait_for(self._reader.readline(), 60)
        if not line:
            raise AssertionError("the client has closed")
        document: Dict[str, Any] = json.loads(line)
        return document

    async def request(self, op: str) -> Dict[str, Any]:
        request = await self.line()
        if request["op"] != op:
            raise AssertionError(f"expected {op}, got {request}")
        return request

    def reply(self, request: Dict[str, Any], **fields: Any) -> None:
        self.write(json.dumps({"id": request["id"], "ok": True, **fields}))

    def refuse(self, request: Dict[str, Any], code: str, **more: Any) -> None:
        error = {"code": code, "message": "no", "retry": True, **more}
        self.write(json.dumps({"id": request["id"], "error": error}))

    async def close_seen(self) -> None:
        """Waits until the client closes."""
        try:
            while await self._reader.readline():
                pass
        except ConnectionResetError:
            pass  # The client closed with lines of this server unread.


Script = Callable[[Connection], Awaitable[None]]


class FakeServer:
    """Plays the first script to the first connection, the second to the second, and closes all
    further ones at once."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self._failures: List[BaseException] = []
        self._left = len(scripts)
        self._done = asyncio.Event()
        self.address = ""

    async def start(
        self, path: Optional[str] = None, tls: Optional[ssl.SSLContext] = None
    ) -> FakeServer:
        if path is None:
            server = await asyncio.start_server(
                self._serve, "127.0.0.1", 0, ssl=tls, limit=1 << 20
            )
            self.address = "127.0.0.1:%d" % server.sockets[0].getsockname()[1]
            if tls is not None:
                self.address = "tls:" + self.address
        else:
            server = await asyncio.start_unix_server(self._serve, path)
            self.address = "unix:" + path
        self._server = server
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._scripts:
            writer.transport.abort()
            return
        script = self._scripts.pop(0)
        try:
            await script(Connection(reader, writer))
            await writer.drain()
        except BaseException as error:
            self._failures.append(error)
        writer.close()
        self._left -= 1
        if not self._left:
            self._done.set()

    async def finish(self) -> None:
        """Waits until every script has ended, and raises their errors."""
        await asyncio.wait_for(self._done.wait(), 60)
        self._server.close()
        for failure in self._failures:
            raise failure
