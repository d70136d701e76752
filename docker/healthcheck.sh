#!/bin/sh
# Usage: docker/healthcheck.sh [COMMAND-LINE-FILE]
#
# The health check of the image: asks the server for a ping, at its listening address: the last --listen of process 1,
# or else CAROM_LISTEN. Exits with the code of `carom ping`.
#
# With a certificate (--tls-cert, CAROM_TLS_CERT, or that setting in the file of --config or CAROM_CONFIG) it speaks
# TLS. If this container does not trust the certificate, or it is for another name, the check still passes: the server
# has answered. CAROM_TLS_NAME, and CAROM_CA if the system does not know the authority, let the check complete the
# handshake, so that the server logs no refusal.
#
# It needs only what Debian slim has. The file is /proc/1/cmdline, unless a test names another.
set -eu

listen=${CAROM_LISTEN:-127.0.0.1:22766}
certificate=${CAROM_TLS_CERT:-}
config=${CAROM_CONFIG:-}
option=
while IFS= read -r argument; do
    case ${option:+$option=}$argument in
    --listen=*) listen=${argument#--listen=} ;;
    --tls-cert=*) certificate=yes ;;
    --config=*) config=${argument#--config=} ;;
    esac
    case $argument in
    --listen | --tls-cert | --config) option=$argument ;;
    *) option= ;;
    esac
done <<EOF
$(tr '\0' '\n' <"${1:-/proc/1/cmdline}")
EOF

# A server on every address also listens on loopback.
case $listen in
0.0.0.0:*) listen=127.0.0.1:${listen##*:} ;;
"[::]:"*) listen="[::1]:${listen##*:}" ;;
esac
if [ -z "$certificate" ] && { [ -z "$config" ] || ! grep -q '^[[:space:]]*tls-cert[[:space:]]*=' "$config"; }; then
    exec carom --server "$listen" --timeout 2s ping
fi
carom --server "caroms://$listen" --timeout 2s ping || [ $? -eq 1 ]
