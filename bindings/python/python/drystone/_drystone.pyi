"""The native half of drystone; see the package."""

import os
from collections.abc import Sequence
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from .values import Adapter, Energy, StepReport, Verdict

__all__ = [
    "BodyMemory",
    "Plan",
    "Problem",
    "Scene",
    "Simulation",
    "Solution",
    "WarmStart",
    "__version__",
    "adapters",
    "aligned",
    "body_from_local",
    "dtypes",
    "judge",
    "judge_delassus",
    "solve_delassus",
]
__version__: Final[str]

_Vector = Sequence[float] | NDArray[Any]
_Method = Literal["pgs", "jacobi", "nesterov", "cluster"]
_Path = str | os.PathLike[str]
_Delassus = tuple[
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64] | None,
    str,
]

def adapters() -> list[Adapter]: ...
def aligned(kind: Literal["body", "contact", "joint_row"], count: int) -> NDArray[np.void]: ...
def body_from_local(
    mass: float,
    inertia: _Vector,
    orientation: _Vector = ...,
    linear_velocity: _Vector = ...,
    angular_velocity: _Vector = ...,
) -> NDArray[np.void]: ...
def dtypes() -> dict[str, np.dtype[np.void]]: ...
def judge(
    problem: Problem,
    impulses: NDArray[np.float32],
    joint_impulses: NDArray[np.float32] | None = None,
) -> Verdict: ...
def judge_delassus(
    problem: _Delassus, impulses: NDArray[np.float64]
) -> tuple[float, float, NDArray[np.float64]]: ...
def solve_delassus(
    problem: _Delassus,
    start: NDArray[np.float64] | None,
    accelerated: bool,
    iterations: int,
    tolerance: float,
    check_every: int,
) -> tuple[NDArray[np.float64], str, int, float, float]: ...
@final
class BodyMemory: ...

