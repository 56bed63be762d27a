"""Results that are plain values."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray


class Energy(NamedTuple):
    """Mechanical energy of the dynamic bodies [J]."""

    kinetic: float
    """Of motion and spin."""
    potential: float
    """Of gravity, zero at the world's origin."""

    @property
    def total(self) -> float:
        """The sum of both."""
        return self.kinetic + self.potential


class Verdict(NamedTuple):
    """What impulses do to the bodies of a problem, and how far they are from solving it, in f64."""

    residual_rms: float
    """Root mean square over contacts and rows of the natural-map residual [m/s]; NaN if a number is."""
    residual_max: float
    """Largest residual of a contact or row [m/s]."""
    contacts_rms: float
    """Root mean square over the contacts alone [m/s]."""
    contacts_max: float
    """Largest of the contacts alone [m/s]."""
    joints_rms: float
    """Root mean square over the rows alone [m/s]."""
    joints_max: float
    """Largest of the rows alone [m/s]."""
    approach: float
    """Largest approach that is left [m/s]."""
    adhesion: float
    """Largest pull [N s]."""
    cone_excess: float
    """Largest excess of a friction impulse over its cone [N s]."""
    complementarity: float
    """Largest product of a contact's normal impulse and velocity [J]."""
    dissipation: float
    """Largest lack of dissipation of a contact's friction [J]."""
    velocities: NDArray[np.float64]
    """Velocity of each body with the impulses applied [m/s], shape ``(bodies, 3)``."""
    angular_velocities: NDArray[np.float64]
    """Angular velocity likewise [rad/s], shape ``(bodies, 3)``."""


class DelassusSolution(NamedTuple):
    """Impulses of a Delassus problem, and how the solve went."""

    impulses: NDArray[np.float64]
    """Along the normal and the two tangents of each contact [N s], shape ``(contacts, 3)``."""
    status: str
    """``"converged"`` at the tolerance or at round-off, ``"max_iterations"`` or ``"stalled"``."""
    iterations: int
    """Sweeps."""
    residual_rms: float
    """Root mean square over contacts of the natural-map residual [m/s]."""
    residual_max: float
    """Largest residual of a contact [m/s]."""


class DelassusVerdict(NamedTuple):
    """The distance of impulses from a solution of a Delassus problem, in f64."""

    residual_rms: float
    """Root mean square over contacts of the natural-map residual [m/s]."""
    residual_max: float
    """Largest residual of a contact [m/s]."""
    velocities: NDArray[np.float64]
    """u of each contact [m/s], shape ``(contacts, 3)``."""


class Adapter(TypedDict):
    """A GPU adapter."""

    name: str
    backend: str
    device_type: str
    driver: str
    software: bool
    usable: bool
    max_binding: int
    max_buffer: int


class StepReport(TypedDict):
    """How a step of a simulation went; residuals are in m/s, times in s, lengths in m, energies in J."""

    step: int
    time: float
    contacts: int
    contact_updates: int
    substeps: int
    capped: bool
    collisions: int
    by_velocity: bool
    broken_joints: int
    status: str
    iterations: int
    colors: int
    residual_rms: float
    residual_max: float
    position_residual_max: float | None
    joint_error_max: float
    joint_angle_error_max: float
    max_penetration: float
    mean_penetration: float
    kinetic_energy: float
    potential_energy: float
    broad_seconds: float
    narrow_seconds: float
    pack_seconds: float
    solve_seconds: float
    position_seconds: float
    step_seconds: float
