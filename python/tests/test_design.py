# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Linearisation, control design, finite-element parts, robots, batches in time, studies."""
import tempfile
import unittest
from pathlib import Path

import limber
import numpy as np
import scipy.linalg
from support import ARM, DATA, SOURCE, SWING, arm


class Linear(unittest.TestCase):
    def test_system(self):
        model = arm()
        q = np.array([0.3, 0, 0, -0.5, 0, 0])
        tau = limber.rnea(model, q, None, None)
        system = limber.linearize(model, q, inputs=["elbow"], outputs=["fore.tip.z", "position.z:fore.tip", "rate:elbow"], tau=tau)
        A, B, C, D = system
        dq, dv, dtau = limber.forward_derivatives(model, q, None, tau)
        np.testing.assert_allclose(A, np.block([[np.zeros((6, 6)), np.eye(6)], [dq, dv]]), atol=1e-9 * np.abs(A).max())
        np.testing.assert_allclose(B[6:, 0], dtau[:, 3], atol=1e-12 * np.abs(B).max())
        np.testing.assert_allclose(C[0, :6], limber.jacobian(model, q, "fore.tip")[5], atol=1e-12)
        np.testing.assert_array_equal(C[0], C[1])
        s = 2.0 + 3.0j
        np.testing.assert_allclose(limber.transfer_function(system, s), D + C @ np.linalg.solve(s * np.eye(12) - A, B), rtol=1e-9)
        self.assertEqual(limber.transfer_function(system, [s, 1j]).shape, (2, 3, 1))
        np.testing.assert_allclose(np.sort_complex(limber.compute_poles(system)), np.sort_complex(np.linalg.eigvals(A)), atol=1e-6 * np.abs(A).max() ** 0.5)
        self.assertEqual((system.inputs, len(system.states)), (["elbow"], 12))
        frequencies = limber.compute_frequencies(model)
        free = limber.linearize(model.with_gravity([0, 0, 0]), np.zeros(6))
        found = [mode.frequency / (2 * np.pi) for mode in limber.compute_modes(free) if mode.frequency > 1]
        np.testing.assert_allclose(found, frequencies.joints_free, rtol=1e-6)

    def test_riccati_and_sampling(self):
        rng = np.random.default_rng(2)
        A, B = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
        Ad, Bd = limber.sample(A, B, 0.1)
        both = scipy.linalg.expm(0.1 * np.block([[A, B], [np.zeros((2, 6))]]))
        np.testing.assert_allclose(np.hstack([Ad, Bd]), both[:4], atol=1e-12)
        X = limber.solve_riccati(Ad, Bd, np.eye(4), np.eye(2))
        np.testing.assert_allclose(X, scipy.linalg.solve_discrete_are(Ad, Bd, np.eye(4), np.eye(2)), rtol=1e-8)

    def test_campbell(self):
        folder = DATA / "cases/rotating-beam-3"
        found = limber.compute_campbell(limber.read_model(folder / "model.yaml"), "axle", [3.0])
        frequencies = np.array([mode.exponent.imag for mode in found[0]])
        self.assertLess(np.abs(frequencies - 4.79727853237).min(), 1e-5)


