// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Spectra against what they are by definition and in closed form.

import assert from "node:assert/strict";
import {test} from "node:test";
import {find_peaks, kScalloping, spectra} from "../src/spectrum.js";

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);
const even = (n, step) => Float64Array.from({length: n}, (_, i) => i * step);
const sine = (time, hz, amplitude = 1, phase = 0.3) => time.map((t) => amplitude * Math.sin(2 * Math.PI * hz * t + phase));
const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

// sum_{i<n} e^{-j theta i} as [re, im].
function dirichlet(theta, n) {
  const half = theta / 2;
  const size = Math.abs(Math.sin(half)) < 1e-15 ? n : Math.sin(n * half) / Math.sin(half);
  return [size * Math.cos((n - 1) * half), -size * Math.sin((n - 1) * half)];
}

// The Hann window's transform at theta (rad per record): D/2 - (D(theta - 2 pi/n) + D(theta + 2 pi/n))/4.
function hann(theta, n) {
  const [a, b, c] = [theta, theta - (2 * Math.PI) / n, theta + (2 * Math.PI) / n].map((x) => dirichlet(x, n));
  return [0, 1].map((k) => 0.5 * a[k] - 0.25 * (b[k] + c[k]));
}

// Amplitude at hz that n records of a sine of f (step h) read, in closed form.
function of_sine(f, phase, hz, n, h) {
  const turn = (a, [re, im]) => [Math.cos(a) * re - Math.sin(a) * im, Math.sin(a) * re + Math.cos(a) * im];
  const line = (x) => {
    // sin(w i + p) = (e^{j(w i + p)} - e^{-j(w i + p)}) / 2j
    const plus = turn(phase, hann(2 * Math.PI * (x - f) * h, n)), minus = turn(-phase, hann(2 * Math.PI * (x + f) * h, n));
    return [0.5 * (plus[1] - minus[1]), -0.5 * (plus[0] - minus[0])];
  };
  const mean = line(0)[0] / (n / 2);
  const [re, im] = line(hz), [ore, oim] = hann(2 * Math.PI * hz * h, n);
  return (2 * Math.hypot(re - mean * ore, im - mean * oim)) / (n / 2);
}

test("a sine reads its closed form at every line", () => {
  for (const [n, h, f] of [[1000, 0.004, 100], [777, 1e-3, 217.3], [64, 0.02, 3.1], [1025, 0.01, 49.2]]) {
    const time = even(n, h);
    const {hz, amplitudes: [got]} = spectra(time, [sine(time, f)], 0, 1e9);
    for (let k = 0; k < hz.length; ++k) near(got[k], of_sine(f, 0.3, hz[k], n, h), 1e-11, `${f} Hz at ${hz[k]} Hz`);
  }
});

test("a unit sine of 100 Hz in records of 250 Hz reads 1 and has no ghosts", () => {
  for (const n of [250, 300, 1000, 1023, 2501]) {
    const time = even(n, 0.004);
    const {hz, amplitudes: [got]} = spectra(time, [sine(time, 100)], 0, 1e9);
    const k = got.indexOf(largest(got));
    near(hz[k], 100, 0.5 / (n * 0.004), "Hz");
    assert.ok(got[k] > kScalloping - 1e-3 && got[k] < 1.001, `${got[k]}`);
    for (let i = 0; i < hz.length; ++i) if (Math.abs(hz[i] - 100) > 5 / (n * 0.004)) assert.ok(got[i] < 5e-3, `${got[i]} at ${hz[i]} Hz`);
  }
});

test("the scalloping bound holds for frequencies anywhere between the lines, and is reached", () => {
  let least = 1;
  for (const n of [512, 513, 700, 1024]) {
    for (let shift = 0; shift <= 1; shift += 0.05) {
      const time = even(n, 0.01), f = (n / 8 + shift) / (n * 0.01);
      const reads = largest(spectra(time, [sine(time, f)], 0, 1e9).amplitudes[0]);
      assert.ok(reads > kScalloping - 1e-3 && reads < 1.001, `${n} records, ${f} Hz: ${reads}`);
      least = Math.min(least, reads);
    }
  }
  near(least, kScalloping, 2e-3, "the least");
});

// By definition, term by term.
function direct(time, values, hz) {
  const n = time.length, period = ((time[n - 1] - time[0]) * n) / (n - 1);
  const w = time.map((t, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * (t - time[0])) / period)) * 0.5 * ((time[i + 1] ?? time[0] + period) - (time[i - 1] ?? time[0])));
  const total = w.reduce((a, b) => a + b), mean = w.reduce((sum, x, i) => sum + x * values[i], 0) / total;
  let re = 0, im = 0;
  w.forEach((x, i) => {
    re += x * (values[i] - mean) * Math.cos(2 * Math.PI * hz * (time[i] - time[0]));
    im -= x * (values[i] - mean) * Math.sin(2 * Math.PI * hz * (time[i] - time[0]));
  });
  return (2 * Math.hypot(re, im)) / total;
}

test("records at uneven times are summed as they are", () => {
  let seed = 3;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const time = even(600, 0.01).map((t) => t + 0.004 * random());
  const values = sine(time, 7.7, 2);
  const {hz, amplitudes: [got]} = spectra(time, [values], 0, 1e9);
  for (let k = 0; k < hz.length; k += 7) near(got[k], direct(time, values, hz[k]), 1e-10, `${hz[k]} Hz`);
  const k = got.indexOf(largest(got));
  near(hz[k], 7.7, 0.1, "Hz");
  assert.ok(got[k] > 2 * kScalloping - 0.01 && got[k] < 2.01, `${got[k]}`);
});

test("a last record off the grid is left out", () => {
  const time = Float64Array.from([...even(500, 0.004), 1.9973]);
  const whole = spectra(time.subarray(0, 500), [sine(time.subarray(0, 500), 100)], 0, 9), more = spectra(time, [sine(time, 100)], 0, 9);
  assert.deepEqual(more, whole);
});

test("what is not finite is no zero: the longest finite stretch counts", () => {
  const time = even(1000, 0.004), values = sine(time, 33.3);
  values[100] = NaN;
  values[101] = Infinity;
  const [got, none] = spectra(time, [values, values.map(() => NaN)], 0, 9).amplitudes;
  const rest = time.subarray(102);
  assert.ok(largest(got) > kScalloping && largest(got) < 1.001, `${largest(got)}`);
  assert.ok(none.every(Number.isNaN));
  const k = got.indexOf(largest(got));
  near(got[k], direct(rest, values.subarray(102), spectra(time, [values], 0, 9).hz[k]), 1e-11, "the same as of that stretch alone");
  assert.equal(spectra(time, [values], 0, 0.027), null);
});

test("peaks are those that stand out", () => {
  const time = even(4000, 1e-3);
  const values = sine(time, 20).map((x, i) => x + 0.1 * Math.sin(2 * Math.PI * 33.3 * time[i]) + 1e-5 * Math.sin(2 * Math.PI * 200 * time[i]));
  const {hz, amplitudes: [got]} = spectra(time, [values], 0, 9);
  const peaks = find_peaks(hz, got, 3).map((k) => hz[k]);
  assert.equal(peaks.length, 2);
  near(peaks[0], 20, 0.13, "Hz");
  near(peaks[1], 33.3, 0.13, "Hz");
});
