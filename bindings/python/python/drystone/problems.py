"""Arrays of contact problems, and problems by their operator."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _drystone
from .errors import InvalidError
from .values import DelassusSolution, DelassusVerdict

_DTYPES = _drystone.dtypes()

body_dtype: np.dtype[np.void] = _DTYPES["body"]
"""A body of a `Problem`, 64 bytes: ``linear_velocity`` [m/s], ``inverse_mass`` [1/kg], ``angular_velocity`` [rad/s] and ``inverse_inertia``
(xx, xy, xz, yy, yz, zz) [1/(kg m^2)], in world axes at the centre of mass. One that does not move has inverse mass and inertia 0."""

contact_dtype: np.dtype[np.void] = _DTYPES["contact"]
"""A contact of a `Problem`, 64 bytes: ``body_a``, ``body_b``, ``arm_a`` and ``arm_b`` (contact point minus centre of mass, world axes [m]), ``normal`` (unit,
from B to A), ``bias`` added to the relative normal velocity [m/s], ``friction`` and ``impulse`` to start from (normal, two tangents [N s])."""

joint_row_dtype: np.dtype[np.void] = _DTYPES["joint_row"]
"""A row of a joint, 64 bytes: ``body_a``, ``body_b``, ``linear`` (on A, and with the opposite sign on B), ``angular_a``, ``angular_b``, ``bias`` [m/s], ``softness``,
``lower`` and ``upper`` bounds of the impulse and ``impulse`` to start from [N s]."""

contact_point_dtype: np.dtype[np.void] = _DTYPES["contact_point"]
"""A contact of a `Simulation`; see `Simulation.contacts`."""

joint_dtype: np.dtype[np.void] = _DTYPES["joint"]
"""A joint of a `Simulation`; see `Simulation.joints`."""

UNBOUNDED: float = float(np.finfo(np.float32).max)
"""The bound of a row's impulse that has none."""


def new_bodies(count: int) -> NDArray[np.void]:
    """An array of ``count`` bodies that do not move, `body_dtype`, in memory that solvers read without a copy."""
    return _drystone.aligned("body", count)


def new_contacts(count: int) -> NDArray[np.void]:
    """An array of ``count`` contacts, `contact_dtype`, all zero, in memory that solvers read without a copy."""
    return _drystone.aligned("contact", count)


def new_joint_rows(count: int) -> NDArray[np.void]:
    """An array of ``count`` rows, `joint_row_dtype`, without bounds and zero otherwise, in memory that solvers read without a copy."""
    rows = _drystone.aligned("joint_row", count)
    rows["lower"] = -UNBOUNDED
    rows["upper"] = UNBOUNDED
    return rows


def solve_delassus(
    W: Any,
    b: ArrayLike,
    mu: ArrayLike,
    compliance: ArrayLike | None = None,
    *,
    friction_law: Literal["coulomb", "convex"] = "coulomb",
    method: Literal["accelerated", "nsgs"] = "accelerated",
    iterations: int = 10_000,
    tolerance: float = 0.0,
    check_every: int = 8,
    start: ArrayLike | None = None,
) -> DelassusSolution:
    """Solves contacts by their operator, ``u = (W + R) r + b`` with friction's disk, in f64.

    Every contact has three rows, normal first, then two tangents. ``W`` [1/kg] is the Delassus operator: a dense array of shape ``(3 n, 3 n)``, a
    sparse matrix of scipy's, or a tuple ``(row_starts, columns, blocks)`` of 3 x 3 blocks in rows (uint32, uint32 ascending in a row, float64 of shape
    ``(m, 3, 3)``), which is read where it is. It need not be symmetric, and may be singular. ``b`` [m/s], ``compliance`` R [1/kg] and ``start`` [N s] have shape ``(n, 3)`` or
    ``(3 n,)``, ``mu`` has ``(n,)``.

    ``friction_law`` is Coulomb's, or ``"convex"``: with a symmetric W the minimum of ``r (W + R) r / 2 + b r`` over the cones ``|r_t| <= mu r_n``, by which a contact
    that slides opens with ``mu`` times its slip. It is what MuJoCo solves with elliptic cones.

    ``method`` is block Gauss-Seidel, ``"nsgs"``, or its combination of the latest sweeps by Anderson. Sweeps end after ``iterations``, or where the root mean
    square of the residual is at most ``tolerance`` [m/s], at round-off in any case; it is looked at every ``check_every`` sweeps.

    Raises `InvalidError` for numbers without meaning, `NonFiniteError` if one stopped being finite.
    """
    if method not in ("accelerated", "nsgs"):
        raise InvalidError(f"invalid method: `{method}` given; `accelerated` or `nsgs` is expected")
    problem = _problem(W, b, mu, compliance, friction_law)
    impulses, status, sweeps, rms, largest = _drystone.solve_delassus(
        problem,
        None if start is None else _triples("start", start, len(problem[4])),
        method == "accelerated",
        iterations,
        tolerance,
        check_every,
    )
    return DelassusSolution(impulses, status, sweeps, rms, largest)


