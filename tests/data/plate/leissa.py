#!/usr/bin/env python3
# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""The frequency parameters of A. W. Leissa, J. Sound and Vibration 31 (1973) 257-293, made again his way: Ritz' method
with 6 x 6 products of beam functions, nu = 0.3.  Prints omega a^2 sqrt(rho / D) for the cases of plate_test.cpp."""
import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

NU, TERMS = 0.3, 6
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(80)
X, W = (POINTS + 1) / 2, WEIGHTS / 2


def wave_numbers(ends, count):
    """Of a beam of length 1, without rigid motions."""
    f = {
        "CC": lambda k: np.cos(k) - 1 / np.cosh(k), "FF": lambda k: np.cos(k) - 1 / np.cosh(k),
        "CF": lambda k: np.cos(k) + 1 / np.cosh(k), "SS": np.sin,
        "SC": lambda k: np.sin(k) - np.tanh(k) * np.cos(k), "SF": lambda k: np.sin(k) - np.tanh(k) * np.cos(k),
    }[ends]
    grid = np.arange(0.8, 60, 0.05)
    roots = [brentq(f, a, b, xtol=1e-14) for a, b in zip(grid, grid[1:]) if f(a) * f(b) < 0]
    return roots[:count]


def beam_functions(ends):
    """Values and derivatives (0, 1, 2) of the first six functions at X: solved from the four conditions at the ends."""
    if ends in ("FC", "CS", "FS"):
        return [[f[0][::-1], -f[1][::-1], f[2][::-1]] for f in beam_functions(ends[::-1])]
    rows = {"C": (0, 1), "S": (0, 2), "F": (2, 3)}
    out = []
    if ends == "FF":
        out += [[np.ones_like(X), 0 * X, 0 * X], [np.sqrt(3) * (1 - 2 * X), -2 * np.sqrt(3) + 0 * X, 0 * X]]
    if ends == "SF":
        out += [[np.sqrt(3) * X, np.sqrt(3) + 0 * X, 0 * X]]
    for k in wave_numbers(ends, TERMS):
        def terms(x, d):  # cos, sin, exp(-k x), exp(k (x - 1)) differentiated d times
            return np.array([k**d * np.cos(k * x + d * np.pi / 2), k**d * np.sin(k * x + d * np.pi / 2),
                             (-k)**d * np.exp(-k * x), k**d * np.exp(k * (x - 1))])
        A = np.array([terms(0.0, d) / k**d for d in rows[ends[0]]] + [terms(1.0, d) / k**d for d in rows[ends[1]]])
        c = np.linalg.svd(A)[2][-1]
        f = [c @ terms(X, d) for d in (0, 1, 2)]
        scale = np.sqrt(W @ f[0]**2)
        out.append([v / scale for v in f])
    return out[:TERMS]


def parameters(edges, ratio, count):
    """edges: x = 0, x = a, y = 0, y = b; ratio a / b; lengths in a."""
    fx, fy, b = beam_functions(edges[:2]), beam_functions(edges[2:]), 1 / ratio
    I = lambda f, p, q: np.array([[W @ (u[p] * v[q]) for v in f] for u in f])
    xx, yy = {pq: I(fx, *pq) for pq in ((0, 0), (1, 1), (2, 2), (0, 2))}, {
        pq: I(fy, *pq) * b**(1 - sum(pq)) for pq in ((0, 0), (1, 1), (2, 2), (0, 2))}
    K = (np.kron(xx[2, 2], yy[0, 0]) + np.kron(xx[0, 0], yy[2, 2]) + 2 * (1 - NU) * np.kron(xx[1, 1], yy[1, 1])
         + NU * (np.kron(xx[0, 2], yy[0, 2].T) + np.kron(xx[0, 2].T, yy[0, 2])))
    M = np.kron(xx[0, 0], yy[0, 0])
    values = eigh(K, M, eigvals_only=True)
    return np.sqrt(values[values > 1e-6][:count])


for edges, ratio, count in (("CFFF", 1, 5), ("FFFF", 1, 5), ("CCFF", 1, 3), ("CFCF", 1, 3), ("CFFF", 2.5, 3),
                            ("CCCC", 1, 6), ("SSSF", 1, 3), ("SSCC", 1, 3)):
    print(edges, ratio, " ".join(f"{v:.5g}" for v in parameters(edges, ratio, count)))
