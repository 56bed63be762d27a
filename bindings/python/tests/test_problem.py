"""Contact problems on the caller's arrays."""

from __future__ import annotations

import importlib.util
from typing import Any

import drystone
import numpy as np
import pytest
from numpy.typing import NDArray

Records = NDArray[np.void]


def ball_on_floor(friction: float = 0.4) -> tuple[Records, Records]:
    """A ball of 2 kg that comes down at 3 m/s and moves on at 1 m/s, and a floor."""
    bodies, contacts = drystone.new_bodies(2), drystone.new_contacts(1)
    bodies[0] = drystone.body_from_local(2.0, [0.2, 0.2, 0.2], linear_velocity=[1, 0, -3])
    contacts["body_b"] = 1
    contacts["arm_a"] = [0, 0, -0.5]
    contacts["normal"] = [0, 0, 1]
    contacts["friction"] = friction
    return bodies, contacts


def crowd(count: int, seed: int = 1) -> tuple[Records, Records]:
    """Balls of radius 1 on a grid that touch their neighbours and the floor, with random velocities: ``count`` contacts or a few more."""
    side = 1
    while 3 * side * side - 2 * side < count:
        side += 1
    random = np.random.default_rng(seed)
    bodies = drystone.new_bodies(side * side + 1)
    bodies["inverse_mass"][1:] = 1.0
    bodies["inverse_inertia"][1:] = [2.5, 0, 0, 2.5, 0, 2.5]
    bodies["linear_velocity"][1:] = random.uniform(-1, 1, (side * side, 3))
    index = 1 + np.arange(side * side).reshape(side, side)
    pairs = [
        (index[1:].ravel(), index[:-1].ravel(), [1.0, 0.0, 0.0]),
        (index[:, 1:].ravel(), index[:, :-1].ravel(), [0.0, 1.0, 0.0]),
        (index.ravel(), np.zeros(side * side, int), [0.0, 0.0, 1.0]),
    ]
    contacts = drystone.new_contacts(sum(len(a) for a, _, _ in pairs))
    at = 0
    for a, b, normal in pairs:
        some = contacts[at : at + len(a)]
        some["body_a"], some["body_b"], some["normal"] = a, b, normal
        some["arm_a"], some["arm_b"] = -np.array(normal), np.array(normal)
        at += len(a)
    contacts["friction"] = 0.5
    contacts["bias"] = random.uniform(0, 0.1, len(contacts))
    return bodies, contacts


def test_a_ball_stops_and_slides() -> None:
    bodies, contacts = ball_on_floor()
    solution = drystone.Problem(bodies, contacts).solve()
    # Friction is at its limit: 0.4 times 6 N s, over 2 kg, slows 1 m/s down until it rolls.
    assert solution.impulses[0, 0] == pytest.approx(6.0)
    assert solution.velocities[0] == pytest.approx([1 - 2 / 7, 0, 0], abs=1e-6)
    assert solution.angular_velocities[0] == pytest.approx([0, (1 - 2 / 7) / 0.5, 0], abs=1e-5)
    assert (solution.status, solution.residual_max < 1e-6) == ("max_iterations", True)
    assert solution.displacements is None and solution.rotations is None
    # What was given is as it was.
    assert bodies["linear_velocity"][0] == pytest.approx([1, 0, -3])


def test_ten_thousand_contacts_are_solved_where_they_are() -> None:
    bodies, contacts = crowd(10_000)
    assert len(contacts) >= 10_000
    problem = drystone.Problem(bodies, contacts)
    before = bodies.copy(), contacts.copy()
    assert problem.copied == []
    assert problem.addresses() == {
        "bodies": bodies.__array_interface__["data"][0],
        "contacts": contacts.__array_interface__["data"][0],
    }
    solution = problem.solve(iterations=40)
    verdict = drystone.judge(problem, solution.impulses)
    assert verdict.residual_rms < 1e-2 and verdict.adhesion == 0
    assert solution.residual_rms == pytest.approx(verdict.residual_rms, rel=1e-2)
    assert np.array_equal(bodies, before[0]) and np.array_equal(contacts, before[1])
    # Filled in place, it is another problem.
    bodies["linear_velocity"] *= 2
    contacts["bias"] *= 2
    doubled = problem.solve(iterations=40)
    assert np.array_equal(doubled.impulses, 2 * solution.impulses)


