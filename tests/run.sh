#!/bin/sh
# Installs what the tests need and runs all of them, those of `bindings` too; with arguments, which `cargo test` gets,
# those of the library alone. GPU tests are mandatory: where no Vulkan driver is found, a software adapter (Mesa lavapipe) is installed;
# tests of the window have a display of their own (Xvfb).
set -eu
cd "$(dirname "$0")/.."

# Mesa's device-selection layer writes a line about a missing display for every instance.
export NODEVICE_SELECT=1
# Lavapipe wakes its threads for every dispatch, which takes ten times as long as what small scenes have them do.
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}"

if [ "$#" -gt 0 ]; then
    sh tests/install.sh
    exec cargo test --locked --features view "$@"
fi
sh tests/install.sh bindings
# Python's environments are downloaded while Rust's tests are built.
sh bindings/python/environments.sh &
environments=$!
trap 'wait "$environments"' EXIT

# All at once: what they share is built once, with the features of the program. Unit tests take longer to build than to run, by far.
packages="-p drystone -p drystone-c -p drystone-python --features drystone/view"
plain="--config profile.test.package.drystone.opt-level=0 --config profile.test.package.drystone-c.opt-level=0"
# shellcheck disable=SC2086
cargo test --locked $packages --test '*' --examples
# shellcheck disable=SC2086
cargo test --locked $plain $packages --lib --bins
# shellcheck disable=SC2086
cargo test --locked $packages --doc
trap - EXIT
wait "$environments"
DRYSTONE_ENVIRONMENTS=made sh tests/bindings.sh
