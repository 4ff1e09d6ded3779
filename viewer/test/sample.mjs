// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Sample data, made without the program: node test/sample.mjs FOLDER writes pendulum.html, chain.html and modes.html.

import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
export const kTemplate = join(here, "..", "dist", "viewer.html");

// The container of README.md; arrays: {name: [type, shape, values]}.
export function pack(header, arrays) {
  const entries = {}, parts = [];
  let offset = 0;
  for (const [name, [type, shape, values]] of Object.entries(arrays)) {
    const typed = type === "f32" ? Float32Array.from(values) : Float64Array.from(values);
    entries[name] = {type, shape, offset};
    const bytes = Buffer.alloc(Math.ceil(typed.byteLength / 8) * 8);
    Buffer.from(typed.buffer).copy(bytes);
    parts.push(bytes);
    offset += bytes.length;
  }
  const text = Buffer.from(JSON.stringify({limber_view: 1, ...header, arrays: entries}));
  const head = Buffer.alloc(Math.ceil((12 + text.length) / 8) * 8);
  head.write("LIMBERV1", 0, "latin1");
  head.writeUInt32LE(text.length, 8);
  text.copy(head, 12);
  return Buffer.concat([head, ...parts]);
}

export function fill(container, template = readFileSync(kTemplate, "utf8")) {
  return fill_text(gzipSync(container).toString("base64"), template);
}

export function fill_text(text, template = readFileSync(kTemplate, "utf8")) {
  return template.replace("@LIMBER_VIEW_DATA@", () => text);
}

// Stations and shapes of a beam along x with one bending in y and one in z, (x/L)^2, both 1 m at the tip.
function beam(length, count) {
  const stations = [], shapes = [];
  for (let i = 0; i < count; ++i) {
    const s = i / (count - 1);
    stations.push(s * length, 0, 0);
    shapes.push(0, 0, s * s, 0, 0, s * s);
  }
  // rows: translation x y z, rotation x y z; the tip turns by the slope 2/L.
  const tip = [0, 0, 1, 0, 0, 1, 0, 0, 0, -2 / length, 2 / length, 0];
  return {stations: ["f32", [count, 3], stations], shapes: ["f32", [3 * count, 2], shapes], tip: ["f32", [6, 2], tip]};
}

const about_y = (angle) => [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];

export const kPendulum = {length: 1.5, angle: (t) => Math.PI / 2 - 0.8 * Math.cos(2 * Math.PI * 0.4 * t),
  eta: (t) => 0.02 * Math.exp(-0.1 * t) * Math.sin(2 * Math.PI * 3 * t), eta_y: (t) => 0.01 * Math.sin(2 * Math.PI * 5 * t)};

// A hinged beam that swings about y and bends, with a block on its tip.
export function pendulum({T = 501, step = 0.02, names = {}} = {}) {
  const {length, angle, eta, eta_y} = kPendulum;
  const parts = beam(length, 17);
  const time = Array.from({length: T}, (_, i) => i * step);
  const poses = [], modal = [], tip_z = [], angles = [], balance = [];
  for (const t of time) {
    const a = angle(t), ey = eta_y(t), ez = eta(t);
    // Rotation about y by a takes x to (cos a, 0, -sin a), z to (sin a, 0, cos a).
    const tip = [Math.cos(a) * length + Math.sin(a) * ez, ey, -Math.sin(a) * length + Math.cos(a) * ez];
    poses.push(0, 0, 0, ...about_y(a), ...tip, ...about_y(a));
    modal.push(ey, ez);
    tip_z.push(tip[2]);
    angles.push(a);
    balance.push(1e-9 * t);
  }
  const header = {kind: "recording", name: names.name ?? "pendulum", model: "beam on a hinge", version: "0.0", solver: "sample, no solver",
    complete: true, ended: "finished", gravity: [0, 0, -9.81], warnings: names.warnings ?? [],
    summary: [{label: "simulated", value: `${time.at(-1)} s`}, {label: "largest deflection", value: "0.0217 m, beam.tip"}, {label: "energy balance", value: "1e-8 J"}],
    geometries: [{stations: "beam", shapes: "beam_shapes"}, {boxes: [[0, 0, 0, 0.12, 0.12, 0.12]]}],
    bodies: [{name: names.body ?? "beam", geometry: 0}, {name: "block", geometry: 1}],
    nodes: [{name: "beam.tip", body: 0, position: [length, 0, 0], shapes: "tip", trace: true}, {name: "block.centre", body: 1, position: [0, 0, 0]}],
    joints: [{name: "hinge", type: "revolute", parent: -1, child: 0, axes: [[0, 1, 0]]},
      {name: "weld", type: "fixed", parent: 0, parent_node: 0, child: 1}],
    frequencies: [{hz: 3, label: "joints locked"}, {hz: 5, label: "joints locked"}],
    channels: [{name: names.channel ?? "beam.tip z", group: "nodes", unit: "m", shown: true}, {name: "hinge", group: names.group ?? "coordinates", unit: "rad", shown: true},
      {name: "balance", group: "energy", unit: "J"}]};
  return pack(header, {time: ["f64", [T], time], frame_time: ["f64", [T], time], poses: ["f32", [T, 2, 7], poses], eta: ["f32", [T, 2], modal],
    beam: parts.stations, beam_shapes: parts.shapes, tip: parts.tip, channels: ["f32", [3, T], [...tip_z, ...angles, ...balance]]});
}