def test_memory_that_is_not_aligned_is_copied_and_said_so() -> None:
    bodies, contacts = crowd(300)
    there = drystone.Problem(bodies, contacts).solve()
    raw = np.zeros(64 * len(contacts) + 64, np.uint8)
    start = (16 - raw.__array_interface__["data"][0]) % 64
    shifted = raw[start : start + 64 * len(contacts)].view(drystone.contact_dtype)
    shifted[:] = contacts
    every_other = np.repeat(bodies, 2)[::2]
    problem = drystone.Problem(every_other, shifted)
    assert problem.copied == ["bodies", "contacts"]
    assert np.array_equal(problem.solve().velocities, there.velocities)
    backwards = contacts[::-1]
    assert drystone.Problem(bodies, backwards).copied == ["contacts"]


def test_a_joint_holds() -> None:
    bodies, _ = ball_on_floor()
    rows = drystone.new_joint_rows(3)
    rows["body_b"] = 1
    rows["linear"] = np.eye(3)
    problem = drystone.Problem(bodies, drystone.new_contacts(0), rows)
    solution = problem.solve()
    assert solution.velocities[0] == pytest.approx([0, 0, 0], abs=1e-6)
    assert solution.joint_impulses == pytest.approx([-2, 0, 6], abs=1e-5)
    rows["lower"][2], rows["upper"][2] = -4, 4
    assert problem.solve().joint_impulses[2] == pytest.approx(4)
    assert drystone.judge(problem, np.zeros((0, 3), np.float32), solution.joint_impulses).joints_max > 0.5


def test_a_friction_law_and_a_polygon() -> None:
    bodies, contacts = ball_on_floor(friction=0.05)
    convex = drystone.Problem(bodies, contacts, friction_law="convex").solve(iterations=100)
    assert convex.velocities[0, 2] > 0.01  # opens with mu times its slip
    disk = drystone.Problem(bodies, contacts).solve()
    square = drystone.Problem(bodies, contacts, friction_directions=4).solve()
    assert disk.velocities[0, 2] == pytest.approx(0, abs=1e-6)
    assert np.abs(square.impulses[0, 1:]).sum() <= 0.05 * 6 * 1.0001


@pytest.mark.parametrize("method", ["pgs", "jacobi", "nesterov", "cluster"])
def test_every_method_solves(method: Any) -> None:
    problem = drystone.Problem(*crowd(200))
    solution = problem.solve(method=method, iterations=5000, tolerance=1e-5)
    assert solution.status == "converged", method
    assert drystone.judge(problem, solution.impulses).residual_rms < 2e-5


def test_results_do_not_depend_on_threads() -> None:
    bodies, contacts = crowd(2000)
    found = {drystone.Problem(bodies, contacts, threads=n).solve().impulses.tobytes() for n in (1, 2, 4)}
    assert len(found) == 1


def test_islands() -> None:
    bodies, contacts = drystone.new_bodies(4), drystone.new_contacts(1)
    bodies["inverse_mass"][1:] = 1
    contacts["body_a"], contacts["body_b"], contacts["normal"] = 3, 1, [1, 0, 0]
    count, islands = drystone.Problem(bodies, contacts).islands()
    assert (count, list(islands)) == (2, [2**32 - 1, 1, 2, 1])


def test_arrays_of_a_solution_never_change() -> None:
    bodies, contacts = ball_on_floor()
    problem = drystone.Problem(bodies, contacts)
    first = problem.solve()
    velocities, copy = first.velocities, first.velocities.copy()
    del first
    bodies["linear_velocity"][0] = [9, 9, -9]
    problem.solve()
    assert np.array_equal(velocities, copy)
    assert not velocities.flags.writeable and not velocities.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        velocities[0] = 0


