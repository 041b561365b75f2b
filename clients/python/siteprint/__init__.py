"""A client of the Siteprint API: retries, typed errors, many URLs at the rate of a key. README.md has an example."""

from .client import Siteprint
from .errors import ClientError, NoResponseError, SiteprintError, StoppedError
from .scan_all import ScanAll, ScanOutcome
from .schema import (
    Batch,
    BatchLine,
    BatchList,
    Catalogue,
    CatalogueEntry,
    DayUsage,
    Evidence,
    Extra,
    KeyInfo,
    KeyUsage,
    ScanResult,
)

__all__ = [
    "Batch",
    "BatchLine",
    "BatchList",
    "Catalogue",
    "CatalogueEntry",
    "ClientError",
    "DayUsage",
    "Evidence",
    "Extra",
    "KeyInfo",
    "KeyUsage",
    "NoResponseError",
    "ScanAll",
    "ScanOutcome",
    "ScanResult",
    "Siteprint",
    "SiteprintError",
    "StoppedError",
]
