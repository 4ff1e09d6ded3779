// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Kinds of charts of a plot: over time, spectra, histograms.  Each is described by
//   data        x and one row per signal, for uPlot
//   scales, x, y, series, under    parts of uPlot's options: scales, axes, further settings of a line, drawn below the lines
//   about       text next to the unit;  moment(x)  the same at the pointer
//   texts(i)    legend text of each signal at the pointer;  rest(t)  without a pointer
//   notes       sentences below the chart: what is not shown, and why
//   table()     header and columns for export, in SI units

import uPlot from "uplot";
import {band_range, band_shows, draw_band} from "./bands.js";
import {count_text, number_text} from "./dom.js";
import {histogram_between, histogram_given, kMarks, over_one_axis} from "./histogram.js";
import {frame_at} from "./kinematics.js";
import {find_peaks, spectra, value_at} from "./spectrum.js";

const kDigits = 5;
const plain = (factor) => (_, ticks) => ticks.map((x) => (x === null ? "" : number_text(x / factor, 6)));
const log_text = (x) => (x >= 0.01 && x < 1e4 ? String(Number(x.toPrecision(1))) : x.toExponential(0).replace("e+", "e").replace("-", "−"));
const log_values = (factor) => (_, ticks) => ticks.map((x) => (x === null ? "" : log_text(x / factor)));
const kPeaks = 3;        // labelled per signal in spectra,
const kPeakSignals = 4;  // of the first signals

export const with_unit = (name, unit) => (unit && unit !== "1" ? `${name} [${unit}]` : name);

// A unique label for each signal of a plot: its name, with its group if names are not unique.
export function labels_of(channels) {
  const count = (names) => names.reduce((all, name) => all.set(name, (all.get(name) ?? 0) + 1), new Map());
  const plain = count(channels.map((channel) => channel.name));
  const labels = channels.map(({name, group}) => (plain.get(name) > 1 ? `${group}: ${name}` : name));
  const full = count(labels), seen = new Map();
  return labels.map((label) => {
    if (full.get(label) === 1) return label;
    seen.set(label, (seen.get(label) ?? 0) + 1);
    return `${label} (${seen.get(label)})`;
  });
}

// Values for uPlot, which interrupts a line only at null.
function drawable(values) {
  return values.every(Number.isFinite) ? values : Array.from(values, (x) => (Number.isFinite(x) ? x : null));
}

// Indices of isolated finite values, which are drawn as points because no line reaches them.
function lonely(values) {
  const found = [];
  for (let i = 0; i < values.length; ++i) {
    if (Number.isFinite(values[i]) && !Number.isFinite(values[i - 1]) && !Number.isFinite(values[i + 1])) found.push(i);
  }
  return found;
}

// Rows over one common x, for uPlot, from [x, row] of each signal; undefined where a signal has no value.
function over_one_x(pairs) {
  return pairs.every(([x]) => x === pairs[0][0]) ? [pairs[0][0], ...pairs.map(([, row]) => row)] : uPlot.join(pairs.map(([x, row]) => [x, row]));
}

// Whether the channel has records around t.
const covers = ({time}, t) => t >= time[0] && t <= time[time.length - 1];

// A sentence for each signal with values that are not finite between two times; `then`: the consequence.
function gap_notes(channels, from, to, then) {
  return channels.flatMap(({name, values, time}) => {
    let bad = 0, all = 0;
    for (let i = 0; i < values.length; ++i) {
      if (!(time[i] >= from && time[i] <= to)) continue;
      ++all;
      if (!Number.isFinite(values[i])) ++bad;
    }
    return bad ? [`${name}: ${count_text(bad)} of ${count_text(all)} records are not finite; ${then}.`] : [];
  });
}

// {chart}, or {problem}: the reason why there is none.
export function make_chart(kind, plot, from, to) {
  return {time: time_chart, spectrum: spectrum_chart, histogram: histogram_chart}[kind](plot, from, to);
}