def test_a_step_in_substeps_comes_to_rest() -> None:
    h, g = 1 / 60, 9.81
    bodies, contacts = ball_on_floor()
    bodies["linear_velocity"][0] = 0
    increments, gaps = np.zeros((2, 6), np.float32), np.zeros(1, np.float32)
    increments[0, 2] = -g * h
    problem = drystone.Problem(bodies, contacts, increments=increments, gaps=gaps)
    plan = drystone.Plan.recommended_for(problem, h, g)
    assert plan.substeps == 16 and plan.time_step == pytest.approx(h)
    keys, warm = np.array([[0, 1]], np.uint64), drystone.WarmStart()
    height = 0.0
    for _ in range(60):
        warm.load(keys, plan, problem)
        solution = problem.step(plan)
        warm.store(keys, plan, problem, solution)
        assert solution.displacements is not None
        height += float(solution.displacements[0, 2])
        bodies["linear_velocity"] = solution.velocities
        bodies["angular_velocity"] = solution.angular_velocities
        gaps[0] = height
    assert abs(height) < 1e-3
    assert np.abs(solution.velocities[0]).max() < 1e-3
    assert solution.total_impulses[0, 0] == pytest.approx(2 * g * h, rel=1e-3)
    assert contacts["impulse"][0, 0] > 0
    loads = problem.loads
    assert loads is not None and loads[0] == pytest.approx(2 * g, rel=0.05)


def test_a_warm_start_finds_contacts_by_name() -> None:
    bodies, contacts = crowd(500)
    gaps, increments = np.zeros(len(contacts), np.float32), np.zeros((len(bodies), 6), np.float32)
    problem = drystone.Problem(bodies, contacts, gaps=gaps, increments=increments)
    plan = drystone.Plan.recommended(0.01, 1.0, 9.81)
    keys = np.stack([np.arange(len(contacts)), np.full(len(contacts), 7)], axis=1).astype(np.uint64)
    solution = problem.step(plan)
    warm = drystone.WarmStart()
    warm.store(keys, plan, problem, solution)
    order = np.random.default_rng(2).permutation(len(contacts))
    contacts[:] = contacts[order]
    new_keys = keys[order]
    wanted = solution.impulses[order]
    renamed = int(wanted[:, 0].argmax())
    new_keys[renamed, 1] = 8
    warm.load(new_keys, plan, problem)
    others = np.arange(len(contacts)) != renamed
    assert np.allclose(contacts["impulse"][others], wanted[others], atol=1e-6)
    assert not contacts["impulse"][renamed].any() and wanted[renamed].any()
    warm.clear()
    warm.load(new_keys, plan, problem)
    assert not contacts["impulse"].any()


def test_plans_can_be_changed() -> None:
    plan = drystone.Plan.recommended(0.01, 0.1, 9.81, substeps=4)
    other = plan.replace(iterations=3, slop=0.001, method="nesterov")
    assert (plan.substeps, plan.iterations, plan.slop, plan.method) == (4, 1, 0, "pgs")
    assert (other.substeps, other.iterations, other.method) == (4, 3, "nesterov")
    assert other.slop == pytest.approx(0.001)
    for wrong in ({"substeps": 0}, {"time_step": -1.0}, {"softness": float("nan")}, {"iterations": 0}):
        with pytest.raises(drystone.InvalidError):
            plan.replace(**wrong)
    with pytest.raises(drystone.InvalidError):
        drystone.Plan.recommended(float("nan"), 0.1, 9.81)


def broken(change: Any) -> tuple[Records, Records]:
    bodies, contacts = crowd(30)
    change(bodies, contacts)
    return bodies, contacts


def assign(array: Any, field: str, at: int, value: Any) -> None:
    array[field][at] = value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda b, c: assign(c, "body_a", 5, 1000), "contact 5"),
        (lambda b, c: assign(c, "body_b", 6, c["body_a"][6]), "contact 6"),
        (lambda b, c: assign(c, "normal", 7, [0, 0, 2]), "contact 7"),
        (lambda b, c: assign(c, "arm_a", 3, np.nan), "contact 3"),
        (lambda b, c: assign(c, "friction", 2, -1), "contact 2"),
        (lambda b, c: assign(b, "inverse_mass", 1, -1), "body 1"),
        (lambda b, c: assign(b, "linear_velocity", 4, np.inf), "body 4"),
    ],
)
def test_records_without_meaning_are_named(change: Any, said: str) -> None:
    problem = drystone.Problem(*broken(change))
    for call in (problem.solve, problem.validate, lambda: drystone.judge(problem, np.zeros((40, 3), np.float32))):
        with pytest.raises(drystone.InvalidError, match=said):
            call()


