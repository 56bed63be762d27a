"""An engine in numpy: balls in a row on a floor, its own contacts, drystone's steps.

Five balls of radius 0.1 m fall onto each other along the vertical. The engine finds who touches whom; drystone gives velocities
and displacements, forces included. Impulses are carried from step to step by the names of the contacts.
"""

import drystone
import numpy as np

h, gravity, radius, mass, count = 1 / 60, 9.81, 0.1, 1.0, 5
inertia = 0.4 * mass * radius**2

# The floor is body 0, ball i body i.
heights = np.concatenate([[0.0], radius + 2.2 * radius * np.arange(count)])
bodies = drystone.new_bodies(count + 1)
bodies[1:] = drystone.body_from_local(mass, [inertia] * 3)
increments = np.zeros((count + 1, 6), np.float32)
increments[1:, 2] = -gravity * h

contacts = drystone.new_contacts(count)
contacts["body_a"], contacts["body_b"] = np.arange(1, count + 1), np.arange(count)
contacts["normal"], contacts["friction"] = [0, 0, 1], 0.5
contacts["arm_a"] = [0, 0, -radius]
contacts["arm_b"][1:] = [0, 0, radius]
keys = np.stack([contacts["body_a"], contacts["body_b"]], axis=1).astype(np.uint64)
gaps = np.zeros(count, np.float32)

problem = drystone.Problem(bodies, contacts, increments=increments, gaps=gaps)
plan = drystone.Plan.recommended(h, radius, gravity)
warm = drystone.WarmStart()
for step in range(120):
    # Ball on floor: the height less a radius; ball on ball: the distance less two.
    gaps[:] = np.diff(heights) - np.where(contacts["body_b"] == 0, radius, 2 * radius)
    warm.load(keys, plan, problem)
    solution = problem.step(plan)
    warm.store(keys, plan, problem, solution)
    assert solution.displacements is not None
    heights += solution.displacements[:, 2]
    bodies["linear_velocity"] = solution.velocities
    bodies["angular_velocity"] = solution.angular_velocities

forces = solution.total_impulses[:, 0] / h
print("height of each ball [mm]:", np.round(1e3 * heights[1:], 2))
print("force of each contact [N]:", np.round(forces, 2))
assert np.allclose(heights[1:], radius + 2 * radius * np.arange(count), atol=2e-3)
assert np.allclose(forces, mass * gravity * np.arange(count, 0, -1), rtol=0.05)
assert np.abs(solution.velocities).max() < 0.02
