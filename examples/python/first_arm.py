# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""A flexible arm in ten lines: its frequencies, and where its tip is after it has fallen for half a second."""
import limber

beam = {"length": 1.5, "mass": 3, "EIy": 1500, "EIz": 1500, "modes": {"bending_z": 2}, "damping": 0.01}
model = limber.parse_model({
    "limber": 1, "name": "arm", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "upper", "beam": beam}, {"name": "fore", "beam": beam}],
    "joints": [{"name": "shoulder", "type": "revolute", "axis": [0, -1, 0], "parent": "world", "child": "upper"},
               {"name": "elbow", "type": "revolute", "axis": [0, -1, 0], "parent": "upper.tip", "child": "fore"}]})
print("Hz, joints locked:", [round(hertz, 2) for hertz in limber.compute_frequencies(model).joints_locked])
sim = limber.Simulation(model, {"method": "implicit", "step": 1e-3})
sim.advance_to(0.5)
print("tip at", sim["fore.tip"].position.round(3), "m; energy balance", round(sim.balance, 4), "J")
