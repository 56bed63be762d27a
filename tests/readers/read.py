"""Frames of a run, read by other programs: counts and values are those of the tables, and of the run's summary.

python read.py RUN RUN_WITH_VTU
"""

import csv
import json
import sys
from pathlib import Path

import meshio
import numpy as np
import ovito.io
import ovito.modifiers
import pyarrow.parquet
import pyvista
import vtk

FRAMES = [0, 50, 100, 150, 200]
run, run_with_vtu = Path(sys.argv[1]), Path(sys.argv[2])
summary = json.loads((run / "summary.json").read_text())


class Table:
    """A CSV table of bodies or contacts."""

    def __init__(self, path):
        with path.open(newline="") as file:
            self.rows = list(csv.DictReader(file))

    def __len__(self):
        return len(self.rows)

    def texts(self, name):
        return [row[name] for row in self.rows]

    def numbers(self, *names):
        columns = [[float(text) for text in self.texts(name)] for name in names]
        return np.array(columns[0]) if len(names) == 1 else np.array(columns).T.reshape(-1, len(names))


def frame(what, step, extension, folder=run):
    return folder / "frames" / f"bed{what}_{step:06}.{extension}"


def same(found, expected, what, tolerance=0.0):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: {found.shape} instead of {expected.shape}"
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    error = np.abs(found - expected).max(initial=0.0)
    assert error <= tolerance * scale, f"{what}: {error} off"


bodies = {step: Table(frame("", step, "csv")) for step in FRAMES}
contacts = {step: Table(frame("_contacts", step, "csv")) for step in FRAMES}
last = FRAMES[-1]
POSITION, VELOCITY, SPIN, TURN = ("x", "y", "z"), ("vx", "vy", "vz"), ("wx", "wy", "wz"), ("qw", "qx", "qy", "qz")
NORMAL, FORCE = ("nx", "ny", "nz"), ("fx", "fy", "fz")
# Frames of VTK have single precision but for positions.
SINGLE = 1e-6
# OVITO reads decimals to the last bit but one.
OVITO = 1e-15


def check_summary():
    assert len(bodies[last]) == summary["bodies"]
    assert len(contacts[last]) == summary["contacts_final"] > 100
    same(bodies[last].numbers("time")[0], summary["time"], "time")
    same(bodies[last].numbers("kinetic_energy").sum(), summary["kinetic_energy_final"], "energy", 1e-6)
    same(-contacts[last].numbers("gap").min(), summary["max_penetration_final"], "penetration", 1e-6)


def check_points(points, arrays, table, what):
    """Bodies, as VTK's formats have them."""
    assert len(points) == summary["bodies"], what
    same(points, table.numbers(*POSITION), f"{what}: positions")
    same(arrays["velocity"], table.numbers(*VELOCITY), f"{what}: velocities", SINGLE)
    same(arrays["angular_velocity"], table.numbers(*SPIN), f"{what}: spins", SINGLE)
    same(arrays["orientation"], table.numbers(*TURN), f"{what}: orientations", SINGLE)
    same(np.ravel(arrays["mass"]), table.numbers("mass"), f"{what}: masses", SINGLE)
    same(np.ravel(arrays["material"]), table.numbers("material"), f"{what}: materials")
    assert (np.asarray(arrays["radius"]) > 0).sum() >= 120, what


def check_contacts(points, arrays, table, what):
    same(points, table.numbers(*POSITION), f"{what}: points")
    same(arrays["normal"], table.numbers(*NORMAL), f"{what}: normals", SINGLE)
    same(arrays["force"], table.numbers(*FORCE), f"{what}: forces", SINGLE)
    same(np.ravel(arrays["gap"]), table.numbers("gap"), f"{what}: gaps", SINGLE)
    same(np.ravel(arrays["body_a"]), table.numbers("body_a"), f"{what}: bodies")


def check_pyvista(folder, extension):
    for stem, check, tables in [("", check_points, bodies), ("_contacts", check_contacts, contacts)]:
        reader = pyvista.get_reader(str(folder / f"bed{stem}.pvd"))
        same(reader.time_values, [bodies[step].numbers("time")[0] for step in FRAMES], "times of the collection")
        for at, step in enumerate(FRAMES):
            reader.set_active_time_point(at)
            mesh = reader.read()[0]
            if len(tables[step]):
                check(mesh.points, mesh.point_data, tables[step], f"pyvista, {extension}{stem} at step {step}")
            else:
                assert mesh.n_points == 0


def check_fields():
    grid = pyvista.read(frame("_fields", last, "vti"))
    volume = np.prod(grid.spacing)
    mass = bodies[last].numbers("mass")
    same(grid.cell_data["density"].sum() * volume, mass.sum(), "pyvista: mass of the fields", SINGLE)
    momentum = (mass[:, None] * bodies[last].numbers(*VELOCITY)).sum(axis=0)
    same(grid.cell_data["momentum"].sum(axis=0) * volume, momentum, "pyvista: momentum of the fields", 1e-5)


