#!/bin/sh
# Builds the wheel and tests it in fresh environments of CPython 3.10 and of the newest that there is: sh run.sh.
# `sh run.sh release` does so with the wheel that users get, `sh run.sh ray` has a study of 40 runs on a local Ray as well; both words do both.
# With DRYSTONE_PYTHON, the folder of an extension that `cargo test` has built, that is tested in place of a wheel.
# Interpreters are those of PATH and of pyenv; everything else comes from PyPI.
set -eu
cd "$(dirname "$0")"
words=" $* "
here=$PWD
target=${CARGO_TARGET_DIR:-$here/../../target}
work=$target/python
mkdir -p "$work"

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
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# The environments are made while the wheel is built.
tools="pytest mypy pandas scipy distributed matplotlib nbclient nbformat ipykernel"
case $words in *" ray "*) tools="$tools ray" ;; esac
rm -f "$work/installed"
(
    # shellcheck disable=SC2086
    environment "$newest" "$work/newest" $tools
    # The oldest numpy that the package says it runs with.
    [ -z "$oldest" ] || environment "$oldest" "$work/oldest" pytest "numpy==1.23.*"
    touch "$work/installed"
) &
installing=$!
# Where the build fails, the environments are not left half made behind the next try's back.
trap wait EXIT

environment "$newest" "$work/build" "maturin>=1.9,<2"
rm -rf "$work/wheels" "$work/package"
if [ -n "${DRYSTONE_PYTHON:-}" ]; then
    # What a wheel holds, beside each other as it is installed.
    mkdir -p "$work/package"
    cp -R python/drystone "$work/package/drystone"
    for built in "$DRYSTONE_PYTHON"/lib_drystone.so "$DRYSTONE_PYTHON"/lib_drystone.dylib; do
        [ ! -e "$built" ] || cp "$built" "$work/package/drystone/_drystone.abi3.so"
    done
    "$work/build/bin/maturin" pep517 write-dist-info --metadata-directory "$work/package" >/dev/null
else
    profile=dev
    case $words in *" release "*) profile=release ;; esac
    "$work/build/bin/maturin" build --quiet --locked --profile "$profile" --target-dir "$target" --out "$work/wheels"
fi
wait "$installing"
[ -e "$work/installed" ]

# $1: folder, then arguments of pytest.
try() {
    folder=$1
    shift
    if [ -d "$work/package" ]; then
        cp -R "$work"/package/* "$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    else
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$work"/wheels/*.whl
    fi
    "$folder/bin/python" -c 'import sys, numpy; print("CPython", sys.version.split()[0], "numpy", numpy.__version__)'
    "$folder/bin/python" -m pytest -p no:cacheprovider "$@"
}

export PYTHONDONTWRITEBYTECODE=1
try "$work/newest" -q
if [ -n "$oldest" ]; then
    try "$work/oldest" -q --ignore tests/test_tools.py -m "not cluster"
fi
