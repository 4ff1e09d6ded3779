// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The page in a browser: it draws, moves as the data say, and stands broken data and hostile names.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {gzipSync} from "node:zlib";
import {no_browser, open_browser} from "./browser.mjs";
import {chain, fill, fill_text, kPendulum, kTemplate, modes, pack, pendulum} from "./sample.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);

// Number of pixels of the picture that are neither its background nor grey: the links.
const coloured = (page) => page.evaluate(() => {
  limber_view.stage_panel.stale = true;
  limber_view.stage_panel.draw();
  const source = limber_view.stage_panel.canvas;
  const copy = document.createElement("canvas");
  copy.width = source.width;
  copy.height = source.height;
  const context = copy.getContext("2d");
  context.drawImage(source, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) if (Math.max(data[k], data[k + 1], data[k + 2]) - Math.min(data[k], data[k + 1], data[k + 2]) > 70) ++count;
  return count;
});

test("a recording loads without a complaint and is drawn", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  assert.equal(await page.title(), "pendulum – limber");
  const with_links = await coloured(page);
  assert.ok(with_links > 500, `${with_links} coloured pixels`);
  await page.evaluate(() => {
    for (const child of limber_view.stage_panel.stage.scene.children) if (child.isMesh) child.visible = false;
    limber_view.stage_panel.stage.update = () => (limber_view.stage_panel.stage.dirty = true);
  });
  const without = await coloured(page);
  assert.ok(without < with_links / 2, `${without} of ${with_links} are left without meshes`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("scrubbing puts the tip where the data say, between frames too", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  const {length, angle, eta, eta_y} = kPendulum;
  for (const [share, tolerance] of [[0, 1e-6], [0.5, 1e-6], [0.1234, 2e-3], [1, 1e-6]]) {
    await page.locator(".scrub").evaluate((slider, value) => {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }, share);
    const t = await page.evaluate(() => limber_view.player.t);
    near(t, share * 10, 1e-9, "time");
    const a = angle(t);
    const want = [Math.cos(a) * length + Math.sin(a) * eta(t), eta_y(t), -Math.sin(a) * length + Math.cos(a) * eta(t)];
    const got = await page.evaluate(() => limber_view.node_place("beam.tip"));
    want.forEach((x, i) => near(got[i], x, tolerance, `tip ${i} at t = ${t}`));
    const mesh = await page.evaluate(() => [...limber_view.stage_panel.machine.points.slice(16 * 3, 17 * 3)]);
    want.forEach((x, i) => near(mesh[i], x, tolerance, `last station ${i}`));
  }
  await page.close();
});

test("magnification bends the links more and carries along what they carry", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  const {length, angle, eta, eta_y} = kPendulum;
  const t = 1.06, a = angle(t), m = 25;
  await page.evaluate(([time, scale]) => (limber_view.player.seek(time), limber_view.stage_panel.set_scale(scale)), [t, m]);
  const want = [Math.cos(a) * length + Math.sin(a) * m * eta(t), m * eta_y(t), -Math.sin(a) * length + Math.cos(a) * m * eta(t)];
  for (const node of ["beam.tip", "block.centre"]) {
    const got = await page.evaluate((name) => limber_view.node_place(name), node);
    want.forEach((x, i) => near(got[i], x, 1e-4, `${node} ${i}`));
  }
  assert.match(await page.locator(".badge.strong").textContent(), /25× magnified/);
  await page.locator("body").press("1");
  assert.match(await page.locator(".scale-text").textContent(), /true scale/);
  await page.close();
});

test("it plays, pauses, steps and loops", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  await page.locator("body").press("Space");
  await page.waitForFunction(() => limber_view.player.t > 0.15);
  await page.locator(".play").click();
  const stopped = await page.evaluate(() => limber_view.player.t);
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => limber_view.player.t), stopped);
  await page.locator("body").press("End");
  await page.locator("body").press("ArrowLeft");
  near(await page.evaluate(() => limber_view.player.t), 9.98, 1e-9, "one frame back");
  await page.locator("body").press("Space");
  await page.waitForFunction(() => limber_view.player.t < 5);
  await page.close();
});

