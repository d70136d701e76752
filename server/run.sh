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

# The options of caromd, as its source has them.
table=server/config/config.c

# What caromd --help prints of them, for as long as there is no caromd.
list_options() {
    awk '
        /^const config_option CONFIG_OPTIONS/ { inside = 1; next }
        inside && /^};/ { exit }
        !inside { next }
        { row = row $0 }
        /}, *$/ {
            gsub(/" +"/, "", row) # pieces of one text
            split(row, field, "\"")
            value = row ~ /^ *{"[^"]*", (NULL|"[^"]*"), NULL/ ? "" : " " (row ~ /^ *{"[^"]*", NULL/ ? field[4] : field[6])
            line = sprintf("  %-32s", "--" field[2] value)
            sub(/^.*apply_[a-z_]*, *"/, "", row)
            sub(/"}, *$/, "", row)
            count = split(row, word, " ")
            for (i = 1; i <= count; i++) {
                if (length(line) + length(word[i]) > 98) {
                    print line
                    line = sprintf("%34s", "")
                }
                line = line " " word[i]
            }
            print line
            row = ""
        }' $table
}

for option in "$@"; do
    case $option in -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' server/run.sh
        echo
        if [ -x $caromd ]; then
            exec $caromd --help
        fi
        echo "Options of caromd (server/README.md has more; caromd --help, once it is built, the limits too):"
        list_options
        exit 0
        ;;
    esac
done

# A wrong option is refused before anything is installed and built: by name and number of words, as the table of
# caromd's options has them, and by value too if there is a server as new as that table.
refuse() {
    echo "server/run.sh: $1 (server/run.sh --help lists the options)" >&2
    exit 2
}
awaited=
for word in "$@"; do
    if [ -n "$awaited" ]; then
        awaited=
        continue
    fi
    name=${word%%=*}
    row=$(sed -n "s/^ *{\"\([a-z0-9-]*\)\", [^,]*, \(\"[^\"]*\"\|NULL\), .*/--\1 \2/p" $table | grep -F -- "$name ") || row=
    case $word in
        -*) ;;
        *) refuse "'$word' is one word too many" ;;
    esac
    case $row in
        "$name NULL") [ "$name" = "$word" ] || refuse "$name takes no value" ;;
        "$name "*) [ "$name" != "$word" ] || awaited=$word ;;
        *) refuse "unknown option '$name'" ;;
    esac
done
[ -z "$awaited" ] || refuse "$awaited needs a value"
if [ $caromd -nt $table ]; then
    $caromd --check-config --world demo:demo "$@" >/dev/null || exit 2
fi

docker/install.sh build run >&2

mkdir -p .build
log=.build/run.log
# A second run waits until the first has built: two builds in one folder would spoil each other's files.
exec 9>.build/run.lock
flock --nonblock 9 || {
    echo "server/run.sh: another one builds here, waiting for it" >&2
    flock 9
}
# A developer's build of the same folder (preset check) is kept: only its server is brought up to date.
configure="cmake --preset release" targets=all
# The cache is the newer file where that preset failed, for want of the tests' packages: then the build is made anew.
if [ .build/release/build.ninja -nt .build/release/CMakeCache.txt ] && grep -q '^CAROM_TESTS:BOOL=ON' .build/release/CMakeCache.txt; then
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

exec 9>&- # the server keeps no lock
exec $caromd --world demo:demo "$@"
