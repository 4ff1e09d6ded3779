# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever is given, there is one clear line and no crash."""
import copy
import gc
import pickle
import unittest

import limber
import numpy as np
from support import SWING, arm


class Refused(unittest.TestCase):
    def refused(self, error, pattern, function, *arguments, **named):
        with self.assertRaisesRegex(error, pattern) as raised:
            function(*arguments, **named)
        self.assertNotIn("\n", str(raised.exception))

    def test_shapes_and_types(self):
        model = arm()
        q, v, bad = np.zeros(6), np.zeros(6), self.refused
        bad(limber.InputError, r"q has shape \(3,\); it must be \(6,\), nq = 6", limber.aba, model, q[:3], v)
        bad(limber.InputError, r"v has shape \(6, 1\)", limber.aba, model, q, v[:, None])
        bad(limber.InputError, r"q has shape \(2, 2, 6\)", limber.aba, model, np.zeros((2, 2, 6)), v)
        bad(limber.InputError, r"q has shape \(\)", limber.aba, model, 1.0, v)
        bad(limber.InputError, "tau has 3 items, q has 2", limber.aba, model, np.zeros((2, 6)), v, np.zeros((3, 6)))
        bad(limber.InputError, "v is a batch, q is one state", limber.aba, model, q, np.zeros((3, 6)))
        bad(limber.InputError, "q is None; give it 6 numbers", limber.aba, model, None, v)
        bad(limber.InputError, "dtype complex128", limber.aba, model, q * 1j, v)
        bad(limber.InputError, "dtype <U3", limber.aba, model, "abc", v)
        bad(limber.InputError, "dtype object", limber.rnea, model, [object()] * 6, v)
        bad(limber.InputError, r"q\[2\] \('upper.bending_z2'\) is not finite", limber.aba, model, [0, 0, np.nan, 0, 0, 0], v)
        bad(limber.InputError, r"tau\[0\] \('shoulder'\) is not finite", limber.aba, model, q, v, np.full(6, np.inf))
        bad(limber.InputError, "out has shape", limber.aba, model, q, v, out=np.zeros(5))
        bad(limber.InputError, "out must be an array of float64", limber.aba, model, q, v, out=np.zeros(6, np.float32))
        bad(limber.InputError, "out must be", limber.aba, model, q, v, out=[0] * 6)
        bad(limber.InputError, "contiguous", limber.aba, model, q, v, out=np.zeros(12)[::2])
        frozen = np.zeros(6)
        frozen.flags.writeable = False
        bad(limber.InputError, "cannot be written", limber.aba, model, q, v, out=frozen)
        bad(limber.InputError, "status must be", limber.aba, model, np.zeros((2, 6)), np.zeros((2, 6)), status=np.zeros(2))
        bad(limber.InputError, "three arrays", limber.forward_derivatives, model, q, v, out=np.zeros((6, 6)))
        bad(TypeError, r"^aba\(model: Model.* was called with \(NoneType, ", limber.aba, None, q, v)
        bad(TypeError, r"was called with \(.*nonsense=int\)", limber.aba, model, q, v, nonsense=1)
        bad(TypeError, "was called with", limber.aba, model)

    def test_names(self):
        model, q = arm(), np.zeros(6)
        bad = self.refused
        bad(limber.InputError, "'hand' is not a body", limber.jacobian, model, q, "hand.tip")
        bad(limber.InputError, "a node is a name", limber.jacobian, model, q, 7)
        bad(limber.InputError, "another model", limber.jacobian, model, q, limber.NodeRef(body=9, node=0))
        bad(limber.InputError, "knee", limber.hybrid, model, q, q, None, {"knee": 1.0})
        bad(limber.InputError, "no algorithm|algorithm", limber.forward_dynamics, model, q, q, None, "magic")
        bad(limber.InputError, "joints must be a list of names", limber.linearize, model, q, held="elbow")
        bad(limber.InputError, "'knee' is not a coordinate", limber.linearize, model, q, inputs=["knee"])
        bad(limber.InputError, "wrenches", limber.aba, model, q, q, wrenches=[1])
        bad(limber.InputError, "a wrench has shape", limber.aba, model, q, q, wrenches=[("fore.tip", [1, 2, 3])])
        bad(limber.InputError, "'knee'", limber.Simulation(model).set_torque, "knee", 1.0)
        bad(limber.InputError, "no joint and no node 'knee'", limber.Simulation(model).__getitem__, "knee")
        bad(TypeError, "BeamSpec has no 'lenght'; there are length", limber.BeamSpec, lenght=1)
        bad(TypeError, "Joint.kind: 'elastic' is not a JointKind; choose one of .*revolute", limber.Joint, kind="elastic")
        bad(limber.InputError, "'elastic' is not a JointKind", limber.JointKind, "elastic")
        bad(TypeError, "make_rigid_body: spec: RigidSpec has no 'mas'; there are mass", limber.make_rigid_body, {"mas": 1})
        bad(TypeError, r"RigidSpec.inertia takes 3 x 3 numbers \(.*centre of mass.*\), not \[1, 1, 1\]", limber.make_rigid_body, {"inertia": [1, 1, 1]})
        bad(TypeError, r"BeamSpec.modes takes 4 values \(.*bending_y.*\), not \[0, 1, 0\]", limber.BeamSpec, modes=[0, 1, 0])
        bad(TypeError, r"Joint.axis takes 3 numbers \(.*\), not \[0, 1\]", limber.Joint, axis=[0, 1])
        bad(TypeError, "BeamSpec.length takes float, not 'long'", limber.BeamSpec, length="long")
        bad(TypeError, "Simulation.__init__: solver: SolverOptions has no 'metod'", limber.Simulation, model, {"metod": "rk4"})
        bad(TypeError, "frame: 'wrold' is not a Frame; choose one of world", limber.Simulation(model).set_force, "fore.tip", [0, 0, 1], "wrold")
        bad(TypeError, r"with_gravity.* was called with \(list \[0, 0\]\)", model.with_gravity, [0, 0])
        batch = limber.BatchAba(model, 2)
        bad(TypeError, "BatchAba.set_rigid: specs: RigidSpec has no 'mas'", batch.set_rigid, "load", [{"mas": 1}] * 2)
        bad(limber.InputError, r"tau has shape \(3, 2, 6\); it must be .* 4 steps", batch.rollout, np.zeros((2, 6)), None, np.zeros((3, 2, 6)), {"steps": 4})
        bad(limber.InputError, "takes a number or a vector of numbers, not 'much'", limber.Simulation(model).write, "elbow/effort", "much")
        bad(TypeError, "Simulation.step.*was called with", limber.Simulation(model).step, "soon")

    def test_numbers(self):
        model, bad, nan = arm(), self.refused, np.nan
        bad(limber.InputError, "JointKind: 99 is none of its members; choose one of .*revolute", limber.JointKind, 99)
        for kind in (limber.Profile, limber.BeamBasis, limber.Frame, limber.Shaper, limber.Status, limber.Fidelity):
            for number in (-1, 50):
                bad(limber.InputError, f"{kind.__name__}: {number} is none", kind, number)
        self.assertEqual(limber.JointKind(int(limber.JointKind.prismatic)), limber.JointKind("prismatic"))
        bad(limber.InputError, "frequency is -1 rad/s", limber.make_shaper, "zv", -1, 0)
        bad(limber.InputError, "damping ratio is 1", limber.make_shaper, "zv", 1, 1)
        bad(limber.InputError, "no impulses", limber.residual_vibration, [], 1, 0)
        for limit in (-1, 0, nan):
            bad(limber.InputError, "must be above 0", limber.shortest_duration, "trapezoid", 1, limit, 1)
            bad(limber.InputError, "must be above 0", limber.shortest_duration, "quintic", 1, 1, limit)
            bad(limber.InputError, "must be above 0", limber.shortest_path_duration, "trapezoid", 1, limit, 1)
        bad(limber.InputError, "finite", limber.make_move, "cycloid", 0, nan, 0, 1)
        bad(limber.InputError, "slew 1: the angle must be finite", limber.AttitudePath, [{"axis": [0, 0, 1], "angle": nan, "duration": 1}], [1, 0, 0, 0])
        for samples in (-4, 10**9):
            bad(limber.InputError, f"has {samples} samples", limber.follow_tip_path, model, "fore.tip", [limber.Signal(3.0), None, None], 1.0, samples=samples)
        for sensors, word in (({"delay": -3}, "delay is -3"), ({"delay": 10**9}, "delay is 1000000000"), ({"every": -2}, "every is -2"), ({"every": 0}, "every is 0")):
            bad(limber.InputError, word, limber.compute_kalman_gain, model, ["elbow"], sensors, None, {}, 1e-3)
        bad(limber.InputError, "torque_steps has 3", limber.compute_kalman_gain, model, ["elbow"], {}, None, {"torque_steps": [1, 1, 1]}, 1e-3)
        for period in (-1e-3, 0, nan):
            bad(limber.InputError, "period", limber.compute_lqr_gain, model, ["elbow"], None, {}, period)
            bad(limber.InputError, "period", limber.compute_kalman_gain, model, ["elbow"], {}, None, {}, period)

    def test_files(self):
        bad = self.refused
        bad(limber.FileError, "nowhere.yaml", limber.read_model, "nowhere.yaml")
        bad(OSError, "nowhere.h5", limber.Recording, "nowhere.h5")
        bad(limber.InputError, "limber", limber.parse_model, "{}")
        bad(limber.InputError, "scenario:", limber.run, {"limber": 1, "scenario": "x", "model": {"limber": 1}})
        bad(TypeError, "a scenario is a path, a dict or a Scenario", limber.run, 5)
        bad(TypeError, "not set", limber.parse_model, {"limber": {1, 2}})
        bad(limber.FileError, "does not exist", limber.run, SWING, "/no/such/folder/run.h5")

    def test_numerical_failure(self):
        builder = limber.ModelBuilder("massless")
        builder.add_body(limber.make_rigid_body({"mass": 1, "inertia": np.eye(3)}, name="a"))
        builder.add_body(limber.make_rigid_body({"mass": 0}, name="b"))
        builder.add_joint({"name": "ja", "kind": "revolute"}, "world", "a")
        builder.add_joint({"name": "jb", "kind": "revolute"}, "a", "b")
        model = builder.build()
        self.refused(limber.NumericalError, "aba: singular mass matrix: 'jb' has no inertia", limber.aba, model, [0, 0], [0, 0])
        q = np.zeros((3, 2))
        self.refused(limber.NumericalError, "3 of 3 items failed, the first is 0", limber.aba, model, q, q)
        status = np.zeros(3, np.uint8)
        self.assertTrue(np.isnan(limber.aba(model, q, q, status=status)).all())
        self.assertEqual(limber.Status(int(status[0])), limber.Status.singular_mass)
        q = np.zeros((3, 6))
        q[1, 2] = np.nan
        self.assertTrue(np.isnan(limber.aba(arm(), q, q, status=status)[1]).all())
        self.assertEqual(status.tolist(), [0, int(limber.Status.not_finite), 0])
        limber.crba(arm(), q, status=status)
        self.assertEqual(status.tolist(), [0, int(limber.Status.not_finite), 0])

    def test_workspaces(self):
        model, other, q = arm(), arm(), np.zeros(6)
        self.refused(limber.InputError, "of another model", limber.aba, model, q, q, workspace=other.workspace())
        self.refused(TypeError, "was called with", limber.aba, model, q, q, workspace=model)
        self.refused(TypeError, "cannot be copied", copy.copy, model.workspace())
        self.refused(TypeError, "cannot be copied or pickled", pickle.dumps, model.workspace())


