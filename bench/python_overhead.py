# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Overhead of calls from Python: PYTHONPATH=build/python /usr/bin/python3 bench/python_overhead.py

Best of many rounds, C++ and Python in turn, so that both see the same machine.
"""
import time

import limber
import numpy as np
from limber import _limber


def arm(links, modes):
    builder = limber.ModelBuilder("arm").gravity([0, 0, -9.81])
    for i in range(links):
        spec = limber.BeamSpec(length=1, mass_per_length=2, EIy=200, EIz=200, rotary_inertia_y=0.01, rotary_inertia_z=0.01, modes=(0, modes, 0, 0))
        builder.add_body(limber.make_beam_body(spec, name=f"link{i}"))
        joint = limber.Joint(name=f"joint{i}", kind="revolute", axis=[0, -1, 0])
        builder.add_joint(joint, "world" if i == 0 else f"link{i - 1}.tip", f"link{i}")
    return builder.build()


def best(call, calls, rounds=1):
    found = np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        found = min(found, (time.perf_counter() - begin) / calls)
    return found


def single(modes, calls=200, rounds=400):
    model, rng = arm(10, modes), np.random.default_rng(1)
    q, v, tau = 0.01 * rng.normal(size=model.nq), 0.1 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    workspace, out, aba = model.workspace(), np.empty(model.nv), limber.aba
    times = {"C++": np.inf, "Python": np.inf, "Python, new array": np.inf, "loop": np.inf}
    for _ in range(rounds):
        times["C++"] = min(times["C++"], _limber._time_aba(model, q, v, tau, calls, 1))
        times["Python"] = min(times["Python"], best(lambda: aba(model, q, v, tau, workspace=workspace, out=out), calls))
        times["Python, new array"] = min(times["Python, new array"], best(lambda: aba(model, q, v, tau), calls))
        times["loop"] = min(times["loop"], best(lambda: None, calls))
    loop = times.pop("loop")
    cpp = times.pop("C++")
    print(f"aba, 10 links, {modes} modes each: C++ {1e6 * cpp:.2f} us", end="")
    for name, seconds in times.items():
        print(f"; {name} {1e6 * (seconds - loop):.2f} us, {1e6 * (seconds - loop - cpp):.2f} us more", end="")
    print()


def batch(modes, items=100_000, rounds=15):
    """CPU time of all threads, which is less affected by other programs than wall-clock time."""
    model, rng = arm(10, modes), np.random.default_rng(1)
    q, v, tau = (0.01 * rng.normal(size=(items, model.nv)) for _ in range(3))
    engine, out = limber.BatchAba(model, items), np.empty((items, model.nv))
    cpp, python = [], []
    for _ in range(rounds):
        marks = [time.process_time()]
        for calls in (1, 3):  # the difference is two calls, without the preceding transposition of the arrays
            _limber._time_batch(engine, q, v, tau, calls)
            marks.append(time.process_time())
        cpp.append((marks[2] - 2 * marks[1] + marks[0]) / 2)
        limber.aba(model, q, v, tau, out=out)
        python.append(time.process_time() - marks[2])
    cpp, python = np.median(cpp), np.median(python)
    print(f"batch of {items} states, 10 links, {modes} modes each: C++ {1e3 * cpp:.1f} ms of processor time, Python {1e3 * python:.1f} ms, {100 * (python / cpp - 1):+.1f} %")


def memory(calls=1_000_000):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    model = arm(3, 1)
    q, v, tau = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    best(lambda: limber.aba(model, q, v, tau), 10000)
    before = resident()
    best(lambda: limber.aba(model, q, v, tau), calls)
    print(f"memory after {calls} calls: {(resident() - before) / 1e3:+.0f} kB")


if __name__ == "__main__":
    for count in (0, 2):
        single(count)
    for count in (0, 2):
        batch(count)
    memory()
