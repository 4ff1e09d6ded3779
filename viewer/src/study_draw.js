// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Common parts of the charts of a study: canvases, ticks, colours of runs.

import {scale_rgb} from "./colours.js";
import {h, number_text} from "./dom.js";
import {place_of} from "./study_data.js";
import {theme_colours} from "./theme.js";

export const kFont = "11px system-ui, sans-serif";

// A canvas of the given size in CSS pixels, with its context scaled and cleared.
export function fit_canvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  // Drawn by the CPU: thousands of thin lines are slow on many graphics cards, and in software rendering.
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = kFont;
  return context;
}

// Tick values of a column: about `most` round ones; powers of ten on a logarithmic axis.
export function ticks_of({low, high, log, words}, most) {
  if (words) return words.map((_, k) => k).filter((k) => k >= low && k <= high).slice(0, 12);
  if (!(high > low)) return Number.isFinite(low) ? [low] : [];
  if (log) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((last - first) / most));
    return Array.from({length: Math.max(0, Math.floor((last - first) / step) + 1)}, (_, k) => 10 ** (first + k * step));
  }
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((x) => x >= rough * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: last - first + 1}, (_, k) => (first + k) * step);
}

export function tick_text(x, column) {
  if (column.words) return column.words[x] ?? "";
  return number_text(Math.abs(x) < 1e-12 * Math.max(Math.abs(column.low), Math.abs(column.high)) ? 0 : x, 4);
}

// Text of a value of a column; a dash for none.
export function value_text({words}, x, digits) {
  return Number.isNaN(x) ? "–" : words ? words[x] ?? "" : number_text(x, digits);
}

export const title_of = ({name, unit, log}) => `${name}${unit && unit !== "1" ? `, ${unit}` : ""}${log ? " (log)" : ""}`;

// The colour of a run by the selected column; failed runs and runs without a value have the colour of warnings.
export function run_colours(view, column) {
  const {mark} = theme_colours();
  if (known.view === view && known.column === column && known.mark === mark) return known.colour;
  const all = Array.from({length: view.count}, (_, row) => {
    const place = view.failed[row] ? NaN : column ? place_of(column, column.values[row]) : 0.5;
    return Number.isNaN(place) ? mark : scale_rgb(place);
  });
  known = {view, column, mark, colour: (row) => all[row]};
  return known.colour;
}

let known = {};

// Runs in a fixed pseudo-random order, so that no part of a study hides the others.
export function shuffled(count) {
  const order = Uint32Array.from({length: count}, (_, i) => i);
  let seed = 12345;
  for (let i = count - 1; i > 0; --i) {
    seed = (seed * 48271) % 2147483647;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// Runs the work once at the next animation frame, for any number of requests.
export function soon(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

// Text truncated to a width, with an ellipsis.
export function cut_text(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`…${text.slice(-end)}`).width > width) --end;
  return `…${text.slice(-end)}`;
}

// A card with a title, text and buttons.
export function make_card(name, words, tools, ...children) {
  return h("section", {class: "card study-card", "aria-label": name},
    h("div", {class: "plot-head"}, h("strong", {class: "plot-title"}, name), h("span", {class: "moment"}, words), h("span", {class: "plot-tools"}, tools)), ...children);
}
