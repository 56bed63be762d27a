#!/bin/sh
# Builds the library and installs it with its header, pkg-config and CMake files: sh install.sh PREFIX [FOLDER]
# With a folder the libraries there are installed, and nothing is built.
set -eu
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
built=${2:-}
if [ -z "$built" ]; then
    (cd "$here" && cargo build --locked --release)
    built=${CARGO_TARGET_DIR:-$here/../../target}/release
fi
mkdir -p "$prefix/lib/pkgconfig" "$prefix/lib/cmake/drystone" "$prefix/include"
prefix=$(cd "$prefix" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
for library in "$built"/libdrystone_c.so "$built"/libdrystone_c.dylib "$built"/libdrystone_c.a; do
    if [ -f "$library" ]; then cp "$library" "$prefix/lib/"; fi
done
cp "$here/include/drystone.h" "$prefix/include/"
cp "$here/cmake/drystoneConfig.cmake" "$prefix/lib/cmake/drystone/"
sed "s|@PREFIX@|$prefix|; s|@VERSION@|$version|" "$here/drystone.pc.in" >"$prefix/lib/pkgconfig/drystone.pc"
