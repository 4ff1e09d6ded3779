#!/usr/bin/env python3
# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Fills the template from a recording, for work on the viewer: from_h5.py RECORDING OUT.html [--info INFO.json]

Poses and shapes come from the model inside the recording; the places of the nodes in the recording tell how well.
INFO.json is what `limber info --json` prints for the model; its natural frequencies are marked in spectra.
"""
import argparse
import base64
import gzip
import json
import re
from functools import lru_cache
from pathlib import Path

import h5py
import numpy as np
import yaml

from beams import columns

TEMPLATE = Path(__file__).resolve().parent.parent / "dist" / "viewer.html"
MOST_POSES = 600_000  # bodies times frames
AXES = "xyz"


def rotation(axis, angle):
    """Rotation matrices about a fixed axis."""
    x, y, z = np.array(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def rotation_by_vector(vector):
    """Rotation matrices of rotation vectors."""
    angle = np.linalg.norm(vector, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vector, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([np.stack(row, -1) for row in ([zero, -z, y], [z, zero, -x], [-y, x, zero])], -2)
    safe = np.where(angle > 1e-9, angle, 1)
    first = np.where(angle > 1e-9, np.sin(angle) / safe, 1)
    second = np.where(angle > 1e-9, (1 - np.cos(angle)) / safe**2, 0.5)
    return np.eye(3) + first * cross + second * (cross @ cross)


def from_rpy(rpy):
    return rotation([0, 0, 1], rpy[2]) @ rotation([0, 1, 0], rpy[1]) @ rotation([1, 0, 0], rpy[0])


def from_quaternion(q):
    w, v = q[..., :1], q[..., 1:]
    angle = 2 * np.arctan2(np.linalg.norm(v, axis=-1, keepdims=True), w)
    return rotation_by_vector(angle * v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-30))


def to_quaternion(R):
    """w, x, y, z; the largest of the four is made positive and divides."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    square = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], -1)
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    d, e, f = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    rows = [[square[..., 0], a, b, c], [a, square[..., 1], d, e], [b, d, square[..., 2], f], [c, e, f, square[..., 3]]]
    rows = np.stack([np.stack(row, -1) for row in rows], -2)
    chosen = np.take_along_axis(rows, square.argmax(-1)[..., None, None], -2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)


@lru_cache(maxsize=None)
def beam_columns(text, s):
    return columns(json.loads(text), s)


