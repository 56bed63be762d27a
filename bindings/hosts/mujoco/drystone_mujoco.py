"""MuJoCo's contacts, solved by drystone in their Delassus form.

MuJoCo finds forces f and accelerations by ``u = (A + R) f + b`` with ``A = J M^-1 J^T``, ``b = J a - aref`` and a regularization R; with elliptic cones f is the
minimum of ``f (A + R) f / 2 + b f`` over ``|f_t| <= mu f_n``. That is the convex law of `drystone.solve_delassus`, with forces [N] in place of impulses,
accelerations [m/s^2] in place of velocities and R for the compliance. Coulomb's law, the default there, is another answer to the same A, R and b.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import drystone
import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Law = Literal["coulomb", "convex"]

_CONTACT = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)
_PYRAMID = int(mujoco.mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL)
_EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
_ONE_SIDED = {
    int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS),
    int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT),
    int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON),
}


class UnsupportedError(ValueError):
    """A constraint that the form of contacts does not hold."""


@dataclass
class ContactForm:
    """The constraints of a state: one contact of three rows each, u = (W + R) f + b.

    A limit of a joint or tendon, and a contact without friction, is a contact whose two tangential rows are empty. Equalities are eliminated: R of
    them is positive, so that their forces follow from the others.
    """

    W: Array
    """A, with equalities eliminated [1/kg], shape ``(3 n, 3 n)``."""
    b: Array
    """[m/s^2], shape ``(n, 3)``."""
    mu: Array
    """Coefficients of friction, of the first tangent, shape ``(n,)``."""
    compliance: Array
    """R [1/kg], shape ``(n, 3)``."""
    rows: NDArray[np.intp]
    """MuJoCo's row of each of ours, or -1 for an empty one, shape ``(3 n,)``."""
    scale: Array
    """Their forces per one of ours, shape ``(3 n,)``: 1, or what makes a disk of an elliptic section."""
    constraints: int
    """MuJoCo's rows."""
    _equalities: NDArray[np.intp] = field(repr=False)
    _equality_gain: Array = field(repr=False)
    _equality_force: Array = field(repr=False)

    def solve(self, friction_law: Law = "convex", **options: Any) -> drystone.DelassusSolution:
        """Solves for forces, `drystone.solve_delassus`."""
        return drystone.solve_delassus(
            self.W, self.b, self.mu, self.compliance, friction_law=friction_law, **options
        )

    def judge(self, forces: Array, friction_law: Law = "convex") -> drystone.DelassusVerdict:
        """The referee's verdict on forces of ours, shape ``(n, 3)``."""
        return drystone.judge_delassus(self.W, self.b, self.mu, forces, self.compliance, friction_law=friction_law)

    def forces_of(self, efc_force: Array) -> Array:
        """Forces of MuJoCo's, as ours, shape ``(n, 3)``."""
        held = self.rows >= 0
        forces = np.zeros(len(self.rows))
        forces[held] = efc_force[self.rows[held]] / self.scale[held]
        return forces.reshape(-1, 3)

    def efc_force(self, forces: Array) -> Array:
        """Forces of ours, as ``data.efc_force``: those of equalities included."""
        held = self.rows >= 0
        found = np.zeros(self.constraints)
        found[self.rows[held]] = forces.ravel()[held] * self.scale[held]
        found[self._equalities] = self._equality_force - self._equality_gain @ forces.ravel()
        return found


