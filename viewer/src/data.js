// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The data of the page, read from its container and checked.

import {check, open_container} from "./container.js";
import {overlay_of} from "./overlay.js";
import {read_study} from "./study_data.js";

export async function read_page(element) {
  return make_view(await open_container(element));
}

// All data of the page, checked: sizes match, indices exist, parents come before children.
export function make_view({header, array, part}) {
  check(header.limber_view === 1, "The data is of version " + String(header.limber_view) + "; this viewer reads version 1.");
  check(["recording", "modes", "overlay", "study"].includes(header.kind), "The data is neither of recordings nor of modes nor of a study.");
  const view = {header, kind: header.kind, name: String(header.name ?? "without a name"), warnings: list(header, "warnings").map(String),
    notes: list(header, "notes").map(String)};
  if (view.kind === "overlay") return read_overlay(view, header, part);
  if (view.kind === "study") return read_study(view, header, array, part);
  view.geometries = list(header, "geometries").map((geometry, i) => read_geometry(geometry, i, array));
  read_bodies(view, header);
  view.nodes = list(header, "nodes").map((node) => read_node(node, view, array));
  view.joints = list(header, "joints").map((joint) => read_joint(joint, view));
  view.elements = list(header, "elements").map((element) => read_element(element, view));
  view.contacts = list(header, "contacts").map((contact) => read_contact(contact, view));
  view.rotors = list(header, "rotors").map((rotor) => ({name: String(rotor.name), ...read_place(rotor, view, `rotor '${rotor.name}'`)}));
  view.gravity = vector(header.gravity ?? [0, 0, 0], "gravity");
  view.frequencies = list(header, "frequencies").filter((f) => Number.isFinite(f?.hz) && f.hz > 0);
  if (view.kind === "recording") read_recording(view, header, array);
  else read_modes(view, header, array);
  return view;
}

// Several recordings, and the differences of each from the first.
function read_overlay(view, header, part) {
  const read = (inner) => make_view(part(inner));
  const runs = list(header, "runs").map(read);
  check(runs.length > 0 && runs.every((run) => run.kind === "recording"), "The data is broken: an overlay needs recordings.");
  const differences = list(header, "differences").map((inner) => (inner === null ? null : read(inner)));
  return Object.assign(view, overlay_of(runs, differences));
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

// The array called `name`, checked to be rows x columns (null: any number); null without a name.
function matrix(array, name, rows, columns, what) {
  if (name === undefined) return null;
  const found = array(name);
  check(found.shape.length === 2 && (rows === null || found.shape[0] === rows) && (columns === null || found.shape[1] === columns),
    `The data is broken: ${what} must be ${rows ?? "N"} x ${columns ?? "modes"}.`);
  return found;
}

function read_geometry(geometry, i, array) {
  const what = `geometry ${i}`;
  const stations = matrix(array, geometry.stations, null, 3, `stations of ${what}`) ?? {values: new Float32Array(0), shape: [0, 3]};
  const count = stations.shape[0];
  const shapes = matrix(array, geometry.shapes, 3 * count, null, `shapes of ${what}`) ?? {values: new Float32Array(0), shape: [3 * count, 0]};
  const n = shapes.shape[1];
  const rows = geometry.strain_rows ?? 1;
  check(Number.isInteger(rows) && rows > 0, `The data is broken: strain_rows of ${what}.`);
  const triangles = matrix(array, geometry.triangles, null, 3, `triangles of ${what}`)?.values ?? null;
  check(!triangles || triangles.every((k) => k < count), `The data is broken: a triangle of ${what} names no station.`);
  const lines = geometry.lines ?? (count > 1 && !triangles ? [Array.from({length: count}, (_, k) => k)] : []);
  check(Array.isArray(lines) && lines.every((line) => Array.isArray(line)
    && line.every((k) => Number.isInteger(k) && k >= 0 && k < count)), `The data is broken: a line of ${what} names no station.`);
  const boxes = list(geometry, "boxes");
  check(boxes.every((box) => Array.isArray(box) && box.length === 6 && box.every(Number.isFinite)),
    `The data is broken: a box of ${what} must be six numbers.`);
  return {stations: stations.values, count, shapes: shapes.values, modes: n, triangles,
    second: matrix(array, geometry.second, 3 * count, n * n, `second of ${what}`)?.values ?? null,
    strain: matrix(array, geometry.strain, rows * count, n, `strain of ${what}`)?.values ?? null, strain_rows: rows,
    stiffness: matrix(array, geometry.stiffness, n, n, `stiffness of ${what}`)?.values ?? null, extent: extent_of(stations.values),
    turns: matrix(array, geometry.turns, 3 * count, n, `turns of ${what}`)?.values ?? null,
    lines: lines.filter((line) => line.length > 1), boxes, radius: Number(geometry.radius) || 0};
}

// Diagonal of the box around the stations.
function extent_of(stations) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  stations.forEach((x, k) => {
    low[k % 3] = Math.min(low[k % 3], x);
    high[k % 3] = Math.max(high[k % 3], x);
  });
  return stations.length ? Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) : 0;
}

