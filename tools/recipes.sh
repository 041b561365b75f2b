#!/usr/bin/env bash
# Runs the recipes of docs/analysis.md with DuckDB and pandas, and compares what they print with the document.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
tools/recipes.sh [--write]

  Runs the SQL and Python of docs/analysis.md on the results in examples/. The exit code is 1 if a recipe fails or prints something else
  than the document says; --write puts what it prints into the document. Without Python and pip the check is skipped and stderr says
  why; with REQUIRE_SERVICES=1 it fails instead.

DuckDB and pandas are installed in ${XDG_CACHE_HOME:-~/.cache}/siteprint-recipes.
TEXT
}

say() { printf 'recipes: %s\n' "$*" >&2; }

skip() {
  say "SKIPPED: $1"
  [ "${REQUIRE_SERVICES:-}" != 1 ] || exit 1
  exit 0
}

folder=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME: DuckDB and pandas are installed below it}/.cache}/siteprint-recipes
packages=('duckdb==2.0.*' 'pandas==3.1.*')

install_missing() {
  # The file is written last and names what is installed.
  [ "$(cat "$folder/installed" 2>/dev/null)" != "${packages[*]}" ] || return 0
  command -v python3 >/dev/null || skip 'python3 is missing: install it'
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip 'python3 has no venv and pip: install python3-venv'
  say 'installing DuckDB and pandas from PyPI'
  { python3 -m venv --clear "$folder" && "$folder/bin/pip" install --quiet --only-binary :all: "${packages[@]}"; } >&2 &&
    printf '%s\n' "${packages[*]}" >"$folder/installed" && return 0
  rm -rf "$folder"
  skip 'DuckDB and pandas could not be installed from PyPI'
}

# Each fence of SQL or Python is run, in order and with the names of the earlier ones. The fence of text that follows, if any, contains
# what it prints.
run_recipes='
import contextlib, io, os, re, sys, duckdb

document, isWritten = sys.argv[1], sys.argv[2] == "--write"
text = open(document, encoding="utf-8").read()
names, problems, count = {}, [], 0

def print_query(query):
    relation = duckdb.sql(query)
    if relation is not None and len(relation) > 0:
        print(relation)

def run(match):
    global count
    language, code, _, expected = match.groups()
    count += 1
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print_query(code) if language == "sql" else exec(code, names)
    lines = [line.rstrip() for line in printed.getvalue().rstrip().split("\n")]
    found = "\n".join(lines) + "\n"
    if expected is None:
        if lines != [""]:
            problems.append(f"the document does not show what this prints:\n{code}\n{found}")
        return match[0]
    if found != expected and not isWritten:
        problems.append(f"{code}\nprints\n{found}\nand the document says\n{expected}")
    return match[0][: match.start(4) - match.start()] + found + "```\n"

os.chdir(sys.argv[3])
written = re.sub(r"```(sql|python)\n(.*?)```\n(\n```text\n(.*?)```\n)?", run, text, flags=re.S)
if isWritten and written != text:
    open(document, "w", encoding="utf-8").write(written)
for problem in problems:
    print(problem, file=sys.stderr)
print(f"recipes: {count} recipes, {len(problems)} problems", file=sys.stderr)
sys.exit(1 if problems or count == 0 else 0)
'

case "${1:-}" in
  '' | --write) ;;
  -h | --help | help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

install_missing
document=$PWD/docs/analysis.md
"$folder/bin/python" -c "$run_recipes" "$document" "${1:-}" "$PWD/examples"
