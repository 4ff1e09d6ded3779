// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Sample data of several recordings and of studies, made without the program: node test/sample_study.mjs FOLDER.

import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {fill, kPendulum, pack, pendulum} from "./sample.mjs";

// {header, bytes} of a container.
function open(container) {
  const length = container.readUInt32LE(8);
  return {header: JSON.parse(container.subarray(12, 12 + length).toString()), bytes: container.subarray(Math.ceil((12 + length) / 8) * 8)};
}

// A container that holds others: header[key] becomes the list of their headers.
export function combine(container, key, parts) {
  const whole = open(container);
  const all = [whole.bytes];
  let size = whole.bytes.length;
  whole.header[key] = parts.map((part) => {
    if (part === null) return null;
    const {header, bytes} = open(part.container ?? part);
    for (const entry of Object.values(header.arrays)) entry.offset += size;
    all.push(bytes);
    size += bytes.length;
    return {...header, ...part.more};
  });
  const text = Buffer.from(JSON.stringify(whole.header));
  const head = Buffer.alloc(Math.ceil((12 + text.length) / 8) * 8);
  head.write("LIMBERV1", 0, "latin1");
  head.writeUInt32LE(text.length, 8);
  text.copy(head, 12);
  return Buffer.concat([head, ...all]);
}

// The pendulum, and one at other times whose angle is 0.01 rad larger; and their difference.
export function overlay({names = ["first.h5", "second.h5"]} = {}) {
  const second = shifted_pendulum(0.01);
  const time = Array.from({length: 201}, (_, i) => i * 0.04);
  const difference = pack({kind: "recording", name: names[1], interpolated: false, channels: [{name: "hinge", group: "coordinates", unit: "rad", shown: true}]},
    {time: ["f64", [201], time], channels: ["f32", [1, 201], time.map(() => 0.01)]});
  const empty = pack({kind: "overlay", name: names.join(", "), version: "0.0"}, {});
  return combine(combine(empty, "runs", [{container: pendulum(), more: {label: names[0]}}, {container: second, more: {label: names[1]}}]), "differences", [null, difference]);
}

function shifted_pendulum(shift) {
  const kept = kPendulum.angle;
  kPendulum.angle = (t) => kept(t) + shift;
  const made = pendulum({T: 201, step: 0.04, names: {warnings: ["it swings"]}});
  kPendulum.angle = kept;
  return made;
}

// A study with known numbers: result k is a sum of its parameters; the first runs of each hundred fail when asked for.
export function study({runs = 200, parameters = 3, results = 2, failed = 0, nan = 0, recordings = 0, name = "sample study", constant = false, names = {}} = {}) {
  let seed = 11;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const p = Array.from({length: parameters}, (_, k) => Array.from({length: runs}, () => (constant ? 5 : (k + 1) * random())));
  const lost = (i) => failed > 0 && i % 100 < failed;
  const y = Array.from({length: results}, (_, j) => Array.from({length: runs}, (_, i) => (lost(i) || (nan && i % nan === 0) ? NaN
    : p.reduce((sum, row, k) => sum + (row[i] * (k + 1 + j)) / (k * k + 1), j) + 0.1 * Math.sin(9 * (p[0]?.[i] ?? 0)))));
  const units = ["kg", "N m^2", "1", "m"];
  const statistics = (values) => {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b), at = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (!sorted.length) return {count: 0};
    const mean = sorted.reduce((a, b) => a + b, 0) / sorted.length;
    return {count: sorted.length, mean, deviation: Math.sqrt(sorted.reduce((a, b) => a + (b - mean) ** 2, 0) / sorted.length), least: sorted[0], p5: at(0.05), p25: at(0.25),
      p50: at(0.5), p75: at(0.75), p95: at(0.95), p99: at(0.99), largest: sorted.at(-1)};
  };
  const shares = Array.from({length: parameters}, (_, k) => 1 / 2 ** (k + 1));
  const sensitivity = (j) => (constant ? {runs, why_no_regression: "no parameter varies", why_no_sobol: "no parameter varies"} : {runs, regression: shares.map((x, k) => (k % 2 ? -x : x)), explained: 0.97 - 0.4 * j,
    ...(j % 2 ? {why_no_sobol: "no polynomial predicts the result (Q² = 0.31 at best)"} : {first: shares.map((x) => 0.9 * x), total: shares, degree: 3, predicted: 0.991})});
  const all = [...p, ...y], n = all.length, correlation = all.flatMap((_, a) => all.map((_, b) => (a === b ? 1 : 0.9 * Math.cos(a + b))));
  const header = {kind: "study", name, version: "0.0", file: "study.h5", date: "2026-01-02 03:04 UTC", scenario: "slew.yaml", texts: [{name: "study", text: "limber: 1\nstudy: sample\n"}],
    summary: [{label: "runs", value: `${runs}`}, {label: "failed", value: `${p[0]?.filter((_, i) => lost(i)).length ?? 0}`, level: failed ? "warning" : undefined}, {label: "sampling", value: "latin, seed 1"}],
    parameters: p.map((_, k) => ({name: names.parameter ?? (parameters > 5 ? `bodies.link${k + 1}.beam.EIy` : ["load.mass", "boom.EIy", "shoulder.damping", "x", "y"][k]), unit: units[k % 4]})),
    results: y.map((values, j) => ({name: ["tip", "settling_time", "f1", "energy"][j % 4] + (j > 3 ? j : ""), unit: ["m", "s", "Hz", "J"][j % 4], statistics: statistics(values), sensitivity: sensitivity(j)})),
    statuses: [{text: "ok", failed: false}, {text: "failed at t = 0.31 s: the state is not finite", failed: true}], kept: {3: "study_runs/3.h5"}};
  const base = pack(header, {index: ["u32", [runs], Array.from({length: runs}, (_, i) => i)], status: ["u32", [runs], Array.from({length: runs}, (_, i) => Number(lost(i)))],
    ...(parameters && {parameters: ["f64", [parameters, runs], p.flat()]}), ...(results && {results: ["f64", [results, runs], y.flat()]}),
    wall: ["f64", [runs], Array.from({length: runs}, () => 0.01 + 0.02 * random())], correlation: ["f64", [n, n], correlation]});
  return combine(base, "recordings", Array.from({length: recordings}, (_, k) => ({container: shifted_pendulum(0.1 * k), more: {row: 7 * k + 1}})));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? "out";
  mkdirSync(folder, {recursive: true});
  const pages = {overlay: overlay(), study: study({failed: 4, recordings: 3}), "study-large": study({runs: 10000, parameters: 6, results: 4, failed: 2}),
    "study-wide": study({runs: 500, parameters: 20, results: 3}), "study-one": study({runs: 20, parameters: 1, results: 1}), "study-empty": study({runs: 0}),
    "study-failed": study({failed: 100}), "study-nan": study({nan: 3}), "study-constant": study({constant: true}), "study-plain": study({runs: 1, results: 0})};
  for (const [name, container] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), fill(container));
}
