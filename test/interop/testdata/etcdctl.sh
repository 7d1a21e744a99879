#!/usr/bin/env bash
# The lock of etcdctl: etcdctl.sh ETCDCTL ENDPOINT NAME
set -euo pipefail
here=$(dirname "$0")
. "$here/peer.sh"
command=("$1" --endpoints "$2" lock "$3")

# It says by which key it has the lock, and keeps it until it gets a signal.
lock() {
  exec {says}< <(exec "${command[@]}")
  holder=$!
  read -r _ <&"$says"
}

unlock() {
  kill -TERM "$holder"
  wait "$holder"
  exec {says}<&-
}

# As it is mostly used: it runs a command under the lock.
locked_step() { "${command[@]}" bash "$here/step.sh" "$1" </dev/null; }

serve
