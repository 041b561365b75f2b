from __future__ import annotations

import threading
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Optional

WINDOW_SECONDS = 60.0
# How long a waiting thread sleeps before it checks again whether it was stopped.
LOOK_SECONDS = 0.2


class Pace:
    """Keeps the requests of all threads within the rate limit of a key, as the headers ``X-RateLimit-*`` describe it.

    The first request goes alone, because the limit is unknown before its response.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._limit = 1
        self._left = 1
        self._reset = 0
        self._in_flight = 0
        # End of the window by time.monotonic(); None before the first response.
        self._ends_at: Optional[float] = None

    def acquire(self, stop: threading.Event) -> bool:
        """Waits until a request may be sent. Returns False if ``stop`` was set; otherwise call ``release`` later."""
        with self._changed:
            while not stop.is_set():
                if self._left > 0:
                    self._left -= 1
                    self._in_flight += 1
                    return True
                left = LOOK_SECONDS if self._ends_at is None else self._ends_at - time.monotonic()
                if left > 0:
                    self._changed.wait(min(left, LOOK_SECONDS))
                else:
                    self._start_window()
            return False

    def release(self, headers: Optional[Message]) -> None:
        """Ends a request. ``headers`` are those of its response, if there is one."""
        with self._changed:
            self._in_flight -= 1
            known = _read_limits(headers)
            if known is not None and known[2] >= self._reset:
                self._learn(*known, _read_date(headers))
            elif self._ends_at is None:
                self._left += 1
            self._changed.notify_all()

    def _start_window(self) -> None:
        """Begins the next window before a response has described it."""
        self._left = max(1, self._limit - self._in_flight)
        self._ends_at = time.monotonic() + WINDOW_SECONDS

    def _learn(self, limit: int, remaining: int, reset: int, now: float) -> None:
        # Requests in flight may not be counted yet.
        left = remaining - self._in_flight
        self._left = min(self._left, left) if reset == self._reset else left
        self._limit = limit
        self._reset = reset
        # The window ends by the clock of the service, which may differ from ours.
        self._ends_at = time.monotonic() + reset - now


def _read_limits(headers: Optional[Message]) -> Optional[tuple[int, int, int]]:
    texts = [headers.get(f"X-RateLimit-{name}", "") for name in ("Limit", "Remaining", "Reset")] if headers else []
    if not texts or not all(text.isdecimal() for text in texts):
        return None
    limit, remaining, reset = map(int, texts)
    return limit, remaining, reset


def _read_date(headers: Optional[Message]) -> float:
    """The time of the service, in seconds since 1970; ours if the response has none."""
    try:
        return parsedate_to_datetime(headers["Date"] if headers else "").timestamp()
    except (TypeError, ValueError):
        return time.time()
