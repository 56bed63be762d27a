#!/bin/sh
# Tests of the engines in `bindings/hosts`, each beside its own solver: Bullet (also part of `tests/run.sh`), MuJoCo, Rapier, Avian. The last three download and
# build more than `.ci/run` has time for.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --locked -p drystone-c
DRYSTONE_C=$target/debug sh bindings/hosts/bullet/run.sh
sh bindings/hosts/mujoco/run.sh
sh bindings/hosts/rapier/run.sh
sh bindings/hosts/avian/run.sh