def check_vtkhdf():
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(run / "bed.vtkhdf"))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(FRAMES)
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    for at, step in enumerate(FRAMES):
        same(times[at], bodies[step].numbers("time")[0], "VTKHDF: time")
        reader.SetStep(at)
        reader.Update()
        mesh = pyvista.wrap(reader.GetOutputDataObject(0))
        check_points(mesh.points, mesh.point_data, bodies[step], f"VTKHDF at step {step}")


def check_meshio():
    for step in FRAMES:
        mesh = meshio.read(frame("", step, "vtu", run_with_vtu))
        check_points(mesh.points, mesh.point_data, bodies[step], f"meshio at step {step}")
        if len(contacts[step]):
            mesh = meshio.read(frame("_contacts", step, "vtu", run_with_vtu))
            check_contacts(mesh.points, mesh.point_data, contacts[step], f"meshio, contacts at step {step}")


def check_ovito():
    pipeline = ovito.io.import_file(str(run / "frames" / "bed_0*.dump"))
    # Contacts are bonds; OVITO asks for the meaning of a local dump's columns.
    between = ovito.modifiers.LoadTrajectoryModifier()
    ends, place = ["Particle Identifiers.1", "Particle Identifiers.2"], [""] * 6
    columns = ["", *ends, *place, "gap", "normal_force", *FORCE]
    between.source.load(str(run / "frames" / "bed_contacts_*.dump"), columns=columns)
    pipeline.modifiers.append(between)
    assert pipeline.source.num_frames == len(FRAMES)
    for at, step in enumerate(FRAMES):
        data = pipeline.compute(at)
        particles, table = data.particles, bodies[step]
        what = f"OVITO at step {step}"
        assert particles.count == summary["bodies"], what
        assert data.attributes["Timestep"] == step
        same(data.attributes["Time"], table.numbers("time")[0], f"{what}: time", OVITO)
        same(particles["Particle Identifier"], table.numbers("id") + 1, f"{what}: ids")
        same(particles["Position"], table.numbers(*POSITION), f"{what}: positions", OVITO)
        same(particles["Velocity"], table.numbers(*VELOCITY), f"{what}: velocities", OVITO)
        same(particles["Angular Velocity"], table.numbers(*SPIN), f"{what}: spins", OVITO)
        same(particles["Mass"], table.numbers("mass"), f"{what}: masses", OVITO)
        # OVITO has x, y, z, w.
        same(particles["Orientation"], np.roll(table.numbers(*TURN), -1, axis=1), f"{what}: orientations", SINGLE)
        kinds = particles["Particle Type"]
        names = [kinds.type_by_id(kind).name for kind in kinds]
        assert names == table.texts("shape"), what
        spheres = [kind == "sphere" for kind in names]
        same(particles["Radius"][spheres], np.full(sum(spheres), 0.035), f"{what}: radii", SINGLE)
        bonds, table = particles.bonds, contacts[step]
        if len(table):
            # Particles are in the order of their ids.
            same(bonds.topology, table.numbers("body_a", "body_b"), f"{what}: contacts")
            same(bonds["normal_force"], table.numbers("normal_force"), f"{what}: forces", OVITO)
            same(bonds["gap"], table.numbers("gap"), f"{what}: gaps", OVITO)
    energy = 0.5 * (particles["Mass"][:] * (particles["Velocity"][:] ** 2).sum(axis=1)).sum()
    assert 0 < energy <= summary["kinetic_energy_final"]


def check_parquet():
    for what, tables in [("", bodies), ("_contacts", contacts)]:
        for step in FRAMES:
            table, expected = pyarrow.parquet.read_table(frame(what, step, "parquet")), tables[step]
            assert table.num_rows == len(expected)
            for name in table.column_names:
                values = table[name].to_pylist()
                if table.schema.field(name).type == pyarrow.string():
                    assert values == expected.texts(name), name
                elif values:
                    same(values, expected.numbers(name), f"Parquet: {name}")


check_summary()
check_pyvista(run, "vtp")
check_pyvista(run_with_vtu, "vtu")
check_fields()
check_vtkhdf()
check_meshio()
check_ovito()
check_parquet()
versions = {module.__name__: module.__version__ for module in (pyvista, meshio, pyarrow)}
print(f"frames of {summary['bodies']} bodies and {summary['contacts_final']} contacts are read by", end=" ")
print(f"{versions}, vtk {vtk.vtkVersion.GetVTKVersion()} and ovito {ovito.version_string}")
