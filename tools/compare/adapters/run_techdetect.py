"""Adapter of techdetect (PyPI), which contains its rules. Its HTTP client gets the page from here instead of from the network."""

import asyncio
import contextlib
import sys

import httpx
from line_adapter import run_adapter
from techdetect import TechDetect, __version__

detector = TechDetect(fetch_robots=False, max_redirects=0)
loop = asyncio.new_event_loop()
current = {}


async def find_no_issuer(_hostname):
    return ""


def respond(_request):
    headers = [pair for pair in current.get("headers") or [] if pair[0].lower() not in ("content-encoding", "content-length", "transfer-encoding", "location")]
    body = (current.get("html") or "").encode("utf-8", "replace")
    headers = [pair for pair in headers if pair[0].lower() != "content-type"] + [["content-type", "text/html; charset=utf-8"]]
    encoded = [(name.encode("latin-1", "replace"), value.encode("utf-8", "replace")) for name, value in headers]
    return httpx.Response(200, headers=encoded, content=body)


detector._get_ssl_issuer = find_no_issuer  # It would connect to the host.


def detect(page):
    current.clear()
    current.update(page)
    url = page.get("url") or "https://unknown.example/"
    # A client for each page, so that no cookie of an earlier page is found.
    detector._client = httpx.AsyncClient(transport=httpx.MockTransport(respond))
    with contextlib.redirect_stdout(sys.stderr):
        result = loop.run_until_complete(detector.scan(url))
    if result.error:
        raise ValueError(result.error)
    versions = {one.name: one.version for one in result.technologies if one.version}
    return [one.name for one in result.technologies], versions


run_adapter({"version": __version__, "rules": len(detector._technologies)}, detect)
