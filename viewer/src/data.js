// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Reads what the page carries: base64 of gzip of a container (README.md, "The data").

export class DataError extends Error {}

const kMagic = "LIMBERV1";
const kItemBytes = {f32: 4, f64: 8};

function fail(text) {
  throw new DataError(text);
}

function check(condition, text) {
  if (!condition) fail(text);
}

// The data of this page, or a DataError that says in words what is wrong.
export async function read_page(element) {
  const text = element ? element.textContent.trim() : "";
  check(text !== "" && !text.startsWith("@"),
    "This page holds no recording: it is the empty template. viewer/tools/from_h5.py RECORDING OUT.html fills it.");
  const packed = base64_bytes(text);
  const bytes = packed[0] === 0x1f && packed[1] === 0x8b ? await unzip(packed) : packed;
  return make_view(read_container(bytes));
}

function base64_bytes(text) {
  let raw;
  try {
    raw = atob(text);
  } catch {
    fail("The data of this page is broken: it is not base64. The file may have been edited or cut; write it again.");
  }
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function unzip(bytes) {
  check(typeof DecompressionStream !== "undefined",
    "This browser cannot unpack the data (no DecompressionStream). Chrome 80, Firefox 113, Safari 16.4 or newer can.");
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    return fail("The data of this page is broken: it does not unpack. The file may have been cut; write it again.");
  }
}

// {header, array(name)} of a container.
export function read_container(bytes) {
  check(bytes.length >= 16, "The data of this page is broken: it is too short.");
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  check(magic === kMagic, "The data of this page is not of this version of the viewer: it does not begin with " + kMagic + ".");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  check(12 + length <= bytes.length, "The data of this page is broken: its header is cut.");
  let header;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  } catch {
    fail("The data of this page is broken: its header is not JSON.");
  }
  check(header !== null && typeof header === "object", "The data of this page is broken: its header is no object.");
  const start = Math.ceil((12 + length) / 8) * 8;
  const cache = new Map();
  const array = (name) => {
    if (!cache.has(name)) cache.set(name, cut_array(bytes, start, header.arrays ?? {}, name));
    return cache.get(name);
  };
  return {header, array};
}

function cut_array(bytes, start, arrays, name) {
  const entry = Object.hasOwn(arrays, name) ? arrays[name] : fail(`The data of this page has no array '${name}'.`);
  const {type, shape, offset} = entry;
  check(Object.hasOwn(kItemBytes, type) && Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && n >= 0)
    && Number.isInteger(offset) && offset >= 0, `The data of this page is broken: array '${name}' is not described well.`);
  const count = shape.reduce((a, b) => a * b, 1);
  const first = bytes.byteOffset + start + offset;
  check(start + offset + count * kItemBytes[type] <= bytes.length, `The data of this page is cut: array '${name}' is not whole.`);
  const make = type === "f32" ? Float32Array : Float64Array;
  const aligned = first % kItemBytes[type] === 0;
  const buffer = aligned ? bytes.buffer : bytes.buffer.slice(first, first + count * kItemBytes[type]);
  return {values: new make(buffer, aligned ? first : 0, count), shape};
}

// Everything the page needs, checked: sizes fit, indices exist, parents come before children.
export function make_view({header, array}) {
  check(header.limber_view === 1, "The data is of version " + String(header.limber_view) + "; this viewer reads version 1.");
  check(header.kind === "recording" || header.kind === "modes", "The data is neither a recording nor modes.");
  const view = {header, kind: header.kind, name: String(header.name ?? "without a name"), warnings: [...list(header, "warnings")]};
  view.geometries = list(header, "geometries").map((geometry, i) => read_geometry(geometry, i, array));
  read_bodies(view, header);
  view.nodes = list(header, "nodes").map((node) => read_node(node, view, array));
  view.joints = list(header, "joints").map((joint) => read_joint(joint, view));
  view.gravity = vector(header.gravity ?? [0, 0, 0], "gravity");
  view.frequencies = list(header, "frequencies").filter((f) => Number.isFinite(f?.hz) && f.hz > 0);
  if (view.kind === "recording") read_recording(view, header, array);
  else read_modes(view, header, array);
  return view;
}

function list(object, key) {
  const value = object[key] ?? [];
  check(Array.isArray(value), `The data of this page is broken: '${key}' is no list.`);
  return value;
}

function vector(value, what) {
  check(Array.isArray(value) && value.length === 3 && value.every(Number.isFinite), `The data is broken: ${what} must be three numbers.`);
  return value;
}

function read_geometry(geometry, i, array) {
  const what = `geometry ${i}`;
  const stations = geometry.stations === undefined ? {values: new Float32Array(0), shape: [0, 3]} : array(geometry.stations);
  check(stations.shape.length === 2 && stations.shape[1] === 3, `The data is broken: stations of ${what} must be N x 3.`);
  const count = stations.shape[0];
  const shapes = geometry.shapes === undefined ? {values: new Float32Array(0), shape: [count * 3, 0]} : array(geometry.shapes);
  check(shapes.shape.length === 2 && shapes.shape[0] === count * 3, `The data is broken: shapes of ${what} must be 3N x modes.`);
  const lines = geometry.lines ?? (count > 1 ? [Array.from({length: count}, (_, k) => k)] : []);
  check(Array.isArray(lines) && lines.every((line) => Array.isArray(line)
    && line.every((k) => Number.isInteger(k) && k >= 0 && k < count)), `The data is broken: a line of ${what} names no station.`);
  const boxes = list(geometry, "boxes");
  check(boxes.every((box) => Array.isArray(box) && box.length === 6 && box.every(Number.isFinite)),
    `The data is broken: a box of ${what} must be six numbers.`);
  return {stations: stations.values, count, shapes: shapes.values, modes: shapes.shape[1],
    lines: lines.filter((line) => line.length > 1), boxes, radius: Number(geometry.radius) || 0};
}

