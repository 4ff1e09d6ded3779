// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// From a scenario to the screen: the program runs and fills pages, the browser shows them, and what it shows is compared
// with the recording, read by HDF5's own tool.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join, resolve} from "node:path";
import {after, before, test} from "node:test";
import {fileURLToPath} from "node:url";
import {no_browser, open_browser} from "./browser.mjs";

const kRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const kProgram = resolve(process.env.LIMBER ?? join(kRoot, "build", "limber"));

function works(command, words) {
  try {
    execFileSync(command, words, {stdio: "ignore"});
    return true;
  } catch {
    return false;
  }
}

const skip = (await no_browser()) || (existsSync(kProgram) ? false : "no program built (make build)");
const skip_values = skip || (works("h5dump", ["--version"]) ? false : "no h5dump installed (apt-get install hdf5-tools)");
const folder = mkdtempSync(join(tmpdir(), "limber-program-"));
let browser;
before(async () => {
  if (!skip) browser = await open_browser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const limber = (...words) => execFileSync(kProgram, words, {cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]});

// Row `record` of a dataset.
function recorded(file, path, record, columns) {
  const words = ["-m", "%.17g", "-y", "-w", "0", "-d", path];
  words.push(...(columns ? ["-s", `${record},0`, "-c", `1,${columns}`] : ["-s", `${record}`, "-c", "1"]));
  const text = execFileSync("h5dump", [...words, join(folder, file)], {encoding: "utf8"});
  const numbers = /DATA \{([^}]*)\}/.exec(text)[1];
  return numbers.split(",").map(Number);
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);
const show = (file) => browser.show(readFileSync(join(folder, file), "utf8"));
const shown_number = (text) => Number(text.replaceAll("−", "-").replace(/ \(.*/, ""));
const kFactors = {p: 1e-12, n: 1e-9, "µ": 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9};

const kExamples = [
  {scenario: "canadarm/controlled.yaml", node: "hand.tip", records: [0, 777, 1500, 2500]},
  {scenario: "spin-up/scenario.yaml", node: "boom.tip", records: [0, 135, 400]},
  {scenario: "four-bar/scenario.yaml", node: "coupler.tip", records: [0, 150, 400]},
];

for (const {scenario, node, records} of kExamples) {
  test(`${scenario}: scrubbing puts the machine where the recording has it, and plots show its values`, {skip: skip_values}, async () => {
    const name = scenario.split("/")[0];
    limber("run", join(kRoot, "examples", scenario), "-o", `${name}.h5`, "--report", "-q");
    const page = await show(`${name}.html`);
    assert.deepEqual(page.problems, []);
    for (const record of records) {
      const [t] = recorded(`${name}.h5`, "/time", record);
      const want = recorded(`${name}.h5`, `/nodes/${node}/position`, record, 3);
      await page.evaluate((time) => limber_view.player.seek(time), t);
      const got = await page.evaluate((n) => limber_view.node_place(n), node);
      want.forEach((x, i) => near(got[i], x, 2e-5, `${node} ${i} at t = ${t}`));
      // The drawn tube ends at the node.
      const end = await page.evaluate((n) => {
        const {machine} = limber_view.stage_panel;
        const body = machine.view.nodes.find((one) => one.name === n).body;
        const last = machine.first[body] + machine.view.bodies[body].geometry.count - 1;
        machine.stations();
        return [...machine.points.slice(3 * last, 3 * last + 3)];
      }, node);
      want.forEach((x, i) => near(end[i], x, 5e-5, `end of the tube ${i} at t = ${t}`));
      // Every plotted deflection of that node.
      const values = await page.evaluate((n) => limber_view.view.channels.filter((c) => c.group === "deflection in the body frame" && c.name.startsWith(n))
        .map((c) => c.values[limber_view.view.time.indexOf(limber_view.player.t)]), node);
      const deflection = recorded(`${name}.h5`, `/nodes/${node}/deflection`, record, 3);
      values.forEach((x, i) => near(x, deflection[i], 1e-6 * (1e-3 + Math.abs(deflection[i])), `deflection ${i}`));
    }
    await legend_shows(page, `${name}.h5`, records.at(-2));
    const texts = await page.evaluate(() => limber_view.view.header.texts.map((entry) => [entry.name, entry.text]));
    assert.deepEqual(texts.map(([what]) => what), ["scenario", "model"]);
    assert.equal(texts[0][1], readFileSync(join(kRoot, "examples", scenario), "utf8"));
    await page.close();
  });
}

// The legend of the first plot at the time of a record, against the recording.
async function legend_shows(page, file, record) {
  const [t] = recorded(file, "/time", record);
  await page.evaluate((time) => limber_view.player.seek(time), t);
  await page.drawn();
  const first = await page.evaluate(() => {
    const channel = limber_view.side.chosen[0];
    return {name: channel.name, group: channel.group, unit: channel.unit};
  });
  const path = {"control: error": "/control/error", "joint coordinates": "/q"}[first.group];
  assert.ok(path, `a plot of ${first.group}`);
  const legend = page.locator(".legend").first();
  const text = await legend.locator(".value").first().textContent();
  const unit = await legend.locator(".unit").first().textContent();
  const factor = kFactors[unit.trim().slice(0, unit.trim().length - first.unit.length)];
  const text_of_names = execFileSync("h5dump", ["-a", `${path}/names`, join(folder, file)], {encoding: "utf8"});
  const names = [...text_of_names.matchAll(/"([^"]*)"/g)].slice(2).map((match) => match[1]);   // after those of file and attribute
  const value = recorded(file, path, record, names.length)[names.indexOf(first.name)];
  near(shown_number(text) * factor, value, 1e-4 * Math.abs(value) + 1e-12, `${first.name} in the legend`);
}

// Counts pixels of the first plot that are drawn at all.
const drawn = (page) => page.evaluate(() => {
  const canvas = document.querySelector(".plot canvas");
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let k = 3; k < data.length; k += 4) if (data[k] > 0) ++count;
  return count;
});

