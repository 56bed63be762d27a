"""Scenes: from files, from text, and what is wrong with them."""

from __future__ import annotations

import pickle
from pathlib import Path

import drystone
import numpy as np
import pytest

from conftest import ROOT, THREE


def test_a_file_and_its_text_are_the_same_scene() -> None:
    path = ROOT / "scenes/granular/brazil_nut.toml"
    scene = drystone.Scene.load(path)
    assert (scene.name, scene.seed, scene.body_count) == ("brazil_nut", 1, 1202)
    assert scene.steps == 12_000
    assert scene.duration == pytest.approx(20.0)
    assert scene.path == path
    assert drystone.Scene.parse(path.read_text(), path).toml == scene.toml
    assert drystone.Scene.load(str(path)).toml == scene.toml


def test_a_mistake_knows_file_line_and_column() -> None:
    text = THREE.replace("mass = 3", "mass = -3")
    line = text[: text.index("mass = -3")].count("\n") + 1
    with pytest.raises(drystone.SceneError) as raised:
        drystone.Scene.parse(text, "folder/three.toml")
    error = raised.value
    assert isinstance(error, ValueError) and isinstance(error, drystone.Error)
    assert (error.path, error.line, error.column) == ("folder/three.toml", line, 8)
    assert "-3" in error.message and "above 0" in error.help
    assert str(error).startswith(f"folder/three.toml:{line}:8: {error.message}")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.help) == (str(error), error.line, error.help)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        drystone.Scene.load(tmp_path / "none.toml")
    assert raised.value.filename == str(tmp_path / "none.toml")
    with pytest.raises(IsADirectoryError):
        drystone.Scene.load(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"\n')
    with pytest.raises(drystone.SceneError) as mistake:
        drystone.Scene.load(tmp_path / "latin.toml")
    assert (mistake.value.line, mistake.value.column) == (1, 12)


def test_arguments_take_the_place_of_what_the_file_says() -> None:
    scene = drystone.Scene.parse(THREE, seed=7, steps=5, time_step=0.002, iterations=3, method="nesterov")
    assert (scene.seed, scene.steps, scene.time_step) == (7, 5, 0.002)
    assert "nesterov" in scene.toml
    for wrong in ({"steps": 0}, {"time_step": -1.0}, {"tolerance": float("nan")}, {"method": "magic"}):
        with pytest.raises(drystone.InvalidError):
            drystone.Scene.parse(THREE, **wrong)


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        ("materials.default.friction", 0.25, "friction = 0.25"),
        ("materials.default.friction", np.float32(0.25), "friction = 0.25"),
        ("simulation.seed", np.int64(9), "seed = 9"),
        ("body.resting.position", [1, 2, 3.5], "position = [1.0, 2.0, 3.5]"),
        ("body.1.position", (1, 2, 3.5), "position = [1.0, 2.0, 3.5]"),
        ("body.resting.shape", {"type": "sphere", "radius": 0.25}, "radius = 0.25"),
        ("solver.warm_start", np.bool_(False), "warm_start = false"),
    ],
)
def test_keys_get_other_values(key: str, value: object, written: str) -> None:
    before, after = drystone.Scene.parse(THREE), drystone.Scene.parse(THREE, values={key: value})
    assert written in after.toml, after.toml
    assert after.toml != before.toml


def test_strings_need_no_quotes_of_ones_own() -> None:
    for words in ('a "b" \\ c', "it's", "two\nlines", "true", "3"):
        assert drystone.Scene.parse(THREE, values={"description": words}).description == words


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"body.nobody.mass": 1}, "nobody"),
        ({"": 1}, "empty"),
        ({"simulation.dt": object()}, "simulation.dt"),
        ({"simulation.dt": None}, "NoneType"),
        ({"simulation.dt.x": 1}, "no table"),
        ({3: 1}, "no string"),
    ],
)
def test_keys_that_lead_nowhere_are_errors(values: dict[str, object], said: str) -> None:
    with pytest.raises(drystone.InvalidError, match=said):
        drystone.Scene.parse(THREE, values=values)


def test_values_without_meaning_are_mistakes_of_the_scene() -> None:
    with pytest.raises(drystone.SceneError, match="friction"):
        drystone.Scene.parse(THREE, values={"materials.default.friction": -1.0})
    with pytest.raises(drystone.SceneError, match="frictoin"):
        drystone.Scene.parse(THREE, values={"materials.default.frictoin": 1.0})


def test_a_scene_can_be_sent_to_another_process() -> None:
    scene = drystone.Scene.parse(THREE, steps=17)
    again = pickle.loads(pickle.dumps(scene))
    assert (again.steps, again.toml) == (17, scene.toml)
