"""Secure connections to the real server, which is killed and restarted meanwhile."""

from __future__ import annotations

import unittest
from typing import Any

import grove_client as grove
from servers import Certificates, RealServer, needs_server


@needs_server
class SecureServer(unittest.TestCase):
    def setUp(self) -> None:
        self.files = Certificates()
        self.addCleanup(self.files.remove)
        self.files.make("server")
        self.files.make("client", "URI:grove:client")

    def serve(self, *flags: str) -> RealServer:
        server = RealServer(
            "tls:127.0.0.1:0",
            "--tls-certificate",
            self.files.path("server.pem"),
            "--tls-key",
            self.files.path("server.key"),
            *flags,
        )
        self.addCleanup(server.remove)
        return server

    def test_calls_and_subscriptions_over_kills(self) -> None:
        server = self.serve()
        options: Any = {"tls_ca": self.files.ca, "first_delay": 0.005, "timeout": 60.0}
        with grove.Client(server.address, **options) as client:
            outputs = client.subscribe("counter", kind=["output"], start="first", credit=8)
            for round in range(3):
                replies = [
                    client.submit("send", to="counter/a", event="increment") for _ in range(200)
                ]
                if round == 1:
                    server.kill()
                elif round == 2:
                    self.assertEqual(server.stop(), 0)
                if round:
                    server.start()
                versions = [reply.result()["v"] for reply in replies]
                first = round * 200 + 1
                self.assertEqual(versions, list(range(first, first + 200)))
                seen = [next(outputs)["data"] for _ in range(200)]
                self.assertEqual(seen, versions)

    def test_a_required_certificate(self) -> None:
        server = self.serve(
            "--tls-client-ca", self.files.ca, "--tls-client-certificates", "required"
        )
        with grove.Client(server.address, tls_ca=self.files.ca, timeout=60.0) as client:
            with self.assertRaises(grove.TLSFailed) as failed:
                client.ping()
            self.assertEqual(failed.exception.reason, "certificate_required")
        options = {
            "tls_certificate": self.files.path("client.pem"),
            "tls_key": self.files.path("client.key"),
        }
        pin = self.files.pin("server")
        with grove.Client(server.address, tls_pin=pin, timeout=60.0, **options) as client:
            self.assertEqual(client.send("counter/a", "increment")["v"], 1)
