#!/bin/sh
# Installs what the tests need and runs all of them, those of `bindings` too; with arguments, which `cargo test` gets,
# those of the library alone. GPU tests are mandatory: where no Vulkan driver is found, a software adapter (Mesa lavapipe) is installed;
# tests of the window have a display of their own (Xvfb).
set -eu
cd "$(dirname "$0")/.."

have_vulkan() {
    (ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) | grep -q 'libvulkan\.so\.1' || return 1
    [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ] && return 0
    ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json \
        /usr/local/share/vulkan/icd.d/*.json 2>/dev/null | grep -q .
}

# A display server, and the libraries that the window loads.
have_display() {
    command -v Xvfb >/dev/null 2>&1 || return 1
    for library in libX11-xcb libXcursor libXi libxkbcommon-x11; do
        (ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) | grep -q "$library\.so" || return 1
    done
}

# $1: a line that says what is missing, then Debian's names of it.
install() {
    why=$1
    shift
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "$why. Install first, by Debian's names: $*; elsewhere these are called:" >&2
        echo "  Fedora: mesa-vulkan-drivers vulkan-loader xorg-x11-server-Xvfb libXcursor libXi libxkbcommon-x11" >&2
        echo "  Arch:   vulkan-swrast vulkan-icd-loader xorg-server-xvfb libxcursor libxi libxkbcommon-x11" >&2
        exit 1
    fi
    echo "$why: installing $*"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

if [ "$(uname -s)" = Linux ] && ! have_vulkan; then
    install "no Vulkan driver found" mesa-vulkan-drivers libvulkan1
fi
if [ "$(uname -s)" = Linux ] && ! have_display; then
    install "no Xvfb, or not all that a window needs, found" xvfb libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0
fi

if [ "$#" = 0 ]; then
    missing=
    for pair in valgrind:valgrind pkg-config:pkg-config cmake:cmake cc:gcc c++:g++; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
    done
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
    pkg-config --exists bullet 2>/dev/null || missing="$missing libbullet-dev"
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install "tests of bindings need more" $missing
fi

# Mesa's device-selection layer writes a line about a missing display for every instance.
export NODEVICE_SELECT=1
# Lavapipe wakes its threads for every dispatch, which takes ten times as long as what small scenes have them do.
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}"

if [ "$#" -gt 0 ]; then
    exec cargo test --locked --features view "$@"
fi
# All at once: what they share is built once, with the features of the program. Unit tests take longer to build than to run, by far.
packages="-p drystone -p drystone-c -p drystone-python --features drystone/view"
# shellcheck disable=SC2086
cargo test --locked $packages --test '*' --examples
# shellcheck disable=SC2086
CARGO_PROFILE_TEST_OPT_LEVEL=0 cargo test --locked $packages --lib --bins
# shellcheck disable=SC2086
cargo test --locked $packages --doc
sh tests/bindings.sh
