"""DBOS on SQLite: messages to workflows. It is a library, so that no server is started."""

import os
import sqlite3
import tempfile

from .generator import run_load
from .install import HERE
from .peer import Peer
from .processes import Failure, output_of

WORKFLOWS = 100
LOAD = os.path.join(HERE, "load-python", "dbos_load.py")


class Dbos(Peer):
    key = "dbos"
    program_name = "DBOS"
    titles = {"events": "DBOS on SQLite, messages"}
    under_way = (1,)  # Its call returns when the message is stored.

    def find(self):
        self.python = self.bench.environment.program("python", "dbos")

    def version(self):
        return self.bench.environment.version("dbos")

    def start(self):
        self.folder = tempfile.mkdtemp(prefix="dbos-", dir=self.bench.folder)
        self.file = os.path.join(self.folder, "dbos.sqlite")
        output_of([self.python, LOAD, "setup", self.file, str(WORKFLOWS)])

    def fill(self, counters, events):
        """Nothing: its workflows are there."""

    def events(self, setting, seconds, seed):
        return run_load([self.python, LOAD, "events", *map(str, (
            self.file, setting.connections, WORKFLOWS, max(0.2, seconds / 10), seconds, seed))],
            600)

    def stored_events(self):
        connection = sqlite3.connect(self.file, timeout=60)
        try:
            return connection.execute("SELECT count(*) FROM notifications").fetchone()[0]
        except sqlite3.Error as error:
            raise Failure(f"the file of DBOS: {error}") from error
        finally:
            connection.close()