test("a long recording is thinned, and its spectra and histograms are drawn", {skip}, async () => {
  writeFileSync(join(folder, "long.yaml"), ["limber: 1", "scenario: long", `model: ${join(kRoot, "examples", "canadarm", "planar.yaml")}`,
    'inputs: [{joint: shoulder, torque: "3*sin(0.7*t)"}]', "solver: {method: implicit, step: 0.001}", "duration: 70", "record: {every: 0.001}"].join("\n"));
  limber("run", "long.yaml", "--report", "-q");
  const page = await show("long.html");
  assert.match(await page.locator(".summary").textContent(), /70.001 records are plotted by/);
  for (const kind of ["spectrum", "histogram", "time"]) {
    await page.evaluate((name) => [...limber_view.side.plots.values()].forEach((plot) => plot.set_kind(name)), kind);
    await page.drawn();
    assert.ok((await drawn(page)) > 500, `${kind} is drawn`);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("names are shown and never executed", {skip}, async () => {
  const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&😀`;
  const body = `<img src=x onerror=alert(3)>"'😀`;
  writeFileSync(join(folder, "hostile.json"), JSON.stringify({limber: 1, scenario: hostile, duration: 0.1, record: {every: 0.01},
    model: {limber: 1, name: hostile, gravity: [0, 0, -9.81],
      bodies: [{name: body, beam: {length: 1, mass: 1, EIy: 10, modes: {bending_z: 1}}}],
      joints: [{name: "`${alert(4)}`", type: "revolute", axis: [0, 1, 0], parent: "world", child: body}]}}));
  limber("run", "hostile.json", "--report", "-q");
  const page = await show("hostile.html");
  assert.equal(await page.locator("h1").textContent(), hostile);
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("img").count(), 0);
  await page.evaluate(() => (document.querySelector(".chooser").open = true));
  await page.locator(".chooser input[type=search]").fill("onerror");
  assert.ok((await page.locator(".signal-list .name").first().textContent()).includes(body));
  await page.drawn();
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a run that was cut short is shown with a word", {skip}, async () => {
  writeFileSync(join(folder, "falls.json"), JSON.stringify({limber: 1, scenario: "diverges", duration: 50, record: {every: 0.01},
    solver: {method: "rk4", step: 0.01},
    model: {limber: 1, bodies: [{name: "rod", beam: {length: 1, mass: 1, EIy: 1e9, modes: {bending_z: 2}}}],
      joints: [{name: "pin", type: "revolute", axis: [0, 1, 0], parent: "world", child: "rod"}]},
    inputs: [{joint: "pin", torque: 1}]}));
  assert.throws(() => limber("run", "falls.json", "--report", "-q"));
  const page = await show("falls.html");
  assert.match(await page.locator(".summary").textContent(), /did not reach its end: diverged/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the page of mode shapes lists the frequencies of the model and moves", {skip}, async () => {
  const model = join(kRoot, "examples", "canadarm", "planar.yaml");
  limber("info", model, "--report", "modes.html");
  const facts = JSON.parse(limber("info", model, "--json"));
  const page = await show("modes.html");
  const listed = await page.evaluate(() => limber_view.view.modes.map((mode) => [mode.group, mode.hz]));
  const locked = listed.filter(([group]) => group === "machine, joints locked").map(([, hz]) => hz);
  facts.natural_frequencies.joints_locked.forEach((hz, i) => near(locked[i], hz, 1e-9 * hz, `mode ${i}`));
  const seek = (phase) => page.evaluate((p) => (limber_view.player.seek(p), limber_view.draw?.()), phase);
  await seek(0);
  await page.drawn();
  const rest = await page.evaluate(() => limber_view.node_place("boom.tip"));
  await seek(0.25);
  // The tip moves; a busy machine draws late.
  await page.waitForFunction((rest) => {
    const place = limber_view.node_place("boom.tip");
    return Math.hypot(...[0, 1, 2].map((i) => place[i] - rest[i])) > 1e-3;
  }, rest);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the modes of the arm move as far as the page says, with their joints closed", {skip}, async () => {
  limber("info", join(kRoot, "examples", "canadarm", "model.yaml"), "--report", "arm-modes.html");
  const page = await show("arm-modes.html");
  const found = await page.evaluate(() => {
    const {view, stage_panel, player, side, size} = limber_view, {machine} = stage_panel;
    player.play(false);
    return view.modes.filter((mode) => mode.only === null).map((mode, m) => {
      side.choose(m);
      const at = (t) => (player.seek(t), stage_panel.draw(), machine.points.slice());
      const rest = at(0), top = at(0.25), p = new Float64Array(7), q = new Float64Array(7);
      let most = 0, gap = 0;
      for (let k = 0; k < rest.length; k += 3) most = Math.max(most, Math.hypot(top[k] - rest[k], top[k + 1] - rest[k + 1], top[k + 2] - rest[k + 2]));
      for (const joint of view.joints.filter(({parent}) => parent >= 0)) {
        machine.node_pose(joint.parent_node, joint.parent, p);
        machine.node_pose(joint.child_node, joint.child, q);
        gap = Math.max(gap, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
      }
      return {name: mode.name, detail: mode.detail, most: most / size, gap: gap / size, words: stage_panel.badge.textContent};
    });
  });
  assert.equal(found.length, 24);
  for (const {name, detail, most, gap, words} of found) {
    assert.match(name, /^mode \d+: \S+/);
    assert.match(detail, /^moves: .* \d+ %.*; strain: .* \d+ %/);
    near(100 * most, Number(/moves ([\d.]+) %/.exec(words)[1]), 0.03 * 100 * most + 0.006, name);   // two digits are shown
    assert.ok(most < 0.0694, `${name} moves ${most}`);
    assert.ok(gap < 1e-6, `${name}: a joint gapes by ${gap} of the size`);
  }
  await page.locator(".provenance > summary").click();
  assert.match(await page.locator(".provenance dl").textContent(), /model\.yaml.*UTC.*limber \d/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a table has plots and no picture", {skip}, async () => {
  limber("run", join(kRoot, "examples", "spin-up", "scenario.yaml"), "-o", "t.h5", "--csv", "-q");
  limber("view", "t.csv", "-q");
  const page = await show("t.html");
  assert.ok((await page.locator(".plot canvas").count()) > 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a study has a page of all its runs", {skip}, async () => {
  limber("view", join(kRoot, "tests", "data", "studies", "sample.h5"), "-o", "study.html", "-q");
  const page = await show("study.html");
  assert.match(await page.locator(".selected-count").textContent(), /64 runs/);
  await page.evaluate(() => limber_view.study.choice.set_run(7));
  assert.match(await page.locator(".detail").innerText(), /diverged at t = 0\.25 s.*load\.mass.*--set scenario\.inputs\.spring\.motion\.shape=(linear|quintic)/s);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("two runs of the program in one page", {skip}, async () => {
  for (const [name, seconds] of [["one", 2], ["two", 1.5]]) {
    writeFileSync(join(folder, `${name}.csv`), `time,q:x\n${Array.from({length: 51}, (_, i) => `${(i * seconds) / 50},${i}`).join("\n")}\n`);
  }
  limber("view", "one.csv", "two.csv", "-q");
  const page = await show("one+two.html");
  assert.equal(await page.locator(".plot").count(), 1);
  assert.deepEqual(await page.locator(".run button").allTextContents(), ["one.csv", "two.csv"]);
  assert.deepEqual(page.problems, []);
  await page.close();
});
