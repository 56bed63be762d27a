#!/bin/sh
# Tries src/parallel by itself: its models with loom, in all orders of a few threads; its tests as they are, and with
# Miri where a nightly toolchain has it (`rustup +nightly component add miri rust-src`); two minutes.
# `cargo run --release` in this folder says what loops cost.
set -eu
cd "$(dirname "$0")"

RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom cargo test --locked --release --lib
cargo test --locked --lib
if cargo +nightly miri --version >/dev/null 2>&1; then
    # Rayon's queues hide where pointers come from, and its pools outlive the tests.
    # In some orders Miri also stops in rayon-core's own `scope`, whose memory goes while another thread still returns from its
    # job, which an experimental rule forbids: such a report names rayon-core and is no finding about these files.
    MIRIFLAGS="-Zmiri-ignore-leaks -Zmiri-tree-borrows -Zmiri-permissive-provenance" \
        CARGO_TARGET_DIR=target/miri cargo +nightly miri test --locked --lib parallel
else
    echo "no Miri: left out" >&2
fi
