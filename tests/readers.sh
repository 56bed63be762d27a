#!/bin/sh
# Tests of the frames of a run with the readers of other programs: pyvista and VTK (VTK XML, VTKHDF), meshio, OVITO (LAMMPS dumps) and pyarrow (Parquet).
# They are a gigabyte, which `.ci/run` has no time for.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
work=$target/readers
cargo build --locked --features view
[ -x "$work/python/bin/pip" ] || python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check numpy pyvista meshio ovito pyarrow
rm -rf "$work/vtp" "$work/vtu"
for formats in vtp,vtkhdf,lammps,csv,parquet vtu; do
    "$target/debug/drystone" run tests/readers/bed.toml --quiet --no-picture --frame-content points --frame-contacts \
        --frame-format "$formats" --out "$work/${formats%%,*}"
done
QT_QPA_PLATFORM=offscreen "$work/python/bin/python" tests/readers/read.py "$work/vtp" "$work/vtu"