@pytest.mark.parametrize(
    "arguments",
    [
        {"bodies": [1, 2, 3]},
        {"bodies": np.zeros(3)},
        {"bodies": drystone.new_contacts(3)},
        {"bodies": drystone.new_bodies(4).reshape(2, 2)},
        {"contacts": None},
        {"rows": np.zeros((2, 3))},
        {"gaps": np.zeros(1)},
        {"increments": np.zeros((2, 3), np.float32)},
        {"friction_law": "none"},
        {"friction_directions": 5},
        {"friction_law": "convex", "friction_directions": 8},
        {"threads": 0},
        {"threads": 5000},
    ],
)
def test_arguments_of_another_kind_are_errors(arguments: dict[str, Any]) -> None:
    bodies, contacts = ball_on_floor()
    with pytest.raises(drystone.InvalidError):
        drystone.Problem(**{"bodies": bodies, "contacts": contacts, **arguments})


def test_steps_and_solves_say_what_is_missing() -> None:
    bodies, contacts = ball_on_floor()
    problem = drystone.Problem(bodies, contacts)
    plan = drystone.Plan.recommended(0.01, 0.5, 9.81)
    with pytest.raises(drystone.InvalidError, match="increments"):
        problem.step(plan)
    problem.increments = np.zeros((2, 6), np.float32)
    with pytest.raises(drystone.InvalidError, match="gaps"):
        problem.step(plan)
    problem.gaps = np.array([np.nan], np.float32)
    with pytest.raises(drystone.InvalidError, match="finite"):
        problem.step(plan)
    problem.gaps = np.zeros(1, np.float32)
    problem.rows = drystone.new_joint_rows(1)
    with pytest.raises(drystone.InvalidError):
        problem.step(plan)
    problem.rows = None
    problem.step(plan)
    for wrong in ({"iterations": 0}, {"tolerance": -1.0}, {"method": "lemke"}, {"direct_damping": np.nan}):
        with pytest.raises(drystone.InvalidError):
            problem.solve(**wrong)
    with pytest.raises(drystone.InvalidError, match="keys"):
        drystone.WarmStart().load(np.zeros((3, 2), np.uint64), plan, problem)
    with pytest.raises(drystone.InvalidError, match="uint64"):
        drystone.WarmStart().load(np.zeros((1, 2)), plan, problem)  # type: ignore[arg-type]
    with pytest.raises(drystone.InvalidError, match="impulses"):
        drystone.judge(problem, np.zeros((2, 3), np.float32))


def test_a_warm_start_refuses_contacts_that_it_cannot_write_to() -> None:
    bodies, contacts = crowd(30)
    plan = drystone.Plan.recommended(0.01, 0.5, 9.81)
    frozen = contacts.copy()
    aligned = drystone.new_contacts(len(contacts))
    aligned[:] = frozen
    aligned.flags.writeable = False
    for given in (np.repeat(contacts, 2)[::2], aligned):
        keys = np.zeros((len(contacts), 2), np.uint64)
        with pytest.raises(drystone.InvalidError, match="contacts"):
            drystone.WarmStart().load(keys, plan, drystone.Problem(bodies, given))


def test_numbers_that_overflow_are_an_error() -> None:
    bodies, contacts = ball_on_floor()
    bodies["linear_velocity"][0] = [0, 0, -3e38]
    contacts["bias"] = -3e38
    with pytest.raises(drystone.NonFiniteError):
        drystone.Problem(bodies, contacts).solve()


