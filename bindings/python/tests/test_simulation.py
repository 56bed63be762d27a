"""Simulations: time, forces, reports."""

from __future__ import annotations

import drystone
import numpy as np
import pytest

from conftest import THREE

G = 9.81


def test_time_goes_on_by_steps(three: drystone.Simulation) -> None:
    assert (three.time, three.steps, three.report) == (0.0, 0, None)
    three.step()
    three.step(4)
    assert three.time == pytest.approx(0.05)
    assert (three.steps, three.time_step) == (5, 0.01)
    three.step(0)
    assert three.steps == 5
    three.run()
    assert three.steps == 40
    assert three.summary["status"] == "done"


def test_a_ball_falls_as_it_should(three: drystone.Simulation) -> None:
    three.step(30)
    free = three.index("free")
    assert three.velocities[free, 2] == pytest.approx(-G * 0.3, rel=1e-6)
    # n substeps of semi-implicit Euler are off by half a substep.
    assert three.positions[free, 2] == pytest.approx(100 - G * 0.3**2 / 2, abs=0.01)
    assert three.positions[free, :2] == pytest.approx([10, 0])
    assert three.probes["height_z"] == three.positions[free, 2]


def test_names_and_shapes(three: drystone.Simulation) -> None:
    assert three.body_names == ["floor", "resting", "hanging", "free"]
    assert three.joint_names == ["hook"]
    assert three.masses == pytest.approx([np.inf, 2, 3, 1])
    assert list(three.is_dynamic) == [False, True, True, True]
    assert three.radii[[1, 3]] == pytest.approx([0.5, 0.5]) and np.isinf(three.radii[0])
    with pytest.raises(KeyError, match="nobody"):
        three.index("nobody")
    for array, shape in (
        (three.positions, (4, 3)),
        (three.orientations, (4, 4)),
        (three.velocities, (4, 3)),
        (three.angular_velocities, (4, 3)),
    ):
        assert array.shape == shape and array.dtype == np.float64


def test_contacts_and_joints_carry_the_weight(three: drystone.Simulation) -> None:
    three.step(40)
    contacts = three.contacts
    assert contacts.dtype == drystone.contact_point_dtype
    (contact,) = contacts[(contacts["bodies"] == [0, 1]).all(axis=1)]
    # The force is that on body A, the floor; the normal points to it.
    assert contact["force"] == pytest.approx([0, 0, -2 * G], rel=1e-3, abs=1e-6)
    assert contact["normal"] == pytest.approx([0, 0, -1])
    assert contact["point"] == pytest.approx([0, 0, 0], abs=1e-3)
    assert abs(contact["separation"]) < 1e-3
    joints = three.joints
    assert joints.dtype == drystone.joint_dtype
    assert (joints["body_a"][0], joints["body_b"][0], joints["broken"][0]) == (2, -1, False)
    assert joints["force"][0] == pytest.approx([0, 0, 3 * G], rel=1e-3, abs=1e-6)


def test_energy_is_that_of_the_report(three: drystone.Simulation) -> None:
    before = three.energy
    three.step(10)
    report = three.report
    assert report is not None
    energy = three.energy
    assert energy == (report["kinetic_energy"], report["potential_energy"])
    assert energy.total == pytest.approx(before.total, rel=1e-3)
    assert set(report) == drystone.StepReport.__required_keys__
    assert (report["step"], report["status"]) == (10, "max_iterations")


def test_a_summary_has_expectations(three: drystone.Simulation) -> None:
    three.step(3)
    summary = three.summary
    assert (summary["status"], summary["steps"], summary["steps_planned"]) == ("running", 3, 40)
    assert summary["expectations"][0]["claim"] == "it falls"
    three.run()
    assert three.summary["expectations"][0]["verdict"] == "held"
    assert three.summary["runaway_steps"] == 0


def test_orientations_begin_with_the_real_part(three: drystone.Simulation) -> None:
    half = np.sqrt(0.5)
    three.set_pose("free", orientation=[half, 0, 0, half])
    assert three.orientations[3] == pytest.approx([half, 0, 0, half])
    three.set_velocity("free", angular=[0, 0, 2.0])
    three.step(10)
    angle = np.pi / 2 + 0.2
    assert three.orientations[3] == pytest.approx([np.cos(angle / 2), 0, 0, np.sin(angle / 2)], abs=1e-6)


def test_a_force_acts_for_one_step_or_as_long_as_it_is_told(three: drystone.Simulation) -> None:
    three.apply_force("free", [50, 0, 0])
    three.step()
    assert three.velocities[3, 0] == pytest.approx(0.5, rel=1e-5)
    three.step()
    assert three.velocities[3, 0] == pytest.approx(0.5, rel=1e-5)
    three.apply_force(3, np.array([0.0, 10.0, 0.0]), duration=0.05)
    three.step(10)
    assert three.velocities[3, 1] == pytest.approx(0.5, rel=1e-5)
    # A force beside the centre turns: r x F / I, with I = 2/5 m r^2.
    at = three.positions[3] + [0, 0.25, 0]
    three.apply_force("free", [0, 0, 4], point=at)
    three.step()
    assert three.angular_velocities[3, 0] == pytest.approx(0.25 * 4 * 0.01 / 0.1, rel=1e-4)
    three.apply_force("free", [0, 0, 0], torque=[0, 0, 1])
    three.step()
    assert three.angular_velocities[3, 2] == pytest.approx(0.1, rel=1e-4)