function read_bodies(view, header) {
  let modes = 0;
  view.bodies = list(header, "bodies").map((body, i) => {
    const geometry = view.geometries[body.geometry];
    check(geometry, `The data is broken: body ${i} has no geometry.`);
    const entry = {name: String(body.name), geometry, eta: modes};
    modes += geometry.modes;
    return entry;
  });
  view.modal_count = modes;
}

function read_node(node, view, array) {
  const body = view.bodies[node.body];
  check(body, `The data is broken: node '${node.name}' is on no body.`);
  const shapes = node.shapes === undefined ? null : array(node.shapes);
  check(!shapes || (shapes.shape[0] === 6 && shapes.shape[1] === body.geometry.modes),
    `The data is broken: shapes of node '${node.name}' must be 6 x modes of its body.`);
  const turn = node.rotation ?? [1, 0, 0, 0];
  check(Array.isArray(turn) && turn.length === 4 && turn.every(Number.isFinite), `The data is broken: node '${node.name}': rotation.`);
  return {name: String(node.name), body: node.body, position: vector(node.position, `position of node '${node.name}'`),
    rotation: turn, shapes: shapes?.values, modes: body.geometry.modes, trace: Boolean(node.trace)};
}

function read_joint(joint, view) {
  const {parent, child} = joint;
  const what = `joint '${joint.name}'`;
  check(Number.isInteger(child) && child >= 0 && child < view.bodies.length, `The data is broken: ${what} carries no body.`);
  check(Number.isInteger(parent) && parent >= -1 && parent < child, `The data is broken: ${what}: its parent must come before its child.`);
  const node = (index, body) => {
    if (index === undefined || index === null || index < 0) return null;
    check(view.nodes[index]?.body === body, `The data is broken: ${what} sits on a node of another body.`);
    return view.nodes[index];
  };
  return {name: String(joint.name), type: String(joint.type), parent, child, parent_node: node(joint.parent_node, parent),
    child_node: node(joint.child_node, child), axes: list(joint, "axes").map((axis) => vector(axis, `axis of ${what}`))};
}

function rising(time) {
  for (let i = 1; i < time.length; ++i) if (!(time[i] > time[i - 1])) return false;
  return time.every(Number.isFinite);
}

function read_recording(view, header, array) {
  view.time = array("time").values;
  check(view.time.length > 0, "This recording is empty: it holds no records. The run may have ended before its first step.");
  check(rising(view.time), "The data is broken: the times of the records do not rise.");
  const names = list(header, "channels");
  const rows = names.length ? array("channels") : {values: [], shape: [0, view.time.length]};
  check(rows.shape[0] === names.length && rows.shape[1] === view.time.length, "The data is broken: channels and times do not fit.");
  const T = view.time.length;
  view.channels = names.map((channel, i) => ({name: String(channel.name), group: String(channel.group ?? "other"),
    unit: String(channel.unit ?? ""), shown: Boolean(channel.shown), values: rows.values.subarray(i * T, (i + 1) * T)}));
  view.frames = view.bodies.length ? read_frames(view, array) : {time: view.time, count: 0};
}

function read_frames(view, array) {
  const time = array("frame_time").values;
  const poses = array("poses");
  const eta = view.modal_count ? array("eta") : {values: new Float32Array(0), shape: [time.length, 0]};
  const fits = (a, sizes) => a.shape.length === sizes.length && a.shape.every((n, i) => n === sizes[i]);
  check(fits(poses, [time.length, view.bodies.length, 7]), "The data is broken: poses must be frames x bodies x 7.");
  check(fits(eta, [time.length, view.modal_count]), "The data is broken: eta must be frames x modes of all bodies.");
  check(rising(time), "The data is broken: the times of the frames do not rise.");
  const count = finite_frames(time.length, [poses, eta]);
  if (count < time.length) view.warnings.push(`From t = ${time[count].toPrecision(5)} s on the motion is not finite and is not drawn.`);
  return {time: time.subarray(0, count), poses: poses.values, eta: eta.values, count};
}

function finite_frames(frames, arrays) {
  let count = frames;
  for (const {values} of arrays) {
    const width = values.length / Math.max(frames, 1);
    const bad = values.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0) count = Math.min(count, Math.floor(bad / width));
  }
  return count;
}

function read_modes(view, header, array) {
  view.modes = list(header, "modes").map((mode, i) => ({name: String(mode.name ?? `mode ${i + 1}`), group: String(mode.group ?? "modes"),
    hz: Number(mode.hz) || 0, damping: Number.isFinite(mode.damping) ? mode.damping : null,
    only: Number.isInteger(mode.only) && view.bodies[mode.only] ? mode.only : null}));
  const M = view.modes.length;
  check(M > 0, "There are no modes in this file: nothing of the machine vibrates.");
  check(view.bodies.length > 0, "There are no bodies in this file.");
  view.poses = array("poses").values;
  check(view.poses.length === view.bodies.length * 7, "The data is broken: poses must be bodies x 7.");
  view.mode_twists = array("mode_twists").values;
  check(view.mode_twists.length === M * view.bodies.length * 6, "The data is broken: mode_twists must be modes x bodies x 6.");
  view.mode_eta = view.modal_count ? array("mode_eta").values : new Float32Array(0);
  check(view.mode_eta.length === M * view.modal_count, "The data is broken: mode_eta must be modes x modes of all bodies.");
  const finite = [view.poses, view.mode_twists, view.mode_eta].every((a) => a.every(Number.isFinite));
  check(finite, "The data is broken: a mode shape is not finite.");
}