class Control(unittest.TestCase):
    def test_gains_stabilise(self):
        model, period = arm(), 0.002
        x = limber.make_zero_state(model)
        K = limber.compute_lqr_gain(model, [], x, {}, period)
        self.assertEqual(K.shape, (2, 12))
        system = limber.linearize(model, x.q, tau=limber.rnea(model, x.q, None, None))
        A, B = limber.sample(system.A, system.B, period)
        self.assertLess(np.abs(np.linalg.eigvals(A - B @ K)).max(), 1)
        self.assertEqual(limber.compute_kalman_gain(model, ["shoulder", "elbow"], {}, x, {}, period).shape, (12, 4))

    def test_shaping_and_moves(self):
        shaper = limber.make_shaper("zvd", 3.0, 0.01)
        self.assertAlmostEqual(sum(impulse.weight for impulse in shaper), 1)
        self.assertLess(limber.residual_vibration(shaper, 3.0, 0.01), 1e-12)
        two = limber.convolve(shaper, limber.make_shaper("zv", 5.0, 0.0))
        self.assertLess(limber.residual_vibration(two, 5.0, 0.0), 1e-12)
        move = limber.make_move("quintic", 1.0, 3.0, 0.5, 2.0)
        value, rate, acceleration = move.at([0.0, 1.5, 9.0])
        np.testing.assert_allclose(value, [1, 2, 3])
        np.testing.assert_allclose(rate, [0, 15 / 8, 0], atol=1e-12)
        np.testing.assert_allclose(limber.shape_signal(move, shaper).at(20.0)[0], 3)
        joints, end = limber.make_path("cycloid", [0, 0], 0.0, [{"q": [1.0, 2.0], "duration": 3.0}])
        self.assertEqual((len(joints), end), (2, 3.0))
        self.assertAlmostEqual(limber.Signal("2*t^2").at(3.0)[1], 12)
        slowest = limber.compute_vibrations(arm(), None, ["shoulder", "elbow"])[0]
        self.assertAlmostEqual(slowest.frequency / (2 * np.pi), limber.compute_frequencies(arm()).joints_locked[0], delta=0.2)

    def test_tip_path(self):
        model = arm().with_gravity([0, 0, 0])
        q = np.array([0.5, 0, 0, -1.0, 0, 0])
        x, _, z = limber.node_pose(model, q, "fore.tip").p
        path = [limber.make_move("quintic", x, x - 0.2, 0.0, 4.0), None, limber.Signal(z)]
        joints = limber.follow_tip_path(model, "fore.tip", path, 4.0, start=limber.State(q=q, v=np.zeros(6)), flexible=False)
        q[[0, 3]] = [joint.at(4.0)[0] for joint in joints]
        np.testing.assert_allclose(limber.node_pose(model, q, "fore.tip").p, [x - 0.2, 0, z], atol=1e-5)


class Bodies(unittest.TestCase):
    def test_in_code_as_from_files(self):
        builder = limber.ModelBuilder("arm").gravity([0, 0, -9.81]).fidelity("full")
        for name, length, mass, EI in (("upper", 2, 6, 4000), ("fore", 1.5, 3, 1500)):
            spec = limber.BeamSpec(length=length, mass_per_length=mass / length, EIy=EI, EIz=EI, modes=(0, 2, 0, 0), damping=[0.01])
            builder.add_body(limber.make_beam_body(spec, name=name))
        builder.add_body(limber.make_rigid_body({"mass": 2, "inertia": 0.02 * np.eye(3)}), "load")
        for name, parent, child in (("shoulder", "world", "upper"), ("elbow", "upper.tip", "fore")):
            builder.add_joint({"name": name, "kind": "revolute", "axis": [0, -1, 0]}, parent, child)
        builder.add_joint(limber.Joint(name="grip"), "fore.tip", "load")
        model, same = builder.build(), arm()
        self.assertEqual(model.speeds, same.speeds)
        q = np.linspace(-0.2, 0.3, 6)
        np.testing.assert_allclose(limber.crba(model, q), limber.crba(same, q), rtol=1e-12, atol=1e-12)
        self.assertEqual(model.total_mass, 11)
        np.testing.assert_allclose(model.body("upper").frequencies[0], 3.5160153 / (2 * np.pi) * np.sqrt(4000 / 3 / 16), rtol=1e-6)
        heavier = model.with_payload("fore.tip", {"mass": 3})
        self.assertEqual((heavier.total_mass, model.total_mass), (14, 11))

    def test_robots(self):
        path = SOURCE / "examples/industrial-arm/robot.urdf"
        model = limber.Model.from_urdf(path)
        text, _ = limber.import_urdf(path.read_text(encoding="utf-8"))
        self.assertEqual(limber.parse_model(text).speeds, model.speeds)
        with self.assertRaisesRegex(limber.InputError, "no URDF"):
            limber.Model.from_urdf(SOURCE / "examples/four-bar/model.yaml")

    def test_modal_bodies(self):
        body = limber.read_modal_body(str(SOURCE / "examples/fe-link/link.h5"), name="link")
        self.assertGreater(body.modes, 5)
        self.assertTrue((np.diff(body.frequencies) >= 0).all())
        part = limber.read_calculix(str(DATA / "fe/beam_tiny_matrix"), str(DATA / "fe/beam_tiny_msh.inp"))
        made = limber.reduce_part(part, [("base", "NBASE", "rigid"), ("tip", "NTIP", "average")], method="clamped", modes=4, frame="base")
        self.assertEqual((made.body.modes, made.body.node_names), (4, ["base", "tip"]))
        with tempfile.TemporaryDirectory() as folder:
            made.write(f"{folder}/part.h5")
            again = limber.read_modal_body(f"{folder}/part.h5")
        np.testing.assert_array_equal(again.stiffness, made.body.stiffness)
        with self.assertRaisesRegex(limber.InputError, "NOWHERE"):
            limber.reduce_part(part, [("base", "NOWHERE", "rigid")])

    def test_closed_chains(self):
        scenario = limber.read_scenario(SOURCE / "examples/four-bar/scenario.yaml")
        sim = limber.Simulation(scenario)
        sim.advance_to(0.1)
        q, v = sim.state.q, sim.state.v
        vdot, forces, errors = limber.close_accelerations(scenario.model, q, v, limber.aba(scenario.model, q, v))
        np.testing.assert_allclose(vdot, limber.forward_dynamics(scenario.model, q, v), rtol=1e-9, atol=1e-9 * np.abs(vdot).max())
        self.assertLess(max(errors.values()), 1e-8)
        C = limber.compute_closure_jacobian(scenario.model, q)
        self.assertLess(np.abs(C @ v).max(), 1e-8 * np.abs(v).max())
        near = limber.move(scenario.model, q, np.full(scenario.model.nv, 1e-4))
        q, v = limber.project(scenario.model, near, v)
        self.assertLess(max(limber.close_accelerations(scenario.model, q, v, limber.aba(scenario.model, q, v))[2].values()), 1e-10)