def test_velocities_and_poses_can_be_set(three: drystone.Simulation) -> None:
    three.step(5)
    three.set_velocity("resting", [1, 0, 0])
    three.set_pose("free", [20, 0, 50])
    assert three.positions[3] == pytest.approx([20, 0, 50])
    three.step(1)
    assert three.velocities[1, 0] == pytest.approx(1, abs=0.1)
    assert three.positions[3, 2] < 50
    assert three.velocities[3, 2] == pytest.approx(-G * 0.06, rel=1e-5)
    assert three.summary["runaway_steps"] == 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.apply_force("floor", [1, 0, 0]), drystone.InvalidError),
        (lambda s: s.apply_force(4, [1, 0, 0]), IndexError),
        (lambda s: s.apply_force(-1, [1, 0, 0]), IndexError),
        (lambda s: s.apply_force("nobody", [1, 0, 0]), KeyError),
        (lambda s: s.apply_force(1, [np.nan, 0, 0]), drystone.InvalidError),
        (lambda s: s.apply_force(1, [1, 0, 0], duration=0.0), drystone.InvalidError),
        (lambda s: s.apply_force(1, [1, 0]), ValueError),
        (lambda s: s.set_velocity("floor", [1, 0, 0]), drystone.InvalidError),
        (lambda s: s.set_velocity(1, [np.inf, 0, 0]), drystone.InvalidError),
        (lambda s: s.set_pose(1, [0, np.nan, 0]), drystone.InvalidError),
        (lambda s: s.set_pose(1, orientation=[1, 1, 0, 0]), drystone.InvalidError),
        (lambda s: s.set_pose(1, orientation=[np.nan, 0, 0, 0]), drystone.InvalidError),
        (lambda s: s.step(-1), OverflowError),
        (
            lambda s: drystone.Simulation(drystone.Scene.parse(THREE), backend="abacus"),  # type: ignore[arg-type]
            drystone.InvalidError,
        ),
        (lambda s: drystone.Simulation(drystone.Scene.parse(THREE), adapter="x"), drystone.InvalidError),
        (lambda s: drystone.Simulation(drystone.Scene.parse(THREE), threads=0), drystone.InvalidError),
        (
            lambda s: drystone.Simulation(drystone.Scene.parse(THREE), backend="gpu", adapter="no such adapter"),
            drystone.DeviceError,
        ),
    ],
)
def test_what_has_no_meaning_is_an_error(three: drystone.Simulation, call: object, error: type[Exception]) -> None:
    before = three.positions.copy()
    with pytest.raises(error):
        call(three)  # type: ignore[operator]
    assert np.array_equal(three.positions, before)
    three.step()


def test_bits_do_not_depend_on_threads() -> None:
    ends = []
    for threads in (1, 2, 5):
        simulation = drystone.Simulation(drystone.Scene.parse(THREE), threads=threads)
        simulation.step(20)
        ends.append((simulation.positions.tobytes(), simulation.summary["threads"]))
    assert len({bits for bits, _ in ends}) == 1
    assert [threads for _, threads in ends] == [1, 2, 5]


def test_the_referee_agrees_with_the_cpu() -> None:
    scene = drystone.Scene.parse(THREE)
    cpu, referee = drystone.Simulation(scene), drystone.Simulation(scene, backend="nsgs")
    cpu.step(5)
    referee.step(5)
    assert referee.summary["backend"] == "nsgs"
    assert np.allclose(cpu.positions, referee.positions, atol=1e-4)


def test_adapters_are_listed_and_used() -> None:
    for adapter in drystone.adapters():
        assert set(adapter) == drystone.Adapter.__required_keys__
        assert adapter["name"] and adapter["max_buffer"] > 0
    software = [a for a in drystone.adapters() if "llvmpipe" in a["name"] and a["usable"]]
    if software:
        scene = drystone.Scene.parse(THREE)
        gpu = drystone.Simulation(scene, backend="gpu", adapter=software[0]["name"])
        gpu.step(2)
        cpu = drystone.Simulation(scene)
        cpu.step(2)
        assert gpu.summary["adapter"] is not None
        assert np.allclose(gpu.positions, cpu.positions, atol=1e-6)


def test_the_last_problem_can_be_solved_and_judged(three: drystone.Simulation) -> None:
    three.step(3)
    problem = three.problem()
    assert three.plan is None  # joints: every substep has a problem of its own
    assert len(problem.bodies) == 5  # the world itself is the last
    solution = problem.solve(iterations=200, tolerance=1e-7)
    verdict = drystone.judge(problem, three.impulses, three.joint_impulses)
    again = drystone.judge(problem, solution.impulses, solution.joint_impulses)
    assert verdict.residual_max < 1e-3
    assert again.residual_max < 1e-5
