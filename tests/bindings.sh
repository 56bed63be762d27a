#!/bin/sh
# Tests of what is in `bindings` beside the C interface, which `tests/run.sh` tests with the library: Bullet over it, and the Python package.
set -eu
cd "$(dirname "$0")/.."
# The C library and the extension of Python with the features of the tests, which have built them already.
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo test --quiet --locked -p drystone -p drystone-c -p drystone-python --features drystone/view --test header --test extension --no-run

# Bullet's worlds are compiled and run beside Python's tests.
DRYSTONE_C=$target/debug/deps sh bindings/hosts/bullet/run.sh &
bullet=$!
trap 'wait "$bullet"' EXIT
DRYSTONE_PYTHON=$target/debug/deps sh bindings/python/run.sh
trap - EXIT
wait "$bullet"
