#!/usr/bin/env bash
# Runs checks: `npm run check` all of them, `npm run check -- <part>…` some.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH

usage() {
  cat <<'TEXT'
npm run check [-- <part>…]    without a part: test system clients code patterns

  test        the tests that need no process, server or network: the same as npm test
  system      parallel timed: the tests of processes, servers and browsers, the same as npm run test:system
    parallel  those that run at the same time
    timed     those whose subject is time, one file after the other
  clients     clients of the API that common generators make; installs the generators into ~/.cache
  patterns    all regular expressions on texts that are made to slow them down
  code        types lint dead rules docs prose
    types     TypeScript's compiler
    lint      Biome
    dead      exports, files and packages that nothing uses
    rules     lint and tests of all rules
    docs      generated documents are up to date (to update them: tools/run docs --write)
    prose     words and phrases that the project does not use
  slow        mistakes planted in rules, both engines on all test pages, operations on a service under load; 15 minutes
  mutation    mistakes planted in the code by Stryker, on a small sample
TEXT
}

run_part() {
  case $1 in
    test) vitest run --project unit ;;
    system) vitest run --project system --project timed ;;
    parallel) vitest run --project system ;;
    timed) vitest run --project timed ;;
    clients) tools/generators.sh install && vitest run --project clients ;;
    patterns) tools/run patterns ;;
    code) for part in types lint dead rules docs prose; do run_part "$part"; done ;;
    types) tsc ;;
    lint) biome check . ;;
    dead) knip ;;
    rules) npm run -s rules -- lint && npm run -s rules -- test --strict ;;
    docs) tools/run docs ;;
    prose) node tools/prose.mjs ;;
    slow) vitest run --project slow ;;
    mutation) tools/run mutation ;;
    --help | -h) usage ;;
    *)
      printf 'check: there is no part "%s"\n' "$1" >&2
      usage >&2
      exit 2
      ;;
  esac
}

[ $# -gt 0 ] || set -- test system clients code patterns
for part; do run_part "$part"; done
