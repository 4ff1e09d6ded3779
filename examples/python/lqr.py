# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""LQR by SciPy on limber's linearisation: a flexible pendulum, upright on a cart."""
import limber
import numpy as np
import scipy.linalg

model = limber.parse_model({
    "limber": 1, "name": "cart-pole", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "cart", "rigid": {"mass": 2, "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}},
               {"name": "pole", "beam": {"length": 1.2, "mass": 0.4, "EIy": 8, "EIz": 8, "modes": {"bending_z": 2}, "damping": 0.01}}],
    "joints": [{"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "cart"},
               {"name": "hinge", "type": "revolute", "axis": [0, -1, 0], "parent": "cart", "child": "pole",
                "origin": {"xyz": [0, 0, 0], "rpy": [0, -np.pi / 2, 0]}}]})  # the pole stands
q = np.zeros(model.nq)
system = limber.linearize(model, q, inputs=["rail"], outputs=["pole.tip.x"])
A, B, C, D = system  # as scipy.signal.StateSpace takes them
print("unstable poles:", [complex(pole.round(3)) for pole in limber.compute_poles(system) if pole.real > 1e-6])

M = system.M
Q = np.block([[np.diag([10, 10] + [0] * (model.nv - 2)), np.zeros_like(M)], [np.zeros_like(M), 0.1 * M]])
X = scipy.linalg.solve_continuous_are(A, B, Q, np.eye(1) * 0.01)
K = B.T @ X / 0.01
closed = np.linalg.eigvals(A - B @ K)
print("closed loop: slowest pole", closed.real.max().round(3))
assert closed.real.max() < 0

sim = limber.Simulation(model, {"method": "implicit", "step": 1e-3})
q[1] = 0.15  # rad off
sim.set_state({"q": q, "v": np.zeros(model.nv)})
rail = model.speed("rail")
sim.set_controller(500, lambda x, torques: torques.__setitem__(rail, -(K @ np.concatenate([x.q, x.v]))[0]))
sim.advance_to(6)
print("after 6 s: cart at", round(sim.q("rail"), 4), "m, pole at", round(sim.q("hinge"), 4), "rad")
assert abs(sim.q("rail")) < 0.02 and abs(sim.q("hinge")) < 0.02
