"""States of models with contacts, as MuJoCo steps to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mujoco

_MODELS = Path(__file__).parent / "models"

STATES = [
    ("boxes", 70, "first touch the floor"),
    ("boxes", 100, "fall on each other"),
    ("boxes", 300, "rest"),
    ("quadruped", 30, "lands"),
    ("quadruped", 100, "walks on the spot"),
    ("ragdolls", 160, "the first lands"),
    ("ragdolls", 240, "fall over each other"),
    ("ragdolls", 400, "lie"),
    ("arm", 20, "presses a box"),
    ("arm", 300, "pushes it"),
]
"""Model, step, and the moment it is."""


def load(name: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A model at its start, solved to round-off."""
    model = mujoco.MjModel.from_xml_path(str(_MODELS / f"{name}.xml"))
    model.opt.tolerance = 0.0
    model.opt.iterations = 200
    model.opt.ls_iterations = 200
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def states() -> Iterator[tuple[str, int, str, mujoco.MjModel, mujoco.MjData]]:
    """All of them, each as `mujoco.mj_forward` leaves it."""
    for name in dict.fromkeys(name for name, _, _ in STATES):
        model, data = load(name)
        moments = {step: moment for of, step, moment in STATES if of == name}
        for step in range(1, max(moments) + 1):
            mujoco.mj_step(model, data)
            if step in moments:
                # In a copy, so that the run does not depend on where it is looked at.
                looked_at = mujoco.MjData(model)
                mujoco.mj_copyData(looked_at, model, data)
                mujoco.mj_forward(model, looked_at)
                yield name, step, moments[step], model, looked_at
