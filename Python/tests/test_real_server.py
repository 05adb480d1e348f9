"""The client with the real server, which is killed and restarted meanwhile."""

from __future__ import annotations

import asyncio
import doctest
import itertools
import os
import random
import threading
import unittest
from typing import Any, Dict, List

import grove_client as grove
from servers import RealServer, needs_server, refused

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.md")


@needs_server
class RealServerTests(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.server = RealServer()
        self.addCleanup(self.server.remove)

    def client(self, **options: Any) -> grove.AsyncClient:
        options = {"first_delay": 0.005, "delay_max": 0.05, "timeout": 120.0, **options}
        return grove.AsyncClient(self.server.address, **options)

    async def test_ops_of_the_protocol(self) -> None:
        async with self.client() as c:
            reply = await c.send("order/o-1", {"type": "place", "total": 30}, reply="full")
            self.assertEqual(reply["state"]["status"], "placed")
            with self.assertRaises(grove.VersionConflict) as conflict:
                await c.send("order/o-1", {"type": "pay", "amount": 1}, expect=7)
            self.assertEqual(conflict.exception.data, {"v": 1})
            with self.assertRaises(grove.EventRejected):
                await c.send("turnstile/gate", "PUSH")
            self.assertEqual((await c.create("counter/a", dedup="k"))["v"], 0)
            self.assertTrue((await c.create("counter/a", dedup="k"))["dup"])
            with self.assertRaises(grove.AlreadyExists):
                await c.create("counter/a")
            for _ in range(25):
                await c.send("counter/a", "increment")
            self.assertEqual((await c.get("counter/a"))["state"], {"count": 25})
            steps = [step["v"] async for step in c.steps("counter/a", limit=10)]
            self.assertEqual(steps, list(range(1, 26)))
            for number in range(15):
                await c.create(f"counter/i-{number + 10}")
            names = [item["to"] async for item in c.instances("counter", prefix="i-", limit=4)]
            self.assertEqual(names, [f"counter/i-{n + 10}" for n in range(15)])
            effects = (await c.effects("order/o-1"))["items"]
            self.assertEqual([effect["id"] for effect in effects], ["payment"])
            with self.assertRaises(grove.NoSuchEffect):
                await c.retry("order/o-1", 1)
            self.assertEqual((await c.cancel("order/o-1", timer="payment"))["cancelled"], [1])
            await c.send("sign-in/s", {"type": "request", "user": "u"})
            token = (await c.get("sign-in/s"))["effects"][0]["token"]
            with self.assertRaises(grove.InternalEvent) as refused:
                await c.send("sign-in/s", {"type": "confirmed", "by": "me"})
            self.assertEqual(refused.exception.data, {"event": "confirmed"})
            await c.fail(token, "no")
            with self.assertRaises(grove.NoSuchEffect):
                await c.complete(token, {})
            self.assertIn("time", await c.ping())
            await c.send("turnstile/gate", "COIN")
            self.assertEqual((await c.wait_until("turnstile/gate", "unlocked", wait=5))["v"], 1)
            await c.stop("counter/a")
            with self.assertRaises(grove.InstanceDone):
                await c.send("counter/a", "increment")
            await c.delete("counter/a")
            with self.assertRaises(grove.NoSuchInstance):
                await c.get("counter/a")
            self.assertIn("counter", [m["name"] for m in (await c.definitions())["items"]])
            self.assertTrue(await c.stats())

    async def test_a_suspended_instance_is_read_and_resumed_while_a_send_waits(self) -> None:
        async with self.client(timeout=10) as c:
            await c.create("counter/held")
            await c.suspend("counter/held")
            send = c.send("counter/held", "increment")
            await refused(c, "counter/held")
            self.assertEqual((await c.get("counter/held"))["held"], "suspended")
            self.assertTrue((await c.resume("counter/held"))["changed"])
            self.assertEqual((await send)["v"], 1)

    async def test_kills_and_stops_lose_nothing_and_repeat_nothing(self) -> None:
        names = [f"counter/i-{number}" for number in range(5)]
        acks = itertools.count()
        done = 0
        over = False

        async def send(c: grove.AsyncClient, name: str) -> List[int]:
            nonlocal done
            versions: List[int] = []
            under_way: List[Any] = []
            while not over or under_way:
                while len(under_way) < 16 and not over:
                    under_way.append(c.send(name, "increment"))
                if under_way:
                    versions.append((await under_way.pop(0))["v"])
                    done = next(acks)
            return versions

        async def follow(c: grove.AsyncClient) -> Dict[str, List[int]]:
            seen: Dict[str, List[int]] = {}
            cursor = None
            for count in itertools.count(1):
                options: Dict[str, Any] = {"after": cursor} if cursor else {"start": "first"}
                subscription = await c.subscribe(
                    "counter", kind=["output"], credit=32, **options
                )
                async for record in subscription:
                    if record["to"] == "counter/end":
                        return seen
                    assert record["data"] == record["v"], record
                    seen.setdefault(record["to"], []).append(record["v"])
                    cursor = record["cur"]
                    # Now and then the follower itself restarts, with its stored cursor.
                    if len(seen[record["to"]]) % 200 == 0:
                        break
                await subscription.close()
            return seen

        chance = random.Random(5)
        loop = asyncio.get_running_loop()
        async with self.client() as c, self.client() as watcher:
            senders = [asyncio.ensure_future(send(c, name)) for name in names]
            following = asyncio.ensure_future(follow(watcher))
            for number in range(1, 13):
                goal = done + chance.randint(20, 200)
                while done < goal:
                    await asyncio.sleep(0.001)
                if number % 4 == 0:
                    self.assertEqual(await loop.run_in_executor(None, self.server.stop), 0)
                else:
                    self.server.kill()
                while number % 3 == 0 and c._failures < 4:
                    await asyncio.sleep(0.001)
                await loop.run_in_executor(None, self.server.start)
            over = True
            counts: Dict[str, int] = {}
            for name, sender in zip(names, senders):
                versions = await sender
                self.assertEqual(versions, list(range(1, len(versions) + 1)), name)
                counts[name] = len(versions)
            await c.send("counter/end", "increment")
            seen = await following
            for name, count in counts.items():
                self.assertEqual((await c.get(name))["state"], {"count": count})
                self.assertEqual(seen[name], list(range(1, count + 1)))


@needs_server
class BlockingTests(unittest.TestCase):
    def setUp(self) -> None:
        self.server = RealServer()
        self.addCleanup(self.server.remove)

    def test_calls_subscriptions_and_pages(self) -> None:
        with grove.Client(self.server.address, first_delay=0.005, timeout=60.0) as client:
            replies = [
                client.submit("send", to="counter/a", event="increment") for _ in range(100)
            ]
            self.assertEqual([reply.result()["v"] for reply in replies], list(range(1, 101)))
            self.server.kill()
            self.server.start()
            self.assertEqual(client.send("counter/a", "increment")["v"], 101)
            self.assertEqual(len(list(client.steps("counter/a", limit=30))), 101)
            self.assertEqual([i["v"] for i in client.instances("counter")], [101])
            subscription = client.subscribe("counter", kind=["output"], start="first")
            seen = [next(subscription)["data"] for _ in range(101)]
            self.assertEqual(seen, list(range(1, 102)))
            cursor = subscription.cursor
            subscription.close()
            self.assertEqual(list(subscription), [])
            client.send("counter/a", "reset")
            again = client.subscribe("counter", kind=["output"], after=cursor)
            self.assertEqual(next(again)["data"], 0)
            with self.assertRaises(grove.NoSuchMachine):
                client.get("nothing/a")
            self.assertEqual(client.greeting["proto"], [1])
        with self.assertRaises(grove.Closed):
            client.ping()
        client.close()

    def test_many_threads(self) -> None:
        with grove.Client(self.server.address) as client:

            def work(number: int) -> None:
                for _ in range(20):
                    client.send(f"counter/{number % 2}", "increment")

            threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            counts = [client.get(f"counter/{n}")["state"]["count"] for n in range(2)]
            self.assertEqual(counts, [80, 80])

    def test_the_sessions_of_the_readme(self) -> None:
        with open(README, encoding="utf-8") as file:
            text = file.read().replace("127.0.0.1:7400", self.server.address)
        blocks = text.split("```python\n")[1:]
        code = "\n".join(block.split("```")[0] for block in blocks)
        test = doctest.DocTestParser().get_doctest(code, {}, "README.md", README, 0)
        self.assertGreater(len(test.examples), 5)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        report: List[str] = []
        runner.run(test, out=report.append)
        self.assertEqual(runner.failures, 0, "".join(report))
