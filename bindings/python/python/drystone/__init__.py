"""drystone computes how large crowds of rigid bodies touch.

Three ways in:

* `Scene` and `Simulation`: a pile tonight, from a TOML file to numpy arrays.
* `Problem`, `Plan` and `WarmStart`, `solve_delassus` and `judge`: contacts of your own engine, on arrays of your own.
* `study`: a scene run over a grid of its keys, on Ray, Dask or a pool of processes, in one table.

Units are SI, axes the world's, quaternions ``(w, x, y, z)``, normals from body B to body A.
"""

from ._drystone import (
    Plan,
    Problem,
    Scene,
    Simulation,
    Solution,
    WarmStart,
    __version__,
    adapters,
    body_from_local,
    judge,
)
from .errors import DeviceError, Error, InvalidError, NonFiniteError, SceneError
from .problems import (
    UNBOUNDED,
    body_dtype,
    contact_dtype,
    contact_point_dtype,
    joint_dtype,
    joint_row_dtype,
    judge_delassus,
    new_bodies,
    new_contacts,
    new_joint_rows,
    solve_delassus,
)
from .studies import study
from .values import Adapter, DelassusSolution, DelassusVerdict, Energy, StepReport, Verdict

__all__ = [
    "UNBOUNDED",
    "Adapter",
    "DelassusSolution",
    "DelassusVerdict",
    "DeviceError",
    "Energy",
    "Error",
    "InvalidError",
    "NonFiniteError",
    "Plan",
    "Problem",
    "Scene",
    "SceneError",
    "Simulation",
    "Solution",
    "StepReport",
    "Verdict",
    "WarmStart",
    "__version__",
    "adapters",
    "body_dtype",
    "body_from_local",
    "contact_dtype",
    "contact_point_dtype",
    "joint_dtype",
    "joint_row_dtype",
    "judge",
    "judge_delassus",
    "new_bodies",
    "new_contacts",
    "new_joint_rows",
    "solve_delassus",
    "study",
]