function time_chart({channels, unit, display, colour, difference}, from, to) {
  const labels = labels_of(channels);
  const banded = channels.some((channel) => channel.low);
  const short = (x) => number_text(x / display.factor, kDigits);
  const text = (channel, i, value) => {
    if (!channel.low || !band_shows(value, channel.low[i], channel.high[i], kDigits)) return short(value);
    return `${short(value)} (${short(channel.low[i])} … ${short(channel.high[i])})`;
  };
  const range = (u, low, high) => {
    const [first, last] = u.series[0].idxs;
    const band = band_range(channels, u.data[0][first], u.data[0][last]);
    if (band) [low, high] = [Math.min(low ?? Infinity, band[0]), Math.max(high ?? -Infinity, band[1])];
    return low === null || low > high ? [0, 1] : uPlot.rangeNum(low, high, 0.1, true);
  };
  const data = over_one_x(channels.map((channel) => [channel.time, drawable(channel.values)]));
  // Between kept records of a thinned recording only the band is known.
  const at = (channel, t) => {
    if (!covers(channel, t)) return "–";
    if (!channel.low) return short(value_at(channel.time, channel.values, t));
    const i = frame_at(channel.time, channel.time.length, t);
    return text(channel, i, channel.values[i]);
  };
  return {
    data,
    series: (i) => {
      const alone = lonely(channels[i].values).map((k) => (channels[i].time === data[0] ? k : data[0].indexOf(channels[i].time[k])));
      return alone.length ? {points: {show: true, size: 4, filter: () => alone}} : {};
    },
    notes: [...(difference ? channels.map((channel) => difference_note(channel, short, display.unit)) : []),
      ...gap_notes(channels, -Infinity, Infinity, "the line is interrupted there")],
    scales: {x: {time: false, min: from, max: to}, y: banded ? {range} : {}},
    x: {label: "time, s", values: plain(1)}, y: {label: display.unit, values: plain(display.factor)},
    under: (u) => channels.forEach((channel, i) => channel.low && draw_band(u, channel, colour(i))),
    about: "", moment: (x) => `t = ${number_text(x, 5)} s`,
    texts: (i) => channels.map((channel) => at(channel, data[0][i])),
    rest: (t) => channels.map((channel) => at(channel, t)),
    table: () => ({head: ["time [s]", ...channels.flatMap((c, i) => [with_unit(labels[i], unit),
      ...(c.low ? [with_unit(`${labels[i]} low`, unit), with_unit(`${labels[i]} high`, unit)] : [])])],
    columns: over_one_x(channels.flatMap((c) => [c.values, ...(c.low ? [c.low, c.high] : [])].map((row) => [c.time, row])))}),
  };
}

// Largest difference of a run from the first one, and its time.
function difference_note({name, time, values, low, high, source}, short, unit) {
  let most = 0, when = time[0];
  for (let i = 0; i < time.length; ++i) {
    const size = low ? Math.max(-low[i], high[i]) : Math.abs(values[i]);
    if (size > most) [most, when] = [size, time[i]];
  }
  const how = source.header.interpolated ? "; the first run is interpolated linearly" : `; ${count_text(source.thinned ?? time.length)} common times`;
  return `${name}: largest difference ${short(most)} ${unit === "1" ? "" : unit} at t = ${number_text(when, 5)} s${how}.`;
}

function spectrum_chart({panel, channels, unit, display, colour, colours}, from, to) {
  const {view} = panel;
  const whole = channels.every(({source}) => source.spectrum_hz);
  const found = spectra_of(channels, from, to);
  if (!found.every(Boolean)) return {problem: "Too few records for a spectrum."};
  // Zero cannot be drawn on a logarithmic axis.
  const data = over_one_x(found.map(({hz, amplitudes}) => [hz, drawable(amplitudes.map((x) => (x < 1e-30 ? 1e-30 : x)))]));
  const peaks = found.slice(0, kPeakSignals).flatMap(({hz, amplitudes}, i) => find_peaks(hz, amplitudes, kPeaks).map((k) => ({hz: hz[k], amplitude: amplitudes[k], i})));
  const marked = view.frequencies.length ? `; natural frequencies${view.runs ? ` of ${view.runs[0].label}` : ""} dashed` : "";
  return {
    data,
    scales: {x: {time: false, distr: 3, range: (_, low, high) => [low, high]}, y: {distr: 3, range: (_, low, high) => log_range(low, high)}},
    x: {label: "frequency, Hz", values: log_values(1), splits: log_ticks, filter: (_, ticks) => ticks},
    y: {label: display.unit, values: log_values(display.factor), splits: powers_of_ten, filter: (_, ticks) => ticks},
    under: () => {}, over: (u) => {
      mark_frequencies(u, view.frequencies, colours());
      label_peaks(u, peaks, colour, colours());
    },
    peaks, notes: whole ? [] : gap_notes(channels, from, to, "the spectrum is that of the longest stretch without them"),
    about: `amplitude${whole ? " of the whole recording" : found.every(({even}) => even !== false) ? "" : ", records at uneven times"}${marked}`, moment: (x) => `${number_text(x, 5)} Hz`,
    texts: (i) => data.slice(1).map((values) => (values[i] === undefined ? "" : number_text(values[i] / display.factor, kDigits))), rest: () => null,
    table: () => ({head: ["frequency [Hz]", ...labels_of(channels).map((label) => with_unit(label, unit))], columns: over_one_x(found.map(({hz, amplitudes}) => [hz, amplitudes]))}),
  };
}

