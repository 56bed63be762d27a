"""The lines of the README, run."""

from pathlib import Path

import drystone
import numpy as np

scene = Path("scenes/bench/pile_spheres_1k.toml")

bodies, contacts = drystone.new_bodies(2), drystone.new_contacts(1)
bodies[0] = drystone.body_from_local(2.0, [0.2, 0.2, 0.2], linear_velocity=[1, 0, -3])
contacts["body_a"], contacts["body_b"] = 0, 1
contacts["arm_a"] = [0, 0, -0.5]  # from the centre of mass to the contact
contacts["normal"], contacts["friction"] = [0, 0, 1], 0.4  # from B to A
solution = drystone.Problem(bodies, contacts).solve()  # nothing is copied
print(solution.velocities[0], solution.impulses[0])

simulation = drystone.Simulation(drystone.Scene.load(scene))
simulation.step(10)
heights = simulation.positions[:, 2]  # no copy either

assert np.allclose(solution.velocities[0], [5 / 7, 0, 0], atol=1e-6)
assert heights.base is not None and not heights.flags.owndata
assert np.linalg.norm(simulation.contacts["force"], axis=1).max() > 0
