#!/usr/bin/env bash
# Runs the recipes of docs/analysis.md with DuckDB and pandas, and compares what they print with the document.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
tools/recipes.sh [--write | install]

  install  installs DuckDB and pandas, if they are missing, and does nothing else

  Runs the SQL and Python of docs/analysis.md on the results in examples/, and on those of them that succeeded and that failed. The
  exit code is 1 if a recipe fails, or prints something else than the document says for the examples; --write puts what it prints
  into the document. Without Python and pip the check is skipped and stderr says why; with REQUIRE_SERVICES=1 it fails instead.

DuckDB and pandas are installed in ${XDG_CACHE_HOME:-~/.cache}/siteprint-recipes.
TEXT
}

name=recipes
. tools/optional-check.sh

folder=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME: DuckDB and pandas are installed below it}/.cache}/siteprint-recipes
packages=('duckdb==2.0.*' 'pandas==3.1.*')

install_missing() {
  # The file is written last and names what is installed.
  [ "$(cat "$folder/installed" 2>/dev/null)" != "${packages[*]}" ] || return 0
  require_venv
  say 'installing DuckDB and pandas from PyPI'
  { python3 -m venv --clear "$folder" && "$folder/bin/pip" install --quiet --only-binary :all: "${packages[@]}"; } >&2 &&
    printf '%s\n' "${packages[*]}" >"$folder/installed" && return 0
  rm -rf "$folder"
  skip 'DuckDB and pandas could not be installed from PyPI'
}

# Each fence of SQL or Python is run, in order and with the names of the earlier ones. The fence of text that follows, if any, contains
# what it prints.
run_recipes='
import contextlib, io, json, os, re, shutil, sys, tempfile, duckdb

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

def run_on_part(title, has_result):
    """Runs the recipes on the results that succeeded, or on those that failed. What they print is not compared."""
    recipes = re.findall(FENCE, text, flags=re.S)
    duckdb.sql("DROP VIEW IF EXISTS results")
    part_names = {}
    lines = [line for line in open("results.jsonl", encoding="utf-8") if ("result" in json.loads(line)) == has_result]
    if not lines:
        problems.append(f"the examples contain no results with {title}")
    with tempfile.TemporaryDirectory() as part, contextlib.chdir(part), contextlib.redirect_stdout(io.StringIO()):
        shutil.copy(os.path.join(examples, "earlier-results.jsonl"), part)
        with open("results.jsonl", "w", encoding="utf-8") as file:
            file.writelines(lines)
        for language, code, *_ in recipes:
            try:
                print_query(code) if language == "sql" else exec(code, part_names)
            except Exception as error:
                problems.append(f"{code}\nfails for results with {title}: {error!r}")

FENCE = r"```(sql|python)\n(.*?)```\n(\n```text\n(.*?)```\n)?"
examples = sys.argv[3]
os.chdir(examples)
written = re.sub(FENCE, run, text, flags=re.S)
run_on_part("only successes", True)
run_on_part("only failures", False)
if isWritten and written != text:
    open(document, "w", encoding="utf-8").write(written)
for problem in problems:
    print(problem, file=sys.stderr)
print(f"recipes: {count} recipes, {len(problems)} problems", file=sys.stderr)
sys.exit(1 if problems or count == 0 else 0)
'

case "${1:-}" in
  '' | --write) ;;
  install) install_missing && exit 0 || exit 1 ;;
  -h | --help | help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

install_missing
document=$PWD/docs/analysis.md
"$folder/bin/python" -c "$run_recipes" "$document" "${1:-}" "$PWD/examples"
