from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Iterable, Iterator
from email.message import Message
from typing import Any, Literal, Optional, Union, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import ClientError, NoResponseError, SiteprintError, StoppedError
from .pace import Pace
from .scan_all import ScanAll
from .schema import Batch, BatchLine, BatchList, Catalogue, Extra, KeyInfo, KeyUsage, ScanResult

# The service answers within 18 seconds, and within 31 seconds if a browser renders the page.
TIMEOUT_SECONDS = 33.0
Render = Literal["never", "auto", "always"]
# A rate-limit window lasts a minute; a used-up quota lasts until the next month.
MAX_WAIT_SECONDS = 65.0
FIRST_BACKOFF_SECONDS = 1.0
# Pause before an empty part of the results of a batch is read again.
POLL_SECONDS = 2.0
_NEXT = re.compile(r'<[^>?]*(\?[^>]*)>;\s*rel="next"')


class _NoRedirects(HTTPRedirectHandler):
    """urllib would send the key to whatever host a redirect names."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        return None


class Siteprint:
    """A client of one service with one key, for any number of threads.

    Requests keep to the rate limit of the key. Rate-limited requests are repeated after ``Retry-After``, and those that
    got no response or 503 after one, two and four seconds. Failed scans (500) are not repeated.

    :param base_url: address of the service, such as ``https://siteprint.example``
    :param key: API key
    :param max_retries: how often a request is repeated
    :param max_wait: the longest wait before a repetition, in seconds; a longer ``Retry-After`` is an error at once
    :param timeout: time limit for connecting and for each wait for data, in seconds
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        max_retries: int = 3,
        max_wait: float = MAX_WAIT_SECONDS,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._timeout = timeout
        self._pace = Pace()
        self._opener = build_opener(_NoRedirects)

    def scan(
        self,
        url: str,
        *,
        include: Iterable[Extra] = (),
        fresh: bool = False,
        pages: Optional[int] = None,
        render: Optional[Render] = None,
    ) -> ScanResult:
        """Scans a site.

        :param include: what to add after the standard fields
        :param fresh: scan again even if the service has a cached result
        :param pages: how many pages of the site are read, from 1 to 5; each is charged as one scan (revision 2 only)
        :param render: whether a browser of the service runs the scripts of the page (revision 2 only)
        :raises SiteprintError, NoResponseError:
        """
        return self._scan(url, list(include), fresh, pages, render, threading.Event())

    def scan_all(
        self,
        urls: Iterable[str],
        *,
        include: Iterable[Extra] = (),
        fresh: bool = False,
        pages: Optional[int] = None,
        render: Optional[Render] = None,
        concurrency: int = 8,
    ) -> ScanAll:
        """Scans many sites, ``concurrency`` at a time, and returns an iterator of their outcomes as they complete.

        A site that fails does not end the iteration. An error that every further request would have too (a key that is
        not valid, a used-up quota) does: it is raised after the outcomes of all requests that were sent.

        :raises SiteprintError: with status 401 or code ``quota_exceeded``, and what the iterable raises
        """
        extras = list(include)
        return ScanAll(lambda url, stop: self._scan(url, extras, fresh, pages, render, stop), urls, concurrency)

    def me(self) -> KeyInfo:
        """Reads the details and the usage of the key."""
        return cast(KeyInfo, self._call("/me"))

    def usage(self, month: Optional[str] = None) -> KeyUsage:
        """Reads the charged scans by day of a month such as ``2026-05``; of the current one by default."""
        return cast(KeyUsage, self._call("/usage", {"month": month}))

    def catalogue(self, kind: Optional[str] = None) -> Catalogue:
        """Lists what a scan can detect; only a ``kind`` of ``builder``, ``hosting``, ``site-type``, ``technology``."""
        return cast(Catalogue, self._call("/catalogue", {"kind": kind}))

    def create_batch(
        self,
        urls: Iterable[str],
        *,
        include: Iterable[Extra] = (),
        fresh: bool = False,
        webhook: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Batch:
        """Submits a list of URLs that the service scans in the background.

        :param webhook: https URL to which a signed message is sent when the batch ends
        :param idempotency_key: repeating the call with the same value finds the first batch
        :raises SiteprintError, NoResponseError:
        """
        body: dict[str, Any] = {"urls": list(urls), "include": list(include), "fresh": fresh}
        if webhook is not None:
            body["webhook"] = webhook
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        return cast(Batch, self._call("/batches", body=body, headers=headers))

    def batch(self, batch_id: str) -> Batch:
        """Reads the progress of a batch."""
        return cast(Batch, self._call(f"/batches/{quote(batch_id, safe='')}"))

    def batches(self, before: Optional[str] = None) -> BatchList:
        """Lists the batches of the key, newest first; ``before`` is ``next`` of the page before."""
        return cast(BatchList, self._call("/batches", {"before": before}))

    def cancel_batch(self, batch_id: str) -> Batch:
        """Cancels what has not started."""
        return cast(Batch, self._call(f"/batches/{quote(batch_id, safe='')}", method="DELETE"))

    def retry_batch(self, batch_id: str) -> Batch:
        """Lets the failed URLs of a batch be scanned again."""
        return cast(Batch, self._call(f"/batches/{quote(batch_id, safe='')}/retry", method="POST"))

    def batch_results(self, batch_id: str, *, poll: float = POLL_SECONDS) -> Iterator[BatchLine]:
        """Yields the results of a batch in the order of completion, and waits until it has ended."""
        query = ""
        while True:
            text, headers = self._request(f"/batches/{quote(batch_id, safe='')}/results{query}")
            lines = [line for line in text.decode().split("\n") if line]
            for line in lines:
                yield cast(BatchLine, json.loads(line))
            following = _NEXT.search(headers.get("Link", ""))
            if following is None:
                return
            if not lines:
                time.sleep(poll)
            query = following[1]

    def _scan(
        self,
        url: str,
        include: list[Extra],
        fresh: bool,
        pages: Optional[int],
        render: Optional[Render],
        stop: threading.Event,
    ) -> ScanResult:
        body: dict[str, Any] = {"url": url, "include": include, "fresh": fresh}
        if pages is not None:
            body["pages"] = pages
        if render is not None:
            body["render"] = render
        return cast(ScanResult, self._call("/scan", body=body, stop=stop))

    def _call(
        self,
        path: str,
        query: Optional[dict[str, Optional[str]]] = None,
        body: Optional[dict[str, Any]] = None,
        stop: Optional[threading.Event] = None,
        method: Optional[str] = None,
        headers: Optional[dict[str, str]] = None,
    ) -> Any:
        text, _ = self._request(path, query, body, stop, method, headers)
        return json.loads(text)

    def _request(
        self,
        path: str,
        query: Optional[dict[str, Optional[str]]] = None,
        body: Optional[dict[str, Any]] = None,
        stop: Optional[threading.Event] = None,
        method: Optional[str] = None,
        headers: Optional[dict[str, str]] = None,
    ) -> tuple[bytes, Message]:
        """Sends a request, and retries it as long as a retry may help. A set ``stop`` ends the waits."""
        text = urlencode({name: value for name, value in (query or {}).items() if value is not None})
        request = Request(
            f"{self._base_url}/api/v1{path}{text and '?'}{text}",
            headers={**self._headers, **(headers or {})},
            method=method,
        )
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        stop = stop or threading.Event()
        tries = 0
        while True:
            outcome = self._send(request, stop)
            if not isinstance(outcome, ClientError):
                return outcome
            wait = _find_wait(outcome, tries)
            if wait is None or tries >= self._max_retries or wait > self._max_wait or stop.wait(wait):
                raise outcome
            tries += 1

    def _send(self, request: Request, stop: threading.Event) -> Union[ClientError, tuple[bytes, Message]]:
        if not self._pace.acquire(stop):
            return StoppedError("The scans were stopped before this URL was sent.")
        headers: Optional[Message] = None
        try:
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    status, headers, text = response.status, response.headers, response.read()
            except HTTPError as error:
                with error:
                    status, headers, text = error.code, error.headers, error.read()
        except (OSError, http.client.HTTPException) as error:
            no_response = NoResponseError("The service did not respond.")
            no_response.__cause__ = error
            return no_response
        finally:
            self._pace.release(headers)
        if status >= 300 or not _is_readable(headers, text):
            return SiteprintError(status, headers, text)
        return text, headers


def _is_readable(headers: Message, text: bytes) -> bool:
    """Whether a body is what the service sends: JSON, or lines of it."""
    if headers.get_content_type() == "application/x-ndjson":
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _find_wait(error: ClientError, tries: int) -> Optional[float]:
    """Seconds to wait before a request is retried; None if a retry does not help."""
    backoff = FIRST_BACKOFF_SECONDS * 2.0**tries
    if isinstance(error, NoResponseError):
        return backoff
    if not isinstance(error, SiteprintError) or error.status not in (429, 503):
        return None
    return backoff if error.status == 503 or error.retry_after is None else error.retry_after
