#!/usr/bin/env bash
# etcd's lock service by its JSON gateway: gateway.sh URL NAME
set -euo pipefail
. "$(dirname "$0")/peer.sh"
url=$1
name=$(printf %s "$2" | base64 -w0)

# In a subshell, which curl takes over.
post() { exec curl -sSf "$url/v3/$1" -d "$2"; }

# Sets a variable to the text of a field, of an answer in JSON.
field() {
  local text=${3#*"\"$2\":\""}
  printf -v "$1" %s "${text%%\"*}"
}

field lease ID "$(post lease/grant '{"TTL": 3600}')"

lock() { field key key "$(post lock/lock "{\"name\": \"$name\", \"lease\": \"$lease\"}")"; }
unlock() { (post lock/unlock "{\"key\": \"$key\"}") >/dev/null; }

serve
