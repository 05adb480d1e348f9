"""The description of the API is OpenAPI 3.1, as openapi-spec-validator reads it, and names the
methods of each path."""

from __future__ import annotations

import re
from typing import Any

from openapi_spec_validator import OpenAPIV31SpecValidator
from stage import Grove, Report, number, running
from web import Web

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


def check(report: Report) -> None:
    """Every error that the validator finds, then every method."""
    grove = Grove()
    with running(grove):
        web = Web(grove.web)
        status, document = web.ask("GET", "/v1/openapi.json")
        report.expect(status == 200, f"/v1/openapi.json is {status}")
        for error in OpenAPIV31SpecValidator(document).iter_errors():
            place = "/".join(map(str, error.absolute_path))
            report.finding(f"at {place}: {error.message}")
        operations = [operation for path in document["paths"].values() for operation in path]
        report.say(f"OpenAPI {document['openapi']}: {number(len(operations))} operations, "
                   f"{number(len(report.findings))} findings")  # fmt: skip
        asked = sum(ask(report, web, path, operations)
                    for path, operations in document["paths"].items())  # fmt: skip
        report.say(f"methods that a path doesn't have: {number(asked)}")
        web.close()
        grove.check(report)


def ask(report: Report, web: Web, path: str, operations: dict[str, Any]) -> int:
    """Asks for what a path doesn't have; returns the number of requests."""
    there = {name.upper() for name in operations} & set(METHODS)
    there |= {"OPTIONS"}
    # HEAD is there where GET has an end.
    answers = operations.get("get", {}).get("responses", {})
    is_stream = "101" in answers or "text/event-stream" in answers.get("200", {}).get("content", {})
    if "GET" in there and not is_stream:
        there.add("HEAD")
    missing = [method for method in (*METHODS, "PATCH", "TRACE", "BREW") if method not in there]
    for method in missing:
        web.request(method, re.sub(r"\{\w+\}", "0", path))
        answer = web.getresponse()
        answer.read()
        # RFC 9110, section 9.1: 501 for a method that is implemented nowhere.
        status = 405 if method in METHODS else 501
        report.expect(answer.status == status, f"{method} {path} is {answer.status}")
        if status == 405:
            allowed = set((answer.getheader("Allow") or "").split(", "))
            report.expect(allowed == there, f"{method} {path} allows {allowed}, not {there}")
    return len(missing)
