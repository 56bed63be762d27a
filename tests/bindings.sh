#!/bin/sh
# Tests of what is in `bindings`, each a package of its own. On Debian it installs what they need.
set -eu
cd "$(dirname "$0")/.."

missing=
for pair in valgrind:valgrind pkg-config:pkg-config cmake:cmake cc:gcc c++:g++; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
if ! pkg-config --exists bullet 2>/dev/null; then
    missing="$missing libbullet-dev"
fi
if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "tests of bindings need, by Debian's names:$missing" >&2
        exit 1
    fi
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

(
    cd bindings/c
    cargo fmt --check
    cargo clippy --locked --release --all-targets -- -D warnings
    cargo test --locked --release
)

sh bindings/hosts/bullet/run.sh

sh bindings/python/run.sh
