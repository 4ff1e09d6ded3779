# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Results with names: tuples, so that they unpack."""
from typing import NamedTuple

import numpy as np


class Pose(NamedTuple):
    """Pose of a node in world: x_world = R x_node + p; of a batch, an item per row."""

    R: np.ndarray  # (3, 3) or (K, 3, 3)
    p: np.ndarray  # (3) or (K, 3), m


class Energy(NamedTuple):
    """Energies of the machine at a state, J; of a batch, arrays (K)."""

    kinetic: float
    gravity: float  # zero at the world origin
    elastic: float  # of the modes
    springs: float  # of the joints

    @property
    def potential(self):
        """All but kinetic, J."""
        return self.gravity + self.elastic + self.springs


class Momentum(NamedTuple):
    """Momentum of the machine in world."""

    linear: np.ndarray  # (3) kg m/s
    angular: np.ndarray  # (3) kg m^2/s, about the world origin