def dense_operator(bodies: Records, contacts: Records) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """W and b of a problem of balls whose arms are along the normals, by the formula."""
    count, size = len(contacts), len(bodies)
    jacobian = np.zeros((3 * count, 6 * size))
    for at, contact in enumerate(contacts):
        n = contact["normal"].astype(float)
        t1 = np.cross(n, [0.6, 0.64, 0.48])
        t1 /= np.linalg.norm(t1)
        for row, d in enumerate((n, t1, np.cross(n, t1))):
            for body, arm, sign in ((contact["body_a"], contact["arm_a"], 1), (contact["body_b"], contact["arm_b"], -1)):
                jacobian[3 * at + row, 6 * body : 6 * body + 3] = sign * d
                jacobian[3 * at + row, 6 * body + 3 : 6 * body + 6] = sign * np.cross(arm, d)
    inverse = np.zeros(6 * size)
    for body in range(size):
        inverse[6 * body : 6 * body + 3] = bodies["inverse_mass"][body]
        inverse[6 * body + 3 : 6 * body + 6] = bodies["inverse_inertia"][body][[0, 3, 5]]
    velocity = np.concatenate([bodies["linear_velocity"], bodies["angular_velocity"]], axis=1).astype(float).ravel()
    b = (jacobian @ velocity).reshape(count, 3)
    b[:, 0] += contacts["bias"]
    return jacobian @ (inverse[:, None] * jacobian.T), b


def test_a_belt_carries_what_lies_on_it() -> None:
    bodies, contacts = drystone.new_bodies(2), drystone.new_contacts(1)
    bodies[0] = drystone.body_from_local(2.0, [1e9, 1e9, 1e9], linear_velocity=[0, 0, -2])
    contacts["body_b"], contacts["normal"], contacts["friction"] = 1, [0, 0, 1], 0.5
    belt = np.array([[0.6, 0.0, 0.0]], np.float32)
    problem = drystone.Problem(bodies, contacts, surface_velocities=belt)
    solution = problem.solve()
    assert solution.velocities.shape == (2, 3)
    assert np.allclose(solution.velocities, np.array([[0.6, 0, 0], [0, 0, 0]]), atol=1e-6)
    assert drystone.judge(problem, solution.impulses).residual_max < 1e-6
    assert drystone.judge(problem, solution.impulses).velocities.shape == (2, 3)
    assert problem.islands()[0] == 1 and problem.copied == []
    # As fast as friction gets it.
    belt[0] = [0.0, 5.0, 0.0]
    assert np.allclose(problem.solve().velocities[0], [0, 1, 0], atol=1e-6)
    belt[0] = [0.0, 0.0, 1.0]
    with pytest.raises(drystone.InvalidError, match="contact 0"):
        problem.solve()
    problem.surface_velocities = None
    assert np.allclose(problem.solve().velocities[0], 0, atol=1e-6)
    with pytest.raises(drystone.InvalidError, match="surface_velocities"):
        drystone.Problem(bodies, contacts, surface_velocities=np.zeros(3, np.float32))


def test_contacts_that_are_springs_give_way() -> None:
    bodies, contacts = drystone.new_bodies(2), drystone.new_contacts(1)
    bodies[0] = drystone.body_from_local(2.0, [1e9, 1e9, 1e9], linear_velocity=[0, 0, -2])
    contacts["body_b"], contacts["normal"] = 1, [0, 0, 1]
    compliances = np.array([1.5], np.float32)
    problem = drystone.Problem(bodies, contacts, compliances=compliances)
    # r = 2 / (0.5 + 1.5), of which the spring leaves 1.5 r.
    assert np.allclose(problem.solve(iterations=100).velocities[0], [0, 0, -1.5], atol=1e-6)
    assert problem.compliances is compliances and problem.copied == []
    compliances[0] = np.nan
    with pytest.raises(drystone.InvalidError, match="compliance of contact 0"):
        problem.solve()
    problem.compliances = None
    assert np.allclose(problem.solve().velocities[0], 0, atol=1e-6)


