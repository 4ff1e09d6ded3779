// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// What the data may hold beyond the plain: packed arrays, thinned recordings, second order, strain, surfaces.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {unpack} from "../src/container.js";
import {histogram_between, histogram_given, over_one_axis} from "../src/histogram.js";
import {no_browser, open_browser} from "./browser.mjs";
import {fill, kPendulum, kWing, large, modes, pack, pack_values, pendulum, timing, wings} from "./sample.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);

test("packed values come back to the bit", () => {
  const odd = Float32Array.from([0, -0, NaN, Infinity, -Infinity, 1e-45, -1e-45, 3.4e38, -3.4e38, 1, -1, Math.PI]);
  for (const stride of [1, 2, 5, 12, 40]) {
    const back = unpack(pack_values(odd.slice(), stride), odd.length, stride);
    assert.deepEqual(new Uint32Array(back.buffer), new Uint32Array(odd.buffer));
  }
});

test("histograms count every value once and mark what most stay below", () => {
  const values = Float64Array.from({length: 1000}, (_, i) => i + 1), time = values;
  const one = histogram_between(time, values, 1, 1000);
  assert.equal(one.counts.reduce((a, b) => a + b), 1000);
  assert.deepEqual(one.marks, [500, 990, 999, 1000]);
  assert.equal(histogram_between(time, values, 11, 20).total, 10);
  assert.equal(histogram_between(time, [NaN], 0, 1), null);
  const given = histogram_given({counts: [50, 40, 9, 1], low: 0, high: 4});
  [1, 3, 3.9, 4].forEach((x, m) => near(given.marks[m], x, 1e-12, `mark ${m}`));
  const {edges, rows} = over_one_axis([{counts: [1, 2], low: 0, high: 2}, {counts: [5], low: 1, high: 3}]);
  assert.deepEqual([...edges], [0, 1, 2, 3]);
  assert.deepEqual(rows.map((row) => [...row]), [[1, 2, 0, 0], [0, 5, 5, 0]]);
  assert.equal(over_one_axis([{counts: [7], low: 2, high: 2}]).rows[0][0], 7);
});

