#!/bin/sh
# Builds the wheel and tests it in fresh environments of CPython 3.10 and of the newest that there is: sh run.sh.
# `sh run.sh release` does so with the wheel that users get, `sh run.sh ray` has a study of 40 runs on a local Ray as well; both words do both.
# With DRYSTONE_PYTHON, the folder of an extension that `cargo test` has built, that is tested in place of a wheel.
# With DRYSTONE_ENVIRONMENTS, `environments.sh` has been run.
set -eu
cd "$(dirname "$0")"
words=" $* "
target=${CARGO_TARGET_DIR:-$PWD/../../target}
work=$target/python
[ -n "${DRYSTONE_ENVIRONMENTS:-}" ] || sh environments.sh "$@"

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
if [ -d "$work/oldest" ]; then
    try "$work/oldest" -q --ignore tests/test_tools.py -m "not cluster"
fi
