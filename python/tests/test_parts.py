# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives, friction, force elements, contacts and attitudes in Python."""
import math
import pickle
import unittest

import numpy as np

import limber
from support import random_state


def two_masses(**drive):
    builder = limber.ModelBuilder("elastic joint")
    builder.add_body(limber.make_rigid_body({"mass": 2, "inertia": np.diag([0.3, 0.4, 0.5])}), "link")
    joint = limber.Joint(name="elbow", kind="revolute", axis=[0, 0, 1], drive=drive, friction={"viscous": 0.3})
    builder.add_joint(joint, "world", "link")
    return builder.build()


class Parts(unittest.TestCase):
    def test_an_elastic_drive_has_the_two_mass_frequency(self):
        ratio, inertia, stiffness, link = 50, 2e-4, 800.0, 0.5
        model = two_masses(ratio=ratio, inertia=inertia, stiffness=stiffness)
        self.assertEqual(model.coordinates, ["elbow", "elbow.motor"])
        motor = inertia * ratio**2
        expected = math.sqrt(stiffness * (1 / link + 1 / motor)) / (2 * math.pi)
        M = limber.crba(model, np.zeros(2))
        K = stiffness * np.array([[1, -1 / ratio], [-1 / ratio, 1 / ratio**2]])
        found = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.max()) / (2 * math.pi)
        self.assertAlmostEqual(found, expected, delta=1e-9 * expected)

    def test_parts_of_joints_are_kept(self):
        model = two_masses(ratio=10, inertia=1e-3, motor={"torque_constant": 0.1, "current": 5, "curve": [[0, 1], [100, 0]]})
        for again in (model, pickle.loads(pickle.dumps(model))):
            joint = again.joint("elbow")
            self.assertEqual(joint.drive.ratio, 10)
            self.assertEqual(joint.drive.motor.current, 5)
            self.assertEqual(joint.friction.viscous, 0.3)
        joint.drive = None
        self.assertIsNone(joint.drive)
        with self.assertRaises(TypeError):
            joint.friction = 3
        self.assertRaisesRegex(TypeError, "rato", limber.Drive, rato=3)

    def test_elements_act(self):
        builder = limber.ModelBuilder()
        builder.add_body(limber.make_rigid_body({"mass": 2}), "block")
        builder.add_joint({"name": "slide", "kind": "prismatic", "axis": [1, 0, 0]}, "world", "block")
        bare = builder.build()
        model = bare.with_elements([{"name": "coil", "type": "spring", "a": np.array([-1.0, 0, 0]), "b": "block",
                                     "stiffness": "0.3 kN/m", "length": 0.5},
                                    {"name": "law", "type": "spring", "joint": "slide", "force": "-10*x^3"}])
        self.assertEqual(bare.elements, [])
        self.assertEqual([one["name"] for one in model.elements], ["coil", "law"])
        self.assertEqual(model.elements[0]["b"], "block")
        # m a = -300 (0.5 + x) but for the small cubic term, at rest in the beginning
        sim = limber.Simulation(limber.Scenario(model, duration=1, solver={"rtol": 1e-10, "atol": 1e-12}))
        self.assertAlmostEqual(sim.accelerations[0], -75, delta=1e-12)
        sim.advance_to(0.1)
        expected = -0.5 * (1 - math.cos(math.sqrt(150) * 0.1))
        self.assertAlmostEqual(sim.q("slide"), expected, delta=1e-2)
        self.assertGreater(abs(sim.q("slide") - expected), 1e-5)  # the cubic law
        with self.assertRaisesRegex(limber.InputError, "element 'coil': unknown key 'stifness'.*did you mean 'stiffness'"):
            bare.with_elements([{"name": "coil", "type": "spring", "a": "world", "b": "block", "stifness": 1}])
        with self.assertRaisesRegex(limber.InputError, "elements: each must be a dict"):
            bare.with_elements([{"name": object()}])

    def test_contacts_hold(self):
        builder = limber.ModelBuilder()
        builder.gravity([0, 0, -9.81])
        builder.add_body(limber.make_rigid_body({"mass": 2}), "ball")
        builder.add_joint({"name": "fall", "kind": "prismatic", "axis": [0, 0, 1]}, "world", "ball")
        model = builder.build().with_contacts([{"name": "floor", "point": "ball", "radius": 0.1, "on": "world", "shape": "plane",
                                                "stiffness": 1e5, "damping": 100}])
        self.assertEqual(model.contacts[0]["shape"], "plane")
        self.assertEqual(model.contacts[0]["radius"], 0.1)
        with self.assertRaisesRegex(limber.InputError, "contact 'floor'"):
            model.with_contacts([{"name": "floor", "point": "ball", "on": "ball", "shape": "plane", "stiffness": 1}])

    def test_every_element_and_contact_round_trips(self):
        beam = {"length": 2, "mass": 3, "EIy": 400, "EIz": 300, "modes": {"bending_y": 1, "bending_z": 1}, "damping": 0.01}
        rigid = {"mass": 2, "inertia": [0.3, 0.2, 0.4, 0, 0, 0]}
        turned = {"node": "load", "xyz": [0.1, 0.2, -0.3], "rpy": [0.3, -0.4, 1.1]}
        line = {"a": {"node": "world", "xyz": [-1, 0.2, 0.1]}, "b": {"node": "boom.tip", "xyz": [0.2, 0.05, 0]}}
        elements = [
            {"name": "line", "type": "spring", **line, "stiffness": 10, "damping": 0.3, "length": 0.5},
            {"name": "coil", "type": "spring", "joint": "slide", "stiffness": 7, "damping": 0.1, "rest": 0.2},
            {"name": "table", "type": "spring", "joint": "pin", "table": {"x": [-2, 0, 1, 2], "y": [9, 0, -2, -7], "interpolate": "cubic"}},
            {"name": "law", "type": "spring", **line, "force": "-0.3*(x - 1)^3 - 0.1*v + 0.2*line.length*sin(t)", "damping": 0.7},
            {"name": "mount", "type": "bushing", "a": {"node": "world", "xyz": [0.4, 0, 1], "rpy": [-0.7, 0.2, 0.5]}, "b": turned,
             "stiffness": [3, 4, 5, 60, 70, 80], "damping": [0.1, 0.2, 0.3, 1, 2, 3]},
            {"name": "rope", "type": "rope", "a": [0, 0, 4], "over": [{"node": "world", "xyz": [1, 0, 4]}, [2, 0, 3]],
             "b": {"node": "boom.tip", "xyz": [0, 0, 0.1]}, "EA": 500, "damping": 2, "length": 3},
            {"name": "ram", "type": "actuator", "joint": "pin", "force": "-3*x"},
            {"name": "jack", "type": "actuator", **line}]
        sphere = {"point": {"node": "load", "xyz": [0.1, 0, 0]}, "radius": 0.4, "stiffness": 1e3}
        contacts = [
            {"name": "floor", "point": turned, "on": {"node": "world", "xyz": [0, 0, 0.3], "rpy": [0.1, 0.2, 0.3]}, "shape": "plane", "stiffness": 1e4,
             "damping": 30, "friction": {"coefficient": 0.4, "stick_stiffness": 2e4, "stick_damping": 20}},
            {"name": "crate", **sphere, "on": {"node": "world", "xyz": [2, 0.1, 0], "rpy": [0.3, 0, 1]}, "shape": {"box": [1, 2, 3]},
             "restitution": 0.6, "friction": {"coefficient": 0.2, "slip_speed": 2e-3}},
            {"name": "mast", **sphere, "on": {"node": "world", "xyz": [2.2, 0, 0]}, "shape": {"cylinder": {"radius": 0.3, "length": 2}}, "friction": 0.1}]
        model = limber.parse_model({
            "limber": 1, "name": "all", "gravity": [0, 0, -9.81],
            "bodies": [{"name": "cart", "rigid": rigid}, {"name": "boom", "beam": beam}, {"name": "load", "rigid": rigid}],
            "joints": [{"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "cart", "stiffness": 5, "rest": 0.3},
                       {"name": "pin", "type": "revolute", "axis": [0, 1, 0], "parent": "cart", "child": "boom"},
                       {"name": "ball", "type": "spherical", "parent": "boom.tip", "child": "load"}],
            "elements": elements, "contacts": contacts})
        again = model.with_elements(model.elements).with_contacts(model.contacts)
        self.assertEqual((again.elements, again.contacts), (model.elements, model.contacts))
        self.assertEqual([one["name"] for one in model.elements + model.contacts], [one["name"] for one in elements + contacts])
        bare = model.with_elements([]).with_contacts([])
        for seed in range(5):
            q, v, _ = random_state(model, seed)
            found = [(sim.accelerations, sim.energy) for sim in (limber.Simulation(limber.Scenario(one, initial=limber.State(q=q, v=v), duration=1))
                                                                 for one in (model, again, bare))]
            np.testing.assert_array_equal(found[1][0], found[0][0])
            self.assertEqual(found[1][1], found[0][1])
            self.assertGreater(np.abs(found[2][0] - found[0][0]).max(), 1)

    def test_static_tangent(self):
        builder = limber.ModelBuilder()
        builder.gravity([0, 0, -9.81])
        builder.add_body(limber.make_rigid_body({"mass": 2, "com": [0.5, 0, 0]}), "rod")
        builder.add_joint({"name": "pin", "kind": "revolute", "axis": [0, 1, 0], "stiffness": [40.0]}, "world", "rod")
        model = builder.build()
        tangent = limber.StaticTangent(model)
        for call in (tangent.forces, lambda: tangent.solve([1.0])):
            self.assertRaisesRegex(limber.InputError, "call set first", call)
        tangent.set([0.3])
        # torque = k q - m g c cos q, and its slope
        self.assertAlmostEqual(tangent.forces()[0], 40 * 0.3 - 9.81 * math.cos(0.3), delta=1e-12)
        dq, negative = tangent.solve([1.0])
        # The diagonal is raised by 1e-12 of itself and of the forces that act (here less than itself), so that a coordinate
        # without stiffness is not singular: the solution is that much smaller.
        exact = 1 / (40 + 9.81 * math.sin(0.3))
        self.assertAlmostEqual(dq[0], exact, delta=2e-12 * exact)
        self.assertEqual(negative, 0)

    def test_an_impulse_on_a_joint(self):
        builder = limber.ModelBuilder()
        for name in ("cart", "rod"):
            builder.add_body(limber.make_rigid_body({"mass": 1, "com": [0, 0, -0.5 if name == "rod" else 0], "inertia": 0.01 * np.eye(3)}), name)
        builder.add_joint({"name": "rail", "kind": "prismatic", "axis": [1, 0, 0]}, "world", "cart")
        builder.add_joint({"name": "pin", "kind": "revolute", "axis": [0, 1, 0]}, "cart", "rod")
        model = builder.build()
        dv = limber.hybrid_impulse(model, np.zeros(2), np.zeros(2), {"rail": 2.0})
        M = limber.crba(model, np.zeros(2))
        self.assertAlmostEqual(dv[0], 2)
        self.assertAlmostEqual(dv[1], -M[1, 0] * 2 / M[1, 1], delta=1e-14)
        with self.assertRaises(limber.InputError):
            limber.hybrid_impulse(model, np.zeros(2), np.zeros(2), {"rail": [1.0, 2.0]})

    def test_floquet_of_a_constant_system(self):
        A = np.array([[0.0, 1.0], [-4.0, -0.2]])
        period, n = 1.0, 4
        values, vectors = np.linalg.eig(A * period / n)
        part = (vectors @ np.diag(np.exp(values)) @ np.linalg.inv(vectors)).real
        exponents, shapes = limber.compute_floquet([part] * n, period)
        np.testing.assert_allclose(sorted(exponents, key=lambda x: x.imag), sorted(np.linalg.eigvals(A), key=lambda x: x.imag), atol=1e-10)
        self.assertEqual(len(shapes), n)

    def test_attitudes(self):
        path = limber.AttitudePath([{"axis": [0, 0, 1], "angle": math.pi / 2, "duration": 10, "dwell": 2}], [1, 0, 0, 0])
        q, rate, acceleration = path.at(12)
        np.testing.assert_allclose(q, [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-12)
        np.testing.assert_allclose(rate, 0, atol=1e-12)
        np.testing.assert_allclose(limber.attitude_error([1, 0, 0, 0], q), [0, 0, math.pi / 2], atol=1e-12)
        before, after = path.at(5 - 1e-4)[0], path.at(5 + 1e-4)[0]
        np.testing.assert_allclose(path.at(5)[1], limber.attitude_error(before, after) / 2e-4, atol=1e-7)
        with self.assertRaisesRegex(limber.InputError, "unknown key 'angel'"):
            limber.AttitudePath([{"axis": [0, 0, 1], "angel": 1, "duration": 1}], [1, 0, 0, 0])


if __name__ == "__main__":
    unittest.main()