class Lives(unittest.TestCase):
    def test_models_live_as_long_as_they_are_needed(self):
        model = arm()
        workspace, sim, joint = model.workspace(), limber.Simulation(model), model.joint("elbow")
        q = np.zeros(6)
        expected = limber.aba(model, q, q)
        again, shared = sim.model, copy.deepcopy(model)
        del model
        gc.collect()
        sim.advance_to(0.05)
        self.assertEqual(joint.name, "elbow")
        np.testing.assert_array_equal(limber.aba(again, q, q, workspace=workspace), expected)
        del sim
        gc.collect()
        np.testing.assert_array_equal(limber.aba(shared, q, q), expected)
        rec = limber.run(SWING)
        series, nodes = rec.q, rec.nodes
        del rec
        gc.collect()
        self.assertEqual(len(np.asarray(series)), len(nodes["fore.tip"].position))

    def test_results_are_the_callers_own(self):
        model, q = arm(), np.zeros(6)
        first = limber.aba(model, q, q)
        kept = first.copy()
        limber.aba(model, q + 0.1, q)
        np.testing.assert_array_equal(first, kept)
        spec = limber.BeamSpec(damping=[0.1])
        axis = limber.Joint(axis=[0, 1, 0]).axis
        gc.collect()
        np.testing.assert_array_equal(axis, [0, 1, 0])
        with self.assertRaises(ValueError):
            axis[0] = 1
        self.assertEqual(spec.damping, [0.1])

    def test_out_may_be_an_input(self):
        model = arm()
        rng = np.random.default_rng(5)
        q, v, tau = (rng.normal(size=6) * 0.2 for _ in range(3))
        expected = limber.aba(model, q, v, tau)
        for k in range(3):
            arguments = [q.copy(), v.copy(), tau.copy()]
            np.testing.assert_array_equal(limber.aba(model, *arguments, out=arguments[k]), expected)
        wide = np.zeros((6, 2))
        wide[:, 0] = q
        np.testing.assert_array_equal(limber.aba(model, wide[:, 0], v, tau), expected)
        np.testing.assert_array_equal(limber.aba(model, q.tolist(), v.astype(">f8"), tuple(tau)), expected)

    def test_exceptions_in_controllers(self):
        sim = limber.Simulation(arm(), {"method": "implicit"})

        def law(x, torques):
            if x.t > 0.02:
                raise KeyError("mine")

        sim.set_controller(100, law)
        with self.assertRaisesRegex(KeyError, "mine"):
            sim.advance_to(1)
        sim.reset()
        sim.set_controller(100, lambda x, torques: None)
        sim.advance_to(0.05)
        with self.assertRaisesRegex(limber.InputError, "writes into torques"):
            sim.set_controller(100, lambda x, torques: torques)
        with self.assertRaisesRegex(limber.InputError, "writes into torques"):
            sim.advance_to(0.1)
        sim.set_controller(100, lambda x, torques: None)
        sim.advance_to(0.1)
        sim = limber.Simulation(arm(), {"method": "implicit"})
        with self.assertRaisesRegex(limber.NumericalError, "not finite"):
            sim.set_controller(100, lambda x, torques: torques.fill(np.nan))
        sim = limber.Simulation(arm(), {"method": "implicit"})
        with self.assertRaisesRegex(limber.InputError, "simulation is moving"):
            sim.set_controller(100, lambda x, torques: sim.step(0.01))
        kept = []
        sim = limber.Simulation(arm(), {"method": "implicit"})
        sim.set_controller(100, lambda x, torques: kept.append((x, torques)))
        sim.advance_to(0.1)
        del sim
        gc.collect()
        self.assertTrue(all(np.isfinite(x.q).all() and not torques.any() for x, torques in kept))

    def test_pickles_and_copies(self):
        model, rng = arm(), np.random.default_rng(1)
        again = pickle.loads(pickle.dumps(model))
        q, v = rng.normal(size=6), rng.normal(size=6)
        np.testing.assert_array_equal(limber.aba(again, q, v), limber.aba(model, q, v))
        spec = limber.BeamSpec(length=2, modes=(1, 2, 0, 0), damping=[0.1])
        self.assertEqual(repr(pickle.loads(pickle.dumps(spec))), repr(spec))
        self.assertEqual(repr(copy.deepcopy(spec)), repr(spec))
        state = limber.State(t=1, q=q, v=v)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(state)).q, q)
        for function in (copy.copy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, r"save\(\) and restore\(\)"):
                function(limber.Simulation(model))
        sim, other = limber.Simulation(model), limber.Simulation(again)
        sim.advance_to(0.1)
        saved = pickle.loads(pickle.dumps(sim.save()))
        other.restore(saved)
        np.testing.assert_array_equal(other.state.q, sim.state.q)
        for broken in (b"", saved[:50], saved + b"x"):
            with self.assertRaises(limber.InputError):
                other.restore(broken)


class Memory(unittest.TestCase):
    def test_stays_the_same(self):
        import sys
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        model = arm()
        q, v, tau, out, workspace = np.zeros(6), np.zeros(6), np.zeros(6), np.empty(6), model.workspace()
        calls = [lambda: limber.aba(model, q, v, tau, workspace=workspace, out=out), lambda: limber.aba(model, q, v),
                 lambda: limber.forward_derivatives(model, q, v), lambda: limber.energy(model, q, v), lambda: limber.node_pose(model, q, "fore.tip")]

        def many(count):
            for call in calls:
                for _ in range(count):
                    call()
            for _ in range(count // 10):
                try:
                    limber.aba(model, q[:3], v)
                except limber.InputError:
                    pass

        many(2000)
        objects = [model, q, v, tau, out, workspace, None]
        references, before = [sys.getrefcount(x) for x in objects], resident()
        many(20000)
        grown = [sys.getrefcount(x) - count for x, count in zip(objects, references)]
        self.assertLess(max(grown), 100, grown)  # of 20000 calls each
        self.assertLess(resident() - before, 2_000_000)


if __name__ == "__main__":
    unittest.main()
