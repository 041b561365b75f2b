from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Callable, NamedTuple, Optional

from .errors import ClientError, SiteprintError
from .schema import ScanResult

# How long the reader sleeps before it checks again.
LOOK_SECONDS = 0.2
# How long a thread sleeps while the loop has more outcomes to read than there are threads.
PAUSE_SECONDS = 0.02

Scan = Callable[[str, threading.Event], ScanResult]


class ScanOutcome(NamedTuple):
    """The outcome of one of many URLs: a result or an error."""

    url: str
    result: Optional[ScanResult]
    error: Optional[ClientError]


class ScanAll(Iterator[ScanOutcome]):
    """The outcomes of many URLs, as they complete. Each URL that was read from the iterable has exactly one.

    An interrupt (Ctrl-C) does not end the iterator. After one, iterate over ``stop()`` to get the outcomes of the
    requests that were sent. Leaving the loop without that discards them, and the service may still charge them.
    """

    def __init__(self, scan: Scan, urls: Iterable[str], concurrency: int) -> None:
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._work = _Work(scan, iter(urls), concurrency)
        # The threads refer to the work, not to the iterator: they end when the iterator is no longer used.
        weakref.finalize(self, self._work.stop)
        for _ in range(concurrency):
            threading.Thread(target=self._work.run, name="siteprint", daemon=True).start()

    def __iter__(self) -> ScanAll:
        return self

    def __next__(self) -> ScanOutcome:
        done = self._work.done
        if not self._work.wait():
            raise self._work.failure or StopIteration
        # From here on no function is called, so CPython raises no KeyboardInterrupt that would lose the outcome.
        outcome = done[0]
        del done[0]
        return outcome

    def stop(self) -> ScanAll:
        """Sends no more requests. Returns the iterator, which ends after the outcomes of all URLs that were read.

        Those that were not sent have a ``StoppedError``.
        """
        self._work.stop()
        return self


class _Work:
    """State that the threads of an iterator share. Only they read URLs: an interrupt reaches only the main thread."""

    def __init__(self, scan: Scan, urls: Iterator[str], concurrency: int) -> None:
        self._scan = scan
        self._urls = urls
        self._max_unread = concurrency
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._running = concurrency
        # Wakes the reader. Unlike a condition it has no lock that an interrupt of the reader could leave locked.
        self._bell: SimpleQueue[None] = SimpleQueue()
        self.done: deque[ScanOutcome] = deque()
        self.failure: Optional[BaseException] = None

    def wait(self) -> bool:
        """Waits for an outcome. Returns False if there will be none."""
        while True:
            is_ended = self._running == 0
            if self.done or is_ended:
                return len(self.done) > 0
            with suppress(Empty):
                self._bell.get(timeout=LOOK_SECONDS)

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        """Scans one URL after another. Pauses while the loop reads no outcomes."""
        try:
            while (url := self._read_url()) is not None:
                self.done.append(self._scan_one(url))
                self._bell.put(None)
        except BaseException as error:
            self._fail(error)
        finally:
            with self._lock:
                self._running -= 1
            self._bell.put(None)

    def _read_url(self) -> Optional[str]:
        while len(self.done) >= self._max_unread and not self._stopping.wait(PAUSE_SECONDS):
            pass
        with self._lock:
            return None if self._stopping.is_set() else next(self._urls, None)

    def _scan_one(self, url: str) -> ScanOutcome:
        try:
            return ScanOutcome(url, self._scan(url, self._stopping), None)
        except ClientError as error:
            if isinstance(error, SiteprintError) and (error.status == 401 or error.code == "quota_exceeded"):
                self._fail(error)
            return ScanOutcome(url, None, error)

    def _fail(self, error: BaseException) -> None:
        """Ends the iteration with an error, after the outcomes of all URLs that were read."""
        self.failure = self.failure or error
        self.stop()
