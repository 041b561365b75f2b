#!/bin/sh
# Creates the secrets of deploy/compose/compose.yaml in the folder secrets next to this script. Existing files are not changed.
# The containers have several users, so the files are readable by all; only their owner can open the folder.
set -eu
umask 022
folder="$(dirname "$0")/secrets"
mkdir -p "$folder"
chmod 0700 "$folder"

# write NAME COMMAND…: writes what the command prints, unless the file exists.
write() {
  file="$folder/$1"
  shift
  [ -s "$file" ] || "$@" >"$file"
}

write key-pepper openssl rand -base64 32
write auth-secret openssl rand -base64 32
write redis-password openssl rand -hex 24
write mongodb-password openssl rand -hex 24
write mongodb-root-password openssl rand -hex 24
write mongodb-keyfile openssl rand -base64 256
write redis-url echo "redis://:$(cat "$folder/redis-password")@redis:6379"
members=mongodb-1:27017,mongodb-2:27017,mongodb-3:27017
write mongodb-url echo "mongodb://siteprint:$(cat "$folder/mongodb-password")@$members/siteprint?replicaSet=siteprint"
