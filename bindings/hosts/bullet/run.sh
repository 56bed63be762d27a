#!/bin/sh
# Builds drystone's solver for Bullet and tests it: sh run.sh. `sh run.sh table` prints the table of the README; `sh run.sh random 400` tries as
# many random worlds; `sh run.sh sanitized 600` other ones for so many seconds, under the sanitizers of addresses and of undefined behaviour. `DRYSTONE_C` may name a folder with the C library; else it is built. Needs Bullet 3 (Debian: libbullet-dev), a C++ compiler and pkg-config.
set -eu
cd "$(dirname "$0")"
c=../../c
what=${1:-test}
source=test
[ "$what" = table ] && source=table
flags=-O2
if [ "$what" = sanitized ]; then
    source=random
    flags="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
fi
built=${DRYSTONE_C:-}
if [ -z "$built" ]; then
    cargo build --locked -p drystone-c --release
    built=${CARGO_TARGET_DIR:-../../../target}/release
fi
mkdir -p target
# Bullet's headers warn.
bullet=$(pkg-config --cflags bullet | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
c++ -std=c++17 $flags -Wall -Wextra -Werror $bullet -I"$c/include" "$source.cpp" "$built/libdrystone_c.a" \
    -lBulletDynamics -lBulletCollision -lLinearMath -lpthread -ldl -lm -o "target/$source"
[ "$#" -gt 0 ] && shift
"target/$source" "$@"