// n flexible links in a swinging, waving chain.
export function chain(n = 1000, T = 101) {
  const length = 0.1, parts = beam(length, 5);
  const time = Array.from({length: T}, (_, i) => i * 0.05);
  const poses = [], modal = [], tip = [];
  for (const t of time) {
    let x = 0, z = 0;
    for (let i = 0; i < n; ++i) {
      const s = i / n;
      const a = Math.PI / 2 - 0.7 * Math.cos(1.2 * t - 5 * s) * (0.3 + s), e = 0.0005 * Math.sin(2 * Math.PI * (t - 3 * s));
      poses.push(x, 0, z, ...about_y(a));
      modal.push(0, e);
      x += Math.cos(a) * length + Math.sin(a) * e;
      z += -Math.sin(a) * length + Math.cos(a) * e;
    }
    tip.push(z);
  }
  const bodies = Array.from({length: n}, (_, i) => ({name: `link${i + 1}`, geometry: 0}));
  const nodes = bodies.map((body, i) => ({name: `${body.name}.tip`, body: i, position: [length, 0, 0], shapes: "tip", trace: i === n - 1}));
  const joints = bodies.map((_, i) => ({name: `joint${i + 1}`, type: "revolute", parent: i - 1, parent_node: i ? i - 1 : -1, child: i, axes: [[0, 1, 0]]}));
  const header = {kind: "recording", name: `chain of ${n} flexible links`, gravity: [0, 0, -9.81], complete: true, geometries: [{stations: "beam", shapes: "beam_shapes"}],
    bodies, nodes, joints, channels: [{name: "tip z", group: "nodes", unit: "m", shown: true}]};
  return pack(header, {time: ["f64", [T], time], frame_time: ["f64", [T], time], poses: ["f32", [T, n, 7], poses], eta: ["f32", [T, 2 * n], modal],
    beam: parts.stations, beam_shapes: parts.shapes, tip: parts.tip, channels: ["f32", [1, T], tip]});
}

// Mode shapes of two beams, one after the other: two of the machine, one of the first body alone.
export function modes() {
  const parts = beam(1, 13);
  const machine = "whole machine, joints locked";
  const header = {kind: "modes", name: "two beams", gravity: [0, 0, 0], geometries: [{stations: "beam", shapes: "beam_shapes"}],
    bodies: [{name: "inner", geometry: 0}, {name: "outer", geometry: 0}],
    nodes: [{name: "inner.tip", body: 0, position: [1, 0, 0], shapes: "tip"}, {name: "outer.tip", body: 1, position: [1, 0, 0], shapes: "tip"}],
    joints: [{name: "a", type: "revolute", parent: -1, child: 0, axes: [[0, 0, 1]]}, {name: "b", type: "revolute", parent: 0, parent_node: 0, child: 1, axes: [[0, 0, 1]]}],
    modes: [{name: "1", group: machine, hz: 0.56, damping: 0.01}, {name: "2", group: machine, hz: 3.5, damping: 0.01}, {name: "bending_z1", group: "body inner", hz: 5.1, only: 0}]};
  // Rows per body: turn x y z, move x y z, in the world.
  const twists = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1.5, 0, -0.75, 0, ...Array(12).fill(0)];
  return pack(header, {poses: ["f32", [2, 7], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]], mode_twists: ["f32", [3, 2, 6], twists],
    mode_eta: ["f32", [3, 4], [1, 0, 0.4, 0, -0.75, 0, 1.4, 0, 0, 1, 0, 0]], beam: parts.stations, beam_shapes: parts.shapes, tip: parts.tip});
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2]) {
  const folder = process.argv[2];
  mkdirSync(folder, {recursive: true});
  for (const [name, data] of [["pendulum", pendulum()], ["chain", chain()], ["modes", modes()]]) {
    writeFileSync(join(folder, `${name}.html`), fill(data));
    console.log(join(folder, `${name}.html`));
  }
}
