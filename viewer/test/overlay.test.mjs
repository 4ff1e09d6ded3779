// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Several recordings in one page: curves, machines, differences.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {no_browser, open_browser} from "./browser.mjs";
import {fill, kPendulum} from "./sample.mjs";
import {combine, overlay} from "./sample_study.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);
const values = (page, plot) => page.locator(".plot").nth(plot).locator(".legend .value").allTextContents();
const number = (text) => Number(text.replaceAll("−", "-"));

test("two recordings have their curves in one plot, each at its own times", {skip}, async () => {
  const page = await browser.show(fill(overlay()));
  assert.equal(await page.title(), "first.h5, second.h5 – limber");
  assert.equal(await page.locator(".plot").count(), 2);
  await page.evaluate(() => limber_view.player.seek(2.52));
  const angle = kPendulum.angle(2.52);
  const [first, second] = (await values(page, 1)).map(number);
  near(first, angle, 1e-4, "first");
  near(second, angle + 0.01, 1e-4, "second, at a record of its own");
  // Where a recording has ended it has no value.
  await page.evaluate(() => limber_view.player.seek(9));
  assert.equal((await values(page, 1))[1], "–");
  const lengths = await page.evaluate(() => [...limber_view.side.plots.values()].map((plot) => plot.data.map((row) => row.length)));
  for (const rows of lengths) assert.deepEqual(rows, [501, 501, 501]);
  const table = await page.locator(".comparison").innerText();
  assert.match(table, /simulated\s+10 s\s+8 s/);
  assert.match(await page.locator(".warning").textContent(), /second\.h5: it swings/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the difference is that of the data, with its largest value", {skip}, async () => {
  const page = await browser.show(fill(overlay()));
  await page.locator(".plot").nth(1).getByText("Difference").click();
  near(number((await values(page, 1))[0]), 10, 1e-3, "difference, mrad");
  assert.match(await page.locator(".plot").nth(1).locator(".plot-notes").textContent(), /second\.h5: largest difference 10 mrad/);
  assert.match(await page.locator(".plot").nth(1).locator(".plot-title").textContent(), /hinge, difference, mrad/);
  // A signal that only one of them has in the differences.
  await page.locator(".plot").nth(0).getByText("Difference").click();
  assert.match(await page.locator(".plot").nth(0).locator(".chart").textContent(), /in common with the first/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".plot").nth(1).getByText("CSV").click()]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(lines[0], '"time [s]","second.h5 [rad]"');
  assert.equal(lines.length, 202);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("both machines are drawn where their data say, and can be hidden", {skip}, async () => {
  const page = await browser.show(fill(overlay()));
  const tip = (k) => page.evaluate((other) => {
    limber_view.player.seek(1.2);
    limber_view.stage_panel.stale = true;
    limber_view.stage_panel.draw();
    const machine = other ? limber_view.stage_panel.stage.others[0].machine : limber_view.stage_panel.machine;
    return [...machine.points.slice(16 * 3, 17 * 3)];
  }, k);
  const {length, angle, eta} = kPendulum;
  for (const k of [0, 1]) {
    const a = angle(1.2) + 0.01 * k, [x, , z] = await tip(k);
    near(x, Math.cos(a) * length + Math.sin(a) * eta(1.2), 1e-4, `x of run ${k}`);
    near(z, -Math.sin(a) * length + Math.cos(a) * eta(1.2), 1e-4, `z of run ${k}`);
  }
  await page.locator(".run button").nth(1).click();
  await page.evaluate(() => limber_view.stage_panel.draw());
  assert.equal(await page.evaluate(() => limber_view.stage_panel.stage.others[0].parts[0].mesh.visible), false);
  assert.equal((await values(page, 1)).length, 1);
  await page.locator(".play").click();
  await page.waitForFunction(() => limber_view.player.t > 1.3);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("spectra and histograms of both, on one axis", {skip}, async () => {
  const page = await browser.show(fill(overlay()));
  for (const kind of ["spectrum", "histogram"]) {
    const found = await page.evaluate((name) => {
      const plot = [...limber_view.side.plots.values()][1];
      plot.set_kind(name);
      return [plot.data.length, Boolean(plot.plot)];
    }, kind);
    assert.deepEqual(found, [3, true], kind);
  }
  await page.evaluate(() => document.querySelector("[title^='Dark']").click());
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("broken overlays say so", {skip}, async () => {
  const {pack} = await import("./sample.mjs");
  for (const [container, words] of [[pack({kind: "overlay"}, {}), /an overlay needs recordings/],
    [combine(pack({kind: "overlay"}, {}), "runs", [pack({kind: "modes"}, {})]), /no modes|recordings/]]) {
    const page = await browser.show(fill(container));
    assert.match(await page.locator(".message").textContent(), words);
    await page.close();
  }
});
