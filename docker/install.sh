#!/bin/sh
# Usage: docker/install.sh STAGE…          (stages: build, run, test)
#
# Makes sure that the packages of these stages in docker/packages.txt are installed, and for the stage test the npm
# packages that client/web/test/package-lock.json pins. It is the only way in which carom gets its packages:
# server/run.sh, tests/run.sh, the Dockerfile and CI call it.
#
# It asks dpkg first and prints nothing if all packages are installed, so later runs cost a few milliseconds. It needs
# only a minimal Debian 12: no sudo when run as root, no Python, no bash.
set -eu

here=$(dirname "$0")
list=$here/packages.txt
modules=$here/../client/web/test

fail() {
    echo "docker/install.sh: $*" >&2
    exit 1
}

# The packages that the given stages need on this machine, one a line.
packages_of() {
    machine=$(dpkg --print-architecture 2>/dev/null || true)
    awk -v stages="$*" -v machine="$machine" '
        BEGIN { split(stages, names, " "); for (i in names) wanted[names[i]] = 1 }
        { sub(/#.*/, ""); needed = 0 }
        { for (i = 2; i <= NF; i++) if ($i in wanted) needed = 1 }
        { for (i = 2; i <= NF; i++) if ($i == "!" machine) needed = 0 }
        needed { print $1 }' "$list"
}

# The given packages that are not installed, one a line. An unknown package counts as missing, unless an installed one
# provides it: NodeSource's Node contains npm, for example, and conflicts with Debian's.
missing_of() {
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
    provided=
    for package in "$@"; do
        echo "$installed" | grep -qxF "installed $package" && continue
        [ -n "$provided" ] || provided=$(dpkg-query -W -f '${db:Status-Status}, ${Provides}\n' 2>/dev/null |
            sed -n 's/^installed, //p' | sed 's/ *([^)]*)//g; s/, */\n/g; $s/$/\n./')
        echo "$provided" | grep -qxF "$package" || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "not root and no sudo here; as root, run: apt-get update && apt-get install" \
            "--no-install-recommends" \
            "$(echo "$missing" | tr '\n' ' ')"
    fi
}

install_packages() {
    packages=$(packages_of "$@")
    if ! command -v dpkg-query >/dev/null; then
        echo "docker/install.sh: this is not Debian, so none of its packages is installed; what Debian calls" \
            "these must be here already: $(echo "$packages" | tr '\n' ' ')" >&2
        return
    fi
    # shellcheck disable=SC2086 # package names have no blanks and must be split
    missing=$(missing_of $packages)
    [ -n "$missing" ] || return 0
    echo "Installing: $(echo "$missing" | tr '\n' ' ')"
    as_root apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 update </dev/null
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
        install $missing </dev/null >/dev/null
}

# A copy of the lock file beside the installed modules tells later runs that they are complete.
install_modules() {
    ! cmp -s "$modules/package-lock.json" "$modules/node_modules/.installed" || return 0
    command -v npm >/dev/null || fail "there is no npm, which client/web/test needs (Debian: npm)"
    echo "Installing: what client/web/test/package-lock.json names, by npm"
    if ! said=$(cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier 2>&1 </dev/null); then
        echo "$said" >&2
        fail "npm could not install what client/web/test/package-lock.json names (its words are above);" \
            "again by hand: cd client/web/test && npm ci"
    fi
    cp "$modules/package-lock.json" "$modules/node_modules/.installed"
}

[ $# -gt 0 ] || fail "which stages? build, run, test"
for stage in "$@"; do
    case $stage in
    build | run | test) ;;
    *) fail "no stage '$stage'; there are build, run and test" ;;
    esac
done
install_packages "$@"
case " $* " in *" test "*) install_modules ;; esac
