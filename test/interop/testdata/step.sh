#!/usr/bin/env bash
# One step of the counter: step.sh FILE
set -euo pipefail
. "$(dirname "$0")/peer.sh"
step "$1"
