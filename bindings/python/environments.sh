#!/bin/sh
# Makes the environments of `run.sh`, each anew: `newest` and `oldest` for the tests, `oldest` only where there is a CPython 3.10 beside a newer
# one, and `build` for maturin. With the word `ray`, Ray as well.
# Interpreters are those of PATH and of pyenv; everything else comes from PyPI.
set -eu
cd "$(dirname "$0")"
words=" $* "
work=${CARGO_TARGET_DIR:-$PWD/../../target}/python
mkdir -p "$work"
rm -rf "$work/newest" "$work/oldest" "$work/build"

# A path of an interpreter of version 3.$1, if one runs.
interpreter() {
    for python in "python3.$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$1".*/bin/python; do
        if "$python" -c "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, $1))" 2>/dev/null; then
            "$python" -c 'import sys; print(sys.executable)'
            return
        fi
    done
}

oldest=$(interpreter 10)
newest=
for minor in 20 19 18 17 16 15 14 13 12 11 10; do
    newest=$(interpreter "$minor")
    [ -z "$newest" ] || break
done
if [ -z "$newest" ]; then
    echo "tests of the Python package need CPython 3.10 or newer with venv (Debian: python3-venv)" >&2
    exit 1
fi
[ "$oldest" != "$newest" ] || oldest=

# $1: interpreter, $2: folder, then what pip installs into it.
environment() {
    python=$1 folder=$2
    shift 2
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

environment "$newest" "$work/build" "maturin>=1.9,<2"
tools="pytest mypy pandas scipy distributed matplotlib nbclient nbformat ipykernel"
case $words in *" ray "*) tools="$tools ray" ;; esac
# shellcheck disable=SC2086
environment "$newest" "$work/newest" $tools
# The oldest numpy that the package says it runs with.
[ -z "$oldest" ] || environment "$oldest" "$work/oldest" pytest "numpy==1.23.*"