test("the second order shortens bent links, and magnification takes the whole displacement", {skip}, async () => {
  const page = await browser.show(fill(pendulum({second: true})));
  const {length, angle, eta, eta_y} = kPendulum;
  const t = 1.06, a = angle(t);
  for (const m of [1, 25]) {
    await page.evaluate(([time, scale]) => (limber_view.player.seek(time), limber_view.stage_panel.set_scale(scale)), [t, m]);
    const x = length - m * 0.5 * (4 / (3 * length)) * (eta(t) ** 2 + eta_y(t) ** 2), z = m * eta(t);
    const want = [Math.cos(a) * x + Math.sin(a) * z, m * eta_y(t), -Math.sin(a) * x + Math.cos(a) * z];
    const got = await page.evaluate(() => limber_view.node_place("beam.tip"));
    const station = await page.evaluate(() => [...limber_view.stage_panel.machine.points.slice(16 * 3, 17 * 3)]);
    want.forEach((value, i) => near(got[i], value, 1e-6 * m, `tip ${i} at ${m}x`));
    want.forEach((value, i) => near(station[i], value, 1e-6 * m, `station ${i} at ${m}x`));
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("thrusters blow against their force while they fire", {skip}, async () => {
  const page = await browser.show(fill(pendulum({thrusters: true})));
  const plume = (t) => page.evaluate((time) => {
    limber_view.player.seek(time);
    limber_view.stage_panel.draw();
    const {mesh} = limber_view.stage_panel.stage.plumes;
    return {m: [...mesh.instanceMatrix.array.slice(0, 16)], tip: limber_view.node_place("beam.tip"), shown: mesh.visible};
  }, t);
  assert.equal(Math.hypot(...(await plume(1)).m.slice(8, 11)), 0);
  const {m, tip, shown} = await plume(8);
  assert.ok(shown);
  tip.slice(0, 3).forEach((value, i) => near(m[12 + i], value, 1e-5, `place ${i}`));
  // The cone opens along its own -z, which lies against the force: its z axis is that of the tip.
  const long = Math.hypot(...m.slice(8, 11)), a = kPendulum.angle(8);
  assert.ok(long > 0.01);
  near(m[8] / long, Math.sin(a), 0.05, "x");
  near(m[10] / long, Math.cos(a), 0.05, "z");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("colours by strain energy, with a legend", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  await page.evaluate(() => limber_view.player.seek(1.06));
  await page.getByLabel("Colour", {exact: true}).selectOption({label: "Colour by strain energy"});
  const got = await page.evaluate(() => (limber_view.stage_panel.draw(), [...limber_view.stage_panel.machine.energy.slice(0, 17)]));
  const {length, eta, eta_y} = kPendulum;
  for (const e of got) near(e, 0.5 * 100 * (4 / length ** 4) * (eta(1.06) ** 2 + eta_y(1.06) ** 2), 1e-7, "J/m");
  assert.match(await page.locator(".colour-bar").textContent(), /strain energy 0 .*\d mJ\/m/);
  await page.locator("body").press("c");
  assert.ok(await page.locator(".colour-bar").isHidden());
  await page.locator("body").press("c");
  assert.match(await page.locator(".colour-bar").textContent(), /deflection 0 .*\d mm/);
  await page.close();
  const shapes = await browser.show(fill(modes()));
  await shapes.evaluate(() => (limber_view.player.play(false), limber_view.player.seek(0.25), limber_view.stage_panel.set_colour("strain"), limber_view.stage_panel.draw()));
  const share = await shapes.evaluate(() => Math.max(...limber_view.stage_panel.machine.energy) / limber_view.stage_panel.survey.energy);
  near(share, 1, 1e-3, "largest strain energy of a mode at its largest");
  assert.match(await shapes.locator(".colour-bar").textContent(), /largest/);
  await shapes.close();
});

test("surfaces are drawn, bend and have no balls", {skip}, async () => {
  const page = await browser.show(fill(wings()));
  const t = 0.52;
  const found = await page.evaluate((time) => {
    limber_view.player.seek(time);
    limber_view.stage_panel.set_colour("strain");
    limber_view.stage_panel.draw();
    const {stage, machine} = limber_view.stage_panel;
    const normal = stage.surfaces.geometry.getAttribute("normal").array;
    const sizes = Array.from({length: normal.length / 3}, (_, v) => Math.hypot(normal[3 * v], normal[3 * v + 1], normal[3 * v + 2]));
    return {balls: stage.solids.balls.length, lines: stage.lines.length, triangles: stage.surfaces.geometry.index.count / 3, least: Math.min(...sizes), most: Math.max(...sizes),
      tip: [...machine.points.slice(3 * (24 * 9 + 4), 3 * (24 * 9 + 5))], energy: machine.energy[0]};
  }, t);
  const {length, width, flap, bend} = kWing;
  assert.deepEqual([found.balls, found.lines, found.triangles], [0, 0, 2 * 2 * 24 * 8]);
  near(found.least, 1, 1e-5, "shortest normal");
  near(found.most, 1, 1e-5, "longest normal");
  const a = flap(t), z = 0.03 + bend(t);
  [0.1 + Math.cos(a) * length - Math.sin(a) * z, 0, 1 + Math.sin(a) * length + Math.cos(a) * z].forEach((x, i) => near(found.tip[i], x, 1e-5, `tip ${i}`));
  near(found.energy, (0.5 * (50 + 0.2) * bend(t) ** 2) / Math.hypot(length, width, 0.03), 1e-5, "J/m");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a thinned recording shows bands, the spectra and the histograms of all records", {skip}, async () => {
  const page = await browser.show(fill(timing()));
  assert.match(await page.locator(".note").textContent(), /30000 records are shown by 1500/);
  const range = await page.evaluate(() => {
    const plot = limber_view.side.plots.get("s");
    return [plot.plot.scales.y.min, plot.plot.scales.y.max, Math.min(...plot.channels[0].low), Math.max(...plot.channels[0].high)];
  });
  assert.ok(range[0] <= range[2] && range[1] >= range[3], `the axis ${range.slice(0, 2)} covers the band ${range.slice(2)}`);
  assert.match(await page.locator(".legend .value").nth(1).textContent(), /^\S+ \(\S+ … \S+\)$/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".plot").nth(1).getByText("CSV").click()]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(lines[0], '"time [s]","shoulder [rad]","shoulder low [rad]","shoulder high [rad]"');
  assert.equal(lines.length, 1501);
  const [, value, low, high] = lines[700].split(",").map(Number);
  assert.ok(low <= value && value <= high && low < high, lines[700]);
  await page.locator(".plot").nth(1).getByText("Spectrum").click();
  assert.match(await page.locator(".moment").nth(1).textContent(), /of the whole recording/);
  const peak = await page.evaluate(() => {
    const [hz, amplitude] = limber_view.side.plots.get("rad").data;
    return hz[amplitude.indexOf(Math.max(...amplitude))];
  });
  assert.equal(peak, 180);
  await page.locator(".plot").first().getByText("Histogram").click();
  assert.match(await page.locator(".moment").first().textContent(), /30.000 records, the whole recording/);
  assert.match(await page.locator(".legend .value").first().textContent(), /median .* 99 % .* 99.9 % .* largest /);
  const counts = await page.evaluate(() => limber_view.side.plots.get("s").shown.table().columns[1].reduce((a, b) => a + b));
  assert.equal(counts, 30000);
  await page.locator(".plot").first().getByText("Log").click();
  assert.equal(await page.evaluate(() => limber_view.side.plots.get("s").plot.scales.y.min), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("without counts in the data a histogram is that of the range in view", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  const total = () => page.evaluate(() => limber_view.side.plots.get("rad").shown.table().columns[1].reduce((a, b) => a + b));
  await page.evaluate(() => limber_view.side.plots.get("rad").set_kind("histogram"));
  assert.equal(await total(), 501);
  await page.evaluate(() => limber_view.side.plots.get("m").plot.setScale("x", {min: 0, max: 2}));
  await page.drawn();
  assert.equal(await total(), 101);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("arrays that do not fit give a message", {skip}, async () => {
  const base = {kind: "recording", geometries: [{stations: "p", triangles: "t"}], bodies: [{name: "b", geometry: 0}]};
  const p = ["f32", [2, 3], [0, 0, 0, 1, 0, 0]], time = ["f64", [2], [0, 1]];
  const signal = {kind: "recording", channels: [{name: "a"}]}, rows = ["f32", [1, 2], [1, 2]];
  const cases = [[pack(base, {p, t: ["u32", [1, 3], [0, 1, 2]]}), /triangle/], [pack({...base, geometries: [{stations: "p", second: "p"}]}, {p}), /second/],
    [pack({...base, geometries: [{stations: "p", strain: "p"}]}, {p}), /strain/], [pack(signal, {time, channels: rows, low: ["f32", [1, 1], [1]], high: rows}), /'low'/],
    [pack(signal, {time, channels: rows, spectra: rows}), /spectrum_hz/], [pack(signal, {time: [...time, 1], channels: rows}), /packed/]];
  for (const [data, words] of cases) {
    const page = await browser.show(fill(data));
    assert.match(await page.locator("[role=alert]").textContent(), words);
    await page.close();
  }
});

test("all controls have names, and nothing moves by itself for who wants that", {skip}, async () => {
  for (const data of [pendulum(), modes(), timing()]) {
    const page = await browser.show(fill(data), {reducedMotion: "reduce"});
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, canvas[tabindex], summary")].filter((element) => {
      const label = element.getAttribute("aria-label") || element.closest("label")?.textContent || element.textContent;
      return !label || !/[A-Za-z]/.test(label);
    }).map((element) => element.outerHTML));
    assert.deepEqual(nameless, []);
    assert.equal(await page.evaluate(() => limber_view.player.playing), false);
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid");
    await page.close();
  }
});

test("a focused picture turns and zooms by keys, and long readings fit a phone", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  const camera = () => page.evaluate(() => limber_view.stage_panel.stage.camera.position.clone().sub(limber_view.stage_panel.stage.controls.target).toArray());
  const size = (v) => Math.hypot(...v);
  const first = await camera();
  await page.locator(".stage canvas").first().focus();
  for (const key of ["ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  const turned = await camera();
  assert.equal(await page.evaluate(() => limber_view.player.t), 0);
  near(size(turned), size(first), 1e-6 * size(first), "distance");
  assert.ok(size(turned.map((x, i) => x - first[i])) > 0.1 * size(first));
  assert.ok(turned[2] > first[2], "higher");
  await page.keyboard.press("PageUp");
  near(size(await camera()), 0.85 * size(first), 1e-6 * size(first), "nearer");
  await page.close();
  const phone = await browser.show(fill(timing()), {viewport: {width: 390, height: 800}});
  await phone.evaluate(() => limber_view.side.plots.get("s").set_kind("histogram"));
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await phone.close();
});

test("many links and many signals are shown", {skip}, async () => {
  const page = await browser.show(fill(large()));
  await page.evaluate(() => limber_view.stage_panel.set_scale(3));
  assert.deepEqual(page.problems, []);
  await page.close();
});
