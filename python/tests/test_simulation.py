# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulations, runs and recordings."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import limber
import numpy as np
from support import ARM, PROGRAM, SOURCE, SWING, arm, program


class Simulations(unittest.TestCase):
    def test_moves_as_the_recording_says(self):
        sim, rec = limber.Simulation(SWING), limber.run(SWING)
        for k, t in enumerate(rec.time):
            sim.advance_to(t)
            np.testing.assert_array_equal(sim.state.q, rec.q[k])
            np.testing.assert_array_equal(sim["fore.tip"].position, rec.nodes["fore.tip"].position[k])
            np.testing.assert_array_equal(sim["elbow"].q, rec.q["elbow"][k : k + 1])
        self.assertEqual(sim.time, 0.3)
        self.assertEqual(sim["grip"].q.size, 0)
        self.assertAlmostEqual(sim.balance, 0, delta=1e-2)
        self.assertEqual(sim["fore.tip"].rotation.shape, (3, 3))
        np.testing.assert_allclose(sim["fore.tip"].velocity, limber.node_velocity(sim.model, sim.state.q, sim.state.v, "fore.tip"), atol=1e-12)

    def test_inputs_and_controllers(self):
        sim = limber.Simulation(arm(), {"method": "implicit", "step": 1e-3})
        hold = limber.rnea(sim.model, sim.state.q, None, None)
        seen = []

        def law(x, torques):
            seen.append(x.t)
            torques[:] = hold

        sim.set_controller(100, law)
        sim.advance_to(0.1)
        np.testing.assert_allclose(sim.state.q, 0, atol=1e-12)
        np.testing.assert_allclose(seen, np.arange(11) / 100, atol=1e-12)
        sim.set_torque("elbow", 1.0)
        sim.set_force("fore.tip", [0, 0, 5])
        saved = sim.save()
        sim.step(0.05)
        end = sim.state.q
        sim.restore(saved)
        sim.step(0.05)
        np.testing.assert_array_equal(sim.state.q, end)
        self.assertGreater(np.abs(end).max(), 1e-4)
        self.assertIn("elbow/position", sim.ports)

    def test_resets_with_the_controller_of_the_moment(self):
        sim, law = limber.Simulation(arm(), {"method": "rk4"}), lambda x, torques: None
        sim.set_controller(100, law)
        sim.advance_to(0.02)
        sim.reset()
        for rate in (50, 50, 25, 50):
            sim.set_controller(rate, law)
        sim.advance_to(0.01)
        sim.reset()
        self.assertEqual(sim.time, 0)

    def test_state_and_energy(self):
        sim = limber.Simulation(arm())
        q = np.array([0.3, 0, 0, -0.2, 0, 0])
        sim.set_state({"t": 1.0, "q": q, "v": np.zeros(6)})
        self.assertEqual((sim.time, sim.q("elbow")), (1.0, -0.2))
        before = sum(sim.energy)
        sim.advance_to(1.2)
        self.assertAlmostEqual(before, sum(sim.energy), delta=0.1)
        np.testing.assert_allclose(limber.aba(sim.model, sim.state.q, sim.state.v), sim.accelerations, rtol=1e-9)

    def test_equilibrium(self):
        model = arm()
        x, stable = limber.find_equilibrium(model, held=["shoulder", "elbow"])
        force = limber.rnea(model, x.q, None, None)
        modes = [k for k, name in enumerate(model.speeds) if "bending" in name]
        np.testing.assert_allclose(force[modes], 0, atol=1e-9)
        self.assertTrue(stable)