def judge_delassus(
    W: Any,
    b: ArrayLike,
    mu: ArrayLike,
    impulses: ArrayLike,
    compliance: ArrayLike | None = None,
    *,
    friction_law: Literal["coulomb", "convex"] = "coulomb",
) -> DelassusVerdict:
    """The distance of any impulses from solving contacts by their operator, in f64.

    ``impulses`` [N s] have shape ``(n, 3)`` or ``(3 n,)``; the rest is as for `solve_delassus`.

    Raises `InvalidError` for numbers without meaning.
    """
    problem = _problem(W, b, mu, compliance, friction_law)
    return DelassusVerdict(*_drystone.judge_delassus(problem, _triples("impulses", impulses, len(problem[4]))))


_Problem = tuple[
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64] | None,
    str,
]


def _problem(W: Any, b: ArrayLike, mu: ArrayLike, compliance: ArrayLike | None, friction_law: str) -> _Problem:
    """A problem as the native half reads it."""
    friction = np.ascontiguousarray(mu, dtype=np.float64)
    if friction.ndim != 1:
        raise InvalidError(f"invalid mu: an array of shape {friction.shape} given; (n,) is expected")
    count = len(friction)
    starts, columns, blocks = _rows_of_blocks(W, count)
    soft = None if compliance is None else _triples("compliance", compliance, count)
    return starts, columns, blocks, _triples("b", b, count), friction, soft, friction_law


def _triples(what: str, numbers: ArrayLike, count: int) -> NDArray[np.float64]:
    """Numbers of contacts, shape ``(count, 3)``."""
    array = np.ascontiguousarray(numbers, dtype=np.float64)
    if array.shape not in ((count, 3), (3 * count,)):
        raise InvalidError(
            f"invalid {what}: an array of shape {array.shape} given; ({count}, 3) or ({3 * count},) is expected"
        )
    return array.reshape(count, 3)


def _rows_of_blocks(W: Any, count: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """An operator as rows of 3 x 3 blocks."""
    if isinstance(W, tuple):
        if len(W) != 3:
            raise InvalidError(f"invalid W: a tuple of {len(W)} given; (row_starts, columns, blocks) is expected")
        return W
    if hasattr(W, "tobsr"):
        if W.shape != (3 * count, 3 * count):
            raise InvalidError(f"invalid W: shape {W.shape} given; {(3 * count, 3 * count)} is expected")
        # A copy: to sum and to sort blocks in place is not ours to do with the caller's.
        sparse = W.tobsr(blocksize=(3, 3), copy=True)
        sparse.sum_duplicates()
        sparse.sort_indices()
        return (
            np.ascontiguousarray(sparse.indptr, dtype=np.uint32),
            np.ascontiguousarray(sparse.indices, dtype=np.uint32),
            np.ascontiguousarray(sparse.data, dtype=np.float64),
        )
    dense = np.asarray(W, dtype=np.float64)
    if dense.shape != (3 * count, 3 * count):
        raise InvalidError(f"invalid W: shape {dense.shape} given; {(3 * count, 3 * count)} is expected")
    blocks = dense.reshape(count, 3, count, 3).swapaxes(1, 2)
    # NaN is not zero, and is told of.
    rows, columns = np.nonzero((blocks != 0.0).any(axis=(2, 3)))
    starts = np.searchsorted(rows, np.arange(count + 1))
    return starts.astype(np.uint32), columns.astype(np.uint32), np.ascontiguousarray(blocks[rows, columns])
