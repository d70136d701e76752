#!/bin/sh
# Usage: docker/healthcheck.sh [COMMAND-LINE-FILE]
#
# The health check of the image: asks the server for a ping, at the address that it was told to
# listen on. That is the last --listen of process 1, or else CAROM_LISTEN. Exits with the code of
# `carom ping`.
#
# It needs nothing that Debian slim does not have. The file is /proc/1/cmdline, unless a test names
# another.
set -eu

listen=${CAROM_LISTEN:-127.0.0.1:22766}
next=
while IFS= read -r argument; do
    case ${next:+--listen=}$argument in
    --listen=*) listen=${argument#--listen=} next= ;;
    --listen) next=1 ;;
    esac
done <<EOF
$(tr '\0' '\n' <"${1:-/proc/1/cmdline}")
EOF

# A server that listens on every address answers on the loopback one.
case $listen in
0.0.0.0:*) listen=127.0.0.1:${listen##*:} ;;
"[::]:"*) listen=[::1]:${listen##*:} ;;
esac
exec carom --server "$listen" --timeout 2s ping
