#!/bin/bash
# Usage: tests/run.sh [all] [clang|asan|tsan|release]… [ctest options]
#        tests/run.sh quick [ROOM]
#        tests/run.sh tidy [COMMIT]
#
# Builds and tests everything, on a machine that needs to have nothing but Debian 12: missing packages
# are installed first. Without a part all four run, and what ends the output is the summary of the
# release suite; the exit status is 0 only if every part passed. All of it takes 2.6 GB of packages
# and half an hour on two cores.
#
#   clang    the whole tree compiled by clang, warnings as errors, and every test that calls the code
#            itself, optimised: what has to give the same bits under gcc gives them here too
#   asan     the same tests, and programs talking to programs, under the address and undefined-behaviour
#            sanitizers
#   tsan     the tests in which threads meet, under the thread sanitizer
#   release  the program as it is shipped: time, golden hashes, guides, packages, browser, benchmarks; and
#            the tests of the tree itself
#
# `quick` builds for debugging and runs unit and property tests, of one room if it is named: the habit
# between two edits. `all` before the parts is for the night and leaves nothing out: every test in every
# part that can run it, golden variants by both compilers, each case of the storage's thousands.
#
# `tidy` has clang-tidy look at the sources that differ from a commit (main), with the checks of .clang-tidy.
#
# Tests that talk to whole programs bound how long they wait, and a busy machine can exceed a bound.
# Where no more than three tests of a part fail, all of that kind, they run once more, alone, and the
# last line names them. What a sanitizer, an assertion or a signal ended is never run again.
#
#   tests/run.sh quick physics             unit and property tests of one room
#   tests/run.sh asan                      one part
#   tests/run.sh release -R scanner        the tests of one part whose name matches
#   tests/run.sh -L interop                the tests of one label, in every part
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
export CI=true CTEST_OUTPUT_ON_FAILURE=1
export CAROM_TIMEOUT=240s # of the command line: as patient as the tests themselves
# Sanitizers report into files: a server's words might be nobody's, and a report fails the part in any case.
reports=$PWD/.build/reports
export ASAN_OPTIONS=log_path=$reports/asan:detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=log_path=$reports/ubsan:print_stacktrace=1
export TSAN_OPTIONS=log_path=$reports/tsan:halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tests/tsan.supp

# Which tests a part runs; tests/CMakeLists.txt tells the labels. At night, NIGHTLY.
declare -A SELECTION=(
    [clang]="-L unit|property|fuzz|simulation|golden -LE shipped|rare|realtime"
    [asan]="-LE shipped|rare|realtime"
    [tsan]="-L threads -LE rare|realtime"
    [release]="-L shipped|golden|bench|realtime -LE rare"
)
# Those whose programs it builds: clang everything.
declare -A BUILT=([asan]="" [tsan]="threads" [release]="shipped|golden|bench|realtime")
declare -A NIGHTLY=(
    [clang]="-LE realtime|web|integration|interop"
    [asan]="-LE realtime"
    [tsan]="-LE realtime|web -L threads|integration|interop"
    [release]=""
)

# What was compiled once, here or in another clone, is not compiled again.
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale

jobs=$(nproc)       # compilers at once
tests=$((jobs + 1)) # tests at once: most of them wait for a server, and it for the clock
failures=Testing/Temporary/LastTestsFailed.log # by ctest, in the folder of a build
alone_max=3 # tests that a part runs again
programs='^[0-9]+:(integration|interop|web|bench|test_server|test_client)_'
crash='assertion failed at|ended with -[0-9]|SEGFAULT|Subprocess aborted'

# gcc 12's sanitizers cannot start where the kernel randomises more address bits than they know of
# (vm.mmap_rnd_bits over 28); without randomisation they always can.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
    fixed_addresses=(setarch "$(uname -m)" -R)
fi

# The part release is built in .build/release as users have it, but with tests and warnings as errors.
preset_of() {
    [[ $1 == release ]] && echo check || echo "$1"
}

build() {
    local bench=OFF # one compiler's look at them is enough
    local linker=-fuse-ld=lld # much faster; what is shipped is linked as users link it
    [[ $1 == release ]] && bench=ON linker=
    cmake --preset "$(preset_of "$1")" -DCAROM_BENCH=$bench -DCMAKE_EXE_LINKER_FLAGS=$linker \
        -DCAROM_TEST_LABELS="${BUILT[$1]:-}" -DCAROM_WASM="${WASM[$1]:-OFF}" \
        >".build/$1.configure.log" 2>&1 || {
        cat ".build/$1.configure.log"
        return 1
    }
    # shellcheck disable=SC2086 # a list of targets
    cmake --build --preset "$(preset_of "$1")" --parallel "$jobs" ${TARGETS[$1]:+--target ${TARGETS[$1]}} -- --quiet -k 20
}

