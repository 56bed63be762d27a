"""What tests share."""

from __future__ import annotations

from pathlib import Path

import drystone
import pytest

ROOT = Path(__file__).resolve().parents[3]
"""The repository."""

THREE = """
name = "three"
[simulation]
dt = 0.01
steps = 40
[materials.default]
friction = 0.5
[[body]]
name = "floor"
kind = "fixed"
shape = { type = "half_space", normal = [0, 0, 1] }
[[body]]
name = "resting"
shape = { type = "sphere", radius = 0.5 }
position = [0, 0, 0.5]
mass = 2
[[body]]
name = "hanging"
shape = { type = "box", half_extents = [0.5, 0.4, 0.3] }
position = [5, 0, 3]
mass = 3
[[body]]
name = "free"
shape = { type = "sphere", radius = 0.5 }
position = [10, 0, 100]
mass = 1
[[joint]]
name = "hook"
type = "ball"
a = "hanging"
anchor = [5, 0, 4]
[[probe]]
name = "height"
type = "position"
body = "free"
[[expect]]
claim = "it falls"
measure = "height_z"
is = "<"
value = 100
"""
"""A ball on a floor, a box on a hook and a ball that falls."""

PILE = """
name = "pile"
[simulation]
dt = 0.01
steps = 200
seed = 3
[[container]]
name = "box"
inner = [1.0, 1.0, 3.0]
[[fill]]
region = { type = "box", min = [-0.5, -0.5, 0.0], max = [0.5, 0.5, 2.0] }
arrangement = "grid"
count = 150
shapes = [{ shape = { type = "sphere", radius = 0.08 } }]
density = 1000
"""
"""Balls that fall into a box."""

@pytest.fixture
def three() -> drystone.Simulation:
    return drystone.Simulation(drystone.Scene.parse(THREE))

@pytest.fixture
def pile() -> drystone.Simulation:
    return drystone.Simulation(drystone.Scene.parse(PILE))
