// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Sample data, made without the program: node test/sample.mjs FOLDER writes them as pages.

import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
export const kTemplate = join(here, "..", "dist", "viewer.html");

const kTypes = {f32: Float32Array, f64: Float64Array, u32: Uint32Array};

// The container of README.md; arrays: {name: [type, shape, values, stride of the packing]}.
export function pack(header, arrays) {
  const entries = {}, parts = [];
  let offset = 0;
  for (const [name, [type, shape, values, packed]] of Object.entries(arrays)) {
    const typed = kTypes[type].from(values);
    entries[name] = {type, shape, offset, packed};
    const bytes = Buffer.alloc(Math.ceil(typed.byteLength / 8) * 8);
    Buffer.from(packed ? pack_values(typed, packed).buffer : typed.buffer).copy(bytes);
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

// Byte planes of the zigzag of differences of the bits.
export function pack_values(values, stride) {
  const bits = new Uint32Array(values.buffer), count = bits.length;
  const planes = new Uint8Array(4 * count);
  for (let i = 0; i < count; ++i) {
    const d = (i < stride ? bits[i] : bits[i] - bits[i - stride]) | 0;
    const z = (d << 1) ^ (d >> 31);
    for (let plane = 0; plane < 4; ++plane) planes[plane * count + i] = z >>> (8 * plane);
  }
  return planes;
}

export function fill(container, template = readFileSync(kTemplate, "utf8")) {
  return fill_text(gzipSync(container).toString("base64"), template);
}

export function fill_text(text, template = readFileSync(kTemplate, "utf8")) {
  return template.replace("@LIMBER_VIEW_DATA@", () => text);
}

// Stations and shapes of a beam along x with one bending in y and one in z, (x/L)^2, both 1 m at the tip.  Bent, it
// comes shorter: x moves by -1/2 of the integral of the slope squared.  Its bending stiffness is 100 N m^2.
function beam(length, count) {
  const stations = [], shapes = [], second = [], strain = [];
  const shorter = (s) => (-4 * s ** 3) / (3 * length), curvature = 10 * (2 / length ** 2);
  for (let i = 0; i < count; ++i) {
    const s = i / (count - 1);
    stations.push(s * length, 0, 0);
    shapes.push(0, 0, s * s, 0, 0, s * s);
    second.push(shorter(s), 0, 0, shorter(s), 0, 0, 0, 0, 0, 0, 0, 0);
    strain.push(curvature, 0, 0, curvature);
  }
  // rows: translation x y z, rotation x y z; the tip turns by the slope 2/L.
  const tip = [0, 0, 1, 0, 0, 1, 0, 0, 0, -2 / length, 2 / length, 0];
  const tip_second = [shorter(1), 0, 0, shorter(1), 0, 0, 0, 0, 0, 0, 0, 0];
  return {stations: ["f32", [count, 3], stations], shapes: ["f32", [3 * count, 2], shapes], tip: ["f32", [6, 2], tip],
    second: ["f32", [3 * count, 4], second], strain: ["f32", [2 * count, 2], strain], tip_second: ["f32", [3, 4], tip_second]};
}

const about_y = (angle) => [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];

export const kPendulum = {length: 1.5, angle: (t) => Math.PI / 2 - 0.8 * Math.cos(2 * Math.PI * 0.4 * t),
  eta: (t) => 0.02 * Math.exp(-0.1 * t) * Math.sin(2 * Math.PI * 3 * t), eta_y: (t) => 0.01 * Math.sin(2 * Math.PI * 5 * t)};

// A hinged beam that swings about y and bends, with a block on its tip.
// thrusters: one at the tip that fires in the second half.
export function pendulum({T = 501, step = 0.02, names = {}, second = false, thrusters = false} = {}) {
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
  const header = {kind: "recording", name: names.name ?? "pendulum", model: "beam on a hinge", version: "0.0", file: "pendulum.h5", date: "2026-01-02 03:04 UTC", texts: names.texts, solver: "sample, no solver",
    complete: true, ended: "finished", gravity: [0, 0, -9.81], warnings: names.warnings ?? [], notes: names.notes ?? [],
    summary: [{label: "simulated", value: `${time.at(-1)} s`}, {label: "largest deflection", value: "0.0217 m, beam.tip"}, {label: "energy balance", value: "1e-8 J"}],
    geometries: [{stations: "beam", shapes: "beam_shapes", second: second ? "beam_second" : undefined, strain: "beam_strain", strain_rows: 2}, {boxes: [[0, 0, 0, 0.12, 0.12, 0.12]]}],
    bodies: [{name: names.body ?? "beam", geometry: 0}, {name: "block", geometry: 1}],
    nodes: [{name: "beam.tip", body: 0, position: [length, 0, 0], shapes: "tip", second: second ? "tip_second" : undefined, trace: true}, {name: "block.centre", body: 1, position: [0, 0, 0]}],
    joints: [{name: "hinge", type: "revolute", parent: -1, child: 0, axes: [[0, 1, 0]]},
      {name: "weld", type: "fixed", parent: 0, parent_node: 0, child: 1}],
    frequencies: [{hz: 3, label: "joints locked"}, {hz: 5, label: "joints locked"}],
    channels: [{name: names.channel ?? "beam.tip z", group: "nodes", unit: "m", shown: true}, {name: "hinge", group: names.group ?? "coordinates", unit: "rad", shown: true},
      {name: "balance", group: "energy", unit: "J"}],
    thrusters: thrusters ? [{name: "jet", node: "beam.tip", direction: [0, 0, 1], force: 2}] : undefined};
  return pack(header, {time: ["f64", [T], time], frame_time: ["f64", [T], time], poses: ["f32", [T, 2, 7], poses], eta: ["f32", [T, 2], modal],
    beam: parts.stations, beam_shapes: parts.shapes, beam_second: parts.second, beam_strain: parts.strain, tip: parts.tip, tip_second: parts.tip_second,
    ...(thrusters ? {thrust: ["f32", [T, 1], time.map((_, i) => (2 * i < T ? 0 : 2))]} : {}),
    channels: ["f32", [3, T], [...tip_z, ...angles, ...balance], T]});
}

// n flexible links in a swinging, waving chain; more: {header, arrays} put in place of its own signals.
export function chain(n = 1000, T = 101, more = null) {
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
  const header = {kind: "recording", name: `chain of ${n} flexible links`, gravity: [0, 0, -9.81], complete: true,
    geometries: [{stations: "beam", shapes: "beam_shapes", strain: "beam_strain", strain_rows: 2}],
    bodies, nodes, joints, channels: [{name: "tip z", group: "nodes", unit: "m", shown: true}], ...more?.header};
  return pack(header, {time: ["f64", [T], time], frame_time: ["f64", [T], time], poses: ["f32", [T, n, 7], poses, 7 * n], eta: ["f32", [T, 2 * n], modal, 2 * n],
    beam: parts.stations, beam_shapes: parts.shapes, beam_strain: parts.strain, tip: parts.tip, channels: ["f32", [1, T], tip], ...more?.arrays});
}

// A thousand links and many thinned signals.
export function large({links = 1000, frames = 200, channels = 500, T = 5000} = {}) {
  const time = Array.from({length: T}, (_, i) => (i * 0.05 * (frames - 1)) / (T - 1));
  const rows = [0, -1, 1].map((side) => {
    const values = new Float32Array(channels * T);
    for (let c = 0, at = 0; c < channels; ++c) for (let i = 0; i < T; ++i, ++at) values[at] = Math.sin(time[i] * (1 + 0.01 * c)) + side * 0.1 * Math.abs(Math.sin(40 * time[i] + c));
    return ["f32", [channels, T], values, T];
  });
  const header = {name: "many links, many signals", thinned: {records: 100 * T}, notes: ["500 000 records are shown by 5 000."],
    channels: Array.from({length: channels}, (_, c) => ({name: `signal ${c + 1}`, group: `group ${1 + (c >> 5)}`, unit: ["m", "rad", "N"][c % 3], shown: c < 8}))};
  return chain(links, frames, {header, arrays: {time: ["f64", [T], time], channels: rows[0], low: rows[1], high: rows[2]}});
}

// Signals of a controller: the time its cycles took, with rare late ones, and what it followed; 20 records per kept one.
export function timing({T = 1500, every = 20} = {}) {
  const N = T * every, H = 200;
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const time = [], kept = [[], []], low = [[], []], high = [[], []];
  const all = [new Float64Array(N), new Float64Array(N)];
  for (let k = 0; k < N; ++k) {
    all[0][k] = 42e-6 + 3e-6 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()) + (k % 997 === 500 ? 35e-6 * random() : 0);
    all[1][k] = 0.3 * Math.sin(2 * Math.PI * 0.2 * k * 1e-3) + 0.05 * Math.sin(2 * Math.PI * 180 * k * 1e-3);
  }
  for (let i = 0; i < T; ++i) time.push(i * every * 1e-3);
  all.forEach((values, c) => time.forEach((_, i) => {
    const part = values.subarray(i * every, i * every + every + (i < T - 1));
    kept[c].push(part[0]);
    low[c].push(Math.min(...part));
    high[c].push(Math.max(...part));
  }));
  const ranges = all.map((values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]);
  const counts = all.flatMap((values, c) => {
    const row = Array(H).fill(0), [least, most] = ranges[c];
    for (const x of values) row[Math.min(H - 1, Math.floor(((x - least) / (most - least)) * H))]++;
    return row;
  });
  const hz = Array.from({length: 500}, (_, k) => k + 1);
  const spectra = [...hz.map((f) => 2e-7 / Math.sqrt(f)), ...hz.map((f) => (f === 180 ? 0.05 : 1e-5 / f))];
  const header = {kind: "recording", name: "controller", complete: true, thinned: {records: N},
    notes: [`${N} records are shown by ${T}; bands hold the smallest and the largest value between them.`],
    channels: [{name: "cycle", group: "controller time", unit: "s", shown: true}, {name: "shoulder", group: "coordinates", unit: "rad", shown: true}]};
  const rows = (lists) => ["f32", [2, T], lists.flat(), T];
  return pack(header, {time: ["f64", [T], time], channels: rows(kept), low: rows(low), high: rows(high), spectrum_hz: ["f64", [500], hz],
    spectra: ["f32", [2, 500], spectra, 500], histograms: ["f32", [2, H], counts], histogram_range: ["f64", [2, 2], ranges.flat()]});
}

export const kWing = {length: 2, width: 0.6, flap: (t) => 0.5 * Math.sin(2 * Math.PI * 0.5 * t), bend: (t) => 0.2 * Math.sin(2 * Math.PI * 0.5 * t - 0.6)};

// Two wings on a hull, surfaces that flap and bend; stiffness says their energy.
export function wings({nx = 25, ny = 9, T = 101} = {}) {
  const {length, width, flap, bend} = kWing;
  const stations = [], shapes = [], triangles = [];
  for (let i = 0; i < nx; ++i) for (let j = 0; j < ny; ++j) {
    const s = i / (nx - 1), y = (j / (ny - 1) - 0.5) * width * (1 - 0.6 * s);
    stations.push(s * length, y, 0.03 * (1 - (2 * j / (ny - 1) - 1) ** 2));
    shapes.push(0, 0, 0, 0, s * s, s * y * 4);
    if (i && j) {
      const a = (i - 1) * ny + j - 1;
      triangles.push(a, a + ny, a + 1, a + 1, a + ny, a + ny + 1);
    }
  }
  const time = Array.from({length: T}, (_, i) => i * 0.04);
  const poses = [], modal = [], tip = [];
  for (const t of time) {
    const a = flap(t);
    poses.push(0, 0, 1, 1, 0, 0, 0, 0.1, 0, 1, ...about_y(-a));
    // The other wing: turned by half a turn about z, then flapped.
    poses.push(-0.1, 0, 1, 0, -Math.sin(a / 2), 0, Math.cos(a / 2));
    modal.push(bend(t), 0.1 * bend(t), bend(t), -0.1 * bend(t));
    tip.push(1 + length * Math.sin(a) + bend(t) * Math.cos(a));
  }
  const n = nx * ny;
  const header = {kind: "recording", name: "two wings", gravity: [0, 0, -9.81], complete: true, channels: [{name: "tip z", group: "nodes", unit: "m", shown: true}],
    geometries: [{boxes: [[0, 0, 0, 0.2, 0.9, 0.16]]}, {stations: "wing", shapes: "wing_shapes", triangles: "wing_triangles", stiffness: "wing_stiffness"}],
    bodies: [{name: "hull", geometry: 0}, {name: "left wing", geometry: 1}, {name: "right wing", geometry: 1}],
    joints: [{name: "free", type: "free", parent: -1, child: 0}, {name: "left", type: "revolute", parent: 0, child: 1, axes: [[0, 1, 0]]},
      {name: "right", type: "revolute", parent: 0, child: 2, axes: [[0, 1, 0]]}]};
  return pack(header, {time: ["f64", [T], time], frame_time: ["f64", [T], time], poses: ["f32", [T, 3, 7], poses], eta: ["f32", [T, 4], modal],
    wing: ["f32", [n, 3], stations], wing_shapes: ["f32", [3 * n, 2], shapes], wing_triangles: ["u32", [triangles.length / 3, 3], triangles],
    wing_stiffness: ["f32", [2, 2], [50, 0, 0, 20]], channels: ["f32", [1, T], tip]});
}

// Mode shapes of two beams, one after the other: two of the machine, one of the first body alone.
export function modes({outer = "outer"} = {}) {
  const parts = beam(1, 13);
  const machine = "whole machine, joints locked";
  const header = {kind: "modes", name: "two beams", gravity: [0, 0, 0], geometries: [{stations: "beam", shapes: "beam_shapes", strain: "beam_strain", strain_rows: 2}],
    bodies: [{name: "inner", geometry: 0}, {name: outer, geometry: 0}],
    nodes: [{name: "inner.tip", body: 0, position: [1, 0, 0], shapes: "tip"}, {name: "outer.tip", body: 1, position: [1, 0, 0], shapes: "tip"}],
    joints: [{name: "a", type: "revolute", parent: -1, child: 0, axes: [[0, 0, 1]]}, {name: "b", type: "revolute", parent: 0, parent_node: 0, child: 1, axes: [[0, 0, 1]]}],
    modes: [{name: "1", group: machine, hz: 0.56, damping: 0.01}, {name: "2", group: machine, hz: 3.5, damping: 0.01}, {name: "bending_z1", group: "body inner", hz: 5.1, only: 0}]};
  // Rows per body: turn x y z, move x y z, in the world.
  const twists = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1.5, 0, -0.75, 0, ...Array(12).fill(0)];
  return pack(header, {poses: ["f32", [2, 7], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]], mode_twists: ["f32", [3, 2, 6], twists],
    mode_eta: ["f32", [3, 4], [1, 0, 0.4, 0, -0.75, 0, 1.4, 0, 0, 1, 0, 0]], beam: parts.stations, beam_shapes: parts.shapes, beam_strain: parts.strain, tip: parts.tip});
}

