#!/bin/sh
# Installs what the tests need and runs all of them. GPU tests are mandatory: where no Vulkan
# driver is found, a software adapter (Mesa lavapipe) is installed.
set -eu
cd "$(dirname "$0")/.."

have_vulkan() {
    (ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) | grep -q 'libvulkan\.so\.1' || return 1
    [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ] && return 0
    ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json \
        /usr/local/share/vulkan/icd.d/*.json 2>/dev/null | grep -q .
}

if [ "$(uname -s)" = Linux ] && ! have_vulkan; then
    if command -v apt-get >/dev/null 2>&1; then
        echo "no Vulkan driver found: installing Mesa's software adapter"
        as_root=
        [ "$(id -u)" = 0 ] || as_root=sudo
        $as_root apt-get update -q
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends mesa-vulkan-drivers libvulkan1
    else
        echo "no Vulkan driver found. Install one first, for example:" >&2
        echo "  Fedora: dnf install mesa-vulkan-drivers vulkan-loader" >&2
        echo "  Arch:   pacman -S vulkan-swrast vulkan-icd-loader" >&2
        exit 1
    fi
fi

# Mesa's device-selection layer writes a line about a missing display for every instance.
export NODEVICE_SELECT=1
# Lavapipe wakes its threads for every dispatch, which takes ten times as long as what small scenes have them do.
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}"

cargo test --locked "$@"

# What is in `bindings` is tested where everything is.
if [ "$#" = 0 ]; then
    sh tests/bindings.sh
fi