def test_rows_hold_a_ball_back_from_rolling() -> None:
    h, radius, length = 1 / 60, 0.5, np.array([0.02], np.float32)
    bodies, contacts = drystone.new_bodies(2), drystone.new_contacts(1)
    bodies[0] = drystone.body_from_local(1.0, [0.1] * 3, linear_velocity=[2, 0, 0], angular_velocity=[0, 2 / radius, 0])
    contacts["body_b"], contacts["normal"], contacts["friction"] = 1, [0, 0, 1], 0.8
    contacts["arm_a"], contacts["impulse"] = [0, 0, -radius], [9.81 * h, 0, 0]
    problem = drystone.Problem(bodies, contacts)
    for _ in range(60):
        bodies["linear_velocity"][0, 2] -= 9.81 * h
        problem.rows = problem.rolling_rows(rolling=length)
        found = problem.solve(iterations=100)
        bodies["linear_velocity"][0] = found.velocities[0]
        bodies["angular_velocity"][0] = found.angular_velocities[0]
        contacts["impulse"] = found.impulses
    assert found.joint_impulses.shape == (2,)
    assert abs(found.velocities[0][0] - (2 - 5 / 7 * 0.02 * 9.81 / radius)) < 2e-3
    assert problem.rolling_rows(spinning=length)["angular_a"].tolist() == [[0, 0, 1]]
    assert len(problem.rolling_rows()) == 0
    with pytest.raises(drystone.InvalidError, match="rolling friction of contact 0"):
        problem.rolling_rows(np.array([-1], np.float32))
    with pytest.raises(drystone.InvalidError, match="spinning"):
        problem.rolling_rows(spinning=np.zeros(2, np.float32))


@pytest.mark.parametrize("method", ["accelerated", "nsgs"])
def test_an_operator_has_the_same_normal_impulses(method: Any) -> None:
    bodies, contacts = crowd(60)
    W, b = dense_operator(bodies, contacts)
    found = drystone.solve_delassus(W, b, contacts["friction"], method=method)
    assert found.status == "converged" and found.residual_max < 1e-9
    u = (W @ found.impulses.ravel() + b.ravel()).reshape(-1, 3)
    assert found.impulses[:, 0].min() >= 0 and u[:, 0].min() > -1e-9
    assert abs(found.impulses[:, 0] * u[:, 0]).max() < 1e-9
    slip = np.linalg.norm(found.impulses[:, 1:], axis=1) - 0.5 * found.impulses[:, 0]
    assert slip.max() < 1e-9
    # The same bodies, by the other form, have the same velocities.
    solved = drystone.Problem(bodies, contacts).solve(iterations=3000, tolerance=1e-6)
    assert np.allclose(solved.impulses[:, 0], found.impulses[:, 0], atol=2e-3)


def test_an_operator_comes_dense_sparse_or_in_blocks() -> None:
    bodies, contacts = crowd(60)
    W, b = dense_operator(bodies, contacts)
    mu = contacts["friction"].astype(float)
    dense = drystone.solve_delassus(W, b.ravel(), mu)
    count = len(mu)
    blocks = W.reshape(count, 3, count, 3).swapaxes(1, 2)
    rows, columns = np.nonzero(blocks.any(axis=(2, 3)))
    starts = np.searchsorted(rows, np.arange(count + 1)).astype(np.uint32)
    by_blocks = drystone.solve_delassus(
        (starts, columns.astype(np.uint32), np.ascontiguousarray(blocks[rows, columns])), b, mu
    )
    assert np.array_equal(dense.impulses, by_blocks.impulses)
    if importlib.util.find_spec("scipy"):
        sparse = importlib.import_module("scipy.sparse")
        for form in (sparse.csr_matrix(W), sparse.csc_matrix(W), sparse.bsr_matrix(W, blocksize=(3, 3))):
            assert np.array_equal(drystone.solve_delassus(form, b, mu).impulses, dense.impulses)
    again = drystone.solve_delassus(W, b, mu, start=dense.impulses)
    assert again.iterations < dense.iterations
    soft = drystone.solve_delassus(W, b, mu, np.full((count, 3), 10.0))
    assert np.abs(soft.impulses).max() < np.abs(dense.impulses).max()
    loose = drystone.solve_delassus(W, b, mu, iterations=1, check_every=1)
    assert loose.status == "max_iterations" and loose.iterations == 1


