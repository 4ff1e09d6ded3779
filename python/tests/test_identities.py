# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Identities on random trees, through every function that takes arrays."""
import unittest

import limber
import numpy as np
from support import random_state, random_tree

EPS = np.finfo(float).eps


class Identities(unittest.TestCase):
    def trees(self, count=14):
        for seed in range(1, count + 1):
            model = random_tree(seed, 2 + seed % 5)
            with self.subTest(seed=seed):
                yield model, *random_state(model, seed)

    def test_rnea_undoes_aba(self):
        for model, q, v, tau in self.trees():
            vdot = limber.aba(model, q, v, tau)
            M, h = limber.crba(model, q), limber.rnea(model, q, v, None)
            scale = np.linalg.norm(M) * np.linalg.norm(vdot) + np.linalg.norm(h)
            np.testing.assert_allclose(limber.rnea(model, q, v, vdot), tau, rtol=0, atol=1e3 * EPS * scale)
            np.testing.assert_allclose(M @ vdot + h, tau, rtol=0, atol=1e3 * EPS * scale)
            np.testing.assert_array_equal(M, M.T)
            self.assertGreater(np.linalg.eigvalsh(M)[0], 0)
            sign, logdet = np.linalg.slogdet(M)
            self.assertAlmostEqual(limber.compute_log_det_mass(model, q), logdet, delta=1e-9 * (1 + abs(logdet)))

    def test_algorithms_agree(self):
        for model, q, v, tau in self.trees(8):
            vdot = limber.aba(model, q, v, tau)
            for name in ("crba", "dca", "denoc", "two_stage"):
                other = limber.forward_dynamics(model, q, v, tau, name)
                np.testing.assert_allclose(other, vdot, rtol=0, atol=1e-8 * np.linalg.norm(vdot))

    def test_power_is_the_rate_of_energy(self):
        for model, q, v, tau in self.trees():
            vdot, h = limber.aba(model, q, v, tau), 1e-5
            def energy(s):
                e = limber.compute_energy(model, limber.move(model, q, s * v + 0.5 * s * s * vdot), v + s * vdot)
                return sum(e)
            rate = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h)
            damped = sum(eta @ body.damping @ eta for body, eta in self.modes(model, v))
            self.assertAlmostEqual(rate, tau @ v - damped, delta=1e-5 * (1 + abs(tau @ v) + abs(limber.energy(model, q, v).kinetic)))

    def modes(self, model, v):
        for body in model.bodies[1:]:
            if body.modes:
                first = model.speeds.index(f"{body.name}.{body.mode_names[0]}")
                yield body, v[first:first + body.modes]

    def test_jacobians_and_accelerations_of_nodes(self):
        for model, q, v, tau in self.trees():
            node, h = model.node_names[-1], 1e-6
            J, pose = limber.jacobian(model, q, node), limber.node_pose(model, q, node)
            ahead, behind = (limber.node_pose(model, limber.move(model, q, s * h * v), node) for s in (1, -1))
            np.testing.assert_allclose((J @ v)[3:], (ahead.p - behind.p) / (2 * h), atol=1e-7 * (1 + np.linalg.norm(v)))
            spin = (ahead.R - behind.R) @ pose.R.T / (2 * h)
            np.testing.assert_allclose((J @ v)[:3], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-7 * (1 + np.linalg.norm(v)))
            np.testing.assert_allclose(limber.node_velocity(model, q, v, node), J @ v, atol=1e-12 * (1 + np.abs(J @ v).max()))
            wrench = np.arange(1.0, 7)
            vdot = limber.aba(model, q, v, tau)
            acceleration = limber.node_acceleration(model, q, v, vdot, node)
            bias = limber.node_bias_acceleration(model, q, v, node)
            np.testing.assert_allclose(acceleration, J @ vdot + bias, atol=1e-10 * (1 + np.abs(acceleration).max()))
            change = limber.respond(model, q, [node], wrench)
            np.testing.assert_allclose(change, limber.solve_mass(model, q, J.T @ wrench), atol=1e-9 * (1 + np.abs(change).max()))
            with_wrench = limber.rnea(model, q, v, None, wrenches=[(node, wrench)])
            scale = 1 + np.abs(with_wrench).max()
            np.testing.assert_allclose(limber.rnea(model, q, v, None) - J.T @ wrench, with_wrench, atol=1e-11 * scale)
            Lambda = limber.compute_operational_inertia(model, q, [node])
            np.testing.assert_allclose(Lambda, J @ np.linalg.solve(limber.crba(model, q), J.T), atol=1e-8 * np.linalg.norm(Lambda))

    def test_derivatives_are_central_differences(self):
        for model, q, v, tau in self.trees(7):
            dq, dv, dtau = limber.forward_derivatives(model, q, v, tau)
            h, eye = 1e-6, np.eye(model.nv)
            def column(move, speed, force):
                return (limber.aba(model, limber.move(model, q, h * move), v + h * speed, tau + h * force) -
                        limber.aba(model, limber.move(model, q, -h * move), v - h * speed, tau - h * force)) / (2 * h)
            zero = np.zeros(model.nv)
            for k in range(model.nv):
                for exact, found in ((dq, column(eye[k], zero, zero)), (dv, column(zero, eye[k], zero)), (dtau, column(zero, zero, eye[k]))):
                    np.testing.assert_allclose(exact[:, k], found, atol=1e-5 * (1 + np.abs(exact).max()))
            np.testing.assert_allclose(dtau, np.linalg.inv(limber.crba(model, q)), atol=1e-8 * np.abs(dtau).max())

    def test_batches_are_their_items(self):
        for model, *_ in self.trees(7):
            states = [random_state(model, 50 + k) for k in range(301)]
            q, v, tau = (np.array(x) for x in zip(*states))
            vdot = limber.aba(model, q, v, tau)
            back, M, energy = limber.rnea(model, q, v, vdot), limber.crba(model, q[:40]), limber.energy(model, q, v)
            pose, derivatives = limber.node_pose(model, q, model.node_names[-1]), limber.forward_derivatives(model, q[:40], v[:40], tau[:40])
            for k in (0, 31, 39, 255, 256, 300):
                one = limber.aba(model, q[k], v[k], tau[k])
                np.testing.assert_allclose(vdot[k], one, atol=1e-9 * np.linalg.norm(one))
                np.testing.assert_allclose(energy.kinetic[k], limber.energy(model, q[k], v[k]).kinetic, rtol=1e-12)
                np.testing.assert_allclose(pose.p[k], limber.node_pose(model, q[k], model.node_names[-1]).p, atol=1e-12)
                np.testing.assert_allclose(pose.R[k], limber.node_pose(model, q[k], model.node_names[-1]).R, atol=1e-12)
                if k < 40:
                    np.testing.assert_array_equal(M[k], limber.crba(model, q[k]))
                    for batch, single in zip(derivatives, limber.forward_derivatives(model, q[k], v[k], tau[k])):
                        np.testing.assert_array_equal(batch[k], single)
            # Items by columns, and one tau for all.
            np.testing.assert_array_equal(limber.aba(model, np.asfortranarray(q), v, tau), vdot)
            np.testing.assert_array_equal(limber.aba(model, q, v, tau[0]), limber.aba(model, q, v, np.tile(tau[0], (301, 1))))
            self.assertEqual(back.shape, tau.shape)


if __name__ == "__main__":
    unittest.main()
