# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Mode shapes of the beams of a model, by Ritz's method on polynomials: good for pictures."""
import numpy as np
from numpy.polynomial import Legendre, Polynomial

FAMILIES = ("bending_y", "bending_z", "axial", "torsion")
TRIALS = 16
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(48)
S, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2
ONE, X = Polynomial([1.0]), Polynomial([0.0, 1.0])


def legendre(k):
    return Legendre.basis(k)(2 * X - 1) if k else ONE


def gram(functions, derivative):
    """Integrals over s = 0 ... 1 of the products of derivatives."""
    values = np.array([f.deriv(derivative)(S) if derivative else f(S) for f in functions])
    return values * WEIGHTS @ values.T


def eigenshapes(functions, stiffness, mass, first, count):
    """Polynomials of the modes first ... first + count - 1, normalised to the mass."""
    root = np.linalg.inv(np.linalg.cholesky(mass))
    _, vectors = np.linalg.eigh(root @ stiffness @ root.T)
    vectors = root.T @ vectors[:, first : first + count]
    return [sum((c * f for c, f in zip(column, functions)), Polynomial([0.0])) for column in vectors.T]


class Family:
    """One family of a beam: its matrices and the shapes of its basis."""

    def __init__(self, beam, family):
        self.length = beam["length"]
        self.mass = beam["mass"] if "mass" in beam else beam["mass_per_length"] * self.length
        self.rotary = beam.get("rotary_inertia_per_length", [0, 0])
        self.family, self.bending = family, family.startswith("bending")
        self.tip = beam.get("tip", {})
        self.basis = beam.get("basis", "clamped-free")
        self.given = beam.get("shapes", {}).get(family, [])
        self.count = len(self.given) or beam.get("modes", {}).get(family, 0)
        self.rigidity = beam.get({"bending_y": "EIz", "bending_z": "EIy", "axial": "EA", "torsion": "GJ"}[family], 0)

    def matrices(self, functions, loaded=False):
        length, order = self.length, 2 if self.bending else 1
        stiffness = self.rigidity * gram(functions, order) / length ** (2 * order - 1)
        mass = gram(functions, 0) * (sum(self.rotary) * length if self.family == "torsion" else self.mass)
        if self.bending:
            mass = mass + self.rotary[1 if self.family == "bending_y" else 0] * gram(functions, 1) / length
        if loaded:
            ends = np.array([f(1.0) for f in functions])
            slopes = np.array([f.deriv()(1.0) for f in functions]) / length
            load = self.tip.get("inertia", 0) if self.family == "torsion" else self.tip.get("mass", 0)
            mass = mass + load * np.outer(ends, ends)
            if self.bending:
                mass = mass + self.tip.get("inertia", 0) * np.outer(slopes, slopes)
        return stiffness, mass

    def eigen(self, factor, first, count, loaded=False):
        functions = [factor * legendre(k) for k in range(TRIALS)]
        return eigenshapes(functions, *self.matrices(functions, loaded), first, count)

    def span(self):
        n, root = self.count, X**2 if self.bending else X
        if self.basis == "custom":
            return [Polynomial(c) for c in self.given]
        if self.basis == "polynomial":
            return [root * legendre(k) for k in range(n)]
        if self.basis == "craig-bampton":
            static = [X**2, X**3] if self.bending else [X]
            inside = root * (1 - X) ** (2 if self.bending else 1)
            return (static + self.eigen(inside, 0, max(n - len(static), 0)))[:n]
        if self.basis == "free-free":
            return self.eigen(ONE, 2 if self.bending else 1, n, True)
        if self.basis == "pinned-free" and self.bending:
            return self.eigen(X, 1, n, True)
        return self.eigen(root, 0, n, True)

    def shapes(self):
        """Mass-normalised, positive at the tip, as functions of s = x/L."""
        if not self.count:
            return []
        functions = self.span()
        shapes = eigenshapes(functions, *self.matrices(functions), 0, self.count)
        return [f if f(1.0) >= 0 else -f for f in shapes]


def columns(beam, s):
    """6 x n: how the place x = s L moves (three rows) and turns with the modes of the beam."""
    rows = []
    for family in FAMILIES:
        for f in Family(beam, family).shapes():
            value, slope = f(s), f.deriv()(s) / beam["length"]
            rows.append({"bending_y": [0, value, 0, 0, 0, slope], "bending_z": [0, 0, value, 0, -slope, 0],
                         "axial": [value, 0, 0, 0, 0, 0], "torsion": [0, 0, 0, value, 0, 0]}[family])
    return np.array(rows).reshape(-1, 6).T