class Batches(unittest.TestCase):
    def test_rollout_is_the_simulation(self):
        model, K = arm(), 5
        rng = np.random.default_rng(4)
        tau = np.zeros((K, 6))
        tau[:, [0, 3]] = rng.normal(size=(K, 2))
        batch = limber.BatchAba(model, K)
        q, v = batch.rollout(np.zeros((K, 6)), np.zeros((K, 6)), tau, {"step": 1e-3, "steps": 100})
        for k in range(K):
            sim = limber.Simulation(model, {"method": "implicit", "step": 1e-3})
            sim.set_torques(tau[k])
            sim.advance_to(0.1)
            np.testing.assert_allclose(q[k], sim.state.q, atol=1e-9)
        self.assertEqual([int(status) for status in batch.status], [0] * K)
        vdot = batch.forward(q, v, tau)
        np.testing.assert_allclose(batch.inverse(q, v, vdot), tau, atol=1e-7)
        np.testing.assert_array_equal(batch.forward(np.asfortranarray(q), v, np.asfortranarray(tau)), vdot)
        np.testing.assert_allclose(batch.energy(q, v)[:, 0], limber.energy(model, q, v).kinetic, rtol=1e-12)
        with self.assertRaisesRegex(limber.InputError, r"q must have shape \(5, 6\)"):
            batch.forward(np.zeros((4, 6)), v, tau)


