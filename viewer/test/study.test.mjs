// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The page of a study.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {no_browser, open_browser} from "./browser.mjs";
import {fill, pack} from "./sample.mjs";
import {study} from "./sample_study.mjs";

const skip = await no_browser();
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => browser?.close());

// Pixels of a canvas that are not transparent.
const painted = (page, selector) => page.evaluate((where) => {
  const canvas = document.querySelector(where), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let k = 3; k < data.length; k += 4) if (data[k]) ++count;
  return count;
}, selector);

test("a study shows its runs, and a drag along an axis selects some", {skip}, async () => {
  const page = await browser.show(fill(study({failed: 4})));
  assert.equal(await page.title(), "sample study – limber");
  await page.waitForFunction(() => limber_view.study.cards[0].finished);
  await page.drawn();
  assert.ok((await painted(page, ".parallel canvas")) > 5000);
  assert.ok((await painted(page, ".scatter canvas")) > 5000);
  assert.equal(await page.locator(".study-histograms canvas").count(), 2);
  const box = await page.locator(".parallel canvas").nth(1).boundingBox();
  const x = await page.evaluate(() => limber_view.study.cards[0].x(0));
  await page.mouse.move(box.x + x, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + x, box.y + 120);
  await page.mouse.move(box.x + x, box.y + 169);
  await page.mouse.up();
  await page.drawn();
  const [selected, want] = await page.evaluate(() => {
    const {choice, view} = limber_view.study, column = view.columns[0], middle = (column.low + column.high) / 2;
    const [from, to] = choice.ranges.get(column);
    return [[choice.selected_count, (from - middle) / (column.high - column.low), to === column.high], column.values.filter((v) => v >= from && v <= to).length];
  });
  assert.equal(selected[0], want);
  assert.ok(Math.abs(selected[1]) < 0.01 && selected[2], String(selected));
  assert.match(await page.locator(".selected-count").textContent(), /of 200 runs selected/);
  await page.locator("body").press("Escape");
  await page.drawn();
  assert.equal(await page.locator(".selected-count").textContent(), "200 runs");
  await page.getByText("Failed: 8").click();
  await page.drawn();
  assert.equal(await page.locator(".runs-table tbody tr").count(), 8);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a click on a point shows its run", {skip}, async () => {
  const page = await browser.show(fill(study()));
  await page.locator(".scatter").scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => {
    document.querySelector(".scatter").scrollIntoView({block: "end"});
    const scatter = limber_view.study.cards[1], [left, top] = scatter.corner(3, 0);
    const {columns} = scatter, row = 42, box = scatter.front.getBoundingClientRect();
    return [box.left + scatter.x(columns[0], columns[0].values[row], left), box.top + scatter.y(columns[3], columns[3].values[row], top)];
  });
  await page.mouse.click(...place);
  await page.drawn();
  assert.equal(await page.locator(".study-two .plot-title").nth(1).textContent(), "Run 42");
  const text = await page.locator(".detail").innerText();
  const [mass, tip] = await page.evaluate(() => [limber_view.view.columns[0].values[42], limber_view.view.columns[3].values[42]]);
  assert.ok(text.includes(String(Number(mass.toPrecision(6)))), text);
  assert.ok(text.includes(String(Number(tip.toPrecision(6)))), text);
  assert.ok(text.includes(`limber run slew.yaml --set load.mass=${mass} --set boom.EIy=`), text);
  await page.locator("body").press("ArrowDown");
  await page.drawn();
  assert.equal(await page.locator(".study-two .plot-title").nth(1).textContent(), "Run 43");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("percentiles and sensitivities are those of the data, with their method", {skip}, async () => {
  const page = await browser.show(fill(study()));
  const words = await page.locator(".sensitivity").allInnerTexts();
  assert.match(words[0], /Sobol indices from a polynomial chaos expansion of degree 3/);
  assert.match(words[0], /load\.mass\s+0\.45 · 0\.5\s+0\.5/);
  assert.match(words[1], /No Sobol indices: no polynomial predicts the result.*not linear/s);
  const [median, shown] = await page.evaluate(() => [limber_view.view.results[0].statistics.p50, document.querySelector(".statistics").innerText]);
  assert.ok(shown.replace(/\s+/g, " ").includes(`median ${Number(median.toPrecision(5))}`), shown);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".study-card", {hasText: "Sensitivity"}).getByText("CSV").click()]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(lines.length, 7);
  assert.equal(lines[1], '"tip","load.mass",0.45,0.5,0.5');
  await page.close();
});

test("kept recordings are shown, and compared", {skip}, async () => {
  const page = await browser.show(fill(study({recordings: 2})));
  await page.evaluate(() => limber_view.study.choice.set_run(1));
  await page.drawn();
  await page.locator(".show-recording").click();
  assert.equal(await page.locator(".study-recording .plot").count(), 2);
  await page.evaluate(() => limber_view.study.choice.set_run(8));
  await page.drawn();
  await page.locator(".add-recording").click();
  assert.deepEqual(await page.locator(".run button").allTextContents(), ["run 1", "run 8"]);
  assert.equal(await page.evaluate(() => limber_view.stage_panel.stage.others.length), 1);
  await page.locator("body").press("Space");
  await page.waitForFunction(() => limber_view.player.t > 0.1);
  await page.getByTitle("Close the recording").click();
  await page.drawn();
  assert.equal(await page.locator(".study-recording .plot").count(), 0);
  await page.evaluate(() => limber_view.study.choice.set_run(3));
  await page.drawn();
  assert.match(await page.locator(".detail").innerText(), /limber view study_runs\/3\.h5/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("ten thousand runs are drawn and stay quick", {skip}, async () => {
  const page = await browser.show(fill(study({runs: 10000, parameters: 6, results: 4, failed: 1})));
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 3000);
  await page.waitForFunction(() => limber_view.study.cards[0].finished);
  await page.drawn();
  assert.ok((await painted(page, ".parallel canvas")) > 50000);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("odd studies: empty, all failed, one parameter, twenty, nothing changes, no results, hostile names", {skip}, async () => {
  const hostile = "<img src=x onerror=alert(1)>";
  const cases = [[{runs: 0}, /no runs yet/], [{failed: 100}, /No run has a value of this result/], [{runs: 20, parameters: 1, results: 1}, /20 runs/], [{parameters: 20}, /8 more parameters/],
    [{constant: true}, /no parameter varies/], [{runs: 1, results: 0}, /This study has no results/], [{nan: 3}, /67 without a value/], [{name: hostile, names: {parameter: hostile}}, /onerror/]];
  for (const [options, words] of cases) {
    const page = await browser.show(fill(study(options)), {viewport: {width: 700, height: 800}});
    assert.match(await page.locator("body").innerText(), words);
    await page.locator("body").press("ArrowDown");
    await page.locator("body").press("v");
    await page.locator("body").press("d");
    await page.drawn();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 701, `${JSON.stringify(options)}: ${wide} pixels wide`);
    assert.deepEqual(page.problems, [], JSON.stringify(options));
    await page.close();
  }
});

test("broken studies say so", {skip}, async () => {
  for (const [header, arrays, words] of [[{}, {}, /no array 'index'/], [{parameters: [{name: "a"}]}, {index: ["u32", [2], [0, 1]], parameters: ["f64", [1, 3], [1, 2, 3]]}, /must be 1 x 2/],
    [{}, {index: ["u32", [1], [0]], status: ["u32", [1], [4]]}, /no status/]]) {
    const page = await browser.show(fill(pack({kind: "study", name: "broken", ...header}, arrays)));
    assert.match(await page.locator(".message").textContent(), words);
    await page.close();
  }
});