def jacobian(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """``efc_J`` as a dense array, shape ``(nefc, nv)``."""
    if not mujoco.mj_isSparse(model):
        return np.array(data.efc_J, dtype=float).reshape(data.nefc, model.nv)
    dense = np.zeros((data.nefc, model.nv))
    for row in range(data.nefc):
        span = slice(data.efc_J_rowadr[row], data.efc_J_rowadr[row] + data.efc_J_rownnz[row])
        dense[row, data.efc_J_colind[span]] = data.efc_J[span]
    return dense


def contact_form(model: mujoco.MjModel, data: mujoco.MjData) -> ContactForm:
    """The contacts of a state: ``data`` as `mujoco.mj_forward` leaves it, or as `smooth_acceleration` does.

    Raises `UnsupportedError` for pyramidal cones, torsional and rolling friction, friction of joints and tendons, and adhesion.
    """
    kinds = np.array(data.efc_type[: data.nefc], dtype=int)
    rows: list[int] = []
    mu: list[float] = []
    scale: list[float] = []
    row = 0
    while row < data.nefc:
        kind = kinds[row]
        if kind == _CONTACT:
            contact = data.contact[data.efc_id[row]]
            if contact.dim != 3:
                raise UnsupportedError(f"row {row}: a contact of condim {contact.dim}; 1 or 3 is expected")
            if contact.adhesion != 0.0:
                raise UnsupportedError(f"row {row}: a contact with adhesion")
            first, second = contact.friction[:2]
            rows += [row, row + 1, row + 2]
            mu.append(first)
            scale += [1.0, 1.0, second / first]
            row += 3
            continue
        if kind in _ONE_SIDED:
            rows += [row, -1, -1]
            mu.append(0.0)
            scale += [1.0, 1.0, 1.0]
        elif kind == _PYRAMID:
            raise UnsupportedError(f'row {row}: a pyramidal cone; <option cone="elliptic"/> is expected')
        elif kind != _EQUALITY:
            raise UnsupportedError(f"row {row}: friction of a joint or tendon")
        row += 1

    index, scales = np.array(rows, dtype=np.intp), np.array(scale)
    equalities = np.flatnonzero(kinds == _EQUALITY)
    J = jacobian(model, data)
    solved = np.zeros_like(J)
    if data.nefc:
        mujoco.mj_solveM(model, data, solved, J)
    free = np.zeros(data.nefc)
    mujoco.mj_mulJacVec(model, data, free, data.qacc_smooth)
    free -= data.efc_aref
    regularization = np.array(data.efc_R)

    # Rows of ours from theirs; -1 takes the row of zeros.
    def ours(array: Array) -> Array:
        padded = np.concatenate([array, np.zeros((1, *array.shape[1:]))])
        scaled: Array = padded[index] * scales.reshape(-1, *[1] * (array.ndim - 1))
        return scaled

    Jc, Je, b = ours(J), J[equalities], ours(free)
    W = Jc @ ours(solved).T
    coupling = Je @ ours(solved).T
    inner = Je @ solved[equalities].T + np.diag(regularization[equalities])
    gain: Array = np.linalg.solve(inner, coupling).astype(float)
    force: Array = -np.linalg.solve(inner, free[equalities]).astype(float)
    if len(equalities):
        W -= coupling.T @ gain
        b += coupling.T @ force
    compliance = ours(regularization) * scales
    return ContactForm(
        W=W,
        b=b.reshape(-1, 3),
        mu=np.array(mu),
        compliance=compliance.reshape(-1, 3),
        rows=index,
        scale=scales,
        constraints=data.nefc,
        _equalities=equalities,
        _equality_gain=gain,
        _equality_force=force,
    )


def smooth_acceleration(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """All of `mujoco.mj_forward` before forces of constraints."""
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)


def apply(model: mujoco.MjModel, data: mujoco.MjData, efc_force: Array) -> None:
    """Gives ``data`` these forces of constraints, and the accelerations that follow."""
    data.efc_force[:] = efc_force
    # Without constraints the product leaves what was there.
    data.qfrc_constraint[:] = 0.0
    mujoco.mj_mulJacTVec(model, data, data.qfrc_constraint, efc_force)
    added = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, added, data.qfrc_constraint.reshape(1, -1))
    data.qacc[:] = data.qacc_smooth + added[0]


def step(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    friction_law: Law = "convex",
    previous: Array | None = None,
    **options: Any,
) -> Array:
    """A step of MuJoCo's Euler integrator with drystone's forces; gives those.

    ``previous`` are forces to start from, taken where there are as many contacts as then. Raises `UnsupportedError` for another integrator.
    """
    if model.opt.integrator != mujoco.mjtIntegrator.mjINT_EULER:
        raise UnsupportedError("an integrator other than Euler")
    smooth_acceleration(model, data)
    form = contact_form(model, data)
    start = previous if previous is not None and previous.shape == form.b.shape else None
    forces = form.solve(friction_law, start=start, **options).impulses
    apply(model, data, form.efc_force(forces))
    mujoco.mj_Euler(model, data)
    return forces
