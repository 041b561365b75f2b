#!/usr/bin/env bash
# Makes a release: `tools/release/release.sh minor` (or patch, major, a version). The tool is installed here, because nothing else needs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
npm ci --prefix tools/release --silent --ignore-scripts --no-audit --no-fund
exec tools/release/node_modules/.bin/release-it "$@"
