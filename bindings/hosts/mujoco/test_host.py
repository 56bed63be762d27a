"""drystone beside MuJoCo on states of models."""

from __future__ import annotations

from typing import Any

import drystone
import mujoco
import numpy as np
import pytest
from drystone_mujoco import ContactForm, UnsupportedError, apply, contact_form, smooth_acceleration, step
from states import STATES, load, states


@pytest.fixture(scope="module")
def forms() -> list[tuple[str, mujoco.MjModel, mujoco.MjData, ContactForm]]:
    return [
        (f"{name} {at}", model, data, contact_form(model, data)) for name, at, _, model, data in states()
    ]


def test_the_states_have_contacts_limits_and_equalities(forms: Any) -> None:
    assert len(forms) == len(STATES)
    for name, _, data, _ in forms:
        assert data.ncon > 0, name
    assert max(data.nl for _, _, data, _ in forms) > 5
    assert max(data.ne for _, _, data, _ in forms) == 3
    assert max(len(form.mu) for *_, form in forms) > 200


def test_the_operator_is_what_mujoco_multiplies_by(forms: Any) -> None:
    for name, model, data, form in forms:
        if data.ne:
            continue
        forces = np.random.default_rng(3).normal(size=form.b.shape)
        forces[(form.rows < 0).reshape(-1, 3)] = 0.0
        theirs = form.efc_force(forces)
        pushed, moved, velocity = np.zeros(model.nv), np.zeros((1, model.nv)), np.zeros(data.nefc)
        mujoco.mj_mulJacTVec(model, data, pushed, theirs)
        mujoco.mj_solveM(model, data, moved, pushed.reshape(1, -1))
        mujoco.mj_mulJacVec(model, data, velocity, moved[0])
        ours = (form.W @ forces.ravel()).reshape(-1, 3)
        assert np.allclose(form.forces_of(velocity), ours, rtol=1e-9, atol=1e-9 * np.abs(ours).max()), name


def test_mujocos_forces_are_a_solution_by_the_convex_law_and_not_by_coulombs(forms: Any) -> None:
    for name, _, data, form in forms:
        forces = form.forces_of(np.array(data.efc_force))
        scale = np.abs(form.b).max()
        assert form.judge(forces).residual_max < 1e-8 * scale, name
        # Nothing is lost on the way there and back, forces of equalities included.
        assert np.allclose(form.efc_force(forces), data.efc_force, rtol=1e-9, atol=1e-9 * np.abs(forces).max()), name
        assert form.judge(1.01 * forces).residual_max > 1e-4 * scale, name
    # Where contacts slide the laws differ.
    assert max(form.judge(form.forces_of(np.array(data.efc_force)), "coulomb").residual_rms for *_, data, form in forms) > 1.0


@pytest.mark.parametrize("method", ["accelerated", "nsgs"])
def test_drystone_finds_mujocos_forces(forms: Any, method: str) -> None:
    for name, model, data, form in forms:
        found = form.solve("convex", method=method, tolerance=1e-10 * np.abs(form.b).max(), iterations=100_000)
        assert found.status == "converged", (name, found)
        theirs = np.array(data.efc_force)
        assert np.abs(form.efc_force(found.impulses) - theirs).max() < 1e-6 * np.abs(theirs).max(), name
        ours = mujoco.MjData(model)
        mujoco.mj_copyData(ours, model, data)
        smooth_acceleration(model, ours)
        apply(model, ours, form.efc_force(found.impulses))
        # At rest forces take back all that there is without them: that is what errors are a part of.
        scale = max(np.abs(data.qacc).max(), np.abs(data.qacc_smooth).max())
        assert np.abs(ours.qacc - data.qacc).max() < 1e-6 * scale, name


@pytest.mark.parametrize("method", ["accelerated", "nsgs"])
def test_by_coulombs_law_contacts_do_not_open_where_they_slide(forms: Any, method: str) -> None:
    for name, _, data, form in forms:
        scale = np.abs(form.b).max()
        found = form.solve("coulomb", method=method, tolerance=1e-9 * scale, iterations=100_000)
        assert found.status == "converged", (name, found)
        verdict = form.judge(found.impulses, "coulomb")
        assert verdict.residual_max < 1e-7 * scale, name
        force, velocity = found.impulses, verdict.velocities
        pushes = force[:, 0] > 1e-6 * force.max()
        assert np.abs(velocity[pushes, 0]).max() < 1e-6 * scale, name


def test_a_step_is_mujocos() -> None:
    for name in ("quadruped", "arm", "ragdolls"):
        model, theirs = load(name)
        _, ours = load(name)
        steps = 200 if name == "ragdolls" else 100
        touched = False
        for _ in range(steps):
            mujoco.mj_step(model, theirs)
            forces = step(model, ours, tolerance=1e-9, iterations=100_000)
            touched |= bool(len(forces))
        assert touched and np.allclose(ours.qpos, theirs.qpos, atol=1e-5), name


