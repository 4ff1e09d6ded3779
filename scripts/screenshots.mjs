#!/usr/bin/env node
// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// scripts/screenshots.mjs [NAME...]: runs examples and makes screenshots of their pages for the documents, docs/pictures/.
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const kRoot = join(dirname(fileURLToPath(import.meta.url)), "..");
const kWide = {width: 1280, height: 800};
// Shown: time, magnification, colour, comparison with the undeformed model; a mode, spectra, provenance; two overlaid
// runs; a study.
const kPictures = [
  {name: "view-canadarm", example: "canadarm/controlled.yaml", time: 10.4, scale: 10, ghost: true},
  {name: "view-spin-up", example: "spin-up/scenario.yaml", time: 6.75, scale: 1, colour: "strain", ghost: true},
  {name: "view-four-bar", example: "four-bar/scenario.yaml", time: 1.5, scale: 1},
  {name: "view-long-chain", example: "long-chain/sway.yaml", time: 5.2, scale: 1},
  {name: "view-fe-link", example: "fe-link/scenario.yaml", time: 0.106, scale: 3},
  {name: "view-satellite", example: "spacecraft/thrusters.yaml", time: 12.05, scale: 10},
  {name: "view-modes", model: "canadarm/model.yaml", time: 0.25, mode: 18, dark: true},
  {name: "view-overlay", overlay: ["canadarm/scenario.yaml", "canadarm/scenario-rigid.yaml"], time: 3, scale: 5, difference: true, size: {width: 1280, height: 1080}},
  {name: "view-study", study: "canadarm/wrong-models.yaml", runs: 80, size: {width: 1280, height: 1150}},
  {name: "view-spectrum", example: "spin-up/scenario.yaml", time: 6.75, scale: 1, spectra: true, size: {width: 1280, height: 1000}},
  {name: "view-provenance", example: "four-bar/scenario.yaml", time: 1.5, scale: 1, provenance: true},
];

const {no_browser, open_browser} = await import(join(kRoot, "viewer", "test", "browser.mjs"));
const why = await no_browser();
if (why) {
  console.error(`screenshots: ${why}`);
  process.exit(1);
}
const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "limber-pictures-"));
mkdirSync(join(kRoot, "docs", "pictures"), {recursive: true});
const limber = (...words) => execFileSync(process.env.LIMBER ?? join(kRoot, "build", "limber"), words, {stdio: ["ignore", "ignore", "inherit"]});
const browser = await open_browser();
for (const picture of kPictures.filter(({name}) => !wanted.length || wanted.includes(name))) {
  const html = join(folder, `${picture.name}.html`);
  if (picture.overlay) {
    const runs = picture.overlay.map((example) => join(folder, `${example.replace(/.*\/|\.yaml/g, "")}.h5`));
    picture.overlay.forEach((example, k) => limber("run", join(kRoot, "examples", example), "-o", runs[k], "-q"));
    limber("view", ...runs, "-o", html, "-q");
  } else if (picture.study) {
    // Fewer runs than in the example, sufficient for the picture.
    const example = join(kRoot, "examples", picture.study), study = join(folder, "study.yaml");
    writeFileSync(study, readFileSync(example, "utf8").replace(/count: \d+/, `count: ${picture.runs}`).replace(/^study: \d+/m, `study: ${picture.runs}`).replace(/scenario: (\S+)/, (_, name) => `scenario: ${join(dirname(example), name)}`));
    limber("sweep", study, "-o", join(folder, "study.h5"), "-q");
    limber("view", join(folder, "study.h5"), "-o", html, "-q");
  } else if (picture.model) limber("info", join(kRoot, "examples", picture.model), "--report", html);
  else limber("run", join(kRoot, "examples", picture.example), "-o", join(folder, "a.h5"), "--report", html, "-q");
  const page = await browser.show(readFileSync(html, "utf8"), {viewport: picture.size ?? kWide, colorScheme: picture.dark ? "dark" : "light"});
  await page.evaluate(({time, scale, colour, ghost, mode, spectra, provenance, study, difference}) => {
    if (study) limber_view.view.header.scenario = `examples/${study.replace(/[^/]*$/, "")}${limber_view.view.header.scenario.replace(/.*\//, "")}`;   // without local paths
    if (study) return limber_view.study.choice.set_run(limber_view.view.results[0].values.indexOf(limber_view.view.results[0].high));
    limber_view.player.play(false);
    if (difference) [...limber_view.side.plots.values()][0].set_difference(true);
    if (mode) limber_view.side.choose(mode);
    if (spectra) for (const plot of limber_view.side.plots.values()) plot.set_kind("spectrum");
    if (provenance) for (const part of document.querySelectorAll(".provenance, .provenance details")) part.open = true;
    if (provenance) document.querySelector(".provenance").scrollIntoView();
    limber_view.player.seek(time);
    if (scale) limber_view.stage_panel.set_scale(scale);
    if (colour) limber_view.stage_panel.set_colour(colour);
    if (ghost) limber_view.stage_panel.toggles.ghost.click();
  }, picture);
  await page.waitForTimeout(800);
  await page.screenshot({path: join(kRoot, "docs", "pictures", `${picture.name}.png`)});
  await page.close();
  console.log(`docs/pictures/${picture.name}.png`);
}
await browser.close();
rmSync(folder, {recursive: true, force: true});
