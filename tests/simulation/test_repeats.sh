#!/bin/sh
# test_repeats.sh CAROM-SIMULATE: a seed goes the same way with --trace as without it. A failure is only as good as its
# repetition, and a line of the log that reads the clock once more changes every later one.
set -eu
figures() {
    "$@" 2>/dev/null | tail -n 1 | sed 's/; [0-9]* s: /; /'
}
for seed in 1 2 3 4 5 6 7 8; do
    plain=$(figures "$1" "$seed" 1 1)
    traced=$(figures "$1" --trace "$seed")
    if [ -z "$plain" ] || [ "$plain" != "$traced" ]; then
        printf 'seed %s went two ways:\n%s\n%s\n' "$seed" "$plain" "$traced"
        exit 1
    fi
done
