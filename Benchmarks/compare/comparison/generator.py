"""Runs the load generator."""

import json
import subprocess

from .processes import Failure


class Generator:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, timeout=600):
        """Runs one load, and returns the object that it prints."""
        return run_load([self.program, *map(str, arguments)], timeout)

    def events(self, protocol, port, setting, seconds, seed):
        """Events to random counters, with a tenth of the time before to warm up."""
        return self("events", protocol, port, setting.connections, setting.under_way,
                    setting.counters, max(0.2, seconds / 10), seconds, seed)

    def fill(self, protocol, port, counters, events):
        """Events to one counter after the other."""
        return self("fill", protocol, port, 16, 64, counters, events)


def run_load(command, timeout):
    """What a load generator prints: one line of JSON, with `failed` if it couldn't do it."""
    name = " ".join(command[1:3])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"the load {name} took more than {timeout} s") from expired
    try:
        result = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError) as error:
        words = " ".join(done.stderr.split())[-400:]
        raise Failure(f"the load {name} ended with {done.returncode}: {words}") from error
    if "failed" in result:
        raise Failure(f"the load {name}: {result['failed']}")
    return result