// Segments of one beam share one name and one colour.
function read_bodies(view, header) {
  let modes = 0;
  const names = new Map();
  view.bodies = list(header, "bodies").map((body, i) => {
    const geometry = view.geometries[body.geometry];
    check(geometry, `The data is broken: body ${i} has no geometry.`);
    const name = String(body.name);
    if (!names.has(name)) names.set(name, names.size);
    const entry = {name, geometry, eta: modes, colour: names.get(name)};
    modes += geometry.modes;
    return entry;
  });
  view.modal_count = modes;
  view.colour_count = names.size;
}

function read_node(node, view, array) {
  const body = view.bodies[node.body];
  check(body, `The data is broken: node '${node.name}' is on no body.`);
  const n = body.geometry.modes;
  const shapes = matrix(array, node.shapes, 6, n, `shapes of node '${node.name}'`);
  const second = matrix(array, node.second, 3, n * n, `second of node '${node.name}'`);
  const turn = node.rotation ?? [1, 0, 0, 0];
  check(Array.isArray(turn) && turn.length === 4 && turn.every(Number.isFinite), `The data is broken: node '${node.name}': rotation.`);
  return {name: String(node.name), body: node.body, position: vector(node.position, `position of node '${node.name}'`),
    rotation: turn, shapes: shapes?.values ?? null, second: second?.values ?? null, modes: n, trace: Boolean(node.trace)};
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
    slides: read_slides(joint, view, what), child_node: node(joint.child_node, child), axes: list(joint, "axes").map((axis) => vector(axis, `axis of ${what}`))};
}

// The column of slider_places with the position of a sliding joint on its beam.
function read_slides({slides, parent}, view, what) {
  if (slides === undefined) return null;
  check(Number.isInteger(slides) && slides >= 0 && parent >= 0 && view.bodies[parent].geometry.count > 1, `The data is broken: ${what} slides on nothing.`);
  return slides;
}

// A place on a body, a node or the world: position and rotation.
function read_place({body, node, at, rotation}, view, what) {
  check(Number.isInteger(body) && body >= -1 && body < view.bodies.length, `The data is broken: ${what} is on no body.`);
  const known = node >= 0 ? view.nodes[node] : null;
  check(!(node >= 0) || known?.body === body, `The data is broken: ${what} sits on a node of another body.`);
  const turn = rotation ?? [1, 0, 0, 0];
  check(Array.isArray(turn) && turn.length === 4 && turn.every(Number.isFinite), `The data is broken: rotation of ${what}.`);
  return {body, node: known, at: vector(at, `a place of ${what}`), rotation: turn};
}

const kShapes = new Set(["plane", "box", "cylinder"]);

// A contact of a point or sphere with a shape.
function read_contact({name, point, on, shape, size, radius}, view) {
  const what = `contact '${name}'`;
  check(kShapes.has(shape), `The data is broken: ${what} has no known shape.`);
  check(Number.isFinite(radius) && radius >= 0, `The data is broken: ${what} has no radius.`);
  return {name: String(name), point: read_place(point ?? {}, view, what), on: read_place(on ?? {}, view, what), radius,
    shape: {kind: shape, size: vector(size, `size of ${what}`)}};
}

const kElements = new Set(["spring", "bushing", "rope", "actuator"]);