test("plots show the recorded value at the cursor, and spectra their peaks", {skip}, async () => {
  const page = await browser.show(fill(pendulum()));
  await page.evaluate(() => limber_view.player.seek(2.5));
  const shown = Number((await page.locator(".legend .value").nth(1).textContent()).replaceAll("−", "-"));
  near(shown, kPendulum.angle(2.5), 1e-4, "hinge at 2.5 s");
  // Zooming one plot zooms the other, and the line stays at the time.
  await page.locator(".plot").first().getByTitle("Zoom in at the cursor").click();
  await page.drawn();
  const zoomed = await page.evaluate(() => [...limber_view.side.plots.values()].map((plot) => [plot.plot.scales.x.min, plot.plot.scales.x.max,
    plot.line.getBoundingClientRect().left - plot.plot.over.getBoundingClientRect().left + 1 - plot.plot.valToPos(2.5, "x")]));
  for (const [from, to, off] of zoomed) {
    assert.deepEqual([from, to], [0, 5]);
    near(off, 0, 1, "line of the time, pixels");
  }
  await page.locator(".plot").first().getByText("All").click();
  await page.drawn();
  const peak = await page.evaluate(() => {
    const plot = [...limber_view.side.plots.values()][1];
    plot.set_kind("spectrum");
    const [hz, amplitude] = plot.data;
    const k = amplitude.indexOf(Math.max(...amplitude));
    return [hz[k], amplitude[k]];
  });
  near(peak[0], 0.4, 0.06, "peak, Hz");
  near(peak[1], 0.8, 0.02, "amplitude");
  await page.locator(".chooser > summary").click();
  await page.locator("input[type=search]").fill("bal");
  await page.locator(".signal-list input").check();
  assert.equal(await page.locator(".plot").count(), 3);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".plot").nth(2).getByText("CSV").click()]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(lines.length, 502);
  assert.equal(lines[0], '"time [s]","balance [J]"');
  near(Number(lines[501].split(",")[1]), 1e-8, 1e-14, "last balance");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a thousand flexible links play", {skip}, async () => {
  const page = await browser.show(fill(chain()));
  await page.evaluate(() => limber_view.stage_panel.set_scale(3));
  const calls = await page.evaluate(() => (limber_view.stage_panel.draw(), limber_view.stage_panel.stage.scene.children.length));
  assert.ok(calls < 20, `${calls} objects in the scene`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("modes move, each at its own shape", {skip}, async () => {
  const page = await browser.show(fill(modes()));
  assert.equal(await page.locator(".mode").count(), 3);
  await page.evaluate(() => (limber_view.player.play(false), limber_view.player.seek(0.25)));
  const first = await page.evaluate(() => limber_view.node_place("outer.tip"));
  assert.ok(first[1] > 0.02, `tip at ${first}`);
  await page.locator("body").press("ArrowDown");
  const second = await page.evaluate(() => limber_view.node_place("outer.tip"));
  assert.ok(Math.abs(second[1] - first[1]) > 0.01);
  await page.locator(".mode").nth(2).click();
  assert.ok((await coloured(page)) > 200);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("broken, empty and foreign data give a message", {skip}, async () => {
  const good = gzipSync(pendulum()).toString("base64");
  const cases = [[readFileSync(kTemplate, "utf8"), /no recording/], [fill_text(""), /no recording/], [fill_text("<>!"), /not base64/],
    [fill_text(good.slice(0, 400)), /unpack/], [fill(Buffer.from("hello")), /too short/], [fill(Buffer.alloc(100)), /version/],
    [fill(pendulum().subarray(0, 9000)), /cut/], [fill(pack({kind: "recording"}, {time: ["f64", [0], []]})), /empty/],
    [fill(pack({kind: "recording", bodies: [{name: "b", geometry: 7}]}, {})), /geometry/], [fill(pack({kind: "recording", bodies: 3}, {})), /no list/],
    [fill(pack({kind: "film"}, {})), /neither/], [fill(pack({kind: "recording", bodies: [null]}, {})), /could not be built/],
    [fill(pack({kind: "recording", geometries: [{}], bodies: [{geometry: 0}], joints: [{name: "j", parent: 0, child: 0}]}, {})), /before its child/],
    [fill(pack({kind: "recording", channels: [{name: "a"}]}, {time: ["f64", [2], [0, 1]], channels: ["f32", [1, 1], [1]]})), /do not fit/],
    [fill(pack({kind: "modes", geometries: [{}], bodies: [{geometry: 0}]}, {})), /no modes/]];
  for (const [html, words] of cases) {
    const page = await browser.show(html);
    assert.match(await page.locator("[role=alert]").textContent(), words);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test("one record, or signals without bodies, are shown", {skip}, async () => {
  for (const data of [pendulum({T: 1}), pack({kind: "recording", name: "signals", channels: [{name: "a", unit: "m"}]}, {time: ["f64", [2], [0, 1]], channels: ["f32", [1, 2], [1, NaN]]})]) {
    const page = await browser.show(fill(data));
    assert.equal(await page.locator("[role=alert]").count(), 0);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test("a browser without WebGL still plots, one that cannot unpack says so", {skip}, async () => {
  const no_webgl = await browser.show(fill(pendulum()), {before: () => {
    const given = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
      return kind.startsWith("webgl") ? null : given.call(this, kind, ...more);
    };
  }});
  assert.match(await no_webgl.locator(".stage").textContent(), /No 3D picture/);
  assert.equal(await no_webgl.locator(".plot canvas").count(), 2);
  await no_webgl.locator("body").press("End");
  assert.equal(await no_webgl.evaluate(() => limber_view.player.t), 10);
  await no_webgl.close();
  const old = await browser.show(fill(pendulum()), {before: () => delete window.DecompressionStream});
  assert.match(await old.locator("[role=alert]").textContent(), /cannot unpack/);
  await old.close();
});

test("hostile names are shown and never run", {skip}, async () => {
  const evil = `</script><script>window.hacked=1;alert(1)</script><img src=x onerror="window.hacked=1"> "quotes" 'too' 🦾`;
  const page = await browser.show(fill(pendulum({names: {name: evil, body: evil, channel: evil, group: evil, warnings: [evil]}})));
  assert.equal(await page.locator("h1").textContent(), evil);
  assert.ok((await page.locator(".warning").textContent()).includes(evil));
  assert.equal(await page.locator(".legend .name").first().textContent(), evil);
  await page.locator(".chooser > summary").click();
  await page.drawn();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("it fits a phone, in the dark", {skip}, async () => {
  const page = await browser.show(fill(pendulum()), {viewport: {width: 390, height: 800}, colorScheme: "dark"});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await page.locator("body").press("?");
  assert.ok(await page.locator("dialog").isVisible());
  await page.locator("dialog button").click();
  assert.ok(!(await page.locator("dialog").isVisible()));
  await page.close();
});
