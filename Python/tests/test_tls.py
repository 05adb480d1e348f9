"""Secure connections: whom the client trusts, what it shows, and why there is none."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import subprocess
import threading
import unittest
from typing import Any, Optional

import grove_client as grove
from servers import Certificates, Connection, FakeServer


class Trust(unittest.IsolatedAsyncioTestCase):
    own: Certificates
    other: Certificates

    @classmethod
    def setUpClass(cls) -> None:
        cls.own = Certificates()
        cls.other = Certificates()
        cls.addClassCleanup(cls.own.remove)
        cls.addClassCleanup(cls.other.remove)
        cls.own.make("server")
        cls.own.make("elsewhere", "DNS:elsewhere.example")
        cls.own.make("localhost", "URI:grove:localhost")
        cls.own.make("expired", days=-1)
        cls.own.make("client", "URI:grove:client")
        cls.other.make("client", "URI:grove:client")

    async def fake(
        self, name: str = "server", context: Optional[ssl.SSLContext] = None
    ) -> FakeServer:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))

        # Else the loop prints every handshake that the client ends.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        server = FakeServer(script)
        return await server.start(tls=context or self.own.context(name))

    def strict(self, version: Optional[ssl.TLSVersion] = None) -> str:
        """Returns the address of a server that requires a certificate. With a thread and not
        with asyncio, whose servers close without the alert that has the reason."""
        context = self.own.context("server", self.own.ca)
        if version is not None:
            context.maximum_version = version
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection, context.wrap_socket(connection, server_side=True) as secure:
                    secure.sendall(b'{"op":"hello","proto":[1]}\n')

        threading.Thread(target=serve, daemon=True).start()
        return "tls:127.0.0.1:%d" % listener.getsockname()[1]

    async def ping(self, server: FakeServer, host: str = "127.0.0.1", **options: Any) -> None:
        address = server.address.replace("127.0.0.1", host)
        async with grove.AsyncClient(address, timeout=30.0, **options) as c:
            await c.ping()

    async def failure(self, server: FakeServer, **options: Any) -> grove.TLSFailed:
        """Returns the error of a call, which is reported at once: a repeat would get the same."""
        with self.assertRaises(grove.TLSFailed) as failed:
            await self.ping(server, **options)
        self.assertFalse(failed.exception.retry or failed.exception.outcome_unknown)
        self.assertEqual(failed.exception.code, "TLS_FAILED")
        self.assertIn(server.address.split(":")[-1], failed.exception.message)
        server._server.close()
        return failed.exception

    async def test_an_own_authority_is_trusted_for_the_names_of_the_certificate(self) -> None:
        for host in ("127.0.0.1", "localhost"):
            server = await self.fake()
            await self.ping(server, host, tls_ca=self.own.ca)
            await server.finish()

    async def test_an_unknown_authority_is_refused(self) -> None:
        for options in ({}, {"tls_ca": self.other.ca}):
            error = await self.failure(await self.fake(), **options)
            self.assertEqual(error.reason, "unknown_authority")
            self.assertIn("tls_ca", error.message)

    async def test_a_wrong_name_is_refused(self) -> None:
        for host in ("127.0.0.1", "localhost"):
            server = await self.fake("elsewhere")
            error = await self.failure(server, host=host, tls_ca=self.own.ca)
            self.assertEqual(error.reason, "wrong_name")
            self.assertIn(f"isn't for {host}", error.message)

    async def test_the_subject_is_no_name(self) -> None:
        server = await self.fake("localhost")
        error = await self.failure(server, host="localhost", tls_ca=self.own.ca)
        self.assertEqual(error.reason, "wrong_name")

    async def test_an_expired_certificate_is_refused(self) -> None:
        error = await self.failure(await self.fake("expired"), tls_ca=self.own.ca)
        self.assertEqual(error.reason, "expired")

    async def test_a_pinned_key_replaces_authority_and_name(self) -> None:
        for name in ("server", "elsewhere", "expired"):
            server = await self.fake(name)
            await self.ping(server, tls_pin=self.own.pin(name))
            await server.finish()

    async def test_another_key_than_the_pinned_one_is_refused(self) -> None:
        for options in ({}, {"tls_ca": self.own.ca}):
            pin = self.own.pin("elsewhere")
            error = await self.failure(await self.fake(), tls_pin=pin, **options)
            self.assertEqual(error.reason, "wrong_key")

    async def test_a_pin_beside_an_authority_is_one_check_more(self) -> None:
        server = await self.fake()
        await self.ping(server, tls_ca=self.own.ca, tls_pin=self.own.pin("server"))
        await server.finish()
        pin = self.own.pin("elsewhere")
        server = await self.fake("elsewhere")
        error = await self.failure(server, tls_ca=self.own.ca, tls_pin=pin)
        self.assertEqual(error.reason, "wrong_name")

    async def test_keys_of_every_kind_are_pinned(self) -> None:
        for kind in (["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], ["ED25519"]):
            key, certificate = self.own.path("k.key"), self.own.path("k.pem")
            self.own._openssl("genpkey", "-algorithm", *kind, "-out", key)
            self.own._openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=k",
                              "-out", certificate)  # fmt: skip
            server = await self.fake("k")
            await self.ping(server, tls_pin=self.own.pin("k"))
            await server.finish()

    async def test_a_client_shows_its_certificate(self) -> None:
        server = await self.fake(context=self.own.context("server", self.own.ca))
        await self.ping(
            server,
            tls_ca=self.own.ca,
            tls_certificate=self.own.path("client.pem"),
            tls_key=self.own.path("client.key"),
        )
        await server.finish()

    async def test_a_server_that_requires_a_certificate_refuses_without(self) -> None:
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            async with grove.AsyncClient(self.strict(version), tls_ca=self.own.ca) as c:
                with self.assertRaises(grove.TLSFailed) as failed:
                    await c.ping()
            self.assertEqual(failed.exception.reason, "certificate_required")

    async def test_the_certificate_of_a_stranger_is_refused_by_the_server(self) -> None:
        client: Any = {
            "tls_certificate": self.other.path("client.pem"),
            "tls_key": self.other.path("client.key"),
        }
        async with grove.AsyncClient(self.strict(), tls_ca=self.own.ca, **client) as c:
            with self.assertRaises(grove.TLSFailed) as failed:
                await c.ping()
        self.assertEqual(failed.exception.reason, "certificate_refused")

    async def test_a_server_of_another_protocol_is_recognized(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        files = ["-cert", self.own.path("server.pem"), "-key", self.own.path("server.key")]
        web = subprocess.Popen(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-alpn", "http/1.1", *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.addCleanup(web.communicate)
        self.addCleanup(web.kill)
        assert web.stdout is not None
        while "ACCEPT" not in web.stdout.readline():
            self.assertIsNone(web.poll())
        async with grove.AsyncClient(f"tls:127.0.0.1:{port}", tls_ca=self.own.ca) as c:
            with self.assertRaises(grove.TLSFailed) as failed:
                await c.ping()
        self.assertEqual(failed.exception.reason, "wrong_protocol")

    async def test_a_plain_port_gets_no_secret(self) -> None:
        async def script(connection: Connection) -> None:
            connection.write('{"op":"hello","server":"grove","version":"9","proto":[1]}')
            try:
                sent = await connection._reader.read()
            except ConnectionResetError:
                return
            assert b"secret" not in sent, sent

        server = await FakeServer(script).start()
        server.address = "tls:" + server.address
        error = await self.failure(server, tls_ca=self.own.ca, token="secret")
        self.assertEqual(error.reason, "not_tls")
        await server.finish()

    async def test_a_plain_client_at_a_secure_port_is_told_of_tls(self) -> None:
        server = await self.fake()
        address = server.address.replace("tls:", "")
        async with grove.AsyncClient(address, timeout=0.2, connect_timeout=0.1) as c:
            with self.assertRaises(grove.Unreachable) as failed:
                await c.ping()
        self.assertIn("tls:HOST:PORT", failed.exception.message)
        server._server.close()

    async def test_files_that_are_missing_or_wrong_are_named(self) -> None:
        server = await self.fake()
        here = os.path.abspath(__file__)
        client = {
            "tls_certificate": self.own.path("client.pem"),
            "tls_key": self.own.path("server.key"),
        }
        for options, name in (
            ({"tls_ca": "/nonexistent/ca"}, "/nonexistent/ca"),
            ({"tls_ca": here}, here),
            (client, self.own.path("server.key")),
            ({**client, "tls_certificate": "/nonexistent/c"}, "/nonexistent/c"),
        ):
            with self.assertRaises(grove.TLSFailed) as failed:
                await self.ping(server, **options)
            self.assertEqual(failed.exception.reason, "configuration")
            self.assertIn(name, failed.exception.message)
        server._server.close()

    async def test_a_server_that_ends_during_the_handshake_is_tried_again(self) -> None:
        attempts = 0
        again = asyncio.Event()

        async def ends(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal attempts
            attempts += 1
            await reader.read(1)
            writer.transport.abort()
            if attempts == 3:
                again.set()

        early = await asyncio.start_server(ends, "127.0.0.1", 0)
        port = early.sockets[0].getsockname()[1]
        async with grove.AsyncClient(
            f"tls:127.0.0.1:{port}", timeout=60.0, first_delay=0.001
        ) as c:
            waiting = c.ping()
            await asyncio.wait_for(again.wait(), 60)
        with self.assertRaises(grove.Closed):
            await waiting
        early.close()

    async def test_a_server_without_room_is_tried_again(self) -> None:
        attempts = 0
        again = asyncio.Event()

        async def refuses(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal attempts
            attempts += 1
            await reader.read(1 << 16)
            # A fatal alert, "internal error".
            writer.write(b"\x15\x03\x03\x00\x02\x02\x50")
            writer.close()
            if attempts == 3:
                again.set()

        full = await asyncio.start_server(refuses, "127.0.0.1", 0)
        port = full.sockets[0].getsockname()[1]
        async with grove.AsyncClient(
            f"tls:127.0.0.1:{port}", timeout=60.0, first_delay=0.001
        ) as c:
            waiting = c.ping()
            await asyncio.wait_for(again.wait(), 60)
        with self.assertRaises(grove.Closed):
            await waiting
        full.close()

    async def test_calls_and_subscriptions_survive_a_lost_connection(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("subscribe"), cur="c0")
            connection.write('{"sub":"s1","cur":"c1","to":"c/a","v":1,"kind":"output"}')
            await connection.request("send")
            connection.write('{"sub":"s1","cur":"c2","to":"c/a","v"', end="")

        async def second(connection: Connection) -> None:
            await connection.greet()
            subscribe = await connection.request("subscribe")
            assert subscribe["from"] == {"after": "c1"}, subscribe
            connection.reply(subscribe, cur="c9")
            connection.reply(await connection.request("send"), v=2)
            connection.write('{"sub":"s1","cur":"c2","to":"c/a","v":2,"kind":"output"}')
            await connection.close_seen()

        server = await FakeServer(first, second).start(tls=self.own.context("server"))
        options: Any = {"tls_ca": self.own.ca, "first_delay": 0.001, "timeout": 30.0}
        async with grove.AsyncClient(server.address, **options) as c:
            subscription = await c.subscribe("c")
            self.assertEqual((await subscription.__anext__())["v"], 1)
            self.assertEqual((await c.send("c/a", "go"))["v"], 2)
            self.assertEqual((await subscription.__anext__())["v"], 2)
        await server.finish()


class Options(unittest.TestCase):
    def test_options_without_sense_are_refused(self) -> None:
        good = "sha256/" + "A" * 43 + "="
        wrong = ("", "A" * 43 + "=", "sha1/" + "A" * 43 + "=", "sha256/AAAA", good + "A",
                 good.replace("=", ""), "sha256/" + "é" * 22)  # fmt: skip
        for pin in wrong:
            with self.assertRaises(ValueError, msg=pin):
                grove.AsyncClient("tls:h:1", tls_pin=pin)
        grove.AsyncClient("tls:h:1", tls_pin=good)
        for options in ({"tls_certificate": "c"}, {"tls_key": "k"}):
            with self.assertRaises(ValueError):
                grove.AsyncClient("tls:h:1", **options)  # type: ignore[arg-type]
        for server in ("h:1", "unix:/s"):
            with self.assertRaises(ValueError):
                grove.AsyncClient(server, tls_ca="/ca.pem")
