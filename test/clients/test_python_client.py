"""Tests of clients/python. SITEPRINT_URL and KEY name a running service, for the tests that need one."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import unittest
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Callable, Optional
from urllib.error import URLError

from siteprint import ClientError, NoResponseError, Siteprint, SiteprintError, StoppedError

CLIENTS = Path(__file__).parents[2] / "clients"
OPERATION = json.loads((CLIENTS / "openapi.json").read_text())["paths"]["/api/v1/scan"]["get"]
RESULT = OPERATION["responses"]["200"]["content"]["application/json"]["examples"]["standard"]["value"]
SITE = "https://example.org/"

Step = tuple[int, Any, dict[str, str]]
# Gets the body of a request and returns its response.
Respond = Callable[[Any], Step]


@contextlib.contextmanager
def serve(respond: Respond) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, body, headers = respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):
                self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def limits(limit: int, remaining: int, reset: float) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": str(int(reset)),
    }


# Without a limit that matters.
FREE = limits(10_000, 9_999, 9_000_000_000)


def fail(status: int, code: str, **headers: str) -> Step:
    body = {"error": "A sentence.", "code": code, "retryable": status >= 429, "requestId": "r-1"}
    return status, body, {name.replace("_", "-"): value for name, value in headers.items()}


OK: Step = (200, RESULT, FREE)
# Name → responses in turn, number of requests, least seconds that they take, fields of the result or error, options.
STEPS: dict[str, tuple[list[Step], int, float, dict[str, Any], dict[str, Any]]] = {
    "429 with Retry-After": ([fail(429, "rate_limited", Retry_After="1"), OK], 2, 1, RESULT, {}),
    "503": ([fail(503, "unavailable"), OK], 2, 1, RESULT, {}),
    "429 until next month": ([fail(429, "quota_exceeded", Retry_After="900000")], 1, 0, {"retry_after": 900_000}, {}),
    "500": (
        [fail(500, "scan_failed")],
        1,
        0,
        {"code": "scan_failed", "status": 500, "retryable": True, "request_id": "r-1"},
        {},
    ),
    "400": ([fail(400, "a_new_code")], 1, 0, {"code": "a_new_code", "args": ("A sentence.",), "retryable": False}, {}),
    "503, too often": ([fail(503, "maintenance")], 2, 1, {"code": "maintenance"}, {"max_retries": 1}),
    "a page of a proxy": ([(502, b"<html>", {})], 1, 0, {"code": "unknown", "retryable": True, "request_id": None}, {}),
    "another JSON": ([(404, None, {})], 1, 0, {"code": "unknown", "args": ("HTTP 404",), "retryable": False}, {}),
    "a page with 200": ([(200, b"<html>", {})], 1, 0, {"code": "unknown", "status": 200, "retryable": False}, {}),
    "a redirect, which is not followed": (
        [(302, b"", {"Location": "/"})],
        1,
        0,
        {"code": "unknown", "status": 302},
        {},
    ),
    "further fields and values": (
        [(200, {**RESULT, "category": "other", "more": [1]}, {})],
        1,
        0,
        {"category": "other", "more": [1]},
        {},
    ),
}


class Responses(unittest.TestCase):
    def check_steps(self, name: str) -> None:
        steps, requests, least, wanted, options = STEPS[name]
        bodies: list[Any] = []

        def respond(body: Any) -> Step:
            bodies.append(body)
            return steps[min(len(bodies), len(steps)) - 1]

        with serve(respond) as url:
            started = time.monotonic()
            outcome: Any
            try:
                outcome = dict(Siteprint(url, "k", **options).scan(SITE, include=["meta"], fresh=True))
            except SiteprintError as error:
                outcome = {**vars(error), "args": error.args}
            took = time.monotonic() - started
        self.assertEqual({key: outcome[key] for key in wanted}, wanted, name)
        self.assertEqual(bodies, [{"url": SITE, "include": ["meta"], "fresh": True}] * requests, name)
        self.assertGreaterEqual(took, least - 0.01, name)

    def test_steps(self) -> None:
        with ThreadPoolExecutor(len(STEPS)) as pool:
            list(pool.map(self.check_steps, STEPS))

    def test_no_response(self) -> None:
        released = threading.Event()
        with serve(lambda body: (released.wait(10), OK)[1]) as silent:
            for url, cause in [("http://127.0.0.1:1", URLError), (silent, socket.timeout)]:
                with self.assertRaises(NoResponseError) as caught:
                    Siteprint(url, "k", max_retries=0, timeout=0.2).scan(SITE)
                self.assertIsInstance(caught.exception.__cause__, cause)
            released.set()


class ManyUrls(unittest.TestCase):
    def test_rate(self) -> None:
        counts: Counter[int] = Counter()
        lock = threading.Lock()

        def respond(body: Any) -> Step:
            with lock:
                second = int(time.time())
                counts[second] += 1
                return 200, RESULT, limits(10, max(0, 10 - counts[second]), second + 1)

        urls = [f"https://{n}.example.org/" for n in range(25)]
        with serve(respond) as url:
            seen = [outcome.url for outcome in Siteprint(url, "k").scan_all(urls)]
        self.assertEqual(sorted(seen), sorted(urls))
        self.assertLessEqual(max(counts.values()), 10)
        self.assertGreaterEqual(len(counts), 3)

    def test_errors(self) -> None:
        def respond(body: Any) -> Step:
            if "offline" in body["url"]:
                return 500, fail(500, "scan_failed")[1], FREE
            return fail(401, "unauthorized") if "late" in body["url"] else OK

        with serve(respond) as url:
            client = Siteprint(url, "k", max_retries=0)
            found = {one.url: one.error for one in client.scan_all([SITE, "https://offline.example.org/"])}
            self.assertEqual([type(found[one]) for one in sorted(found)], [type(None), SiteprintError])
            # An error of all further scans is raised after the outcomes of those that were sent.
            urls = iter([SITE, "https://late.example.org/", *[SITE] * 100])
            outcomes = []
            with self.assertRaises(SiteprintError) as caught:
                for outcome in client.scan_all(urls, concurrency=1):
                    outcomes.append(outcome)
            self.assertEqual([one.error and type(one.error) for one in outcomes], [None, SiteprintError])
            self.assertEqual((caught.exception.status, len(list(urls))), (401, 100))

            def broken() -> Iterator[str]:
                yield SITE
                raise OSError("the file cannot be read")

            scans = client.scan_all(broken(), concurrency=1)
            self.assertIsNotNone(next(scans).result)
            self.assertRaisesRegex(OSError, "cannot be read", next, scans)

    def read_all(self, url: str, urls: list[str], arm: Callable[[], None], disarm: Callable[[], None]) -> int:
        """Reads all outcomes although interrupts come between `arm` and `disarm`. Returns their number."""
        scans = Siteprint(url, "k").scan_all(urls)
        seen: list[str] = []
        interrupts = 0
        while True:
            try:
                arm()
                for outcome in scans:
                    seen.append(outcome.url)
                disarm()
                break
            except KeyboardInterrupt:
                interrupts += 1
        self.assertEqual(sorted(seen), sorted(urls))
        return interrupts

    def test_interrupts(self) -> None:
        """Ctrl-C again and again: every URL has exactly one outcome."""
        is_reading = False
        ended = threading.Event()

        def set_reading(value: bool) -> None:
            nonlocal is_reading
            is_reading = value

        def interrupt(*args: Any) -> None:
            if is_reading:
                set_reading(False)
                raise KeyboardInterrupt

        def send_signals() -> None:
            while not ended.wait(0.003):
                os.kill(os.getpid(), signal.SIGINT)

        usual = signal.signal(signal.SIGINT, interrupt)
        self.addCleanup(signal.signal, signal.SIGINT, usual)
        thread = threading.Thread(target=send_signals)
        with serve(lambda body: OK) as url:
            thread.start()
            urls = [f"https://{n}.example.org/" for n in range(200)]
            interrupts = self.read_all(url, urls, lambda: set_reading(True), lambda: set_reading(False))
            ended.set()
            thread.join()
        self.assertGreater(interrupts, 5)

    def test_interrupts_after_any_call(self) -> None:
        """CPython raises KeyboardInterrupt at the start of a function and after a call of a built-in one."""
        random = Random(1)

        def interrupt(frame: FrameType, event: str, arg: Any) -> None:
            is_here = event in ("call", "c_return") and frame.f_code.co_filename.endswith("scan_all.py")
            if is_here and random.random() < 0.3:
                raise KeyboardInterrupt

        with serve(lambda body: OK) as url:
            urls = [f"https://{n}.example.org/" for n in range(40)]
            interrupts = self.read_all(url, urls, lambda: sys.setprofile(interrupt), lambda: sys.setprofile(None))
        self.assertGreater(interrupts, 20)

    def test_stop(self) -> None:
        """After stop() come the outcomes of what was sent. A URL that waits for the next window was not."""
        urls = iter([f"https://{n}.example.org/" for n in range(20)])
        answer = threading.Event()
        sent: list[str] = []

        def respond(body: Any) -> Step:
            sent.append(body["url"])
            if len(sent) > 1:
                answer.wait(10)
            return 200, RESULT, limits(3, 3 - len(sent), 9_000_000_000)

        with serve(respond) as url:
            scans = Siteprint(url, "k").scan_all(urls, concurrency=4)
            first = next(scans)
            while len(sent) < 3:
                time.sleep(0.01)
            time.sleep(0.1)
            scans.stop()
            answer.set()
            rest = list(scans)
        read = 20 - len(list(urls))
        outcomes = [first, *rest]
        self.assertEqual(sorted(one.url for one in outcomes if one.result), sorted(sent))
        self.assertEqual(len(outcomes), read)
        self.assertEqual({type(one.error) for one in outcomes if not one.result}, {StoppedError})

    def test_leaving(self) -> None:
        """Leaving the loop ends the threads, and a loop that does not read lets the service wait."""
        read: list[Optional[ClientError]] = []

        def endless() -> Iterator[str]:
            while True:
                read.append(None)
                yield SITE

        with serve(lambda body: OK) as url:
            for _ in Siteprint(url, "k").scan_all(endless(), concurrency=2):
                time.sleep(0.3)
                break
            self.assertLessEqual(len(read), 1 + 2 + 2)
            deadline = time.monotonic() + 5
            while any(thread.name == "siteprint" for thread in threading.enumerate()):
                self.assertLess(time.monotonic(), deadline, "threads are left")
                time.sleep(0.02)
        self.assertRaises(ValueError, Siteprint("http://127.0.0.1:1", "k").scan_all, [], concurrency=0)


@unittest.skipUnless("SITEPRINT_URL" in os.environ, "there is no running service")
class RunningService(unittest.TestCase):
    def test_readme(self) -> None:
        [code] = re.findall(r"```python\n(.*?)```", (CLIENTS / "python/README.md").read_text(), re.DOTALL)
        code = code.replace("http://127.0.0.1:3000", os.environ["SITEPRINT_URL"])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), {})
        first, error, *others, left = printed.getvalue().splitlines()
        self.assertEqual(first, "Webflow high Harbour Line")
        self.assertRegex(error, r"^blocked_target False [\da-f-]{36}$")
        self.assertEqual(sorted(others)[:2], ["https://a.example.org Webflow", "https://b.example.org Webflow"])
        self.assertRegex(sorted(others)[2], "^nothing url must be an absolute URL")
        self.assertRegex(left, r"^\d+ scans left$")

    def test_methods(self) -> None:
        client = Siteprint(os.environ["SITEPRINT_URL"] + "/", os.environ["KEY"])
        used = client.me()["requests_used"]
        result = client.scan("https://c.example.org", include=["evidence", "timing"], fresh=True)
        self.assertEqual((result["builderSlug"], result["cached"]), ("webflow", False))
        self.assertGreater(len(result["evidence"]), 0)
        self.assertEqual(client.me()["requests_used"], used + 1)
        usage = client.usage()
        self.assertEqual(
            (sum(day["requests"] for day in usage["days"]), len(client.usage("2026-05")["days"])), (used + 1, 31)
        )
        self.assertEqual([one["kind"] for one in client.catalogue("builder")["entries"]], ["builder"])
        with self.assertRaises(SiteprintError) as caught:
            client.catalogue("other")
        self.assertEqual((caught.exception.code, caught.exception.retryable), ("invalid_request", False))

    def test_asyncio(self) -> None:
        client = Siteprint(os.environ["SITEPRINT_URL"], os.environ["KEY"])

        async def scan() -> list[bool]:
            results = await asyncio.gather(
                *[asyncio.to_thread(client.scan, f"https://{n}.example.org") for n in range(3)]
            )
            return [result["isAiNative"] for result in results]

        self.assertEqual(asyncio.run(scan()), [False] * 3)


if __name__ == "__main__":
    unittest.main()
