"""Tables of the README: the same contacts by MuJoCo, drystone and, where it is installed, Pinocchio."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable

import mujoco
import numpy as np
from drystone_mujoco import Array, ContactForm, Law, contact_form
from states import states

REPEATS = 5
PINOCCHIO = importlib.import_module("peer_pinocchio") if importlib.util.find_spec("pinocchio") else None
SOLVERS = mujoco.mjtSolver

Solve = Callable[[], tuple[Array, int, float]]
"""Forces, iterations, and the time of the solve [s]."""


def fastest(solve: Solve) -> tuple[Array, int, float]:
    """The least time of some repeats."""
    return min((solve() for _ in range(REPEATS)), key=lambda run: run[2])


def mujoco_solve(
    model: mujoco.MjModel, data: mujoco.MjData, form: ContactForm, solver: int, tolerance: float
) -> Callable[[], tuple[Array, int, float]]:
    """One of MuJoCo's solvers, from no forces."""

    def solve() -> tuple[Array, int, float]:
        before = model.opt.solver, model.opt.tolerance, model.opt.iterations
        model.opt.solver, model.opt.tolerance, model.opt.iterations = solver, tolerance, 10_000
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        data.qacc_warmstart[:] = data.qacc_smooth
        data.efc_force[:] = 0.0
        began = time.perf_counter()
        mujoco.mj_fwdConstraint(model, data)
        seconds = time.perf_counter() - began
        model.opt.solver, model.opt.tolerance, model.opt.iterations = before
        islands = max(data.nisland, 1)
        return form.forces_of(np.array(data.efc_force)), int(data.solver_niter[:islands].max()), seconds

    return solve


def drystone_solve(form: ContactForm, law: Law, method: str, tolerance: float) -> Solve:
    """One of drystone's, from no forces."""

    def solve() -> tuple[Array, int, float]:
        began = time.perf_counter()
        found = form.solve(law, method=method, tolerance=tolerance, iterations=20_000)
        return found.impulses, found.iterations, time.perf_counter() - began

    return solve


def pinocchio_solve(form: ContactForm, method: str, law: Law, tolerance: float) -> Solve:
    """One of Pinocchio's, from no forces."""
    assert PINOCCHIO is not None
    return lambda: PINOCCHIO.solve(form, method, law == "coulomb", tolerance, 20_000)


def row(*cells: object) -> None:
    """A row of a table."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def heading(*cells: str) -> None:
    """The first two rows of a table."""
    row(*cells)
    row(*["---"] * len(cells))


def compare(
    name: str, step: int, form: ContactForm, law: Law, solvers: dict[str, Solve], reference: Array | None
) -> None:
    """A row for each solver; forces are compared with those of `reference`."""
    for title, solve in solvers.items():
        forces, iterations, seconds = fastest(solve)
        residual = form.judge(forces, law).residual_max
        cells: list[object] = [f"{name} {step}", title, iterations, f"{1e3 * seconds:.3f}", f"{residual:.1e}"]
        if reference is not None:
            cells.append(f"{np.abs(forces - reference).max() / np.abs(reference).max():.1e}")
        row(*cells)


def main() -> None:
    """Prints all tables."""
    versions = f"MuJoCo {mujoco.mj_versionString()}"
    if PINOCCHIO is not None:
        versions += f", Pinocchio {PINOCCHIO.pinocchio.__version__}"
    print(versions, "\n")
    looked_at = []
    for name, step, moment, model, data in states():
        form = contact_form(model, data)
        looked_at.append((name, step, moment, model, data, form, form.forces_of(np.array(data.efc_force))))

    print("States\n")
    heading("state", "moment", "contacts", "MuJoCo's rows", "of them equalities, limits", "W and b [ms]")
    for name, step, moment, model, data, _, _ in looked_at:
        began = time.perf_counter()
        contact_form(model, data)
        seconds = time.perf_counter() - began
        row(f"{name} {step}", moment, data.ncon, data.nefc, f"{data.ne}, {data.nl}", f"{1e3 * seconds:.2f}")

    print("\nMuJoCo's law\n")
    heading("state", "solver", "iterations", "time [ms]", "residual [m/s^2]", "forces' difference")
    for name, step, _, model, data, form, newton in looked_at:
        tolerance = 1e-8 * float(np.abs(form.b).max())
        solvers = {
            "MuJoCo Newton": mujoco_solve(model, data, form, SOLVERS.mjSOL_NEWTON, 1e-10),
            "MuJoCo CG": mujoco_solve(model, data, form, SOLVERS.mjSOL_CG, 1e-10),
            "MuJoCo PGS": mujoco_solve(model, data, form, SOLVERS.mjSOL_PGS, 1e-10),
            "drystone accelerated": drystone_solve(form, "convex", "accelerated", tolerance),
            "drystone nsgs": drystone_solve(form, "convex", "nsgs", tolerance),
        }
        if PINOCCHIO is not None:
            # Its PGS finds Coulomb's answer whichever law it is asked for.
            solvers["Pinocchio ADMM"] = pinocchio_solve(form, "ADMM", "convex", tolerance)
        compare(name, step, form, "convex", solvers, newton)

    print("\nCoulomb's law\n")
    heading("state", "solver", "iterations", "time [ms]", "residual [m/s^2]")
    for name, step, _, _, _, form, newton in looked_at:
        tolerance = 1e-8 * float(np.abs(form.b).max())
        row(f"{name} {step}", "MuJoCo's forces", "", "", f"{form.judge(newton, 'coulomb').residual_max:.1e}")
        solvers = {
            "drystone accelerated": drystone_solve(form, "coulomb", "accelerated", tolerance),
            "drystone nsgs": drystone_solve(form, "coulomb", "nsgs", tolerance),
        }
        if PINOCCHIO is not None:
            solvers["Pinocchio ADMM"] = pinocchio_solve(form, "ADMM", "coulomb", tolerance)
            solvers["Pinocchio PGS"] = pinocchio_solve(form, "PGS", "coulomb", tolerance)
        compare(name, step, form, "coulomb", solvers, None)


if __name__ == "__main__":
    main()
