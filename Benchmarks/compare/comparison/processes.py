"""Processes that end with this one, and what the system says about them."""

import ctypes
import os
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class Failure(Exception):
    """A server or a load did something else than expected. The text says what."""


def _end_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A server in a session of its own, with its output in a file."""

    def __init__(self, command, output, **options):
        self.command = command
        self.output = output
        with open(output, "ab") as file:
            self.popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True, preexec_fn=_end_with_parent, **options)
        self.pid = self.popen.pid

    def check(self):
        """Fails if the process has ended."""
        code = self.popen.poll()
        if code is not None:
            raise Failure(f"{self.command[0]} ended with {code}: {self.last_words()}")

    def last_words(self):
        with open(self.output, errors="replace") as file:
            return " ".join(file.read()[-400:].split())

    def end(self, signal_number, timeout=60):
        """Ends it, and kills what it started and what doesn't end in time."""
        family = self.family()
        if self.popen.poll() is None:
            self.popen.send_signal(signal_number)
        try:
            self.popen.wait(timeout)
        except subprocess.TimeoutExpired as expired:
            raise Failure(f"{self.command[0]} took more than {timeout} s to end") from expired
        finally:
            for pid in family:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue  # It ended with its parent.
            self.popen.wait()
            while any(map(is_running, family)):
                time.sleep(0.002)

    def family(self):
        """The ids of the process and of everything it started."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # It ended meanwhile.
            parents[int(name)] = int(fields[1])
        family = {self.pid}
        while True:
            children = {child for child, parent in parents.items() if parent in family}
            if children <= family:
                return family
            family |= children

    def processor_seconds(self):
        """The processor time of the whole family so far, in user and in system mode."""
        ticks = [0, 0]
        for pid in self.family():
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # It ended meanwhile.
            # Its own, and that of those it started which have ended.
            ticks[0] += int(fields[11]) + int(fields[13])
            ticks[1] += int(fields[12]) + int(fields[14])
        return [count / os.sysconf("SC_CLK_TCK") for count in ticks]

    def memory(self):
        """Bytes of memory of the whole family; what processes share is counted once."""
        total = 0
        for pid in self.family():
            try:
                with open(f"/proc/{pid}/smaps_rollup") as file:
                    lines = file.read().splitlines()
            except (FileNotFoundError, ProcessLookupError):
                continue  # It ended meanwhile.
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return total * 1024


def is_running(pid):
    """Whether a process is there and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(condition, process, seconds, what):
    """Repeats a condition until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        process.check()
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f"{what} took more than {seconds} s: {process.last_words()}")
        time.sleep(0.002)


class Ports:
    """Ports of the loopback interface that nothing listens on, from a first one upward."""

    def __init__(self, first):
        self.next = self.first = first

    def take(self):
        for _ in range(100):
            port, self.next = self.next, self.first + (self.next + 1 - self.first) % 100
            with socket.socket() as probe:
                # As servers do: connections of the last run that time out don't matter.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                    return port
                except OSError:
                    continue
        raise Failure(f"no port from {self.first} to {self.first + 99} is free")


def output_of(command, **options):
    """What a command prints. Its errors become a failure."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        words = " ".join((done.stderr or done.stdout).split())[-400:]
        raise Failure(f"{' '.join(command[:3])} ended with {done.returncode}: {words}")
    return done.stdout