// {hz, amplitudes, even} of each channel, or null; channels with the same times share hz.
function spectra_of(channels, from, to) {
  const known = new Map();
  return channels.map((channel) => {
    const {source, time, values, spectrum} = channel;
    if (source.spectrum_hz) return spectrum_given(source.spectrum_hz, spectrum, known);
    if (!known.has(time)) {
      const together = channels.filter((other) => other.time === time && !other.source.spectrum_hz);
      known.set(time, {together, found: spectra(time, together.map((other) => other.values), from, to)});
    }
    const {together, found} = known.get(time);
    return found && {hz: found.hz, even: found.even, amplitudes: found.amplitudes[together.findIndex((other) => other.values === values)]};
  });
}

function spectrum_given(hz, spectrum, known) {
  if (!known.has(hz)) {
    let first = 0;
    while (first < hz.length && !(hz[first] > 0)) ++first;
    known.set(hz, {first, hz: hz.subarray(first)});
  }
  const {first, hz: above} = known.get(hz);
  return above.length < 2 ? null : {hz: above, amplitudes: spectrum.subarray(first)};
}

function histogram_chart({channels, unit, display, log, colour, colours}, from, to) {
  const whole = channels.every((channel) => channel.histogram);
  const found = channels.map((channel) => (whole ? histogram_given(channel.histogram, channel.quantiles) : histogram_between(channel.time, channel.values, from, to)));
  const there = found.filter(Boolean);
  if (!there.length) return {problem: "No finite values for a histogram."};
  const {edges, rows} = over_one_axis(there);
  const counts = found.map((one) => (one ? rows[there.indexOf(one)] : new Float64Array(edges.length)));
  // Empty bins are drawn on the axis; zero cannot be drawn on a logarithmic axis.
  const drawn = log ? counts.map((row) => row.map((n) => Math.max(n, kLeast))) : counts;
  const words = found.map((one) => (one ? kMarks.map(([name], m) => `${name} ${number_text(one.marks[m] / display.factor, 4)}`).join(" · ") : "no values"));
  const top = Math.max(...counts.map((row) => row.reduce((a, b) => Math.max(a, b), 0)));
  const total = there.reduce((most, one) => Math.max(most, one.total), 0);
  const part = channels.some(({source}) => source.thinned) && !whole ? "kept records in view" : "records in view";
  return {
    data: [edges, ...drawn],
    scales: {x: {time: false, range: (_, low, high) => [low, high]},
      y: log ? {distr: 3, range: () => [kLeast, 10 ** Math.ceil(Math.log10(top * 1.3))]} : {range: () => [0, top * 1.08]}},
    x: {label: display.unit, values: plain(display.factor)},
    y: {label: "records", values: log ? log_values(1) : (_, ticks) => ticks.map((x) => (x === null ? "" : count_text(x))),
      ...(log ? {splits: powers_of_ten, filter: (_, ticks) => ticks} : {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7]})},
    series: (i) => ({paths: uPlot.paths.stepped({align: 1}), fill: `${colour(i)}40`, fillTo: log ? kLeast : 0}),
    notes: whole ? [] : gap_notes(channels, from, to, "they are not counted"),
    under: () => {}, over: (u) => found.forEach((one, i) => one && mark_values(u, one.marks, colour(i), colours(), found.length === 1)),
    about: `histogram of ${count_text(total)} ${whole ? "records, the whole recording" : part}`, moment: (x) => `${number_text(x / display.factor, 5)} ${display.unit}`,
    texts: (i) => counts.map((row) => `${count_text(row[i])} records`), rest: () => words,
    table: () => ({head: [with_unit("from", unit), ...labels_of(channels).map((label) => `${label} [records]`)], columns: [edges, ...counts]}),
  };
}

const kLeast = 0.5;