SLED = """
<mujoco>
  <option timestep="0.002" cone="elliptic" integrator="Euler"/>
  <worldbody>
    <geom type="plane" size="50 50 1" condim="3" friction="0.5"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.3 0.3 0.1" condim="3" friction="0.5"/></body>
  </worldbody>
</mujoco>
"""


def slide(friction_law: Any) -> tuple[float, float, Any]:
    """A sled of 5 m/s: its deceleration, how high it jumps, and where it is after 0.8 s; without a law, by MuJoCo."""
    model = mujoco.MjModel.from_xml_string(SLED)
    model.opt.tolerance, model.opt.iterations = 0.0, 200
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    data.qvel[0] = 5.0
    height = -1.0
    for _ in range(400):
        if friction_law is None:
            mujoco.mj_step(model, data)
        else:
            step(model, data, friction_law, tolerance=1e-10)
        height = max(height, float(data.qpos[2]) - 0.1)
    return (5.0 - float(data.qvel[0])) / 0.8, height, np.array(data.qpos)


def test_a_sled_hops_as_mujocos_by_the_convex_law_and_not_by_coulombs() -> None:
    theirs, convex, coulomb = slide(None), slide("convex"), slide("coulomb")
    assert np.allclose(convex[2], theirs[2], atol=1e-9)
    assert theirs[1] > 5e-3 and abs(convex[1] - theirs[1]) < 1e-9
    assert coulomb[1] < 0.0 and abs(coulomb[0] - 0.5 * 9.81) < 1e-4


def test_accelerations_are_free_again_after_a_contact() -> None:
    # Without constraints MuJoCo's products leave what was there.
    model = mujoco.MjModel.from_xml_string(SLED)
    data = mujoco.MjData(model)
    for _ in range(20):
        step(model, data)
    assert np.abs(data.qfrc_constraint).max() > 1.0
    data.qpos[2] = 1.0
    assert step(model, data).shape == (0, 3)
    assert not data.qfrc_constraint.any() and abs(data.qacc[2] + 9.81) < 1e-12


def test_sections_may_be_ellipses() -> None:
    xml = SLED.replace(
        "</worldbody>", '</worldbody><contact><pair geom1="floor" geom2="sled" condim="3" friction="0.7 0.2"/></contact>'
    )
    xml = xml.replace('type="plane"', 'name="floor" type="plane"').replace('type="box"', 'name="sled" type="box"')
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.tolerance, model.opt.iterations = 0.0, 200
    for velocity in ([2.0, 0.0], [0.0, 2.0], [1.0, -2.0]):
        data = mujoco.MjData(model)
        data.qpos[2] = 0.0995
        data.qvel[:2] = velocity
        mujoco.mj_forward(model, data)
        form = contact_form(model, data)
        assert len(form.mu) == 4 and set(np.round(form.scale, 12)) == {1.0, round(0.2 / 0.7, 12)}
        assert form.judge(form.forces_of(np.array(data.efc_force))).residual_max < 1e-9 * np.abs(form.b).max()
        found = form.solve("convex")
        theirs = np.array(data.efc_force)
        assert np.abs(form.efc_force(found.impulses) - theirs).max() < 1e-8 * np.abs(theirs).max()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('cone="elliptic"', 'cone="pyramidal"', "pyramidal"),
        ('size="0.3 0.3 0.1" condim="3"', 'size="0.3 0.3 0.1" condim="4"', "condim 4"),
        ("<freejoint/>", '<joint type="slide" axis="0 0 1" frictionloss="3"/>', "friction of a joint"),
        ('integrator="Euler"', 'integrator="RK4"', "Euler"),
    ],
)
def test_what_the_form_does_not_hold_is_an_error(old: str, new: str, said: str) -> None:
    assert old in SLED
    model = mujoco.MjModel.from_xml_string(SLED.replace(old, new))
    with pytest.raises(UnsupportedError, match=said):
        data = mujoco.MjData(model)
        for _ in range(20):
            step(model, data)


def test_a_state_without_contacts_is_solved_too() -> None:
    model, data = load("boxes")
    mujoco.mj_forward(model, data)
    form = contact_form(model, data)
    assert form.b.shape == (0, 3)
    assert form.solve().impulses.shape == (0, 3)
    assert isinstance(form.judge(np.zeros((0, 3))), drystone.DelassusVerdict)


def test_pinocchio_agrees_where_it_is_installed(forms: Any) -> None:
    pytest.importorskip("pinocchio")
    import peer_pinocchio

    for name, _, data, form in forms:
        if not name.startswith(("quadruped", "arm")):
            continue
        for law in ("convex", "coulomb"):
            theirs, _, _ = peer_pinocchio.solve(form, "ADMM", law == "coulomb", 1e-10, 20_000)
            ours = form.solve(law).impulses
            assert np.abs(theirs - ours).max() < 1e-6 * np.abs(ours).max(), (name, law)
