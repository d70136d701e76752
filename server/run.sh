#!/bin/sh
# Usage: server/run.sh [caromd options]
#
# From a clean clone to a running server: installs the Debian packages that are missing (800 MB, most of
# it compilers), builds (a few minutes, 30 MB in .build), and serves the demo world on 127.0.0.1:22766 and
# http://127.0.0.1:22767/. A later run only starts the server.
#
# Options follow those of the demo, as in: server/run.sh --hz 120 --data DIR
set -eu
cd "$(dirname "$0")/.."
caromd=.build/release/server/caromd

for option in "$@"; do
    case $option in -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' server/run.sh
        if [ -x $caromd ]; then
            echo
            exec $caromd --help
        fi
        echo "The options of caromd are listed here once it is built, and in server/README.md."
        exit 0
        ;;
    esac
done

docker/install.sh build run >&2

mkdir -p .build
log=.build/run.log
# A developer's build of the same folder (preset check) is kept: only its server is brought up to date.
configure="cmake --preset release" targets=all
if [ -e .build/release/build.ninja ] && grep -q '^CAROM_TESTS:BOOL=ON' .build/release/CMakeCache.txt; then
    configure=: targets="caromd carom"
fi
echo "server/run.sh: building (output in $log)" >&2
# shellcheck disable=SC2086 # both are lists of words
{
    $configure && cmake --build --preset release --target $targets
} >"$log" 2>&1 || {
    cat "$log" >&2
    echo "server/run.sh: the build failed, see above" >&2
    exit 1
}

exec $caromd --world demo:demo "$@"
