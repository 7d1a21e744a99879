#!/usr/bin/env bash
# etcd's lock service by its JSON gateway: gateway.sh URL NAME
set -euo pipefail
. "$(dirname "$0")/peer.sh"
url=$1
name=$(printf %s "$2" | base64 -w0)

post() { curl -sSf "$url/$1" -d "$2"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

lease=$(post v3/lease/grant '{"TTL": 600}' | field ID)

lock() { key=$(post v3/lock/lock "{\"name\": \"$name\", \"lease\": \"$lease\"}" | field key); }
unlock() { post v3/lock/unlock "{\"key\": \"$key\"}" >/dev/null; }

serve
