// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// What leaves the page says what it is, numbers that are none are shown as such, and a page that is cut says so.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {labels_of} from "../src/charts.js";
import {histogram_between, histogram_given} from "../src/histogram.js";
import {no_browser, open_browser} from "./browser.mjs";
import {fill, pack, pendulum} from "./sample.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const T = 501, kTime = Array.from({length: T}, (_, i) => i * 0.02);
const kGroups = ["control: error", "control: desired", "control: measured", "joint coordinates"];

// The same joint four times, some 1e-5 rad.
function wrist(rows = kGroups.map((_, g) => kTime.map((t) => 1e-5 * (g + 1) * Math.sin(t)))) {
  const channels = kGroups.slice(0, rows.length).map((group) => ({name: "wrist", group, unit: "rad", shown: true}));
  return pack({kind: "recording", name: "wrist", channels}, {time: ["f64", [T], kTime], channels: ["f32", [rows.length, T], rows.flat()]});
}

async function saved_table(page, plot = 0) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".plot").nth(plot).getByText("CSV").click()]);
  return readFileSync(await download.path(), "utf8").trim().split("\n");
}

test("signals of one name are told apart", () => {
  const names = (...list) => labels_of(list.map(([group, name]) => ({group, name})));
  assert.deepEqual(names(["a", "x"], ["a", "y"]), ["x", "y"]);
  assert.deepEqual(names(["a", "x"], ["b", "x"], ["b", "y"]), ["a: x", "b: x", "y"]);
  assert.deepEqual(names(["a", "x"], ["a", "x"]), ["a: x (1)", "a: x (2)"]);
});

test("columns of a table have names of their own, and rows are those in view", {skip}, async () => {
  const page = await browser.show(fill(wrist()));
  const all = await saved_table(page);
  assert.equal(all[0], '"time [s]","control: error: wrist [rad]","control: desired: wrist [rad]","control: measured: wrist [rad]","joint coordinates: wrist [rad]"');
  assert.equal(all.length, 1 + T);
  await page.evaluate(() => limber_view.side.plots.get("rad").plot.setScale("x", {min: 2, max: 3}));
  await page.drawn();
  const part = await saved_table(page);
  assert.equal(part.length, 1 + 51);
  assert.deepEqual(part.slice(1).map((line) => Number(line.split(",")[0])), kTime.slice(100, 151).map((t) => Number(t.toPrecision(15))));
  await page.evaluate(() => {
    const plot = limber_view.side.plots.get("rad");
    plot.set_kind("spectrum");
    plot.plot.setScale("x", {min: 5, max: 10});
  });
  await page.drawn();
  for (const line of (await saved_table(page)).slice(1)) assert.ok(Number(line.split(",")[0]) >= 5 && Number(line.split(",")[0]) <= 10, line);
  await page.close();
});

test("a saved plot has one unit on its axis and in its legend", {skip}, async () => {
  const page = await browser.show(fill(wrist()), {before: () => {
    window.texts = [];
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      window.texts.push(text);
      return draw.call(this, text, ...place);
    };
  }});
  const axis = await page.evaluate(() => limber_view.side.plots.get("rad").plot.axes[1].label);
  await page.evaluate(() => (window.texts = []));
  await Promise.all([page.waitForEvent("download"), page.locator(".plot").first().getByText("PNG").click()]);
  const texts = await page.evaluate(() => window.texts);
  assert.equal(axis, "µrad");
  assert.deepEqual(texts.slice(-4), kGroups.map((group) => `${group}: wrist [µrad]`));
  await page.close();
});

// Number of pixels of the first plot in the colour of its first line, in columns [from, to) of the time.
const drawn = (page, from, to) => page.evaluate(([a, b]) => {
  const {plot, colour} = [...limber_view.side.plots.values()][0];
  const shade = document.createElement("canvas").getContext("2d");
  shade.fillStyle = colour(0);
  shade.fillRect(0, 0, 1, 1);
  const [r, g, blue] = shade.getImageData(0, 0, 1, 1).data;
  const left = Math.round(plot.valToPos(a, "x", true)), right = Math.round(plot.valToPos(b, "x", true));
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [right - left, plot.ctx.canvas.height];
  copy.getContext("2d").drawImage(plot.ctx.canvas, -left, 0);
  const {data} = copy.getContext("2d").getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200 && Math.hypot(data[k] - r, data[k + 1] - g, data[k + 2] - blue) < 60) ++count;
  return count;
}, [from, to]);