@pytest.mark.parametrize("method", ["accelerated", "nsgs"])
def test_the_convex_law_is_a_minimum(method: Any) -> None:
    # Alone, with W the identity: the point of the cone that is closest to -b.
    alone = drystone.solve_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5], friction_law="convex", method=method)
    assert np.allclose(alone.impulses, [[2.0, -1.0, 0.0]], atol=1e-14)
    bodies, contacts = crowd(40)
    W, b = dense_operator(bodies, contacts)
    count = len(contacts)
    soft = np.full((count, 3), 0.2)
    given: Any = {"compliance": soft, "friction_law": "convex"}
    found = drystone.solve_delassus(W, b, contacts["friction"], method=method, **given)
    assert found.status == "converged" and found.residual_max < 1e-9
    verdict = drystone.judge_delassus(W, b, contacts["friction"], found.impulses, **given)
    assert abs(verdict.residual_max - found.residual_max) < 1e-12
    u = (W @ found.impulses.ravel()).reshape(-1, 3) + soft * found.impulses + b.reshape(-1, 3)
    assert np.allclose(u, verdict.velocities, atol=1e-12)
    # The velocity lies in the dual cone, and does no work.
    slides = found.impulses[:, 0] > 1e-6
    assert (u[:, 0] - 0.5 * np.linalg.norm(u[:, 1:], axis=1)).min() > -1e-8
    assert abs((u * found.impulses).sum(axis=1)).max() < 1e-8 and slides.any()
    # By Coulomb's law it is no solution, and the other way round.
    by_coulomb = {**given, "friction_law": "coulomb"}
    assert drystone.judge_delassus(W, b, contacts["friction"], found.impulses, **by_coulomb).residual_rms > 0.01
    other = drystone.solve_delassus(W, b, contacts["friction"], method=method, **by_coulomb)
    assert drystone.judge_delassus(W, b, contacts["friction"], other.impulses, **by_coulomb).residual_max < 1e-9

    def energy(r: Any) -> float:
        return float(0.5 * r.ravel() @ (W @ r.ravel()) + 0.5 * (soft * r * r).sum() + b.ravel() @ r.ravel())

    assert energy(found.impulses) < energy(other.impulses)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"W": np.eye(5)}, "W"),
        ({"W": np.full((6, 6), np.nan)}, "finite"),
        ({"b": np.zeros(5)}, "b"),
        ({"mu": np.zeros((2, 2))}, "mu"),
        ({"mu": [-1.0, 0.0]}, "friction"),
        ({"compliance": np.zeros((3, 3))}, "compliance"),
        ({"compliance": -np.ones((2, 3))}, "compliance"),
        ({"start": np.zeros((1, 3))}, "start"),
        ({"start": np.full((2, 3), np.nan)}, "impulses"),
        ({"method": "lemke"}, "method"),
        ({"friction_law": "pyramid"}, "friction_law"),
        ({"iterations": 0}, "iterations"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"W": (np.zeros(3, np.uint32), np.zeros(0, np.uint32))}, "tuple"),
        ({"W": (np.zeros(2, np.uint32), np.zeros(0, np.uint32), np.zeros((0, 3, 3)))}, "row starts"),
        ({"W": (np.array([0, 1, 2], np.uint32), np.array([0, 9], np.uint32), np.zeros((2, 3, 3)))}, "column"),
        ({"W": (np.array([0, 9, 2], np.uint32), np.array([0, 1], np.uint32), np.zeros((2, 3, 3)))}, "row 0"),
        ({"W": (np.array([0, 1, 2]), np.array([0, 1], np.uint32), np.zeros((2, 3, 3)))}, "uint32"),
    ],
)
def test_an_operator_without_meaning_is_an_error(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"W": np.eye(6), "b": -np.ones((2, 3)), "mu": [0.5, 0.5], **change}
    with pytest.raises(drystone.InvalidError, match=said):
        drystone.solve_delassus(**given)
    of_judge = {name: value for name, value in given.items() if name in ("W", "b", "mu", "compliance", "friction_law")}
    if of_judge.keys() == given.keys():
        with pytest.raises(drystone.InvalidError, match=said):
            drystone.judge_delassus(**of_judge, impulses=np.zeros((2, 3)))
