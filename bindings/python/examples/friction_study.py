"""Friction of a slope, and how far a box slides: a study, on Ray or Dask if they are installed, else on processes."""

import math
from typing import Any

import drystone

SLOPE = """
name = "slope"
[simulation]
dt = 0.005
duration = 1.0
[materials.default]
friction = 0.5
[[body]]
name = "slope"
kind = "fixed"
shape = { type = "half_space", normal = [0.5, 0, 0.8660254037844386] }
[[body]]
name = "box"
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
position = [0.05, 0, 0.08660254037844386]
rotation = { axis = [0, 1, 0], degrees = 30 }
mass = 1
"""


def measure(simulation: drystone.Simulation) -> dict[str, Any]:
    """What is to be in the table: how far the box slid [m]."""
    box = simulation.index("box")
    x, _, z = simulation.positions[box]
    return {"slid": math.hypot(x - 0.05, z - 0.08660254037844386)}


if __name__ == "__main__":
    table = drystone.study(
        drystone.Scene.parse(SLOPE),
        {"materials.default.friction": [0.1, 0.3, 0.5, 0.7]},
        on="processes",
        measure=measure,
        table="list",
    )
    for row in table:
        friction, slid = row["materials.default.friction"], row["slid"]
        expected = max(0.0, 9.81 * (0.5 - friction * math.sqrt(0.75))) / 2
        print(f"friction {friction}: {slid:.3f} m, by hand {expected:.3f} m")
        assert abs(slid - expected) < 0.02
