// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Mode shapes are drawn linearly: as large as the page says, with their joints closed and in the picture at any amplitude.

import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {no_browser, open_browser} from "./browser.mjs";
import {bar, fill, kBar, modes, pendulum} from "./sample.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);

// Points, rotations and nodes of a mode at a phase, and what the page says of its amplitude.
const look = (page, mode, phase, scale) => page.evaluate(([m, t, s]) => {
  const {player, side, stage_panel, view} = limber_view;
  player.play(false);
  side.choose(m);
  stage_panel.set_scale(s);
  player.seek(t);
  stage_panel.stale = true;
  stage_panel.draw();
  const {machine} = stage_panel, pose = new Float64Array(7);
  const place = (node, body) => [...machine.node_pose(node, body, pose)];
  return {points: [...machine.points], turns: [...machine.turns], words: stage_panel.badge.textContent, size: limber_view.size,
    joints: view.joints.filter((joint) => joint.parent >= 0).map((joint) => [place(joint.parent_node, joint.parent), place(joint.child_node, joint.child)]),
    tip: place(view.nodes.at(-1), view.nodes.at(-1).body), frame: [...machine.body_frame(0, new Float64Array(12))], amplitude: limber_view.amplitude()};
}, [mode, phase, scale]);

test("a mode is x0 + A phi, and nothing comes apart, at small and at large amplitudes", {skip}, async () => {
  const page = await browser.show(fill(bar()));
  const {length, bent, at} = kBar;
  const rest = await look(page, 0, 0, 12);
  const shorter = (s, eta) => -0.5 * (4 * s ** 3) / (3 * length) * eta * eta;
  for (const scale of [1, 12, 1000]) {
    const {points, joints, amplitude, frame, tip, turns} = await look(page, 0, 0.25, scale);
    for (const [parent, child] of joints) [0, 1, 2].forEach((c) => near(parent[c], child[c], 1e-6, "the hinge"));
    for (let i = 0; i < 9; ++i) {
      const s = i / 8, x = s * length + shorter(s, bent), y = s * s * bent;
      const own = [2 * shorter(s, 1) * bent * 0.1, s * s * 0.1, 0];                     // (S + Xi eta0) e
      const about = [-3 * y, 3 * x, 0.4 * y];                                          // w x (x0 - r), w = (0.4, 0, 3)
      const moved = [0.2, -0.4 * at[2], 0.4 * at[1]];
      [at[0] + x, at[1] + y, at[2]].forEach((p, c) => {
        near(points[3 * i + c], p + amplitude * (own[c] + about[c] + moved[c]), 2e-6 * (1 + amplitude), `station ${i}, ${c}, scale ${scale}`);
        near(rest.points[3 * i + c], p, 1e-6, `station ${i} at rest, ${c}`);
      });
    }
    [0, 1, 2].forEach((c) => near(tip[c], points[24 + c], 2e-6 * (1 + amplitude), "the node at the tip"));
    near(turns[3 * 8 + 2], amplitude * (3 + 0.1), 1e-5 * (1 + amplitude), "rotation of the last section");
    // The block is drawn as (1 + A w x) R.
    near(frame[5], -0.4 * amplitude, 1e-6 * (1 + amplitude), "block");
    near(frame[9], 0.2 * amplitude, 1e-6 * (1 + amplitude), "block");
  }
  await page.close();
});

test("the furthest place moves as far as the page says", {skip}, async () => {
  for (const data of [bar(), modes()]) {
    const page = await browser.show(fill(data));
    const count = await page.evaluate(() => limber_view.view.modes.filter((mode) => mode.only === null).length);
    for (let mode = 0; mode < count; ++mode) {
      for (const scale of [1, 12, 300]) {
        const rest = await look(page, mode, 0, scale), top = await look(page, mode, 0.25, scale), low = await look(page, mode, 0.75, scale);
        let most = 0;
        for (let k = 0; k < rest.points.length; k += 3) most = Math.max(most, Math.hypot(...[0, 1, 2].map((c) => top.points[k + c] - rest.points[k + c])));
        const said = Number(/moves ([\d.]+) % of the size/.exec(top.words)[1]);
        near((100 * most) / top.size, said, 0.06 * said + 1e-9, `mode ${mode}: "${top.words}"`);
        assert.ok(said <= 1.03 * 2 * Math.sqrt(scale), `${top.words}`);   // two digits are shown
        rest.points.forEach((x, k) => near(0.5 * (top.points[k] + low.points[k]), x, 1e-5, "both ends around the rest"));
      }
    }
    await page.close();
  }
});

