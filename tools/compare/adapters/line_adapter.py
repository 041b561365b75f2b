"""What adapters in Python share. docs/benchmark.md describes the lines that they read and write."""

import json
import sys
import time


def run_adapter(info, detect):
    """Responds to every page of standard input. `detect` takes a page and returns its names and a dict of versions."""
    write(info)
    for text in sys.stdin:
        page = json.loads(text)
        started = time.perf_counter()
        try:
            names, versions = detect(page)
            write({"id": page["id"], "names": names, "versions": versions, "ms": (time.perf_counter() - started) * 1000})
        except Exception as error:
            write({"id": page["id"], "error": repr(error)})


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def join_headers(page):
    """Headers by name in lower case; values of the same name are joined."""
    headers = {}
    for name, value in page.get("headers") or []:
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
