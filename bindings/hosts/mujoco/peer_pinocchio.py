"""The same contacts, solved by Pinocchio."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pinocchio
from drystone_mujoco import Array, ContactForm


def solve(form: ContactForm, method: str, coulomb: bool, tolerance: float, iterations: int) -> tuple[Array, int, float]:
    """Forces of the form, iterations, and the time of the solve alone [s]; ``method`` is ``"ADMM"`` or ``"PGS"``."""
    count = len(form.mu)
    # Its normals come last.
    order = np.arange(3 * count).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    model = pinocchio.Model()
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for mu in form.mu:
        contact = pinocchio.PointContactConstraintModel(model)
        contact.setFriction(float(mu))
        any_kind = pinocchio.ConstraintModel(contact)
        models.append(any_kind)
        datas.append(any_kind.createData())
    operator = pinocchio.DelassusOperatorDense(form.W[np.ix_(order, order)])
    operator.updateCompliance(form.compliance.ravel()[order])
    settings: Any = getattr(pinocchio, f"{method}SolverSettings")()
    settings.max_iterations = iterations
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.solve_ncp = coulomb
    result: Any = getattr(pinocchio, f"{method}SolverResult")()
    solver: Any = getattr(pinocchio, f"{method}ConstraintSolver")(3 * count)
    b = form.b.ravel()[order]
    began = time.perf_counter()
    solver.solve(operator, b, models, datas, settings, result)
    seconds = time.perf_counter() - began
    forces = np.zeros(3 * count)
    forces[order] = result.retrieveConstraintImpulses()
    return forces.reshape(-1, 3), result.iterations, seconds
