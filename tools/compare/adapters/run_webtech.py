"""Adapter of webtech (PyPI) with the rules of its package; it would download others."""

import contextlib
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from line_adapter import join_headers, run_adapter

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()  # webtech makes a folder there when it is imported.

import webtech  # noqa: E402
from webtech import database  # noqa: E402
from webtech.target import Target  # noqa: E402

PACKAGE = Path(webtech.__file__).parent
database.update_database = lambda *_, **__: None  # It would download rules.
database.DATABASE_FILE = str(PACKAGE / "webtech.json")
database.WAPPALYZER_DATABASE_FILE = str(PACKAGE / "apps.json")
with contextlib.redirect_stdout(sys.stderr):
    detector = webtech.WebTech({"json": True})


def detect(page):
    target = Target()
    target.data["url"] = page.get("url") or "https://unknown.example/"
    target.data["html"] = page.get("html") or ""
    target.data["headers"] = join_headers(page)
    lines = [value for name, value in page.get("headers") or [] if name.lower() == "set-cookie"]
    target.data["cookies"] = dict(line.split(";")[0].split("=", 1) for line in lines if "=" in line.split(";")[0])
    target.parse_html_page()
    with contextlib.redirect_stdout(sys.stderr):
        found = detector.perform(target)["tech"]
    versions = {one["name"]: one["version"] for one in found if one.get("version")}
    return [one["name"] for one in found], versions


run_adapter({"version": version("webtech"), "rules": len(detector.db["apps"])}, detect)
