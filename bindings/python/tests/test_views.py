"""Arrays of a simulation: without a copy, never changing, never dangling."""

from __future__ import annotations

import gc
from typing import Any

import drystone
import numpy as np
import pytest

from conftest import PILE

NAMES = ("positions", "velocities", "angular_velocities")


def address(array: np.ndarray[Any, Any]) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def test_arrays_are_of_one_memory(pile: drystone.Simulation) -> None:
    positions, again, velocities = pile.positions, pile.positions, pile.velocities
    assert address(positions) == address(again)
    record = positions.strides[0]
    assert positions.strides == velocities.strides == (record, 8)
    assert 24 < record < 1024 and abs(address(velocities) - address(positions)) < record
    assert pile.masses.strides == (record,)
    assert not positions.flags.owndata


def test_without_a_reader_nothing_is_copied(pile: drystone.Simulation) -> None:
    first = address(pile.positions)
    for _ in range(5):
        pile.step()
        assert address(pile.positions) == first


@pytest.mark.parametrize("name", NAMES)
def test_an_array_shows_one_state_for_ever(pile: drystone.Simulation, name: str) -> None:
    seen = []
    for _ in range(6):
        array = getattr(pile, name)
        seen.append((array, array.copy()))
        pile.step(3)
    pile.set_pose(8, [0.1, 0.1, 2.5])
    pile.set_velocity(8, [0.1, 0.1, 2.5], [1, 2, 3])
    for array, copy in seen:
        assert np.array_equal(array, copy)
    assert len({address(array) for array, _ in seen}) == 6
    assert not np.array_equal(seen[0][1], seen[-1][1])


def test_who_looks_changes_nothing() -> None:
    scene = drystone.Scene.parse(PILE)
    looked_at, left_alone = drystone.Simulation(scene), drystone.Simulation(scene)
    kept = []
    for _ in range(20):
        kept.append(looked_at.positions)
        looked_at.step()
        left_alone.step()
        assert len(looked_at.contacts) == len(left_alone.contacts)
    assert looked_at.positions.tobytes() == left_alone.positions.tobytes()


def test_an_array_outlives_its_simulation() -> None:
    simulation = drystone.Simulation(drystone.Scene.parse(PILE))
    simulation.step(20)
    array, slice_of_it = simulation.positions, simulation.velocities[3:5, 1:]
    copies = array.copy(), slice_of_it.copy()
    del simulation
    gc.collect()
    # Others take the memory if it is free.
    others = [drystone.Simulation(drystone.Scene.parse(PILE)) for _ in range(8)]
    for other in others:
        other.step()
    assert np.array_equal(array, copies[0])
    assert np.array_equal(slice_of_it, copies[1])


def test_a_setter_keeps_what_was_seen(three: drystone.Simulation) -> None:
    seen = three.velocities
    three.set_velocity("resting", [7, 0, 0])
    assert seen[1, 0] == 0 and three.velocities[1, 0] == 7


@pytest.mark.parametrize(
    "name",
    [*NAMES, "masses", "orientations", "contacts", "joints", "impulses", "joint_impulses"],
)
def test_no_array_can_be_written_to(three: drystone.Simulation, name: str) -> None:
    three.step()
    array = getattr(three, name)
    assert len(array)
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = array[0]
    if name in (*NAMES, "masses"):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_a_world_without_bodies_has_empty_arrays() -> None:
    scene = drystone.Scene.parse('name = "none"\n[simulation]\ndt = 0.01\nsteps = 3\n')
    simulation = drystone.Simulation(scene)
    simulation.run()
    assert simulation.positions.shape == (0, 3)
    assert simulation.orientations.shape == (0, 4)
    assert len(simulation.contacts) == len(simulation.joints) == 0
    assert simulation.energy.total == 0