class Runs(unittest.TestCase):
    def test_recording(self):
        rec = limber.run(SWING)
        self.assertEqual(rec.time.shape, (31,))
        self.assertEqual(rec.q.shape, (31, 6))
        np.testing.assert_array_equal(rec.q["elbow"], np.asarray(rec.q)[:, 3])
        self.assertEqual(rec.nodes["fore.tip"].deflection.shape, (31, 3))
        self.assertEqual(rec.nodes["fore.tip"].rotation.shape, (31, 3, 3))
        self.assertEqual(rec.joints["elbow"].torque[5], 20)
        total = rec.energy.kinetic + rec.energy.gravity + rec.energy.elastic + rec.energy.springs
        ledger = total - total[0] - rec.energy.work + rec.energy.dissipated
        np.testing.assert_allclose(ledger, rec.energy.balance, atol=1e-9)
        self.assertEqual(rec.momentum.linear.shape, (31, 3))
        self.assertTrue(rec.complete and rec.report.complete)
        self.assertEqual(rec.model.speeds, limber.parse_model(ARM).speeds)
        self.assertIn("fore.tip", rec.nodes)
        with self.assertRaisesRegex(limber.InputError, "q has no 'knee'; there are shoulder"):
            rec.q["knee"]
        with self.assertRaises(AttributeError):
            rec.nothing

    @unittest.skipUnless(PROGRAM, "LIMBER_PROGRAM is not set")
    def test_is_what_the_program_writes(self):
        import json
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "swing.yaml")
            path.write_text(json.dumps(SWING), encoding="utf-8")
            program("run", path, "-o", f"{folder}/there.h5", "--csv", "--quiet")
            there, here = limber.Recording(f"{folder}/there.h5"), limber.run(path, f"{folder}/here.h5")
            self.assertEqual(there.paths, here.paths)
            for name in there.paths:
                np.testing.assert_array_equal(there.series(name), here.series(name))
            table = limber.Recording(f"{folder}/there.csv")
            np.testing.assert_array_equal(table.time, there.time)

    def test_plot_and_page(self):
        rec = limber.run(SWING)
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no Matplotlib")
        matplotlib.use("Agg")
        axes = rec.plot("elbow", "fore.tip")
        self.assertEqual(len(axes.lines), 4)
        with tempfile.TemporaryDirectory() as folder:
            limber.write_report(rec.path, f"{folder}/page.html")
            self.assertIn("<html", Path(folder, "page.html").read_text(encoding="utf-8")[:2000].lower())

    def test_failure_keeps_what_was_recorded(self):
        with self.assertRaises(limber.NumericalError) as raised:
            limber.run({**SWING, "solver": {"method": "rk4", "step": 0.05}, "duration": 5})
        self.assertGreater(len(raised.exception.recording.time), 0)
        self.assertIn("diverged", raised.exception.recording.ended)

    def test_names_that_are_not_there(self):
        rec = limber.run(SWING)
        for wrong, meant in ((lambda: rec["nodes/fore.tp"], "'nodes/fore.tip'"), (lambda: rec["energy/kinetik"], "'energy/kinetic'"),
                             (lambda: rec.plot("elbo"), "'elbow'"), (lambda: rec.q["elbo"], "'elbow'"), (lambda: rec["enrgy/kinetic"], "")):
            with self.assertRaisesRegex(limber.InputError, "did you mean " + meant if meant else "there are energy, .*nodes, q, v"):
                wrong()

    def test_scenarios_in_code(self):
        scenario = limber.Scenario(arm(), duration=0.05, record_every=0.01, solver={"method": "implicit"})
        rec = limber.run(scenario)
        self.assertEqual(len(rec.time), 6)
        self.assertIn("nodes/fore.tip/position", rec.paths)

    def test_ctrl_c_stops_a_run(self):
        code = ("import limber, sys, numpy as np; sys.path.insert(0, sys.argv[1]); from support import SWING\n"
                "long = {**SWING, 'duration': 1e5, 'record': {'every': 100}}\n"
                "print('go', flush=True)\n"
                "model, sim = limber.read_scenario(long).model, limber.Simulation(long)\n"
                "calls = {'run': lambda: limber.run(long), 'advance': lambda: sim.advance_to(1e5), 'step': lambda: sim.step(1e5),\n"
                "         'batch': lambda: [limber.aba(model, q, None)[0, 0] for q in [np.zeros((10**6, model.nq))] * 1000]}\n"
                "try: calls[sys.argv[2]]()\n"
                "except KeyboardInterrupt: print('stopped', flush=True)\n")
        for what in ("run", "advance", "step", "batch"):
            child = subprocess.Popen([sys.executable, "-c", code, str(Path(__file__).parent), what], stdout=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "go\n")
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.communicate(timeout=60)[0], "stopped\n")


class Threads(unittest.TestCase):
    def test_two_threads_with_a_workspace_each(self):
        model = arm()
        rng = np.random.default_rng(3)
        q, v, tau = (rng.normal(size=(500, 6)) * 0.3 for _ in range(3))
        expected = [limber.aba(model, *x) for x in zip(q, v, tau)]
        failures = []

        def work(own):
            workspace, out = model.workspace() if own else None, np.empty(6)
            for _ in range(4):
                for x, wanted in zip(zip(q, v, tau), expected):
                    if not np.array_equal(limber.aba(model, *x, workspace=workspace, out=out), wanted):
                        failures.append(x)
                M = limber.crba(model, q[:64])
                if not np.array_equal(M[5], limber.crba(model, q[5])):
                    failures.append("crba")

        threads = [threading.Thread(target=work, args=(k < 2,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_other_threads_run_meanwhile(self):
        done = threading.Event()

        def long_run():
            limber.Simulation({**SWING, "duration": 1e3}).advance_to(10)
            done.set()

        thread = threading.Thread(target=long_run)
        thread.start()
        ticks = 0
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(ticks, 3)

    def test_one_simulation_serves_one_thread(self):
        sim = limber.Simulation({**SWING, "duration": 1e3})
        thread = threading.Thread(target=lambda: sim.advance_to(5))
        thread.start()
        refused = 0
        while thread.is_alive():
            try:
                sim.time
            except limber.InputError:
                refused += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(refused, 0)
        self.assertEqual(sim.time, 5)


if __name__ == "__main__":
    unittest.main()