def read_model(text):
    """YAML 1.2 knows 1e5 as a number; this reader takes it for a text."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789"))
    return yaml.load(text, loader)


class Machine:
    """The bodies of a model and where they are in a recording."""

    def __init__(self, model, names, q):
        self.model, self.names, self.q = model, names, q
        self.bodies = {body["name"]: body for body in model["bodies"]}
        self.order = [joint["child"].split(".")[0] for joint in model["joints"]]
        self.carried = model.get("fidelity", "full") != "ruthless"
        self.eta = {name: self.of(name) for name in self.order}
        self.poses = {"world": (np.eye(3), np.zeros(3))}
        for joint in model["joints"]:
            self.place(joint)

    def of(self, owner):
        """Coordinates of a joint or a body."""
        return self.q[:, [i for i, name in enumerate(self.names) if name == owner or name.startswith(owner + ".")]]

    def nodes_of(self, name):
        """name: (undeformed place, undeformed turn, 6 x n shapes)"""
        body = self.bodies[name]
        listed = {node["name"]: node for node in body.get("nodes", [])}
        if "beam" in body:
            beam = body["beam"]
            listed = {"root": {"at": 0}, "tip": {"at": 1}} | {k: {"at": {"root": 0, "tip": 1}.get(k)} | v for k, v in listed.items()}
            text = json.dumps(beam)
            return {key: (np.array([node["at"] * beam["length"], 0, 0]), from_rpy(node.get("rpy", [0, 0, 0])), beam_columns(text, node["at"]))
                    for key, node in listed.items()}
        n = self.eta[name].shape[1]
        zero = np.zeros((3, n)).tolist()
        return {key: (np.array(node["position"], float), from_rpy(node.get("rpy", [0, 0, 0])),
                      np.vstack([node.get("translation", zero), node.get("rotation", zero)]).reshape(6, n)) for key, node in listed.items()}

    def in_body(self, place):
        """Rotation and place of a node in its body; of the body frame without a node."""
        name, _, node = place.partition(".")
        if not node:
            return np.eye(3), np.zeros(3)
        position, turn, shapes = self.nodes_of(name)[node]
        if not self.carried:
            return turn, position
        moved = self.eta[name] @ shapes.T
        return rotation_by_vector(moved[:, 3:]) @ turn, position + moved[:, :3]

    def of_node(self, place):
        R, p = self.poses[place.split(".")[0]]
        Rn, pn = self.in_body(place)
        return R @ Rn, p + (R @ pn[..., None])[..., 0]

    def place(self, joint):
        R, p = self.of_node(joint["parent"])
        origin = joint.get("origin", {})
        p = p + R @ np.array(origin.get("xyz", [0, 0, 0]), float)
        R = R @ from_rpy(origin.get("rpy", [0, 0, 0]))
        turn, move = motion_of(joint, self.of(joint["name"]))
        p, R = p + (R @ move[..., None])[..., 0], R @ turn
        Rn, pn = self.in_body(joint["child"])
        back = np.swapaxes(Rn, -1, -2)
        R = R @ back
        self.poses[joint["child"].split(".")[0]] = (R, p - (R @ pn[..., None])[..., 0])


def motion_of(joint, q):
    """Rotation matrices and moves of a joint for its coordinates."""
    kind, axis = joint["type"], np.array(joint.get("axis", [0, 0, 1]), float)
    axis = axis / np.linalg.norm(axis)
    still, stay = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    if kind == "revolute":
        return rotation(axis, q[:, 0]), stay
    if kind == "prismatic":
        return still, q[:, :1] * axis
    if kind == "cylindrical":
        return rotation(axis, q[:, 0]), q[:, 1:2] * axis
    if kind == "universal":
        return rotation(axis, q[:, 0]) @ rotation(joint["axis2"], q[:, 1]), stay
    if kind in ("spherical", "free"):
        return from_quaternion(q[:, :4]), q[:, 4:7] if kind == "free" else stay
    return still, stay


class Container:
    """Header and arrays of README.md, "The data"."""

    def __init__(self):
        self.header, self.entries, self.parts, self.offset = {"limber_view": 1}, {}, [], 0

    def add(self, name, kind, values):
        if name in self.entries:
            return name
        values = np.ascontiguousarray(values, "<f4" if kind == "f32" else "<f8")
        data = values.tobytes()
        data += bytes(-len(data) % 8)
        self.entries[name] = {"type": kind, "shape": list(values.shape), "offset": self.offset}
        self.parts.append(data)
        self.offset += len(data)
        return name

    def bytes(self):
        text = json.dumps(self.header | {"arrays": self.entries}).encode()
        head = b"LIMBERV1" + len(text).to_bytes(4, "little") + text
        return head + bytes(-len(head) % 8) + b"".join(self.parts)


def geometry_of(machine, name, box, stations=17):
    """What a body is drawn as; the same for bodies alike."""
    body, nodes = machine.bodies[name], machine.nodes_of(name)
    if "beam" in body:
        text = json.dumps(body["beam"])
        s = np.linspace(0, 1, stations)
        key = f"beam {text}"
        places = np.outer(s, [body["beam"]["length"], 0, 0])
        shapes = np.vstack([beam_columns(text, x)[:3] for x in s])
        return key, {"stations": box.add(f"p {key}", "f32", places), "shapes": box.add(f"s {key}", "f32", shapes)}
    if "modal" in body:
        points = body["modal"]["points"]
        n = machine.eta[name].shape[1]
        shapes = np.vstack([np.reshape(p.get("shape", np.zeros((3, n))), (3, n)) for p in points])
        return f"modal {name}", {"stations": box.add(f"p {name}", "f32", [p["position"] for p in points]),
                                 "shapes": box.add(f"s {name}", "f32", shapes), "lines": []}
    return rigid_geometry(body, nodes, name, box)


def rigid_geometry(body, nodes, name, box):
    """Tubes from the body frame to the nodes, and a box with the body's inertia."""
    rigid = body["rigid"]
    com = np.array(rigid.get("com", [0, 0, 0]), float)
    places = [np.zeros(3), com] + [node[0] for node in nodes.values()]
    lines = [[0, i] for i in range(1, len(places)) if np.linalg.norm(places[i]) > 0]
    entry = {"stations": box.add(f"p {name}", "f32", places), "lines": lines} if lines else {}
    inertia, mass = np.array(rigid.get("inertia", [0] * 6), float)[:3], rigid["mass"]
    edges = np.sqrt(np.maximum(6 * (inertia.sum() - 2 * inertia), 0) / mass) if mass > 0 else np.zeros(3)
    slender = lines and edges.max() > 0 and np.sort(edges)[1] < 0.05 * edges.max()
    if edges.max() > 0 and not slender:
        entry["boxes"] = [[*com.tolist(), *np.maximum(edges, 0.05 * edges.max()).tolist()]]
    return f"rigid {name}", entry


