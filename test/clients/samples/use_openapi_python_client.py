"""Uses a client that openapi-python-client generated as the package `generated`.

Usage: use_openapi_python_client.py <revision> <key> <url>... Prints a JSON object for each URL of a service.
"""

import json
import sys
from typing import Any

from generated import AuthenticatedClient
from generated.api.v1 import get_key_info, scan, scan_by_query
from generated.models import Error, Extra, KeyInfo, ScanRequest, ScanResult


def use(client: AuthenticatedClient, revision: str) -> dict[str, Any]:
    result = scan.sync(client=client, body=ScanRequest(url="https://example.org", include=list(Extra), fresh=True))
    again = scan_by_query.sync(client=client, url_query="https://example.org", include=[Extra.VERSIONS, Extra.TIMING])
    me = get_key_info.sync(client=client)
    error = scan.sync(client=client, body=ScanRequest(url="nothing"))
    assert isinstance(result, ScanResult) and isinstance(again, ScanResult), (result, again)
    assert isinstance(me, KeyInfo) and isinstance(error, Error), (me, error)
    assert result.evidence and result.infrastructure and again.versions and again.timing, (result, again)
    found = {
        "builder": result.builder,
        "category": result.category,
        "cached": [result.cached, again.cached],
        "kind": result.evidence[0].kind,
        "version": again.versions["Webflow"],
        "limit": me.requests_limit,
        "created": me.created_at.isoformat(),
        "code": error.code,
        "later": "later" in result,
    }
    if revision == "1":
        return found
    from generated.api.v1 import get_catalogue, get_usage
    from generated.models import Catalogue, KeyUsage

    usage = get_usage.sync(client=client, month="2026-05")
    catalogue = get_catalogue.sync(client=client)
    assert isinstance(usage, KeyUsage) and isinstance(catalogue, Catalogue), (usage, catalogue)
    later = {"title": result.meta.title, "days": len(usage.days), "slug": catalogue.entries[0].slug}
    return {**found, **later, "retryable": error.retryable}


_, revision, key, *urls = sys.argv
clients = [AuthenticatedClient(base_url=url, token=key) for url in urls]
print(json.dumps([use(client, revision) for client in clients]))
