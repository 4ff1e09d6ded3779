# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness and damping of a beam from a measured frequency response, by least squares with exact derivatives."""
import limber
import numpy as np
import scipy.optimize

TRUE = np.array([2100.0, 0.012])  # EI, N m^2; damping ratio of the modes
OMEGA = np.linspace(5, 220, 120)  # rad/s


def make_model(EI, ratio):
    beam = limber.BeamSpec(length=2, mass_per_length=2, EIy=EI, EIz=EI, modes=(0, 3, 0, 0), damping=[ratio])
    builder = limber.ModelBuilder("beam").gravity([0, 0, -9.81])
    builder.add_body(limber.make_beam_body(beam, name="beam"))
    builder.add_body(limber.make_rigid_body({"mass": 0.8, "inertia": 0.01 * np.eye(3)}, name="load"))
    builder.add_joint({"name": "motor", "kind": "revolute", "axis": [0, -1, 0], "stiffness": [500], "damping": [2.0]}, "world", "beam")
    builder.add_joint({"name": "grip"}, "beam.tip", "load")
    return builder.build()


def linear(parameters):
    model = make_model(*parameters)
    return limber.linearize(model, np.zeros(model.nq), inputs=["motor"], outputs=["motor"])


def response(parameters):
    """Angle per torque of the motor over frequency, and its derivatives by the parameters.

    (s^2 M + s D + K) x = b u: K of the modes is proportional to EI, D of the modes to ratio sqrt(EI), and M is neither."""
    system, n = linear(parameters), 4
    M, D, K, b = system.M, system.damping, system.stiffness, np.eye(n)[:, 0]
    modes = np.diag([0.0, 1, 1, 1])
    EI, ratio = parameters
    dK = [modes @ (K - geometric) @ modes / EI, 0 * K]
    dD = [modes @ D @ modes / (2 * EI), modes @ D @ modes / ratio]
    out, slopes = [], []
    for s in 1j * OMEGA:
        x = np.linalg.solve(s * s * M + s * D + K, b)  # symmetric, so that it is the row of the output, too
        out.append(x[0])
        slopes.append([-x @ (s * dD[k] + dK[k]) @ x for k in range(2)])
    return np.array(out), np.array(slopes)


# What gravity adds to the stiffness does not depend on EI: the difference of two linearisations has it.
stiff = [linear((EI, 0.01)).stiffness for EI in (1000.0, 2000.0)]
geometric = 2 * stiff[0] - stiff[1]

rng = np.random.default_rng(3)
clean = response(TRUE)[0]
measured = clean * (1 + 0.01 * (rng.normal(size=len(OMEGA)) + 1j * rng.normal(size=len(OMEGA))))
size = np.abs(measured)


def two(values):
    return np.concatenate([values.real, values.imag])


def residuals(scaled):
    return two((response(scaled * START)[0] - measured) / size)


def jacobian(scaled):
    return np.stack([two(slope / size) for slope in response(scaled * START)[1].T * START[:, None]], axis=1)


START = np.array([1600.0, 0.03])
check = scipy.optimize.approx_fprime([1.0, 1.0], residuals, 1e-7)
assert np.abs(check - jacobian(np.ones(2))).max() < 1e-4 * np.abs(check).max()
found = scipy.optimize.least_squares(residuals, [1.0, 1.0], jacobian)
EI, ratio = found.x * START
print(f"EI {EI:.1f} N m^2 (true {TRUE[0]}), damping ratio {ratio:.5f} (true {TRUE[1]}), {found.nfev} evaluations")
assert abs(EI / TRUE[0] - 1) < 0.005 and abs(ratio / TRUE[1] - 1) < 0.05