def channels_of(f, count):
    """(name, group, unit, values) of everything in the recording but rotations."""
    found = []

    def visit(path, item):
        if not isinstance(item, h5py.Dataset) or path == "time" or path.endswith("/rotation"):
            return
        values = item[:count].reshape(count, -1)
        width, units = values.shape[1], item.attrs.get("units", "")
        units = [units] * width if isinstance(units, str) else list(units)
        names = list(item.attrs.get("names", AXES[:width] if width == 3 else [str(i + 1) for i in range(width)]))
        parts = path.split("/")
        group = {"q": "coordinates", "v": "speeds"}.get(path, " ".join([parts[0], *parts[2:]]) if len(parts) > 2 else " ".join(parts))
        owner = parts[1] if len(parts) > 2 else ""
        for k in range(width):
            name = names[k] if width > 1 or path in "qv" else ""
            found.append((" ".join(filter(None, [owner, name])) or parts[-1], group, units[k], values[:, k]))

    f.visititems(visit)
    return found


def fill_machine(machine, frames, time, box):
    order, header = machine.order, box.header
    kinds, geometries, bodies, nodes, index = {}, [], [], [], {}
    for i, name in enumerate(order):
        key, entry = geometry_of(machine, name, box, 17 if len(order) < 100 else 5)
        if key not in kinds:
            kinds[key] = len(geometries)
            geometries.append(entry)
        bodies.append({"name": name, "geometry": kinds[key]})
        for node, (position, turn, shapes) in machine.nodes_of(name).items():
            index[f"{name}.{node}"] = len(nodes)
            entry = {"name": f"{name}.{node}", "body": i, "position": position.tolist(), "rotation": to_quaternion(turn).tolist()}
            if shapes.shape[1] and machine.carried:
                entry["shapes"] = box.add(f"n {key} {node}", "f32", shapes)
            nodes.append(entry)
    parents = {joint["parent"].split(".")[0] for joint in machine.model["joints"]}
    for entry in nodes:
        entry["trace"] = entry["name"].endswith(".tip") and order[entry["body"]] not in parents
    joints = [{"name": j["name"], "type": j["type"], "parent": -1 if j["parent"] == "world" else order.index(j["parent"].split(".")[0]),
               "parent_node": index.get(j["parent"], -1), "child": order.index(j["child"].split(".")[0]), "child_node": index.get(j["child"], -1),
               "axes": [j[key] for key in ("axis", "axis2") if key in j]} for j in machine.model["joints"]]
    header.update(geometries=geometries, bodies=bodies, nodes=nodes, joints=joints, gravity=machine.model.get("gravity", [0, 0, 0]))
    poses = np.zeros((len(time), len(order), 7))
    for i, name in enumerate(order):
        R, p = machine.poses[name]
        poses[:, i, :3], poses[:, i, 3:] = p, to_quaternion(R)
    box.add("frame_time", "f64", time)
    box.add("poses", "f32", poses)
    eta = np.hstack([machine.eta[name] for name in order])
    if eta.shape[1]:
        box.add("eta", "f32", eta)
    return poses


