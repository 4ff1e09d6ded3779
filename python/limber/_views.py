# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""What sim["fore.tip"] and sim["elbow"] give."""
from __future__ import annotations

import numpy as np

from ._limber import InputError, Simulation


class NodeView:
    """A node of a simulation, or the frame of a body, now."""

    def __init__(self, simulation: Simulation, name: str) -> None:
        """The node of this name."""
        self._simulation, self.name = simulation, name
        simulation.model.node(name)

    @property
    def position(self) -> np.ndarray:
        """(3) in world, m."""
        return self._simulation.position(self.name)

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) in world: x_world = R x_node + p."""
        return self._simulation.pose(self.name).R

    @property
    def velocity(self) -> np.ndarray:
        """(6) in world: angular, linear; rad/s, m/s."""
        return self._simulation.velocity(self.name)

    def __repr__(self) -> str:
        return f"<node '{self.name}' at {self.position} m>"


class JointView:
    """A joint of a simulation, now."""

    def __init__(self, simulation: Simulation, name: str) -> None:
        """The joint of this name."""
        self._simulation, self.name = simulation, name
        self._ports = set(simulation.ports)

    def _read(self, what: str) -> np.ndarray:
        port = f"{self.name}/{what}"  # a fixed joint has none
        return self._simulation.read(port) if port in self._ports else np.zeros(0)

    @property
    def q(self) -> np.ndarray:
        """Its coordinates, rad or m."""
        return self._read("position")

    @property
    def v(self) -> np.ndarray:
        """Its speeds, rad/s or m/s."""
        return self._read("velocity")

    @property
    def torque(self) -> np.ndarray:
        """All that act on it, or that its prescribed motion needs; N m or N."""
        return self._read("torque")

    def __repr__(self) -> str:
        return f"<joint '{self.name}' at {self.q}>"


def view(simulation: Simulation, name: str) -> NodeView | JointView:
    """A joint of this name, or a node."""
    model = simulation.model
    if name in model.joint_names:
        return JointView(simulation, name)
    if name.split(".")[0] in model.body_names:
        return NodeView(simulation, name)
    raise InputError(f"there is no joint and no node '{name}'; joints: {', '.join(model.joint_names)}; "
                     f"nodes: {', '.join(model.node_names)}")
