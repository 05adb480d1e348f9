"""testssl.sh against an address with TLS: versions, ciphers, keys, known weaknesses.

It also connects more often than a server allows by default, so the server's pace is raised.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess

from servers import Certificates, RealServer
from stage import Report, free_port, running

#: What it looks at: versions, kinds of ciphers, the server's choices and certificate, forward
#: secrecy, and weaknesses.
PARTS = ["--protocols", "--standard", "--server-preference", "--server-defaults", "--fs",
         "--vulnerable"]  # fmt: skip

#: From this exit code on, it didn't do all.
ENDED_EARLY = 240

#: Severities that are no finding.
FINE = {"OK", "INFO", "DEBUG"}

#: What it dislikes, and why that is no finding.
ACCEPTED = {
    "cert_revocation": "the test's authority publishes no list of revoked certificates",
    "cert_ocspURL": "the same",
    "cert_crlDistributionPoints": "the same",
    "cert_notAfter": "the certificate of a test ends soon",
    "cert_expirationStatus": "the same",
    "cert_extlifeSpan": "the same",
    "engine_problem": "the program openssl beside testssl.sh has no GOST",
    "cipher_order": "all ciphers are as good, and the client knows which its processor is fast at",
    "DNS_CAArecord": "localhost has no such record",
}

#: These must be among what it says: else it hasn't looked.
EXPECTED = {
    "SSLv2": "not offered", "SSLv3": "not offered", "TLS1": "not offered",
    "TLS1_1": "not offered", "TLS1_2": "offered", "TLS1_3": "offered",
    "TLS_session_ticket": "no --", "SSL_sessionID_support": "no",
    "heartbleed": "not vulnerable", "secure_client_renego": "not vulnerable",
    "CRIME_TLS": "not vulnerable", "ROBOT": "not vulnerable", "SWEET32": "not vulnerable",
    "BEAST": "not vulnerable", "LUCKY13": "not vulnerable", "RC4": "not vulnerable",
}  # fmt: skip

#: Three of each version, with a key on P-256.
CIPHERS = {
    "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
}  # fmt: skip


def check(report: Report) -> None:
    """Whatever it rates worse than information is a finding."""
    certificates = Certificates()
    try:
        certificate = certificates.make("server")
        server = RealServer(
            f"tls:127.0.0.1:{free_port()}", "--web-listen", "", "--tls-certificate", certificate,
            "--tls-key", certificates.path("server.key"), "--tls-handshakes-per-s", "100000",
            "--log-level", "warning")  # fmt: skip
        with running(server):
            look(report, server, certificates)
    finally:
        certificates.remove()


def look(report: Report, server: RealServer, certificates: Certificates) -> None:
    path = os.path.join(server.folder, "testssl.json")
    run = subprocess.run(
        ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--add-ca", certificates.ca,
         "--jsonfile", path, *PARTS, server.address.removeprefix("tls:")],
        capture_output=True, text=True, timeout=900)  # fmt: skip
    try:
        with open(path) as file:
            said = json.load(file)
    except (OSError, ValueError) as error:
        report.finding(f"testssl.sh said nothing ({error}):\n{run.stdout[-2000:]}{run.stderr}")
        return
    report.expect(run.returncode < ENDED_EARLY, f"testssl.sh ended with {run.returncode}")
    for item in said:
        report.expect(
            item["severity"] in FINE or item["id"] in ACCEPTED,
            f"{item['id']}: {item['severity']}: {item['finding']}")  # fmt: skip
    findings = {item["id"]: item["finding"] for item in said}
    for name, text in EXPECTED.items():
        finding = findings.get(name, "nothing")
        report.expect(finding.startswith(text), f"{name}: {finding}, not: {text}")
    # A server that ends closes connections, which looks like a refusal.
    code = server._process.poll()
    report.expect(code is None, f"the server ended with {code}")
    counts = collections.Counter(item["severity"] for item in said)
    ciphers = set(findings.get("PFS_ciphers", "").split())
    report.expect(ciphers == CIPHERS, f"the ciphers are {sorted(ciphers)}")
    report.say("testssl.sh: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
