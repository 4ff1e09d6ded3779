# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Every case folder: runs against expected numbers, and frequencies of small motion about steady states."""
import unittest
from concurrent.futures import ThreadPoolExecutor

import limber
import numpy as np
import scipy.linalg
from support import DATA, read_json

FOLDERS = sorted(path.parent for path in (DATA / "cases").glob("*/expected.json"))


class TimeCases(unittest.TestCase):
    def test_give_the_expected_numbers(self):
        folders = [folder for folder in FOLDERS if (folder / "scenario.yaml").exists()]
        self.assertGreaterEqual(len(folders), 15)
        with ThreadPoolExecutor(2) as pool:  # runs let go of the interpreter
            recordings = pool.map(lambda folder: limber.run(folder / "scenario.yaml"), folders)
            for folder, recording in zip(folders, recordings):
                for expected in read_json(folder / "expected.json")["checks"]:
                    with self.subTest(folder.name, **{key: expected[key] for key in ("dataset", "time")}):
                        self.check(recording, expected)

    def check(self, recording, expected):
        names = expected["dataset"] if isinstance(expected["dataset"], list) else [expected["dataset"]]
        table = sum(np.asarray(recording.series(name.strip("/"))) for name in names)
        rows = np.full(len(recording.time), True)
        if expected["time"] != "all":
            rows = np.abs(recording.time - expected["time"]) <= 1e-12
        self.assertTrue(rows.any())
        value = np.array(expected["value"], float)
        columns = expected.get("index", range(len(value)))
        found = table[rows][:, list(columns)]
        self.assertTrue((np.abs(found - value) <= expected["abs_tol"] + expected["rel_tol"] * np.abs(value)).all(), f"{found} {value}")


class FrequencyCases(unittest.TestCase):
    def test_have_the_frequencies(self):
        cases = [(folder, expected) for folder in FOLDERS if (expected := read_json(folder / "expected.json"))["kind"] == "frequency"]
        self.assertGreaterEqual(len(cases), 15)
        for folder, expected in cases:
            with self.subTest(folder.name):
                self.check(limber.read_model(folder / "model.yaml"), expected)

    def place(self, model, configuration):
        q = limber.make_zero_state(model).q.copy()
        for name, value in configuration.items():
            first = model.joint(name).q if name in model.joint_names else model.coordinates.index(f"{name}.{model.body(name).mode_names[0]}")
            value = np.atleast_1d(value)
            q[first : first + len(value)] = value
        return q

    def check(self, model, expected):
        q, v = self.place(model, expected.get("configuration", {})), np.zeros(model.nv)
        held = list(expected.get("locked", []))
        spin = expected.get("spin")
        if isinstance(spin, dict):
            held.append(spin["joint"])
            v[model.speed(spin["joint"])] = spin["rate"]
        joints = {name for name in model.joint_names}
        modes = [k for k, name in enumerate(model.speeds) if name not in joints and name.rsplit(".", 1)[0] in model.body_names]
        if isinstance(spin, dict) or model.gravity.any():
            q = self.steady(model, q, v, modes)
        for check in expected.get("steady", []):
            np.testing.assert_allclose(limber.node_pose(model, q, check["node"]).p, check["position"], atol=check.get("abs_tol", 1e-7))
        gone = {model.speeds.index(s) for s in model.speeds for name in held if s == name or s.startswith(name + ".")}
        keep = [k for k in range(model.nv) if k not in gone]
        K, D = (x[np.ix_(keep, keep)] for x in limber.rnea_derivatives(model, q, v, None))
        M = limber.crba(model, q)[np.ix_(keep, keep)]
        if isinstance(spin, dict):
            n = len(keep)
            A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
            omega = np.linalg.eigvals(A).imag
        else:
            omega = np.sqrt(np.abs(scipy.linalg.eigh((K + K.T) / 2, M, eigvals_only=True)))
        for k, wanted in enumerate(expected["omega"]):
            tolerance = expected["rel_tol"][k] if isinstance(expected["rel_tol"], list) else expected["rel_tol"]
            nearest = omega[np.argmin(np.abs(omega - wanted))]
            self.assertAlmostEqual(nearest / wanted, 1, delta=tolerance)

    def steady(self, model, q, v, modes):
        """Newton on the modal coordinates until the forces on them vanish."""
        for _ in range(30):
            force = limber.rnea(model, q, v, None)[modes]
            K = limber.rnea_derivatives(model, q, v, None)[0][np.ix_(modes, modes)]
            step = np.zeros(model.nv)
            step[modes] = -np.linalg.solve(K, force)
            q = limber.move(model, q, step)
            if np.abs(step).max() < 1e-14 * (1 + np.abs(q).max()):
                break
        return q


if __name__ == "__main__":
    unittest.main()