def mismatch(machine, f, frames):
    """Largest distance between recorded and computed places of nodes."""
    worst = 0.0
    for name in f.get("nodes", {}):
        recorded = f[f"nodes/{name}/position"][:][frames]
        worst = max(worst, np.abs(machine.of_node(name)[1] - recorded).max())
    return worst


def summary_of(f, count, channels):
    facts = [("simulated", f"{f['time'][count - 1]:g} s, {count} records")]
    bends = {name: np.linalg.norm(f[f"nodes/{name}/deflection"][:count], axis=1) for name in f.get("nodes", {})}
    if bends:
        name = max(bends, key=lambda key: bends[key].max())
        facts.append(("largest deflection", f"{bends[name].max():.4g} m, {name} at t = {f['time'][bends[name].argmax()]:g} s"))
    errors = [values for _, group, _, values in channels if group == "control error"]
    if errors:
        facts.append(("tracking error", f"{np.sqrt(np.mean(np.square(errors))):.3g} rms, {np.abs(errors).max():.3g} at most"))
    if "energy/balance" in f:
        facts.append(("energy balance", f"off by {np.abs(f['energy/balance'][:count]).max():.3g} J at most"))
    return [{"label": label, "value": value} for label, value in facts]


def shown(channel):
    name, group, _, values = channel
    return (group == "nodes deflection" and ".tip " in name or group == "control error") and np.abs(values).max() > 1e-12


def fill(recording, info):
    box = Container()
    with h5py.File(recording) as f:
        text = lambda value: value.decode() if isinstance(value, bytes) else str(value)
        count = len(f["time"])
        model = read_model(f.attrs["model"])
        channels = channels_of(f, count)
        box.header |= {"kind": "recording", "name": text(f.attrs["name"]), "model": model.get("name", ""), "version": text(f.attrs["version"]),
                       "solver": text(f.attrs["solver"]), "complete": bool(f.attrs["complete"]), "ended": text(f.attrs["ended"]), "summary": summary_of(f, count, channels)}
        box.header["channels"] = [{"name": c[0], "group": c[1], "unit": c[2], "shown": bool(shown(c))} for c in channels]
        box.add("time", "f64", f["time"][:])
        box.add("channels", "f32", np.array([c[3] for c in channels]))
        step = max(1, -(-count * len(model["joints"]) // MOST_POSES))
        frames = np.arange(0, count, step)
        machine = Machine(model, list(f["q"].attrs["names"]), f["q"][:count][frames])
        fill_machine(machine, frames, f["time"][:][frames], box)
        print(f"nodes are off by {mismatch(machine, f, frames):.2g} m at most")
    if info:
        found = json.loads(Path(info).read_text()).get("natural_frequencies", {})
        groups = found.items() if isinstance(found, dict) else [("", found)]
        box.header["frequencies"] = [{"hz": hz, "label": label} for label, values in groups if isinstance(values, list) for hz in values if hz > 1e-6]
    return box.bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording")
    parser.add_argument("output")
    parser.add_argument("--info")
    options = parser.parse_args()
    data = base64.b64encode(gzip.compress(fill(options.recording, options.info), mtime=0)).decode()
    Path(options.output).write_text(TEMPLATE.read_text(encoding="utf-8").replace("@LIMBER_VIEW_DATA@", data), encoding="utf-8")
    print(f"{options.output}: {Path(options.output).stat().st_size / 1e6:.2f} MB, {len(data) / 1e6:.2f} MB of data")


if __name__ == "__main__":
    main()
