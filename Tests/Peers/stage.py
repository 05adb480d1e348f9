"""What the checks share: servers in folders of their own, and how a finding is reported."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))
sys.path.insert(0, str(ROOT / "Python" / "tests"))
# Reads GROVE_BINARY when it is imported.
from servers import BINARY, RealServer  # noqa: E402

#: Lines of a finding that are printed, and findings of a check; what is more is counted.
LINES_MAX = 24
FINDINGS_MAX = 20


@dataclass
class Report:
    """What a check has seen."""

    #: Whether there is much time.
    long: bool
    seed: int
    is_silent: bool = False
    findings: list[str] = field(default_factory=list)

    def expect(self, is_true: bool, text: str) -> bool:
        """Records a finding unless something is true; returns whether it is."""
        if not is_true:
            self.finding(text)
        return is_true

    def finding(self, text: str) -> None:
        """Records and prints what must not be."""
        self.findings.append(text)
        if self.is_silent or len(self.findings) > FINDINGS_MAX:
            return
        lines = text.splitlines()
        for line in lines[:LINES_MAX]:
            print(f"!! {line}", flush=True)
        if len(lines) > LINES_MAX:
            print(f"!! … and {len(lines) - LINES_MAX} lines more", flush=True)

    def say(self, text: str) -> None:
        """Prints a count."""
        print(text, flush=True)


def free_port() -> int:
    """A port that nothing uses: the system's choice, or one of PEERS_PORTS (FIRST-LAST)."""
    first, _, last = os.environ.get("PEERS_PORTS", "").partition("-")
    ports = list(range(int(first), int(last) + 1)) if first else [0]
    random.SystemRandom().shuffle(ports)
    for port in ports:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise RuntimeError("no port is free")


def connect(address: str, timeout: float | None = 10) -> socket.socket:
    """A connection to `unix:PATH` or `HOST:PORT`."""
    if address.startswith("unix:"):
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(timeout)
        made.connect(address.removeprefix("unix:"))
        return made
    host, port = address.rsplit(":", 1)
    made = socket.create_connection((host, int(port)), timeout)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class Grove(RealServer):
    """`grove serve` with lines at `address` and HTTP at `web`: Unix sockets, or ports."""

    def __init__(
        self, *flags: str, ports: bool = False, data: pathlib.Path | None = None
    ) -> None:
        """Starts one; `data` is a data file to begin with."""
        self.ports = ports
        self.data = data
        self.web = ""
        super().__init__("", *flags)

    def start(self) -> None:
        if not self.web:
            names = [f"127.0.0.1:{free_port()}" if self.ports else f"unix:{self.folder}/{name}"
                     for name in ("lines", "web")]  # fmt: skip
            self.address, self.web = names
            if self.data is not None:
                shutil.copy(self.data, os.path.join(self.folder, "data.db"))
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self._process = subprocess.Popen(
            [BINARY, "serve", "--listen", self.address, "--web-listen", self.web,
             "--data", os.path.join(self.folder, "data.db"), "--log-level", "warning",
             *self._flags],
            stdout=subprocess.PIPE, stderr=self.log, text=True)  # fmt: skip
        for _ in range(2):
            line = self._process.stdout.readline()
            if not line.startswith("listening "):
                raise RuntimeError(f"the server did not listen: {self.read_log()}")

    def read_log(self) -> str:
        """What the server has written to its log."""
        return pathlib.Path(self.folder, "log").read_text(errors="replace")

    def check(self, report: Report) -> None:
        """A server that has ended by itself is a finding."""
        code = self._process.poll()
        report.expect(code is None, f"the server ended with {code}:\n{self.read_log()[-2000:]}")

    def remove(self) -> None:
        super().remove()
        self.log.close()


class Nginx:
    """nginx with some servers of its own configuration, in a folder of its own."""

    def __init__(self, servers: str, workers: int = 1) -> None:
        self.folder = tempfile.mkdtemp(prefix="grove-nginx-")
        self.log = os.path.join(self.folder, "requests")
        # Else a worker of root's nginx couldn't use the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        temporary = " ".join(
            f"{kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(f"""
                {user} worker_processes {workers}; daemon off; pid {self.folder}/pid;
                error_log {self.folder}/errors; worker_shutdown_timeout 100ms;
                events {{ worker_connections 4096; }}
                http {{
                    access_log off; keepalive_requests 100000000; keepalive_timeout 60s;
                    large_client_header_buffers 4 16k; underscores_in_headers on;
                    client_max_body_size 0; client_body_buffer_size 128k; {temporary}
                    {servers.replace("{folder}", self.folder)}
                }}""")
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        self.command = [program, "-c", path, "-e", f"{self.folder}/errors"]
        self.process = subprocess.Popen(self.command)
        end = time.monotonic() + 10
        while not os.path.exists(f"{self.folder}/pid"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(pathlib.Path(self.folder, "errors").read_text())
            time.sleep(0.02)
        time.sleep(0.1)

    def address(self, name: str) -> str:
        """Where a server listens that has `listen unix:{folder}/NAME`."""
        return f"unix:{self.folder}/{name}"

    def reload(self) -> None:
        """Replaces the workers; their connections end after a tenth of a second."""
        subprocess.run([*self.command, "-s", "reload"], check=True, stderr=subprocess.DEVNULL)

    def remove(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)
        shutil.rmtree(self.folder)


@contextlib.contextmanager
def running(*servers: Grove | Nginx) -> Iterator[None]:
    """Removes servers at the end, whatever happens."""
    try:
        yield
    finally:
        for server in reversed(servers):
            server.remove()


def number(count: int) -> str:
    """A count as it is printed."""
    return f"{count:,}"