// A bar of 2 m on a hinge of a block, bent at rest; modes: it swings about the hinge, bends, twists.
export const kBar = {length: 2, bent: 0.3, at: [0.5, 0.2, 0.1]};

export function bar() {
  const {length, bent, at} = kBar, count = 9;
  const stations = [], shapes = [], turns = [], second = [];
  const shorter = (s) => (-4 * s ** 3) / (3 * length);
  for (let i = 0; i < count; ++i) {
    const s = i / (count - 1);
    stations.push(s * length, 0, 0);
    shapes.push(0, 0, s * s, 0, 0, 0);
    turns.push(0, s, 0, 0, (2 * s) / length, 0);
    second.push(shorter(s), 0, 0, 0, ...Array(8).fill(0));
  }
  const tip = [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2 / length, 0];
  const header = {kind: "modes", name: "bar", gravity: [0, 0, 0],
    geometries: [{boxes: [[0, 0, 0, 0.3, 0.2, 0.2]]}, {stations: "bar", shapes: "bar_shapes", turns: "bar_turns", second: "bar_second"}],
    bodies: [{name: "block", geometry: 0}, {name: "bar", geometry: 1}],
    nodes: [{name: "block.top", body: 0, position: at}, {name: "bar.tip", body: 1, position: [length, 0, 0], shapes: "tip", second: "tip_second"}],
    joints: [{name: "slide", type: "prismatic", parent: -1, child: 0, axes: [[1, 0, 0]]}, {name: "hinge", type: "revolute", parent: 0, parent_node: 0, child: 1, axes: [[0, 0, 1]]}],
    modes: [{name: "mode 1: bar", detail: "moves: bar 90 %", group: "machine", hz: 1, damping: 0.005}, {name: "bends", group: "machine", hz: 2}, {name: "twists", group: "machine", hz: 9}]};
  // The block slides along x and rolls, the bar turns about z on the moving place of its hinge, and about x with the block.
  const rolls = [0.4, 0, 0, 0.2, 0, 0], cross = [0, -0.4 * at[2], 0.4 * at[1]];
  const twists = [...rolls, 0.4, 0, 3, 0.2, cross[1], cross[2], ...Array(12).fill(0), ...Array(12).fill(0)];
  return pack(header, {poses: ["f32", [2, 7], [0, 0, 0, 1, 0, 0, 0, ...at, 1, 0, 0, 0]], mode_twists: ["f32", [3, 2, 6], twists],
    mode_eta: ["f32", [3, 2], [0.1, 0, 1, 0, 0, 1]], rest_eta: ["f32", [2], [bent, 0]],
    bar: ["f32", [count, 3], stations], bar_shapes: ["f32", [3 * count, 2], shapes], bar_turns: ["f32", [3 * count, 2], turns],
    bar_second: ["f32", [3 * count, 4], second], tip: ["f32", [6, 2], tip], tip_second: ["f32", [3, 4], [shorter(1), 0, 0, 0, ...Array(8).fill(0)]]});
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2]) {
  const folder = process.argv[2];
  mkdirSync(folder, {recursive: true});
  for (const [name, data] of [["pendulum", pendulum({second: true})], ["chain", chain()], ["modes", modes()], ["bar", bar()], ["wings", wings()], ["timing", timing()], ["large", large()]]) {
    writeFileSync(join(folder, `${name}.html`), fill(data));
    console.log(join(folder, `${name}.html`));
  }
}