run_part() {
    local part=$1 prefix=() empty=error
    shift
    # A filter may leave a part without tests, but not the only one.
    [[ $# -gt 0 && ${#parts[@]} -gt 1 ]] && empty=ignore
    case $part in asan | tsan) prefix=("${fixed_addresses[@]}") ;; esac
    echo "== $part: build"
    build "$part" || return 1
    echo "== $part: test"
    rm -rf ".build/$part/$failures" "$reports"
    mkdir "$reports" || return 1
    # shellcheck disable=SC2086 # a selection is a list of options
    "${prefix[@]}" ctest --preset "$(preset_of "$part")" --parallel "$tests" --no-tests=$empty \
        ${SELECTION[$part]} "$@" 2>&1 | tee ".build/$part.test.log"
    [[ ${PIPESTATUS[0]} -eq 0 ]] || { no_report && run_alone "$part" "${prefix[@]}"; } && no_report
}

# Whether no sanitizer has reported anything; prints what one has.
no_report() {
    local file none=0
    for file in "$reports"/*; do
        [[ -e $file ]] || continue
        echo "== $file"
        cat "$file"
        none=1
    done
    return $none
}

# Runs what failed in a part once more, one test at a time.
run_alone() {
    local part=$1 list=.build/$1/$failures names
    shift
    [[ -s $list && $(wc -l <"$list") -le $alone_max ]] || return 1
    ! grep -qvE "$programs" "$list" && ! grep -qE "$crash" ".build/$part.test.log" || return 1
    names=$(sed 's/^[0-9]*://' "$list" | paste -sd ' ')
    echo "== $part: alone: $names"
    "$@" ctest --preset "$(preset_of "$part")" --rerun-failed || return 1
    alone+=("$part: $names")
}

# Has `quick` build and run the tests of one room, or of all.
quick() {
    local room=$1 list
    parts=(dev)
    SELECTION[dev]="-L unit|property -LE package"
    TARGETS[dev]=
    for list in tests/{unit,property}/${room:-*}/CMakeLists.txt; do # a folder's target has none of those in it
        [[ ! -e $list ]] || TARGETS[dev]+=" ${list%/*}/all"
    done
    [[ -n $room ]] || {
        TARGETS[dev]+=" server/all client/all" # some of the tests ask the programs, or install them
        return 0
    }
    [[ -n ${TARGETS[dev]} ]] || {
        echo "tests/run.sh: there is no room '$room'; rooms are" $(ls -d tests/{unit,property}/*/ | xargs -n 1 basename | sort -u) >&2
        exit 2
    }
    SELECTION[dev]="-L ^room_$room\$ -LE package"
}

# Has clang-tidy look at the sources that differ from a commit. The analyzer takes up to 20 s for one of the engine.
tidy() {
    local from list
    from=$(git merge-base HEAD "${1:-main}") || exit 2
    mapfile -t list < <(git diff --name-only --diff-filter=d "$from" -- '*.c' ':!client/examples')
    [[ ${#list[@]} -gt 0 ]] || {
        echo "tests/run.sh: no source differs from ${1:-main}"
        return 0
    }
    cmake --preset clang >.build/clang.configure.log && cmake --build --preset clang --target carom_schema -- --quiet || return 1
    printf '%s\n' "${list[@]}" | xargs -P "$jobs" -n 1 clang-tidy-14 --quiet -p .build/clang
}

# Refuses what ctest would refuse after half an hour.
check_options() {
    local known='@(-[RELVIQFN]|-j*|-LE|-VV|--*)'
    local words=' --verbose --extra-verbose --quiet --parallel --output-on-failure --stop-on-failure --repeat --repeat-until-fail --rerun-failed --tests-regex --exclude-regex --label-regex --label-exclude --tests-information --timeout --stop-time --schedule-random --show-only --test-load --progress --max-width --output-log --output-junit --no-tests '
    if [[ -n ${1:-} && $1 != -* ]]; then
        echo "tests/run.sh: there is no part '$1'; parts are clang, asan, tsan and release (--help says more)" >&2
        exit 2
    fi
    while [[ $# -gt 0 ]]; do
        # shellcheck disable=SC2053 # a pattern
        if [[ $1 == -* && ($1 != $known || ($1 == --* && $words != *" ${1%%=*} "*)) ]]; then
            echo "tests/run.sh: unknown option '$1'; options are those of ctest, as -R REGEX or -L LABEL (--help says more)" >&2
            exit 2
        fi
        shift
    done
}

parts=()
declare -A TARGETS=([release]="all golden-variants") # of a part; none: all
declare -A WASM=([release]=ON)                       # the engine for browsers
case ${1:-} in
-h | --help)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
quick)
    shift
    room=
    [[ -z ${1:-} || $1 == -* ]] || { room=$1 && shift; }
    quick "$room"
    ;;
tidy)
    mkdir -p .build
    ./docker/install.sh build run test && tidy "${2:-}"
    exit
    ;;
all)
    for part in "${!NIGHTLY[@]}"; do SELECTION[$part]=${NIGHTLY[$part]} BUILT[$part]= WASM[$part]=ON; done
    export CAROM_THOROUGH=1 CAROM_FUSED_ALL=1
    shift
    ;;
esac
while [[ ${parts[*]} != dev && ${1:-} == @(clang|asan|tsan|release) ]]; do
    parts+=("$1")
    shift
done
[[ ${#parts[@]} -gt 0 ]] || parts=(clang asan tsan release)
check_options "$@"

mkdir -p .build
./docker/install.sh build run test || exit 1
failed=() alone=()
for part in "${parts[@]}"; do
    start=$SECONDS
    run_part "$part" "$@" || failed+=("$part")
    [[ $part == "${parts[-1]}" ]] || echo "== $part: $((SECONDS - start)) s"
done
for names in "${alone[@]}"; do
    echo "tests/run.sh: failed beside others, passed alone: $names" >&2
done
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "tests/run.sh: FAILED: ${failed[*]}" >&2
    exit 1
fi
