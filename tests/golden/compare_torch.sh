#!/bin/sh
# compare_torch.sh TRACE IMAGES WEIGHTS SCRIPT: writes a trace, compares it, takes it away.
set -eu
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
"$1" "$2" "$3" 1000 "$trace"
/usr/bin/python3 "$4" "$trace" "$3"
