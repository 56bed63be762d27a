#!/bin/sh
# Builds drystone's wheel, installs it beside MuJoCo and Pinocchio into a fresh environment and tests the host: sh run.sh.
# `sh run.sh table` prints the tables of the README. `DRYSTONE_WHEEL` may name a wheel that is built. Needs CPython 3.10 or newer with venv; the rest comes from PyPI.
set -eu
cd "$(dirname "$0")"
what=${1:-test}
target=${CARGO_TARGET_DIR:-$PWD/../../../target}
work=$target/mujoco
mkdir -p "$work"
if [ ! -e "$work/installed" ]; then
    python3 -m venv --clear "$work/env"
    pip="$work/env/bin/pip install --quiet --disable-pip-version-check"
    $pip "maturin>=1.9,<2" "mujoco>=3.3,<5" numpy pytest mypy
    # There are no wheels of it for some systems; tests and tables do without.
    $pip pin || echo "without Pinocchio" >&2
    touch "$work/installed"
fi
python=$work/env/bin/python
wheel=${DRYSTONE_WHEEL:-}
if [ -z "$wheel" ]; then
    profile=dev
    [ "$what" != table ] || profile=release
    rm -rf "$work/wheels"
    "$python" -m maturin build --quiet --locked --manifest-path ../../python/Cargo.toml --profile "$profile" \
        --target-dir "$target" --out "$work/wheels"
    wheel=$(echo "$work"/wheels/*.whl)
fi
"$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
export PYTHONDONTWRITEBYTECODE=1
if [ "$what" = table ]; then
    exec "$python" table.py
fi
"$python" -m mypy --strict --ignore-missing-imports --cache-dir "$work/mypy" ./*.py
exec "$python" -m pytest -p no:cacheprovider -q -W error test_host.py
