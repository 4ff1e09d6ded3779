# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""A controller of one's own against a flexible arm: PD with gravity compensation, with and without input shaping."""
import limber
import numpy as np

model = limber.parse_model({
    "limber": 1, "name": "boom", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "boom", "beam": {"length": 4, "mass": 12, "EIy": 3000, "EIz": 3000, "modes": {"bending_z": 3}, "damping": 0.005}},
               {"name": "load", "rigid": {"mass": 4, "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}}],
    "joints": [{"name": "lift", "type": "revolute", "axis": [0, -1, 0], "parent": "world", "child": "boom", "armature": 2.0},
               {"name": "grip", "type": "fixed", "parent": "boom.tip", "child": "load"}]})
RATE, END = 500, 2.0
start = limber.find_equilibrium(model, held=["lift"])[0]


def make_law(desired):
    """PD along a Signal; the weight is held by what inverse dynamics says for the measured angle, the beam straight."""
    lift, workspace, q = model.speed("lift"), model.workspace(), np.zeros(model.nq)

    def law(x, torques):
        value, rate, _ = desired.at(x.t)
        q[lift] = x.q[lift]
        weight = limber.rnea(model, q, None, None, workspace=workspace)[lift]
        torques[lift] = weight + 6000 * (value - x.q[lift]) + 1500 * (rate - x.v[lift])

    return law


def residual(desired):
    """Half the height that the load still swings through after the move."""
    sim = limber.Simulation(model, {"method": "implicit", "step": 1e-3})
    sim.set_state(start)
    sim.set_controller(RATE, make_law(desired))
    sim.advance_to(END)
    heights = []
    while sim.time < END + 1:
        sim.step(0.01)
        heights.append(sim["boom.tip"].position[2])
    return np.ptp(heights) / 2


move = limber.make_move("trapezoid", 0.0, 0.6, 0.0, 0.8)
slowest = limber.compute_vibrations(model, start, locked=["lift"])[0]
shaped = limber.shape_signal(move, limber.make_shaper("zvd", slowest.frequency, slowest.ratio))
print(f"slowest vibration {slowest.frequency / (2 * np.pi):.2f} Hz")
plain, quiet = residual(move), residual(shaped)
print(f"the load swings by {1000 * plain:.1f} mm after the plain move, by {1000 * quiet:.1f} mm after the shaped one")
assert quiet < 0.3 * plain
