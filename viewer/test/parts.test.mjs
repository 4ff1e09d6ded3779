// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Parts of machines: rotors turn with their motors, contacts show where they touch, trolleys follow the bent beam, springs and
// ropes run between their places.

import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {no_browser, open_browser} from "./browser.mjs";
import {fill, pack} from "./sample.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);

const kLength = 4, kBend = 0.05;
const place_at = (t) => 0.5 + 0.3 * t;

// A cantilever along x that is bent in z by kBend (x/L)^2, a trolley that runs along it, a ball that falls on the ground.
function jib({frames = 11, header = {}, arrays = {}} = {}) {
  const count = 17, time = Array.from({length: frames}, (_, i) => i);
  const stations = [], shapes = [];
  for (let i = 0; i < count; ++i) {
    const s = i / (count - 1);
    stations.push(kLength * s, 0, 0);
    shapes.push(0, 0, s * s);
  }
  const poses = [], angles = [], places = [];
  for (const t of time) {
    const s = place_at(t), x = s / kLength, slope = (2 * kBend * x) / kLength;
    // Rotation about y by -slope: the trolley's x points along the axis.
    poses.push(0, 0, 2, 1, 0, 0, 0, s, 0, 2 + kBend * x * x, Math.cos(slope / 2), 0, -Math.sin(slope / 2), 0);
    poses.push(1, 1, 1 - 0.1 * t, 1, 0, 0, 0);
    angles.push(7 * t);
    places.push(s);
  }
  const world = (at, rotation) => ({body: -1, node: -1, at, rotation});
  const all = {kind: "recording", name: "jib", gravity: [0, 0, -9.81], complete: true, channels: [],
    geometries: [{stations: "jib", shapes: "jib_shapes"}, {boxes: [[0, 0, 0, 0.2, 0.2, 0.2]]}, {boxes: [[0, 0, 0, 0.1, 0.1, 0.1]]}],
    bodies: [{name: "jib", geometry: 0}, {name: "trolley", geometry: 1}, {name: "ball", geometry: 2}],
    nodes: [{name: "trolley.centre", body: 1, position: [0, 0, 0]}],
    joints: [{name: "root", type: "fixed", parent: -1, child: 0}, {name: "rail", type: "prismatic", parent: 0, child: 1, axes: [[1, 0, 0]], slides: 0},
      {name: "loose", type: "free", parent: -1, child: 2}],
    rotors: [{name: "winch", ...world([0, 0, 2], [Math.SQRT1_2, 0, Math.SQRT1_2, 0])}],
    contacts: [{name: "ground", point: {body: 2, node: -1, at: [0, 0, 0]}, on: world([0, 0, 0]), shape: "plane", size: [0, 0, 0], radius: 0.3},
      {name: "block", point: {body: 2, node: -1, at: [0, 0, 0]}, on: world([1, 1.4, 0.5]), shape: "box", size: [1, 0.4, 0.2], radius: 0},
      {name: "post", point: {body: 2, node: -1, at: [0, 0, 0]}, on: world([1, 1.2, 0]), shape: "cylinder", size: [0.25, 1, 0], radius: 0}],
    elements: [{name: "coil", kind: "spring", points: [world([0, 0, 0]), {body: 2, node: -1, at: [0, 0, 0]}]},
      {name: "hoist", kind: "rope", points: [{body: 1, node: 0, at: [0, 0, -0.1]}, world([2, 0, 3]), {body: 2, node: -1, at: [0, 0, 0.05]}]}],
    ...header};
  return pack(all, {time: ["f64", [frames], time], frame_time: ["f64", [frames], time], poses: ["f32", [frames, 3, 7], poses],
    eta: ["f32", [frames, 1], time.map(() => kBend)], jib: ["f32", [count, 3], stations], jib_shapes: ["f32", [3 * count, 1], shapes],
    rotor_angles: ["f32", [frames, 1], angles], slider_places: ["f32", [frames, 1], places], ...arrays});
}

const look = (page, t, scale = 1) => page.evaluate(([time, by]) => {
  limber_view.player.play(false);
  limber_view.player.seek(time);
  limber_view.stage_panel.set_scale(by);
  limber_view.stage_panel.draw();
  const {stage} = limber_view.stage_panel;
  const instance = [...stage.rotors.mesh.instanceMatrix.array.slice(0, 16)];
  const line = (k) => [...stage.elements.parts[k].lines.geometry.getAttribute("position").array];
  return {trolley: [...limber_view.node_place("trolley.centre")], rotor: instance, gaps: stage.contacts.items.map(({gap}) => gap), coil: line(0), rope: line(1),
    balls: stage.contacts.items.map(({ball}) => ball.material.color.getHex()), patch: stage.contacts.items[0].shape.position.toArray(), visible: stage.rotors.mesh.visible};
}, [t, scale]);

