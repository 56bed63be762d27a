#!/bin/sh
# Builds drystone's solver for Bullet and tests it: sh run.sh. `sh run.sh table` prints the table of the README; `sh run.sh random 400` tries as
# many random worlds. `DRYSTONE_C` may name a folder with the C library; else it is built. Needs Bullet 3 (Debian: libbullet-dev), a C++ compiler and pkg-config.
set -eu
cd "$(dirname "$0")"
c=../../c
what=${1:-test}
source=test
[ "$what" = table ] && source=table
built=${DRYSTONE_C:-}
if [ -z "$built" ]; then
    cargo build --locked -p drystone-c --release
    built=${CARGO_TARGET_DIR:-../../../target}/release
fi
mkdir -p target
# Bullet's headers warn.
bullet=$(pkg-config --cflags bullet | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
c++ -std=c++17 -O2 -Wall -Wextra -Werror $bullet -I"$c/include" "$source.cpp" "$built/libdrystone_c.a" \
    -lBulletDynamics -lBulletCollision -lLinearMath -lpthread -ldl -lm -o "target/$source"
[ "$#" -gt 0 ] && shift
"target/$source" "$@"