class Studies(unittest.TestCase):
    def test_overrides(self):
        model = limber.parse_model(ARM, overrides={"load.mass": 5, "gravity": [0, 0, -1.6]})
        self.assertEqual((model.total_mass, model.gravity[2]), (14, -1.6))
        rec = limber.run(SWING, overrides={"scenario.duration": 0.05})
        self.assertEqual(len(rec.time), 6)
        with self.assertRaisesRegex(limber.InputError, "load.mas"):
            limber.parse_model(ARM, overrides={"load.mas": 5})

    def test_sweep(self):
        import json
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "swing.yaml").write_text(json.dumps(SWING), encoding="utf-8")
            table = limber.sweep({"limber": 1, "study": "payload", "scenario": f"{folder}/swing.yaml",
                                  "parameters": [{"path": "load.mass", "values": [1, 2, 4]}],
                                  "results": [{"name": "drop", "of": "nodes/fore.tip/position", "component": "z", "reduce": "last"}]})
        self.assertEqual((table.status, table.complete), (["ok"] * 3, True))
        np.testing.assert_array_equal(table.parameters["load.mass"], [1, 2, 4])
        for mass, drop in zip((1, 2, 4), table.results["drop"]):
            rec = limber.run(SWING, overrides={"load.mass": mass})
            self.assertEqual(rec.nodes["fore.tip"].position[-1, 2], drop)

    def test_tune(self):
        import json
        # Of a mass on a spring, started at 1: the stiffness for which it is back at 1 after 1 s, (2 pi)^2 m.
        scenario = {"limber": 1, "scenario": "swing", "duration": 1, "initial": {"rail": {"q": 1}}, "solver": {"rtol": 1e-10, "atol": 1e-12},
                    "model": {"name": "mass", "bodies": [{"name": "m", "rigid": {"mass": 2}}],
                              "joints": [{"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "m", "stiffness": 60}]}}
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "swing.yaml").write_text(json.dumps(scenario), encoding="utf-8")
            study = {"limber": 1, "study": "period", "scenario": f"{folder}/swing.yaml",
                     "parameters": [{"path": "rail.stiffness", "range": [50, 110]}],
                     "results": [{"name": "end", "of": "q", "component": "rail", "reduce": "last"}],
                     "tune": {"maximise": "end", "method": "nelder-mead", "evaluations": 60, "tolerance": 1e-6}}
            found = limber.tune(study)
            self.assertAlmostEqual(found.values["rail.stiffness"], 2 * (2 * np.pi) ** 2, delta=0.05)
            self.assertAlmostEqual(found.goal, 1, delta=1e-6)
            self.assertEqual((len(found.table), found.failed), (found.evaluations, 0))
            self.assertEqual(found.table.results["end"][found.best], found.goal)
            del study["tune"]
            study["sampling"] = {"method": "random", "count": 3, "seed": 1}
            with self.assertRaisesRegex(limber.InputError, "tune"):
                limber.tune(study)


class Controllers(unittest.TestCase):
    SCENARIO = {**SWING, "initial": {}, "duration": 0.5,
                "control": {"rate": 500, "desired": {"waypoints": [{"q": [0.2, -0.1], "duration": 0.4}]},
                            "feedback": {"correction": {"frequency": 1}}}}

    def test_a_controller_does_what_it_does_in_a_run(self):
        controller = limber.Controller(self.SCENARIO)
        self.assertEqual(controller.joints, ["shoulder", "elbow"])
        self.assertEqual(controller.period, 1 / 500)
        controller.start()
        model = limber.parse_model(ARM)
        sim = limber.Simulation(limber.parse_scenario({**SWING, "initial": {}, "duration": 0.5}))
        driven = [model.coordinates.index(name) for name in controller.joints]

        def law(x, torques):
            torques[driven] = controller.update(x.t, x.q[driven], x.v[driven])

        sim.set_controller(500, law)
        sim.advance_to(0.5)
        own = limber.Simulation(self.SCENARIO)
        own.advance_to(0.5)
        np.testing.assert_allclose(sim.state.q, own.state.q, rtol=0, atol=1e-9)
        self.assertEqual((len(controller.errors), controller.estimate.q.shape), (2, (6,)))
        np.testing.assert_allclose(controller.reference.q[driven], [0.2, -0.1], atol=1e-9)
        self.assertEqual(controller.saturated, [False, False])

    def test_misuse(self):
        controller = limber.Controller(self.SCENARIO)
        with self.assertRaisesRegex(limber.InputError, "start"):
            controller.update(0, [0, 0], [0, 0])
        controller.start()
        with self.assertRaisesRegex(limber.InputError, "q has 3 numbers"):
            controller.update(0, [0, 0, 0], [0, 0])
        with self.assertRaisesRegex(limber.InputError, "finite"):
            controller.update(0, [0, float("nan")], [0, 0])
        with self.assertRaisesRegex(limber.InputError, "no control"):
            limber.Controller(SWING)


if __name__ == "__main__":
    unittest.main()