test("torsion is seen: sections turn though nothing moves, and the tube has a stripe", {skip}, async () => {
  const page = await browser.show(fill(bar()));
  const top = await look(page, 2, 0.25, 12);
  assert.match(top.words, /turns 40°, moves 0 % of the size/);
  near(top.turns[3 * 8], (40 / 180) * Math.PI, 0.01, "twist at the tip");
  const [first, last, stripe] = await page.evaluate(() => {
    const {tubes} = limber_view.stage_panel.stage;
    const normal = tubes.geometry.getAttribute("normal").array, colour = tubes.geometry.getAttribute("color").array, ring = 3 * tubes.sides;
    return [[...normal.slice(ring, ring + 3)], [...normal.slice(9 * ring, 9 * ring + 3)], colour[ring] / colour[ring + 6]];
  });
  near(first[0] * last[0] + first[1] * last[1] + first[2] * last[2], Math.cos(top.turns[3 * 8]), 0.05, "the side turns from root to tip");   // the bar is bent: cos 0.3 is 0.955
  assert.ok(stripe < 0.5, `stripe ${stripe}`);
  await page.close();
});

test("the camera sees the whole cycle of every mode", {skip}, async () => {
  const page = await browser.show(fill(bar()));
  for (const [mode, scale] of [[0, 12], [0, 1000], [1, 300], [2, 12], [0, 3]]) {
    for (const phase of [0.25, 0.75]) {
      await look(page, mode, phase, scale);
      const outside = await page.evaluate(() => {
        const {stage, machine} = limber_view.stage_panel, {camera} = stage;
        camera.updateMatrixWorld();
        const m = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse).elements, p = machine.points;
        let most = 0;
        for (let k = 0; k < p.length; k += 3) {
          const at = (r) => m[r] * p[k] + m[4 + r] * p[k + 1] + m[8 + r] * p[k + 2] + m[12 + r];
          most = Math.max(most, Math.abs(at(0) / at(3)), Math.abs(at(1) / at(3)), at(3) > 0 ? 0 : 9);
        }
        return most;
      });
      assert.ok(outside < 1, `mode ${mode}, scale ${scale}: ${outside} of half the picture`);
      assert.ok(outside > 0.3, `mode ${mode}, scale ${scale}: it fills ${outside} of half the picture`);
    }
  }
  await page.close();
});

test("modes are listed with what moves and with damping in percent", {skip}, async () => {
  const page = await browser.show(fill(bar()));
  assert.match(await page.locator(".mode").first().textContent(), /^mode 1: barmoves: bar 90 %1 Hzζ 0\.5 %$/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("where the page comes from can be read and copied", {skip}, async () => {
  const text = 'limber: 1\nname: "</pre><script>alert(1)</script>"\n';
  const page = await browser.show(fill(pendulum({names: {texts: [{name: "scenario", text: "limber: 1\n"}, {name: "model", text}]}})));
  const card = page.locator(".provenance");
  assert.equal(await card.evaluate((element) => element.open), false);
  await card.locator("summary").first().click();
  assert.match(await card.locator("dl").textContent(), /pendulum\.h5.*2026-01-02 03:04 UTC.*limber 0\.0/);
  await card.locator("details summary").nth(1).click();
  assert.equal(await card.locator("pre").nth(1).textContent(), text);
  await page.evaluate(() => {
    window.copied = [];
    Object.defineProperty(navigator, "clipboard", {value: {writeText: async (words) => window.copied.push(words)}});
  });
  await card.getByLabel("Copy the model").click();
  assert.deepEqual(await page.evaluate(() => window.copied), [text]);
  assert.deepEqual(page.problems, []);
  await page.close();
  const plain = await browser.show(fill(modes()));
  assert.equal(await plain.locator(".provenance").count(), 0);
  await plain.close();
});

test("segments of one beam have its colour", {skip}, async () => {
  const colours = async (outer) => {
    const page = await browser.show(fill(modes({outer})));
    const found = await page.evaluate(() => [limber_view.view.bodies.map((body) => body.colour), limber_view.view.colour_count]);
    assert.deepEqual(page.problems, []);
    await page.close();
    return found;
  };
  assert.deepEqual(await colours("outer"), [[0, 1], 2]);
  assert.deepEqual(await colours("inner"), [[0, 0], 1]);
});
