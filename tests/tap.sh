# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Test Anything Protocol for shell tests: source it first, end with `done_testing`. The test then
# runs in an empty folder of its own, with ATTNC the compiler's absolute path and ROOT the source
# tree's; `attnc ARGS` runs it and leaves its output in files `out`, `err` and its status in $status.

ROOT=$(cd "$(dirname "$0")/.." && pwd)
[ -f "$ROOT/Makefile" ] || ROOT=$(cd "$ROOT/.." && pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
ATTNC=${ATTNC:-$BUILD/attnc}
case $ATTNC in /*) ;; *) ATTNC=$ROOT/$ATTNC ;; esac
export ATTNC LC_ALL=C TZ=UTC0 NO_COLOR=1
unset VLLM_ATTENTION_BACKEND SOURCE_DATE_EPOCH

[ -x "$ATTNC" ] || {
    echo "Bail out! no compiler at $ATTNC"
    exit 1
}

WORK=$(mktemp -d "${TMPDIR:-/tmp}/attnc-test.XXXXXX")
trap 'cd / && rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$WORK/t" && cd "$WORK/t" || exit 1

tap_run=0
tap_failed=0
status=0
echo "TAP version 13"

# point STATUS NAME: one test point; STATUS 0 is a pass.
point() {
    tap_run=$((tap_run + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_run - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_run - $2"
    fi
    return "$1"
}

# comment FILE...: their lines as comments.
comment() {
    sed 's/^/# /' "$@"
}

# ok NAME COMMAND...: the command succeeds.
ok() {
    tap_name=$1
    shift
    if "$@" >"$WORK/ok.log" 2>&1; then
        point 0 "$tap_name"
    else
        point 1 "$tap_name" || comment "$WORK/ok.log"
    fi
}

# is GOT WANT NAME
is() {
    if [ "$1" = "$2" ]; then
        point 0 "$3"
    else
        point 1 "$3" || printf 'got:  %s\nwant: %s\n' "$1" "$2" | comment
    fi
}

# same FILE FILE NAME: equal bytes.
same() {
    if cmp "$1" "$2" >"$WORK/cmp.log" 2>&1; then
        point 0 "$3"
    else
        point 1 "$3" || { comment "$WORK/cmp.log" && diff -u "$1" "$2" | head -40 | comment; }
    fi
}

attnc() {
    status=0
    "$ATTNC" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || status=$?
}

# exits N NAME: the last run's status.
exits() {
    if [ "$status" = "$1" ]; then
        point 0 "$2"
    else
        point 1 "$2" || { echo "# exit status $status, wanted $1" && comment "$WORK/err"; }
    fi
}

# says TEXT NAME, silent_on TEXT NAME: the last run's messages hold TEXT, or do not.
says() {
    if grep -qF -- "$1" "$WORK/err"; then
        point 0 "$2"
    else
        point 1 "$2" || { echo "# wanted: $1" && comment "$WORK/err"; }
    fi
}

silent_on() {
    if grep -qF -- "$1" "$WORK/err"; then
        point 1 "$2" || comment "$WORK/err"
    else
        point 0 "$2"
    fi
}

# prints TEXT NAME: the last run's standard output holds TEXT.
prints() {
    if grep -qF -- "$1" "$WORK/out"; then
        point 0 "$2"
    else
        point 1 "$2" || { echo "# wanted: $1" && comment "$WORK/out"; }
    fi
}

# refused PLACE TEXT NAME: exit 1, and a first line `PLACE: error[...]: ...TEXT...`; nothing printed.
refused() {
    if [ "$status" = 1 ] && [ ! -s "$WORK/out" ] &&
        grep -F -- "$1: error[" "$WORK/err" | grep -qF -- "$2"; then
        point 0 "$3"
    else
        point 1 "$3" || {
            echo "# exit status $status; wanted 1 and: $1: error[...]: ...$2..."
            comment "$WORK/err"
        }
    fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

done_testing() {
    echo "1..$tap_run"
    [ "$tap_failed" -eq 0 ] && [ "$tap_run" -gt 0 ]
    exit
}