@final
class Scene:
    @classmethod
    def load(
        cls,
        path: _Path,
        *,
        values: dict[str, Any] | None = None,
        seed: int | None = None,
        steps: int | None = None,
        time_step: float | None = None,
        substeps: int | None = None,
        iterations: int | None = None,
        tolerance: float | None = None,
        method: _Method | None = None,
        friction_directions: int | None = None,
    ) -> Scene: ...
    @classmethod
    def parse(
        cls,
        text: str,
        path: _Path = "scene.toml",
        *,
        values: dict[str, Any] | None = None,
        seed: int | None = None,
        steps: int | None = None,
        time_step: float | None = None,
        substeps: int | None = None,
        iterations: int | None = None,
        tolerance: float | None = None,
        method: _Method | None = None,
        friction_directions: int | None = None,
    ) -> Scene: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def path(self) -> os.PathLike[str] | None: ...
    @property
    def steps(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def body_count(self) -> int: ...
    @property
    def joint_count(self) -> int: ...
    @property
    def toml(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Simulation:
    def __new__(
        cls,
        scene: Scene,
        *,
        backend: Literal["cpu", "gpu", "nsgs"] = "cpu",
        adapter: str | None = None,
        threads: int | None = None,
    ) -> Simulation: ...
    def step(self, steps: int = 1) -> None: ...
    def run(self) -> None: ...
    def index(self, name: str) -> int: ...
    def problem(self) -> Problem: ...
    def apply_force(
        self,
        body: int | str,
        force: _Vector,
        point: _Vector | None = None,
        *,
        torque: _Vector = (0.0, 0.0, 0.0),
        duration: float | None = None,
    ) -> None: ...
    def set_velocity(
        self, body: int | str, linear: _Vector | None = None, angular: _Vector | None = None
    ) -> None: ...
    def set_pose(
        self, body: int | str, position: _Vector | None = None, orientation: _Vector | None = None
    ) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def body_count(self) -> int: ...
    @property
    def body_names(self) -> list[str | None]: ...
    @property
    def joint_names(self) -> list[str | None]: ...
    @property
    def radii(self) -> NDArray[np.float64]: ...
    @property
    def is_dynamic(self) -> NDArray[np.bool_]: ...
    @property
    def positions(self) -> NDArray[np.float64]: ...
    @property
    def orientations(self) -> NDArray[np.float64]: ...
    @property
    def velocities(self) -> NDArray[np.float64]: ...
    @property
    def angular_velocities(self) -> NDArray[np.float64]: ...
    @property
    def masses(self) -> NDArray[np.float64]: ...
    @property
    def contacts(self) -> NDArray[np.void]: ...
    @property
    def joints(self) -> NDArray[np.void]: ...
    @property
    def energy(self) -> Energy: ...
    @property
    def probes(self) -> dict[str, float]: ...
    @property
    def report(self) -> StepReport | None: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def plan(self) -> Plan | None: ...
    @property
    def impulses(self) -> NDArray[np.float32]: ...
    @property
    def joint_impulses(self) -> NDArray[np.float32]: ...

@final
class Problem:
    bodies: NDArray[np.void]
    contacts: NDArray[np.void]
    rows: NDArray[np.void] | None
    surface_velocities: NDArray[np.float32] | None
    increments: NDArray[np.float32] | None
    gaps: NDArray[np.float32] | None
    restitutions: NDArray[np.float32] | None
    loads: NDArray[np.float32] | None
    sizes: NDArray[np.float32] | None
    compliances: NDArray[np.float32] | None
    def __new__(
        cls,
        bodies: NDArray[np.void],
        contacts: NDArray[np.void],
        rows: NDArray[np.void] | None = None,
        *,
        surface_velocities: NDArray[np.float32] | None = None,
        increments: NDArray[np.float32] | None = None,
        gaps: NDArray[np.float32] | None = None,
        restitutions: NDArray[np.float32] | None = None,
        loads: NDArray[np.float32] | None = None,
        sizes: NDArray[np.float32] | None = None,
        compliances: NDArray[np.float32] | None = None,
        friction_directions: int | None = None,
        friction_law: Literal["coulomb", "convex"] = "coulomb",
        contact_softness: float = 0.0,
        calm_change: float = 0.0,
        threads: int | None = None,
    ) -> Problem: ...
    def solve(
        self,
        *,
        method: _Method = "pgs",
        iterations: int = 30,
        tolerance: float = 0.0,
        check_every: int = 8,
        warm_start: bool = True,
        direct_joints: bool = True,
        direct_damping: float = 0.0,
    ) -> Solution: ...
    def step(self, plan: Plan) -> Solution: ...
    def validate(self) -> None: ...
    def measure_sizes(self) -> None: ...
    def rolling_rows(
        self, rolling: NDArray[np.float32] | None = None, spinning: NDArray[np.float32] | None = None
    ) -> NDArray[np.void]: ...
    def islands(self) -> tuple[int, NDArray[np.uint32]]: ...
    def addresses(self) -> dict[str, int]: ...
    @property
    def copied(self) -> list[str]: ...

@final
class Plan:
    @staticmethod
    def recommended(
        time_step: float, radius: float, gravity: float, substeps: int | None = None
    ) -> Plan: ...
    @staticmethod
    def recommended_for(problem: Problem, time_step: float, gravity: float) -> Plan: ...
    def replace(
        self,
        *,
        substeps: int | None = None,
        time_step: float | None = None,
        method: _Method | None = None,
        iterations: int | None = None,
        tolerance: float | None = None,
        check_every: int | None = None,
        warm_start: bool | None = None,
        restitution_threshold: float | None = None,
        calm_change: float | None = None,
        softness: float | None = None,
        rate: float | None = None,
        max_push: float | None = None,
        slop: float | None = None,
        memory: float | None = None,
    ) -> Plan: ...
    @property
    def substeps(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def check_every(self) -> int: ...
    @property
    def warm_start(self) -> bool: ...
    @property
    def restitution_threshold(self) -> float: ...
    @property
    def calm_change(self) -> float: ...
    @property
    def softness(self) -> float: ...
    @property
    def rate(self) -> float: ...
    @property
    def max_push(self) -> float: ...
    @property
    def slop(self) -> float: ...
    @property
    def memory(self) -> float: ...

@final
class Solution:
    @property
    def status(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def residual_rms(self) -> float: ...
    @property
    def residual_max(self) -> float: ...
    @property
    def colors(self) -> int: ...
    @property
    def pack_seconds(self) -> float: ...
    @property
    def solve_seconds(self) -> float: ...
    @property
    def velocities(self) -> NDArray[np.float32]: ...
    @property
    def angular_velocities(self) -> NDArray[np.float32]: ...
    @property
    def displacements(self) -> NDArray[np.float32] | None: ...
    @property
    def rotations(self) -> NDArray[np.float32] | None: ...
    @property
    def impulses(self) -> NDArray[np.float32]: ...
    @property
    def total_impulses(self) -> NDArray[np.float32]: ...
    @property
    def joint_impulses(self) -> NDArray[np.float32]: ...

@final
class WarmStart:
    def __new__(cls) -> WarmStart: ...
    def load(self, keys: NDArray[np.uint64], plan: Plan, problem: Problem) -> None: ...
    def store(
        self, keys: NDArray[np.uint64], plan: Plan, problem: Problem, solution: Solution
    ) -> None: ...
    def clear(self) -> None: ...
