"""Studies: one table, wherever the runs are made."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import drystone
import pytest

from conftest import THREE

GRID: dict[str, Any] = {"materials.default.friction": [0.1, 0.5], "body.free.position": [[10, 0, 50.0], [10, 0, 80.0]]}


def measure(simulation: drystone.Simulation) -> dict[str, Any]:
    return {"fallen": float(100 - simulation.positions[simulation.index("free"), 2])}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(THREE)
    return path


def grid_of(runs: int) -> dict[str, Any]:
    assert runs % 4 == 0
    return {"body.free.mass": [1.0, 2.5, 4.0, 9.5], "simulation.seed": list(range(1, runs // 4 + 1))}


def test_a_pool_of_processes_makes_one_table(scene: Path) -> None:
    rows = drystone.study(scene, GRID, on="processes", measure=measure, table="list")
    assert [row["materials.default.friction"] for row in rows] == [0.1, 0.1, 0.5, 0.5]
    assert [row["body.free.position"][2] for row in rows] == [50.0, 80.0, 50.0, 80.0]
    for row in rows:
        alone = drystone.Simulation(drystone.Scene.load(scene, values={k: row[k] for k in GRID}))
        alone.run()
        assert row["error"] is None and row["expect_0"] == "held"
        assert row["probe_height_z"] == alone.probes["height_z"]
        assert row["fallen"] == 100 - row["probe_height_z"]
        assert row["kinetic_energy_final"] == alone.energy.kinetic
        assert (row["steps"], row["time"]) == (40, pytest.approx(0.4))


def test_a_scene_will_do_for_a_file() -> None:
    parsed = drystone.Scene.parse(THREE, steps=4)
    rows = drystone.study(parsed, {"body.free.mass": [1, 2]}, on="processes", workers=1, table="list")
    assert [row["steps"] for row in rows] == [4, 4]
    assert not math.isclose(rows[0]["kinetic_energy_final"], rows[1]["kinetic_energy_final"])


def test_what_is_wrong_is_told_before_any_run(scene: Path) -> None:
    for grid, error in (
        ({"body.free.mass": [1, -1]}, drystone.SceneError),
        ({"body.nobody.mass": [1]}, drystone.InvalidError),
        ({"body.free.mass": []}, drystone.InvalidError),
        ({"name": "ab"}, drystone.InvalidError),
    ):
        with pytest.raises(error):
            drystone.study(scene, grid, on="processes")
    for wrong in ({"on": "abacus"}, {"table": "clay"}, {"workers": 0}):
        with pytest.raises(drystone.InvalidError):
            drystone.study(scene, GRID, **wrong)
    with pytest.raises(FileNotFoundError):
        drystone.study(scene.with_name("none.toml"), GRID, on="processes")
    if importlib.util.find_spec("ray") is None:
        with pytest.raises(drystone.InvalidError, match="ray is not installed"):
            drystone.study(scene, GRID, on="ray")


def test_a_run_that_fails_takes_no_other_with_it(scene: Path) -> None:
    # A mass and a speed that scenes may have, whose impulse is beyond f32.
    grid: dict[str, Any] = {
        "body.free.mass": [1, 1e30],
        "body.free.linear_velocity": [[0, 0, -1e15]],
        "body.free.position": [[10, 0, 0.1]],
    }
    rows = drystone.study(scene, grid, on="processes", steps=2, table="list")
    assert rows[0]["error"] is None and rows[0]["steps"] == 2
    assert "finite" in rows[1]["error"] and rows[1]["steps"] == 0
    assert list(rows[0]) == list(rows[1])


@pytest.mark.cluster
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("on", [name for name, module in (("ray", "ray"), ("dask", "distributed")) if importlib.util.find_spec(module)])
def test_a_cluster_makes_the_same_table(scene: Path, on: Any, request: pytest.FixtureRequest) -> None:
    grid = grid_of(40 if on == "ray" else 8)
    here = drystone.study(scene, grid, on="processes", workers=2, table="list")
    there = drystone.study(scene, grid, on=on, workers=2, table="list")
    assert len(here) == len(grid["simulation.seed"]) * 4
    assert here == there
    assert len({row["kinetic_energy_final"] for row in here}) == 4
    if importlib.util.find_spec("pandas"):
        pandas = importlib.import_module("pandas")
        # Where nothing says so, runs are made on what is installed.
        table = drystone.study(scene, GRID, workers=2, steps=2)
        assert isinstance(table, pandas.DataFrame) and len(table) == 4
    assert "ray" not in sys.modules or not sys.modules["ray"].is_initialized()
