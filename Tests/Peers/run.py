"""Runs the checks: `.ci/peers` calls this, with the peers installed and GROVE_BINARY set."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback

#: The checks in their order: the name, its module, and what it holds Grove against.
CHECKS = {
    "openapi": ("openapi", "the description of the API, read by openapi-spec-validator"),
    "schemathesis": ("properties", "requests that schemathesis makes of the description"),
    "framing": ("framing", "hostile bytes, read by h11, llhttp and nginx"),
    "proxy": ("proxy", "the same bytes through nginx in front, with connections kept open"),
    "websocket": ("sockets", "RFC 6455 case by case, with wsproto as the peer"),
    "conversations": ("conversations", "the golden conversations over WebSocket and over lines"),
    "streams": ("streams", "server-sent events through nginx, cut at random moments"),
    "slow": ("slow", "slowhttptest in its modes, beside a client with lines"),
    "tls": ("tls", "testssl.sh against an address with TLS"),
    "axe": ("axe", "axe-core on every page of the console, in both schemes"),
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", default=[], choices=CHECKS)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    if options.list:
        for name, (_, subject) in CHECKS.items():
            print(f"{name:14} {subject}")
        return 0
    # Reads GROVE_BINARY when it is imported.
    from stage import FINDINGS_MAX, Report

    start = time.monotonic()
    failed: list[str] = []
    for name in options.only or CHECKS:
        print(f"\n== {name} (at {time.monotonic() - start:.0f} s)", flush=True)
        report = Report(options.long, options.seed)
        try:
            importlib.import_module(CHECKS[name][0]).check(report)
        except Exception:
            report.finding(f"{name} ended early: {traceback.format_exc()}")
        if len(report.findings) > FINDINGS_MAX:
            print(f"!! and {len(report.findings) - FINDINGS_MAX} findings more")
        if report.findings:
            failed.append(f"{name}: {len(report.findings)}")
    took = time.monotonic() - start
    if failed:
        print(f"\nfindings in {took:.0f} s: {', '.join(failed)}")
        print(f"again: .ci/peers --seed {options.seed} --only NAME")
        return 1
    print(f"\n== nothing found (in {took:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
