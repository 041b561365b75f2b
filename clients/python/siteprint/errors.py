from __future__ import annotations

import json
from email.message import Message
from typing import Any, Optional


class ClientError(Exception):
    """The base class of the errors of this client."""


class NoResponseError(ClientError):
    """The request got no response: the connection failed, or the time limit passed. ``__cause__`` has the reason."""


class StoppedError(ClientError):
    """The scans of many URLs were stopped before this URL was sent."""


class SiteprintError(ClientError):
    """An error response of the API."""

    code: str
    """A stable code such as ``blocked_target``. Later versions of the service may add codes."""
    status: int
    """HTTP status."""
    retryable: bool
    """Whether the same request may succeed later."""
    retry_after: Optional[float]
    """Seconds until then, if the response contains ``Retry-After`` (429)."""
    request_id: Optional[str]
    """ID to quote in questions to the operator; None if the response is not from the service."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        fields = _read_fields(body)
        super().__init__(str(fields.get("error", f"HTTP {status}")))
        self.status = status
        self.code = str(fields.get("code", "unknown"))
        self.retryable = bool(fields.get("retryable", status == 429 or status >= 500))
        request_id = fields.get("requestId") or headers.get("X-Request-Id")
        self.request_id = None if request_id is None else str(request_id)
        self.retry_after = _read_seconds(headers.get("Retry-After"))


def _read_fields(body: bytes) -> dict[str, Any]:
    """Reads the body of an error. One that is not from the service but from a proxy in front of it has no fields."""
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) and isinstance(fields.get("code"), str) else {}


def _read_seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdecimal() else None