test("a rotor turns about its axis with the motor", {skip}, async () => {
  const page = await browser.show(fill(jib()));
  for (const t of [0, 0.5, 3]) {
    const {rotor, visible} = await look(page, t);
    assert.ok(visible);
    const r = Math.hypot(rotor[0], rotor[1], rotor[2]);
    // z of the disc is x of the world, and its x turns from -z of the world about it.
    near(rotor[8] / Math.hypot(rotor[8], rotor[9], rotor[10]), 1, 1e-6, "its axis");
    near(rotor[1] / r, Math.sin(7 * t), 1e-5, `its y at ${t}`);
    near(rotor[2] / r, -Math.cos(7 * t), 1e-5, `its z at ${t}`);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a trolley follows its beam, however much that is magnified", {skip}, async () => {
  const page = await browser.show(fill(jib()));
  for (const [t, scale] of [[2, 1], [2, 20], [6.5, 40], [10, 5]]) {
    const {trolley} = await look(page, t, scale), s = place_at(t), x = s / kLength;
    // Straight between 17 stations: an eighth of their distance squared, which also turns with the section.
    const straight = kBend / (4 * 256);
    near(trolley[0], s, 1e-5 + straight, `x at ${t}, magnified by ${scale}`);
    near(trolley[2], 2 + scale * kBend * x * x, 1e-5 + scale * straight, `z at ${t}, magnified by ${scale}`);
    near(2 * Math.asin(-trolley[5]), (scale * 2 * kBend * x) / kLength, 1e-4 + 0.01 * scale * kBend / kLength, `its inclination at ${t}, magnified by ${scale}`);
  }
  await page.close();
});

test("contacts are red where they touch", {skip}, async () => {
  const page = await browser.show(fill(jib()));
  const red = 0xc8202f;
  const high = await look(page, 1), low = await look(page, 8);
  near(high.gaps[0], 0.9 - 0.3, 1e-5, "above the ground");
  near(high.gaps[1], Math.hypot(0.2, 0.3), 1e-5, "beside the edge of the box");
  near(high.gaps[2], 0.9 - 0.5, 1e-5, "above the post");
  near(low.gaps[0], 0.2 - 0.3, 1e-5, "in the ground");
  near(low.gaps[2], 0.2 - 0.25, 1e-5, "in the post");
  assert.deepEqual(high.balls.map((colour) => colour === red), [false, false, false]);
  assert.deepEqual(low.balls.map((colour) => colour === red), [true, false, true]);
  assert.deepEqual(low.patch.map((x) => Math.round(1e4 * x) / 1e4), [1, 1, 0]);   // under the ball
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("springs are coils and ropes run over their pulleys", {skip}, async () => {
  const page = await browser.show(fill(jib()));
  const {coil, rope} = await look(page, 4, 10);
  const place = await page.evaluate(() => [...limber_view.node_place("trolley.centre")]);
  const ends = [coil.slice(0, 3), coil.slice(-3)];
  [0, 0, 0].forEach((x, i) => near(ends[0][i], x, 1e-6, `begin of the coil ${i}`));
  [1, 1, 0.6].forEach((x, i) => near(ends[1][i], x, 1e-5, `end of the coil ${i}`));
  let aside = 0;   // from the straight line
  for (let k = 0; k < coil.length; k += 3) {
    const along = (coil[k] + coil[k + 1] + 0.6 * coil[k + 2]) / 2.36;
    aside = Math.max(aside, Math.hypot(coil[k] - along, coil[k + 1] - along, coil[k + 2] - 0.6 * along));
  }
  assert.ok(aside > 0.01, `the coil goes ${aside} aside`);
  assert.equal(rope.length, 12);
  near(Math.hypot(rope[0] - place[0], rope[2] - place[2]), 0.1, 1e-5, "the rope hangs under the trolley");
  [2, 0, 3, 2, 0, 3, 1, 1, 0.65].forEach((x, i) => near(rope[3 + i], x, 1e-5, `rope ${i}`));
  await page.close();
});

test("broken parts are refused with a word", {skip}, async () => {
  const cases = [[{contacts: [{name: "c", point: {body: 2, at: [0, 0, 0]}, on: {body: -1, at: [0, 0, 0]}, shape: "torus", size: [1, 1, 1], radius: 0}]}, /contact 'c' has no known shape/],
    [{rotors: [{name: "r", body: 9, at: [0, 0, 0]}]}, /rotor 'r' is on no body/],
    [{joints: [{name: "j", type: "prismatic", parent: -1, child: 0, slides: 0}]}, /joint 'j' slides on nothing/]];
  for (const [header, words] of cases) {
    const page = await browser.show(fill(jib({header})));
    assert.match(await page.locator("body").innerText(), words);
    await page.close();
  }
});
