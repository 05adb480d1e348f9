"""Signals to workflows of Temporal.

    temporal_load.py setup PORT WORKFLOWS
    temporal_load.py events PORT CONNECTIONS UNDER_WAY WORKFLOWS WARM_S MEASURE_S SEED
    temporal_load.py count PORT WORKFLOWS

No worker runs: a signal is acknowledged when it is in the workflow's history, before any code
of the workflow sees it. `setup` starts the workflows, `count` prints the signals they have.
"""

import asyncio
import json
import os
import random
import sys
import time

from tally import Tally
from temporalio.client import Client

EVENT = {"type": "add", "amount": 1}
# What a history has before its first signal: the start, and the first task for a worker.
EVENTS_BEFORE = 2


def name(number):
    return f"counter-{number}"


async def connect(port):
    return await Client.connect(f"127.0.0.1:{port}")


async def setup(port, workflows):
    client = await connect(port)
    for number in range(workflows):
        await client.start_workflow("Counter", id=name(number), task_queue="counters")


async def count(port, workflows):
    client = await connect(port)
    total = 0
    for number in range(workflows):
        description = await client.get_workflow_handle(name(number)).describe()
        total += description.history_length - EVENTS_BEFORE
    print(json.dumps({"stored": total}))


async def send(client, workflows, tally, choose):
    while not tally.is_over():
        handle = client.get_workflow_handle(name(choose.randrange(workflows)))
        sent = time.perf_counter()
        await handle.signal("add", EVENT)
        tally.add(sent)


async def events(port, connections, under_way, workflows, warm, seconds, seed):
    clients = [await connect(port) for _ in range(int(connections))]
    tally = Tally(warm, seconds)
    choose = random.Random(seed)
    await asyncio.gather(*(send(client, int(workflows), tally, choose)
                           for client in clients for _ in range(int(under_way))))
    tally.report()


def main():
    load, port, *numbers = sys.argv[1:]
    if load == "events":
        asyncio.run(events(port, *map(float, numbers)))
    else:
        asyncio.run({"setup": setup, "count": count}[load](port, int(numbers[0])))
    # Without the interpreter's own end: threads of the client's library sometimes fail in it.
    sys.stdout.flush()
    os._exit(0)


main()
