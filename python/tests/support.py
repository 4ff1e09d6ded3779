# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths, random machines and small helpers of the tests."""
import json
import os
import subprocess
from pathlib import Path

import limber
import numpy as np

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests/data"
PROGRAM = os.environ.get("LIMBER_PROGRAM", "")

ARM = {
    "limber": 1, "name": "arm", "gravity": [0, 0, -9.81],
    "bodies": [
        {"name": "upper", "beam": {"length": 2, "mass": 6, "EIy": 4000, "EIz": 4000, "modes": {"bending_z": 2}, "damping": 0.01}},
        {"name": "fore", "beam": {"length": 1.5, "mass": 3, "EIy": 1500, "EIz": 1500, "modes": {"bending_z": 2}, "damping": 0.01}},
        {"name": "load", "rigid": {"mass": 2, "inertia": [0.02, 0.02, 0.02, 0, 0, 0]}}],
    "joints": [
        {"name": "shoulder", "type": "revolute", "axis": [0, -1, 0], "parent": "world", "child": "upper"},
        {"name": "elbow", "type": "revolute", "axis": [0, -1, 0], "parent": "upper.tip", "child": "fore"},
        {"name": "grip", "type": "fixed", "parent": "fore.tip", "child": "load"}]}

SWING = {
    "limber": 1, "scenario": "swing", "model": ARM, "duration": 0.3, "record": {"every": 0.01},
    "inputs": [{"joint": "elbow", "torque": {"pieces": [{"until": 0.1, "value": 20}, {"value": 0}]}}],
    "solver": {"method": "implicit", "step": 1e-3}}


def arm():
    """Two flexible links with a load."""
    return limber.parse_model(ARM)


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def program(*arguments, text=None):
    """Standard output of the program limber."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, check=True)
    return done.stdout


KINDS = ["revolute", "prismatic", "cylindrical", "universal", "spherical", "free", "fixed"]


def random_tree(seed, bodies=5):
    """A tree of beams and rigid bodies with all kinds of joints."""
    rng = np.random.default_rng(seed)
    builder = limber.ModelBuilder(f"tree{seed}").gravity(rng.normal(size=3) * 5)
    for i in range(bodies):
        if rng.random() < 0.6:
            body = limber.make_beam_body(limber.BeamSpec(
                length=rng.uniform(0.5, 2), mass_per_length=rng.uniform(1, 5), EIy=300, EIz=500, EA=1e5, GJ=100,
                rotary_inertia_y=0.02, rotary_inertia_z=0.02, modes=rng.integers(0, 3, 4), damping=[0.01]), name=f"b{i}")
        else:
            body = limber.make_rigid_body(limber.RigidSpec(
                mass=rng.uniform(1, 4), com=rng.normal(size=3) * 0.2, inertia=np.diag(rng.uniform(0.5, 0.8, 3)),
                nodes=[limber.Node(name="tip", position=rng.normal(size=3))]), name=f"b{i}")
        builder.add_body(body)
    for i in range(bodies):
        axis = rng.normal(size=3)
        kind = KINDS[(seed + i) % len(KINDS)] if i else "free"
        axis2 = np.cross(axis, rng.normal(size=3))
        joint = limber.Joint(name=f"j{i}", kind=kind, axis=axis / np.linalg.norm(axis), axis2=axis2 / np.linalg.norm(axis2))
        builder.add_joint(joint, "world" if i == 0 else f"b{rng.integers(0, i)}.tip", f"b{i}")
    return builder.build()


def random_state(model, seed):
    """q, v, tau of ordinary size; quaternions of length 1, modes that hold about as much energy each."""
    rng = np.random.default_rng(1000 + seed)
    size = np.full(model.nv, 0.3)
    for body in model.bodies[1:]:
        for name, hertz in zip(body.mode_names, body.frequencies):
            size[model.speed(f"{body.name}.{name}")] = 0.3 / (1 + hertz)
    q = limber.move(model, limber.make_zero_state(model).q, size * rng.normal(size=model.nv))
    return q, 0.5 * rng.normal(size=model.nv), rng.normal(size=model.nv)