test("a line is interrupted where values are not finite, and the rest is drawn", {skip}, async () => {
  for (const hole of [NaN, Infinity, -Infinity]) {
    const values = kTime.map((t, i) => (i >= 200 && i < 250 ? hole : i >= 400 ? (i === 450 ? 1e-5 : hole) : 1e-5 * Math.sin(t)));
    const page = await browser.show(fill(wrist([values])));
    await page.drawn();
    assert.ok((await drawn(page, 0, 3.9)) > 100, `drawn before the hole of ${hole}`);
    assert.ok((await drawn(page, 5.1, 7.9)) > 100, `drawn behind the hole of ${hole}`);
    assert.equal(await drawn(page, 4.1, 4.9), 0, `nothing across the hole of ${hole}`);
    assert.ok((await drawn(page, 8.9, 9.1)) > 3, "a value between holes is a point");
    assert.match(await page.locator(".plot-notes").textContent(), /wrist: 150 of 501 records are not finite; the line is interrupted there/);
    await page.evaluate(() => limber_view.player.seek(4.5));
    assert.equal(await page.locator(".legend .value").first().textContent(), {NaN: "NaN", Infinity: "∞", "-Infinity": "−∞"}[hole]);
    const lines = await saved_table(page);
    assert.equal(lines[1 + 220].split(",")[1], String(hole));
    await page.evaluate(() => limber_view.side.plots.get("rad").set_kind("histogram"));
    assert.match(await page.locator(".plot-notes").textContent(), /not counted/);
    assert.equal(await page.evaluate(() => limber_view.side.plots.get("rad").shown.table().columns[1].reduce((a, b) => a + b)), 351);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test("the spectrum of the page labels its peaks and counts no hole as zero", {skip}, async () => {
  const step = 0.004, n = 1001, time = Array.from({length: n}, (_, i) => i * step);
  const rows = [time.map((t) => Math.sin(2 * Math.PI * 100 * t)), time.map((t, i) => (i === 300 ? NaN : 5 + Math.sin(2 * Math.PI * 40 * t)))];
  const header = {kind: "recording", channels: [{name: "a", unit: "V", shown: true}, {name: "b", unit: "V", shown: true}]};
  const page = await browser.show(fill(pack(header, {time: ["f64", [n], time], channels: ["f32", [2, n], rows.flat()]})));
  const peaks = await page.evaluate(() => (limber_view.side.plots.get("V").set_kind("spectrum"), limber_view.side.plots.get("V").shown.peaks));
  assert.deepEqual(peaks.map(({hz, i}) => [Math.round(hz), i]), [[100, 0], [40, 1]]);
  for (const {amplitude} of peaks) assert.ok(amplitude > 0.96 && amplitude < 1.001, `${amplitude}`);
  assert.match(await page.locator(".plot-notes").textContent(), /b: 1 of 1001 .* longest stretch/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("quantiles are the same however they come", () => {
  const values = Float64Array.from({length: 3333}, (_, i) => ((i * 7919) % 3333) ** 2);
  const sorted = values.slice().sort();
  const marks = [0.5, 0.99, 0.999, 1].map((share) => sorted[Math.ceil(share * 3333 - 1e-9) - 1]);
  assert.deepEqual(histogram_between(values.map((_, i) => i), values, 0, 1e9).marks, marks);
  assert.deepEqual(histogram_given({counts: [3333], low: 0, high: 3332 ** 2}, marks).marks, marks);
});

test("a page that is cut says so, a whole one does not", {skip}, async () => {
  const whole = fill(pendulum());
  const words = whole.indexOf("</main>"), data = whole.indexOf('id="limber-data"'), script = whole.lastIndexOf("<script>");
  assert.ok(words > 0 && words < 2500, `the message ends at byte ${words}`);
  for (const at of [words, words + 500, data - 30, data + 200, script - 10, script + 20, (script + whole.length) >> 1, whole.length - 40]) {
    const page = await browser.show(whole.slice(0, at), {cut: true});
    assert.match(await page.locator("#limber-cut").innerText(), /not whole: the file was cut/, `cut at ${at} of ${whole.length}`);
    assert.ok(await page.locator("#limber-cut").isVisible());
    await page.close();
  }
  const page = await browser.show(whole);
  assert.equal(await page.locator("#limber-cut").count(), 0);
  await page.close();
});
