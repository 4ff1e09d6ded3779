// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// A study, read and checked: one row per run, columns of parameters and results; and the current selection.

import {check} from "./container.js";

const kManyDecades = 1e3;   // ratio of largest to least value above which an axis is logarithmic, if the values spread over it

// Adds {columns, runs, index, statuses, status, failed, wall, recordings, correlation} to view.
export function read_study(view, header, array, part) {
  const {values: index} = array("index");
  const R = index.length;
  const rows = (name, count) => {
    if (!count) return [];
    const {values, shape} = array(name);
    check(shape.length === 2 && shape[0] === count && shape[1] === R, `The data is broken: '${name}' must be ${count} x ${R}.`);
    return Array.from({length: count}, (_, k) => values.subarray(k * R, (k + 1) * R));
  };
  const table = (name, kind) => {
    const entries = Array.isArray(header[name]) ? header[name] : [];
    return rows(name, entries.length).map((values, k) => make_column(entries[k], values, kind));
  };
  const columns = [...table("parameters", "parameter"), ...table("results", "result")];
  columns.forEach((column, k) => (column.k = k));
  const statuses = (Array.isArray(header.statuses) ? header.statuses : []).map(({text, failed}) => ({text: String(text), failed: Boolean(failed)}));
  const status = R ? array("status").values : new Uint32Array(0);
  check(status.length === R && status.every((s) => s < statuses.length), "The data is broken: a run has no status.");
  const has = (name) => Object.hasOwn(header.arrays ?? {}, name);
  const recordings = new Map();
  for (const inner of Array.isArray(header.recordings) ? header.recordings : []) recordings.set(inner?.row, part(inner));
  return Object.assign(view, {columns, parameters: columns.filter(({kind}) => kind === "parameter"), results: columns.filter(({kind}) => kind === "result"),
    count: R, index, status, statuses, failed: Uint8Array.from(status, (s) => Number(statuses[s].failed)), wall: has("wall") ? array("wall").values : null,
    recordings, kept: header.kept ?? {}, correlation: has("correlation") ? array("correlation").values : null});
}

function make_column(entry, values, kind) {
  let low = Infinity, high = -Infinity, finite = 0;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    ++finite;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  const log = !entry?.words && low > 0 && high >= kManyDecades * low && spread_over_decades(values, low, high);
  const words = Array.isArray(entry?.words) ? entry.words.map(String) : null;   // meanings of the numbers 0, 1, ...
  return {words, name: String(entry?.name ?? "without a name"), unit: String(entry?.unit ?? ""), kind, values, low, high, finite, log,
    statistics: entry?.statistics ?? null, sensitivity: entry?.sensitivity ?? null};
}

// Whether the median is in the middle of the decades; for uniformly distributed values it is near the upper end.
function spread_over_decades(values, low, high) {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort();
  const place = Math.log(sorted[sorted.length >> 1] / low) / Math.log(high / low);
  return place > 0.2 && place < 0.8;
}

// Position of a value on the axis of a column, 0 ... 1; the middle for a constant column, NaN for a value not finite.
export function place_of({low, high, log}, x) {
  if (!Number.isFinite(x)) return NaN;
  if (!(high > low)) return 0.5;
  return log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
}

export function value_of({low, high, log}, place) {
  if (!(high > low)) return low;
  return log ? low * (high / low) ** place : low + place * (high - low);
}

// The reader's selection: ranges of columns, the column of the colours, one run.
export class StudyChoice {
  constructor(view) {
    this.view = view;
    this.ranges = new Map();          // column -> [from, to]
    this.only_failed = false;
    this.selected = new Uint8Array(view.count).fill(1);
    this.selected_count = view.count;
    this.colour = view.results[0] ?? view.parameters[0] ?? null;
    this.run = null;                  // row
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // what: "selection", "colour" or "run"
  tell(what) {
    for (const listener of this.listeners) listener(what);
  }

  set_range(column, range) {
    if (range) this.ranges.set(column, range);
    else this.ranges.delete(column);
    this.select();
  }

  set_only_failed(on) {
    this.only_failed = on;
    this.select();
  }

  clear() {
    this.ranges.clear();
    this.only_failed = false;
    this.select();
  }

  select() {
    const {selected, view, ranges} = this;
    selected.fill(1);
    if (this.only_failed) for (let i = 0; i < selected.length; ++i) selected[i] = view.failed[i];
    for (const [{values}, [from, to]] of ranges) for (let i = 0; i < selected.length; ++i) if (!(values[i] >= from && values[i] <= to)) selected[i] = 0;
    this.selected_count = selected.reduce((sum, on) => sum + on, 0);
    this.tell("selection");
  }

  set_colour(column) {
    this.colour = column;
    this.tell("colour");
  }

  next_colour() {
    const {columns} = this.view;
    if (columns.length) this.set_colour(columns[(columns.indexOf(this.colour) + 1) % columns.length]);
  }

  set_run(row) {
    this.run = row;
    this.tell("run");
  }

  // Moves to the next or previous selected run.
  step(by) {
    const {count} = this.view;
    let row = this.run ?? (by > 0 ? -1 : count);
    do row += by; while (row >= 0 && row < count && !this.selected[row]);
    if (row >= 0 && row < count) this.set_run(row);
  }
}
