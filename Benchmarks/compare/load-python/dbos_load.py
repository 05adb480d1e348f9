"""Messages to workflows of DBOS, whose data is in a SQLite file.

    dbos_load.py setup FILE WORKFLOWS
    dbos_load.py events FILE CONNECTIONS WORKFLOWS WARM_S MEASURE_S SEED

DBOS is a library, so that this process is client and server in one. Each connection is a thread.
The messages wait for their workflow; none of its code runs.
"""

import random
import sys
import threading
import time

from dbos import DBOS, DBOSClient
from tally import Tally

EVENT = {"type": "add", "amount": 1}


def name(number):
    return f"counter-{number}"


@DBOS.workflow()
def counter():
    return 0


def setup(url, workflows):
    from dbos import SetWorkflowID

    DBOS(config={"name": "counters", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    for number in range(workflows):
        with SetWorkflowID(name(number)):
            counter()
    DBOS.destroy()


def send(client, workflows, tally, choose, errors):
    try:
        while not tally.is_over():
            number = choose.randrange(workflows)
            sent = time.perf_counter()
            client.send(name(number), EVENT)
            with lock:
                tally.add(sent)
    except Exception as error:  # It is raised again by the main thread.
        errors.append(error)


lock = threading.Lock()


def events(url, connections, workflows, warm, seconds, seed):
    client = DBOSClient(system_database_url=url, system_database_pool_size=int(connections))
    tally = Tally(warm, seconds)
    errors = []
    threads = [threading.Thread(target=send, args=(
        client, int(workflows), tally, random.Random(seed * 1000 + number), errors))
        for number in range(int(connections))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.destroy()
    if errors:
        raise errors[0]
    tally.report()


def main():
    load, file, *numbers = sys.argv[1:]
    url = f"sqlite:///{file}"
    if load == "events":
        events(url, *map(float, numbers))
    else:
        setup(url, int(numbers[0]))


main()