// Dashed lines, then their labels at the top if there is space, on the background colour of the card.
export function draw_marks(u, marks, stroke, colours) {
  const {ctx, bbox} = u;
  const ratio = devicePixelRatio;
  const inside = marks.filter(({x}) => x >= u.scales.x.min && x <= u.scales.x.max).map(({x, text}) => ({x: u.valToPos(x, "x", true), text}));
  ctx.save();
  ctx.textAlign = "left";
  ctx.strokeStyle = stroke;
  ctx.lineWidth = ratio;
  ctx.setLineDash([5 * ratio, 4 * ratio]);
  ctx.font = `${10.5 * ratio}px system-ui, sans-serif`;
  ctx.beginPath();
  for (const {x} of inside) {
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  const ends = [-Infinity, -Infinity, -Infinity];
  for (const {x, text} of inside) {
    if (!text) continue;
    // A label that does not fit to the right of its line is placed to the left, in the next row if it would overlap.
    const width = ctx.measureText(text).width + 6 * ratio;
    const left = x + width > bbox.left + bbox.width ? x - width : x + 3 * ratio;
    const row = ends.findIndex((end) => left > end);
    if (row < 0) continue;
    const y = bbox.top + (10 + 13 * row) * ratio;
    ctx.globalAlpha = 0.8;
    ctx.fillStyle = colours.card;
    ctx.fillRect(left - ratio, y - 9.5 * ratio, width - 3 * ratio, 12 * ratio);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colours.mark;
    ctx.fillText(text, left, y);
    ends[row] = left + width;
  }
  ctx.restore();
}

function mark_frequencies(u, frequencies, colours) {
  const sorted = [...frequencies].sort((a, b) => a.hz - b.hz).filter((f) => f.hz >= u.scales.x.min && f.hz <= u.scales.x.max).slice(0, 60);
  draw_marks(u, sorted.map(({hz}) => ({x: hz, text: number_text(hz, 3)})), colours.mark, colours);
}

// Frequency and a dot at each peak, in the colour of its signal; highest peaks first, without overlapping labels.
function label_peaks(u, peaks, colour, colours) {
  const {ctx, bbox} = u;
  const ratio = devicePixelRatio, taken = [];
  ctx.save();
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.font = `600 ${10.5 * ratio}px system-ui, sans-serif`;
  for (const {hz, amplitude, i} of [...peaks].sort((a, b) => b.amplitude - a.amplitude)) {
    const x = u.valToPos(hz, "x", true), y = u.valToPos(amplitude, "y", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width && y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.fillStyle = colour(i);
    ctx.beginPath();
    ctx.arc(x, y, 2.5 * ratio, 0, 2 * Math.PI);
    ctx.fill();
    const text = `${number_text(hz, 4)} Hz`, width = ctx.measureText(text).width;
    const left = x + width + 8 * ratio > bbox.left + bbox.width ? x - width - 6 * ratio : x + 6 * ratio, base = Math.max(y + 3 * ratio, bbox.top + 11 * ratio);
    if (taken.some((one) => left < one.left + one.width + 4 * ratio && one.left < left + width + 4 * ratio && Math.abs(base - one.base) < 12 * ratio)) continue;
    taken.push({left, width, base});
    ctx.globalAlpha = 0.8;
    ctx.fillStyle = colours.card;
    ctx.fillRect(left - ratio, base - 9.5 * ratio, width + 2 * ratio, 12 * ratio);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour(i);
    ctx.fillText(text, left, base);
  }
  ctx.restore();
}

function mark_values(u, marks, colour, colours, with_words) {
  draw_marks(u, marks.map((x, m) => ({x, text: with_words ? kMarks[m][0] : ""})), with_words ? colours.mark : colour, colours);
}

// Ticks of a logarithmic axis, at most about six.
function powers_of_ten(u, axis, low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 5));
  const ticks = [];
  for (let power = last; power >= first; power -= step) ticks.unshift(10 ** power);
  return ticks;
}

// The same for a shorter axis: with few powers of ten, also 2 and 5 times them.
export function log_ticks(u, axis, low, high) {
  const powers = powers_of_ten(u, axis, low, high);
  if (Math.log10(high / low) > 3.5) return powers;
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) ticks.push(...[1, 2, 5].map((k) => k * 10 ** power));
  return ticks.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9));
}

function log_range(low, high) {
  const top = 10 ** Math.ceil(Math.log10(Math.max(high ?? 1, 1e-29)));
  return [Math.max(10 ** Math.floor(Math.log10(Math.max(low ?? 1e-6, 1e-30))), top * 1e-9), top];
}