// A force element: the places that it passes through.
function read_element(element, view) {
  const what = `element '${element.name}'`;
  check(kElements.has(element.kind), `The data is broken: ${what} is of no known kind.`);
  const points = list(element, "points").map((point) => read_place(point, view, what));
  check(points.length > 0, `The data is broken: ${what} is nowhere.`);
  return {name: String(element.name), kind: element.kind, points};
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
    unit: String(channel.unit ?? ""), shown: Boolean(channel.shown), values: rows.values.subarray(i * T, (i + 1) * T), time: view.time, source: view}));
  read_whole(view, header, array);
  view.frames = view.bodies.length ? read_frames(view, array) : {time: view.time, count: 0};
  read_thrusters(view, header, array);
  const sliders = view.joints.filter(({slides}) => slides !== null).length;
  check(view.joints.every(({slides}) => slides === null || slides < sliders), "The data is broken: a joint slides on nothing.");
  const columns = (name, count) => {
    if (!count) return null;
    const {values} = matrix(array, name, null, count, name);
    check(values.length >= view.frames.count * count, `The data is broken: ${name} must have a row per frame.`);
    return values;
  };
  view.slider_places = columns("slider_places", sliders);
  view.rotor_angles = columns("rotor_angles", view.rotors.length);
}

// Summaries of all original records in a thinned recording: bands between kept records, spectra, histograms.
function read_whole(view, header, array) {
  const {channels, time} = view;
  const has = (name) => channels.length > 0 && Object.hasOwn(header.arrays ?? {}, name);
  const rows = (name, columns) => {
    const {values, shape} = matrix(array, name, channels.length, columns, `array '${name}'`);
    return channels.map((_, i) => values.subarray(i * shape[1], (i + 1) * shape[1]));
  };
  view.thinned = Number.isFinite(header.thinned?.records) ? header.thinned.records : null;
  const put = (key, all) => channels.forEach((channel, i) => (channel[key] = all[i]));
  if (has("low") && has("high")) {
    put("low", rows("low", time.length));
    put("high", rows("high", time.length));
  }
  if (has("spectra")) {
    const hz = array("spectrum_hz").values;
    put("spectrum", rows("spectra", hz.length));
    view.spectrum_hz = hz;
  }
  if (has("quantiles")) put("quantiles", rows("quantiles", null));
  if (has("histograms")) {
    const ranges = rows("histogram_range", 2);
    put("histogram", rows("histograms", null).map((counts, i) => ({counts, low: ranges[i][0], high: ranges[i][1]})));
  }
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

// Thrusters on nodes or on frames of bodies, and their thrust in each frame.
function read_thrusters(view, header, array) {
  view.thrusters = list(header, "thrusters").map(({name, node, direction, force}) => {
    const found = view.nodes.find((one) => one.name === node) ?? null;
    const body = found ? found.body : view.bodies.findIndex((one) => one.name === node);
    check(body >= 0 && force > 0, `The data is broken: thruster '${name}' is on no node.`);
    return {name: String(name), node: found, body, direction: vector(direction, `direction of thruster '${name}'`), force};
  });
  if (!view.thrusters.length) return;
  view.thrust = matrix(array, "thrust", null, view.thrusters.length, "thrust").values;
}

function finite_frames(frames, arrays) {
  let count = frames;
  for (const {values} of arrays) {
    const width = values.length / Math.max(frames, 1);
    let good = 0;
    while (good < values.length && Number.isFinite(values[good])) ++good;
    if (good < values.length) count = Math.min(count, Math.floor(good / width));
  }
  return count;
}

function read_modes(view, header, array) {
  view.modes = list(header, "modes").map((mode, i) => ({name: String(mode.name ?? `mode ${i + 1}`), group: String(mode.group ?? "modes"),
    hz: Number(mode.hz) || 0, detail: String(mode.detail ?? ""), damping: Number.isFinite(mode.damping) ? mode.damping : null,
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
  const bent = view.modal_count > 0 && Object.hasOwn(header.arrays ?? {}, "rest_eta");
  view.rest_eta = bent ? array("rest_eta").values : new Float32Array(view.modal_count);
  check(view.rest_eta.length === view.modal_count, "The data is broken: rest_eta must be modes of all bodies.");
  const finite = [view.poses, view.mode_twists, view.mode_eta, view.rest_eta].every((a) => a.every(Number.isFinite));
  check(finite, "The data is broken: a mode shape is not finite.");
}
