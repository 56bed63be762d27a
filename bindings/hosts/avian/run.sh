#!/bin/sh
# Tests drystone's plugin for Avian: sh run.sh. `sh run.sh table 600` prints the table of the README, over so many steps, and
# `sh run.sh table move_marbles drystone 600` the end of one of its scenes. Crates come from the registry; Bevy asks for the compiler of rust-toolchain.toml.
set -eu
cd "$(dirname "$0")"
channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
found=$(cargo --version 2>/dev/null | cut -d ' ' -f 2 || true)
oldest=$(printf '%s\n' "${found:-0}" "$channel" | sort -V | head -n 1)
if [ "$oldest" != "$channel" ]; then
    echo "Bevy 0.20 needs Rust $channel or newer, and this is ${found:-none}: rustup toolchain install $channel" >&2
    exit 1
fi
if [ "${1:-test}" = table ]; then
    shift
    # Both engines as a game ships, without debug assertions, and with the vectors that drystone finds by itself.
    RUSTFLAGS=${RUSTFLAGS:--Ctarget-cpu=x86-64-v3} exec cargo run --locked --quiet --release --target-dir target/table -- "$@"
fi
cargo clippy --locked --all-targets -- -D warnings
cargo test --locked
