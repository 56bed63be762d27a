#!/bin/sh
# Tests drystone's host for Rapier: sh run.sh. `sh run.sh table 600` prints the table of the README, over so many steps. Crates come from the registry.
set -eu
cd "$(dirname "$0")"
if [ "${1:-test}" = table ]; then
    shift
    # Rapier's eight lanes need AVX2 named when it is built; drystone finds it by itself.
    RUSTFLAGS=${RUSTFLAGS:--Ctarget-cpu=x86-64-v3} exec cargo run --locked --quiet --target-dir target/table -- "$@"
fi
cargo clippy --locked --all-targets -- -D warnings
cargo test --locked
