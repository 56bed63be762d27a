#!/bin/sh
# Installs what the tests need: on Linux a Vulkan driver (Mesa lavapipe) where none is found, and a display server (Xvfb) with what a window
# loads; with the word `bindings`, what the tests of `bindings` need as well.
set -eu

have_library() {
    (ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) | grep -q "$1\.so"
}

have_vulkan() {
    have_library libvulkan || return 1
    [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ] && return 0
    ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json \
        /usr/local/share/vulkan/icd.d/*.json 2>/dev/null | grep -q .
}

# A display server, and the libraries that the window loads.
have_display() {
    command -v Xvfb >/dev/null 2>&1 || return 1
    for library in libX11-xcb libXcursor libXi libxkbcommon-x11; do
        have_library "$library" || return 1
    done
}

# By Debian's names.
missing=
if [ "$(uname -s)" = Linux ]; then
    have_vulkan || missing="mesa-vulkan-drivers libvulkan1"
    have_display || missing="$missing xvfb libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0"
fi
if [ "${1:-}" = bindings ]; then
    for pair in valgrind:valgrind pkg-config:pkg-config cmake:cmake cc:gcc c++:g++; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
    done
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
    pkg-config --exists bullet 2>/dev/null || missing="$missing libbullet-dev"
fi
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "the tests need, by Debian's names: $missing; some are called elsewhere:" >&2
    echo "  Fedora: mesa-vulkan-drivers vulkan-loader xorg-x11-server-Xvfb libXcursor libXi libxkbcommon-x11" >&2
    echo "  Arch:   vulkan-swrast vulkan-icd-loader xorg-server-xvfb libxcursor libxi libxkbcommon-x11" >&2
    exit 1
fi
echo "installing for the tests: $missing"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -q
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
