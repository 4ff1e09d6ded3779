# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""A thousand payloads and stiffnesses at once: how far does the tip of an arm sag, a batch on all cores."""
import limber
import numpy as np

model = limber.parse_model({
    "limber": 1, "name": "arm", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "boom", "beam": {"length": 2, "mass": 5, "EIy": 3000, "EIz": 3000, "modes": {"bending_z": 2}, "damping": 0.3}},
               {"name": "load", "rigid": {"mass": 3, "inertia": [0.05, 0.05, 0.05, 0, 0, 0]}}],
    "joints": [{"name": "shoulder", "type": "revolute", "axis": [0, -1, 0], "parent": "world", "child": "boom",
                "stiffness": 5000, "damping": 500},
               {"name": "grip", "type": "fixed", "parent": "boom.tip", "child": "load"}]})
K = 1000
rng = np.random.default_rng(7)
masses, factors = rng.uniform(1, 5, K), rng.normal(1, 0.05, K)

batch = limber.BatchAba(model, K)
batch.set_rigid("load", [limber.RigidSpec(mass=m, inertia=0.02 * m * np.eye(3)) for m in masses])
batch.set_stiffness("boom", factors, np.ones(K))
q = v = tau = np.zeros((K, model.nv))
q, v = batch.rollout(q, v, tau, {"method": "implicit", "step": 4e-3, "steps": 1500})  # six seconds: it has come to rest
assert all(status == limber.Status.ok for status in batch.status)

sag = -batch.node_poses(["boom.tip"], q)[:, 11]
print(f"sag {1000 * sag.mean():.1f} mm, standard deviation {1000 * sag.std():.1f} mm, 99 % below {1000 * np.quantile(sag, 0.99):.1f} mm")

# The same, item by item, for three of them: an equilibrium of a model with this load and this beam.
for k in (0, 1, 2):
    spec = limber.BeamSpec(length=2, mass_per_length=2.5, EIy=3000 * factors[k], EIz=3000, modes=(0, 2, 0, 0), damping=[0.3])
    single = model.with_body("boom", limber.make_beam_body(spec)).with_body(
        "load", limber.make_rigid_body({"mass": masses[k], "inertia": 0.02 * masses[k] * np.eye(3)}))
    x, _ = limber.find_equilibrium(single)
    exact = -limber.node_pose(single, x.q, "boom.tip").p[2]
    assert abs(exact - sag[k]) < 1e-4 * exact, (exact, sag[k])
