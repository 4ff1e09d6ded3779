#!/usr/bin/env node
// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// bench/pages.mjs PAGE...: times of pages in a headless Chromium: until they are ready, and for one frame while playing:
// computation alone, and with the drawing commands.  Frames per second are measured while playing, including the drawing
// (in software without a graphics card).  Medians of several.
import {readFileSync, statSync} from "node:fs";
import {no_browser, open_browser} from "../viewer/test/browser.mjs";

const kTimes = 5;
const why = await no_browser();
if (why) {
  console.error(`pages: ${why}`);
  process.exit(1);
}
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const note_ready = () => new MutationObserver(() => {
  if (document.documentElement.dataset.ready) window.ready_at ??= performance.now();
}).observe(document, {attributes: true, subtree: true});

function time_pictures() {
  const panel = limber_view.stage_panel;
  if (!panel) return null;
  const {first, last} = limber_view.player;
  const costs = {sums: [], drawn: []};
  for (let k = 0; k < 60; ++k) {
    const begin = performance.now();
    limber_view.player.seek(first + ((last - first) * k) / 60);
    panel.motion.sample();
    panel.stage.update(1, limber_view.player.t, panel.motion);
    costs.sums.push(performance.now() - begin);
    panel.stale = true;
    panel.draw();
    costs.drawn.push(performance.now() - begin);
  }
  return costs;
}

// Frames in two seconds of playing.
const play = () => new Promise((resolve) => {
  limber_view.player.seek(limber_view.player.first);
  limber_view.player.play(true);
  const begin = performance.now();
  let count = 0;
  const next = () => {
    ++count;
    if (performance.now() - begin < 2000) requestAnimationFrame(next);
    else resolve((1000 * count) / (performance.now() - begin));
  };
  requestAnimationFrame(next);
});

const browser = await open_browser();
console.log("page                             MB   ready ms   picture ms   drawn ms   per second");
for (const file of process.argv.slice(2)) {
  const ready = [], sums = [], drawn = [], rate = [];
  for (let i = 0; i < kTimes; ++i) {
    const page = await browser.show(readFileSync(file, "utf8"), {before: note_ready, viewport: {width: 1366, height: 768}});
    ready.push(await page.evaluate(() => window.ready_at));
    if (await page.evaluate(() => Boolean(limber_view.stage_panel))) rate.push(await page.evaluate(play));   // first, since drawing commands are queued
    const costs = await page.evaluate(time_pictures);
    if (costs) sums.push(median(costs.sums)), drawn.push(median(costs.drawn));
    await page.close();
  }
  const text = (values, digits) => (values.length ? median(values).toFixed(digits) : "–");
  console.log([file.split("/").at(-1).padEnd(28), (statSync(file).size / 1e6).toFixed(1).padStart(6), text(ready, 0).padStart(10),
    text(sums, 1).padStart(12), text(drawn, 1).padStart(10), text(rate, 0).padStart(12)].join(" "));
}
await browser.close();
