# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Every reference file, and the same bits as `limber eval`."""
import json
import unittest

import limber
import numpy as np
from support import DATA, PROGRAM, SOURCE, program, read_json

NEAR = 1e-10  # the numbers are good to about 1e-12, relative


def near(found, expected, scale=None):
    expected = np.asarray(expected, float)
    scale = np.linalg.norm(expected) if scale is None else scale
    np.testing.assert_allclose(found, expected, rtol=0, atol=NEAR * scale)


class Reference(unittest.TestCase):
    def test_all_files(self):
        files = sorted((DATA / "reference").glob("*.json"))
        self.assertGreaterEqual(len(files), 18)
        for path in files:
            with self.subTest(path.name):
                file = read_json(path)
                model = limber.parse_model(file["model"])
                for state in file["states"]:
                    self.check_state(model, state)
                self.check_batch(model, file["states"])

    def check_state(self, model, state):
        q, v, expected = np.array(state["q"]), np.array(state["v"]), state["expected"]
        tau, a = np.array(state["tau"]), np.array(state["a"])
        near(limber.aba(model, q, v, tau), expected["acceleration"])
        near(limber.forward_dynamics(model, q, v, tau, "crba"), expected["acceleration"])
        near(limber.rnea(model, q, v, a), expected["force"])
        M = limber.crba(model, q)
        near(M, expected["mass_matrix"])
        near(limber.solve_mass(model, q, M @ a), a, np.linalg.cond(M) * 1e-3 * np.linalg.norm(a))
        near(limber.multiply_mass(model, q, a), M @ a)
        if "nodes" not in expected:
            return
        energy = limber.compute_energy(model, q, v)
        near(energy.kinetic, expected["kinetic_energy"])
        near(energy.potential, expected["potential_energy"], abs(energy.gravity) + energy.elastic + energy.springs)
        for name, pose in expected["nodes"].items():
            found = limber.node_pose(model, q, name)
            near(found.p, pose["position"], 1 + np.linalg.norm(found.p))
            near(found.R, np.reshape(pose["rotation"], (3, 3)))

    def check_batch(self, model, states):
        q, v, tau, a = (np.array([state[key] for state in states]) for key in ("q", "v", "tau", "a"))
        expected = [state["expected"] for state in states]
        for k, answer in enumerate(expected):
            near(limber.aba(model, q, v, tau)[k], answer["acceleration"])
            near(limber.rnea(model, q, v, a)[k], answer["force"])
            near(limber.crba(model, q)[k], answer["mass_matrix"])


@unittest.skipUnless(PROGRAM, "LIMBER_PROGRAM is not set")
class SameBits(unittest.TestCase):
    """`limber eval` prints 17 digits: what Python computes must be equal, not near."""

    def check(self, model_file, state, model):
        told = json.loads(program("eval", model_file, "-", text=json.dumps(state)))
        q, v = np.array(state["q"]), np.array(state["v"])
        vdot = limber.aba(model, q, v, state.get("tau"))
        if model.closures:
            vdot, forces, _ = limber.close_accelerations(model, q, v, vdot)
            self.assertEqual({name: force.tolist() for name, force in forces.items()}, told["closure_forces"])
        self.assertEqual(vdot.tolist(), told["acceleration"])
        if "a" in state:
            self.assertEqual(limber.rnea(model, q, v, state["a"]).tolist(), told["force"])
        self.assertEqual(limber.crba(model, q).tolist(), told["mass_matrix"])
        energy = limber.compute_energy(model, q, v)
        self.assertEqual([energy.kinetic, energy.potential], [told["kinetic_energy"], told["potential_energy"]])
        momentum = limber.compute_momentum(model, q, v)
        self.assertEqual([momentum.linear.tolist(), momentum.angular.tolist()], list(told["momentum"].values()))
        self.assertEqual(limber.compute_center_of_mass(model, q).tolist(), told["center_of_mass"])
        self.assertEqual(model.total_mass, told["total_mass"])
        poses = {name: {"position": p.tolist(), "rotation": R.tolist()} for name, (R, p) in limber.node_poses(model, q).items()}
        self.assertEqual(poses, told["nodes"])
        self.assertEqual([model.coordinates, model.speeds], [told["coordinates"], told["speeds"]])

    def test_reference_files(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for path in sorted((DATA / "reference").glob("*.json")):
                file = read_json(path)
                name = f"{folder}/{path.name}"
                with open(name, "w", encoding="utf-8") as out:
                    json.dump(file["model"], out)
                for state in file["states"]:
                    with self.subTest(path.name):
                        self.check(name, {key: state[key] for key in ("q", "v", "tau", "a")}, limber.read_model(name))

    def test_example_arm(self):
        folder = SOURCE / "examples/canadarm"
        self.check(folder / "model.yaml", read_json(folder / "state.json"), limber.read_model(folder / "model.yaml"))


if __name__ == "__main__":
    unittest.main()
