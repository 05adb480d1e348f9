"""testssl.sh against an address with TLS: versions, ciphers, keys, known weaknesses.

It also connects more often than a server allows by default, so the server's pace is raised.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess

from servers import Certificates, RealServer
from stage import Report, running

#: What it looks at: versions, kinds of ciphers, the server's choices and certificate, forward
#: secrecy, and weaknesses.
PARTS = ["--protocols", "--standard", "--server-preference", "--server-defaults", "--fs",
         "--vulnerable"]  # fmt: skip

#: Severities that are no finding.
FINE = {"OK", "INFO", "DEBUG"}

#: What it dislikes of any certificate that a test can make, and why that is none of the server's.
OF_THE_CERTIFICATE = {
    "cert_chain_of_trust": "the authority is the test's own",
    "cert_trust": "the same",
    "cert_revocation": "the test's authority publishes no list of revoked certificates",
    "cert_ocspURL": "the same",
    "cert_crlDistributionPoints": "the same",
    "cert_notAfter": "the certificate of a test ends soon",
    "cert_expirationStatus": "the same",
    "cert_extlifeSpan": "the same",
    "DNS_CAArecord": "localhost has no such record",
}

#: These must be among what it says: else it hasn't looked.
EXPECTED = {
    "SSLv2": "not offered", "SSLv3": "not offered", "TLS1": "not offered",
    "TLS1_1": "not offered", "TLS1_2": "offered", "TLS1_3": "offered",
    "heartbleed": "not vulnerable", "secure_client_renego": "not vulnerable",
    "CRIME_TLS": "not vulnerable", "ROBOT": "not vulnerable", "SWEET32": "not vulnerable",
    "BEAST": "not vulnerable", "LUCKY13": "not vulnerable", "RC4": "not vulnerable",
}  # fmt: skip


def check(report: Report) -> None:
    """Whatever it rates worse than information is a finding."""
    certificates = Certificates()
    try:
        certificate = certificates.make("server")
        server = RealServer(
            "tls:127.0.0.1:0", "--web-listen", "", "--tls-certificate", certificate,
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
            said = {item["id"]: item for item in json.load(file)}
    except (OSError, ValueError) as error:
        report.finding(f"testssl.sh said nothing ({error}):\n{run.stdout[-2000:]}{run.stderr}")
        return
    for name, item in said.items():
        report.expect(
            item["severity"] in FINE or name in OF_THE_CERTIFICATE,
            f"{name}: {item['severity']}: {item['finding']}")  # fmt: skip
    for name, text in EXPECTED.items():
        finding = said.get(name, {}).get("finding", "nothing")
        report.expect(finding.startswith(text), f"{name}: {finding}, not: {text}")
    counts = collections.Counter(item["severity"] for item in said.values())
    report.say("testssl.sh: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
