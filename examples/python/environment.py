# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment for learning, with the methods of Gymnasium but without depending on it: hold a flexible pole upright."""
import limber
import numpy as np

MODEL = limber.parse_model({
    "limber": 1, "name": "cart-pole", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "cart", "rigid": {"mass": 1, "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}},
               {"name": "pole", "beam": {"length": 1, "mass": 0.2, "EIy": 4, "EIz": 4, "modes": {"bending_z": 1}, "damping": 0.01}}],
    "joints": [{"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "cart"},
               {"name": "hinge", "type": "revolute", "axis": [0, -1, 0], "parent": "cart", "child": "pole",
                "origin": {"xyz": [0, 0, 0], "rpy": [0, -np.pi / 2, 0]}}]})


class FlexibleCartPole:
    """reset(seed=...) -> observation, info; step(action) -> observation, reward, terminated, truncated, info."""

    def __init__(self, period=0.02, longest=500):
        self.period, self.longest = period, longest
        self.observation_size, self.action_limit = 2 * MODEL.nv, 20.0
        self.sim = limber.Simulation(MODEL, {"method": "implicit", "step": 2e-3})
        self.random, self.steps = np.random.default_rng(), 0

    def observe(self):
        x = self.sim.state
        return np.concatenate([x.q, x.v])

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        q = np.zeros(MODEL.nq)
        q[:2] = self.random.uniform(-0.05, 0.05, 2)
        self.sim.set_state({"q": q, "v": np.zeros(MODEL.nv)})
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        force = float(np.clip(action, -self.action_limit, self.action_limit))
        self.sim.set_torque("rail", force)
        self.sim.step(self.period)
        self.steps += 1
        observation = self.observe()
        terminated = bool(abs(observation[0]) > 2.4 or abs(observation[1]) > 0.3)
        return observation, 1.0 - 0.001 * force**2, terminated, self.steps >= self.longest, {}


def episode(environment, policy, seed):
    observation, _ = environment.reset(seed=seed)
    total = 0.0
    while True:
        observation, reward, terminated, truncated, _ = environment.step(policy(observation))
        total += reward
        if terminated or truncated:
            return total


environment = FlexibleCartPole()
system = limber.linearize(MODEL, np.zeros(MODEL.nq), inputs=["rail"])
A, B = limber.sample(system.A, system.B, environment.period)
X = limber.solve_riccati(A, B, np.diag([1, 5, 0, 0.1, 0.1, 0.01]), 0.01 * np.eye(1))
gain = np.linalg.solve(0.01 * np.eye(1) + B.T @ X @ B, B.T @ X @ A)
lazy = episode(environment, lambda x: 0.0, seed=1)
good = episode(environment, lambda x: -(gain @ x)[0], seed=1)
print(f"return without action {lazy:.0f}, with discrete LQR {good:.0f} of {environment.longest}")
assert good > 0.9 * environment.longest > lazy
