#!/bin/sh
# Usage: server/run.sh [caromd options]
#
# From a clean clone to a running server: installs the packages that are missing, builds, and serves
# the demo world on 127.0.0.1:22766. Options follow those of the demo (`server/run.sh --help`).
set -eu
cd "$(dirname "$0")/.."

docker/install.sh build run >&2

mkdir -p .build
log=.build/run.log
echo "server/run.sh: building (output in $log)" >&2
{
    cmake --preset release -DCAROM_TESTS=OFF -DCAROM_BENCH=OFF &&
        cmake --build --preset release
} >"$log" 2>&1 || {
    cat "$log" >&2
    echo "server/run.sh: the build failed, see above" >&2
    exit 1
}

exec .build/release/server/caromd --world demo:demo "$@"
