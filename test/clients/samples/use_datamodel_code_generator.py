"""Uses the models that datamodel-code-generator generated as the module `models`.

Usage: use_datamodel_code_generator.py <revision> <key> <url>... Prints a JSON object for each URL of a service.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import models
from models import Error, Extra, KeyInfo, ScanRequest, ScanResult


def use(url: str, key: str, revision: str) -> dict[str, Any]:
    def send(path: str, body: ScanRequest | None = None) -> bytes:
        data = None if body is None else body.model_dump_json(exclude_none=True).encode()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        try:
            with urlopen(Request(f"{url}/api/v1{path}", data, headers)) as response:
                return response.read()
        except HTTPError as error:
            return error.read()

    body = ScanRequest(url="https://example.org", include=list(Extra), fresh=True)
    result = ScanResult.model_validate_json(send("/scan", body))
    query = urlencode({"url": "https://example.org", "include": "versions,timing"})
    again = ScanResult.model_validate_json(send(f"/scan?{query}"))
    me = KeyInfo.model_validate_json(send("/me"))
    error = Error.model_validate_json(send("/scan", ScanRequest(url="nothing")))
    assert result.infrastructure and again.timing, (result, again)
    found = {
        "builder": result.builder,
        "category": result.category and result.category.root,
        "cached": [result.cached, again.cached],
        "kind": result.evidence and result.evidence[0].kind,
        "version": again.versions and again.versions["Webflow"],
        "limit": me.requests_limit,
        "created": me.created_at.isoformat(),
        "code": error.code.root,
        # The models ignore unknown fields.
        "later": "later" in result.model_dump(),
    }
    if revision == "1":
        return found
    usage = models.KeyUsage.model_validate_json(send("/usage?month=2026-05"))
    catalogue = models.Catalogue.model_validate_json(send("/catalogue"))
    later = {"title": result.meta and result.meta.title, "days": len(usage.days), "slug": catalogue.entries[0].slug}
    return {**found, **later, "retryable": error.retryable}


_, revision, key, *urls = sys.argv
print(json.dumps([use(url, key, revision) for url in urls]))
