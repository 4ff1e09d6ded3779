// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Scatter matrix: each selected column over each other; histograms on the diagonal, correlations above it.

import {file_name, h, number_text, save_blob, tool} from "./dom.js";
import {place_of} from "./study_data.js";
import {cut_text, fit_canvas, make_card, run_colours, shuffled, soon, tick_text, ticks_of, title_of} from "./study_draw.js";
import {theme_colours} from "./theme.js";

const kMost = 5;              // columns shown initially
const kMostCell = 210, kLeastCell = 74, kGap = 6, kLeft = 74, kUnder = 34;
const kEdge = 7;              // margin of a cell, for runs without a value

export class ScatterCard {
  constructor(view, choice) {
    this.view = view;
    this.choice = choice;
    this.columns = first_columns(view);
    this.order = shuffled(view.count);
    this.back = h("canvas", {"aria-hidden": "true"});
    this.front = h("canvas", {"aria-label": "Scatter matrix: a point for each run; click one to see its run"});
    this.frame = h("div", {class: "scatter"}, this.back, this.front);
    this.chooser = h("details", {class: "scatter-chooser"}, h("summary", {}, "Columns"), h("div", {class: "ticks"}, view.columns.map((column) => this.make_tick(column))));
    this.element = make_card("Scatter matrix", "click a point: its run", [tool("PNG", "Save as a picture", () => this.save_png())], this.chooser, this.frame);
    this.draw_soon = soon(() => this.draw());
    this.mark_soon = soon(() => this.draw_front());
    this.front.addEventListener("click", (event) => this.pick(event));
    choice.listen((what) => (what === "run" ? this.mark_soon() : this.draw_soon()));
  }

  start() {
    new ResizeObserver(() => this.frame.clientWidth !== this.room && this.draw_soon()).observe(this.frame);
    this.draw();
  }

  make_tick(column) {
    const tick = h("input", {type: "checkbox", onchange: () => {
      this.columns = this.view.columns.filter((other) => (other === column ? tick.checked : this.columns.includes(other)));
      this.draw_soon();
    }});
    tick.checked = this.columns.includes(column);
    return h("label", {}, tick, column.name);
  }

  draw() {
    const n = this.columns.length, width = this.frame.clientWidth;
    if (!width) return;
    this.room = width;
    this.cell = Math.min(kMostCell, Math.max(kLeastCell, Math.floor((width - kLeft - 2) / Math.max(n, 1)) - kGap));
    this.width = kLeft + n * (this.cell + kGap);
    this.height = n * (this.cell + kGap) + kUnder;
    const context = fit_canvas(this.back, this.width, this.height);
    const colours = theme_colours();
    for (let r = 0; r < n; ++r) {
      for (let c = 0; c < n; ++c) {
        if (c < r) this.draw_points(context, r, c, colours);
        else if (c > r) this.draw_correlation(context, r, c, colours);
        else this.draw_bars(context, r, colours);
      }
    }
    this.draw_labels(context, colours);
    this.draw_front();
  }

  corner(r, c) {
    return [kLeft + c * (this.cell + kGap), r * (this.cell + kGap)];
  }

  // Position in a cell; missing values are drawn at its edge.
  x(column, value, left) {
    const place = place_of(column, value);
    return left + (Number.isNaN(place) ? 3 : kEdge + place * (this.cell - 2 * kEdge));
  }

  y(column, value, top) {
    const place = place_of(column, value);
    return top + this.cell - (Number.isNaN(place) ? 3 : kEdge + place * (this.cell - 2 * kEdge));
  }

  draw_points(context, r, c, colours) {
    const [left, top] = this.corner(r, c), {view, choice, cell} = this;
    const across = this.columns[c], up = this.columns[r];
    context.strokeStyle = colours.line;
    context.strokeRect(left + 0.5, top + 0.5, cell - 1, cell - 1);
    const colour = run_colours(view, choice.colour), size = view.count > 3000 ? 1.6 : view.count > 400 ? 2.4 : 3.6;
    const some = choice.selected_count < view.count;
    for (const strong of some ? [false, true] : [true]) {
      context.globalAlpha = strong ? (view.count > 3000 ? 0.6 : 0.85) : 0.08;
      for (const row of this.order) {
        if (Boolean(choice.selected[row]) !== strong) continue;
        const x = this.x(across, across.values[row], left), y = this.y(up, up.values[row], top);
        context.fillStyle = strong ? colour(row) : colours.soft;
        if (strong && view.failed[row]) cross(context, x, y, view.count > 3000 ? 2 : 3, colours.mark);
        else context.fillRect(x - size / 2, y - size / 2, size, size);
      }
    }
    context.globalAlpha = 1;
  }

  draw_bars(context, r, colours) {
    const [left, top] = this.corner(r, r), {cell, choice} = this, column = this.columns[r];
    context.strokeStyle = colours.line;
    context.strokeRect(left + 0.5, top + 0.5, cell - 1, cell - 1);
    const bins = Math.min(24, Math.max(6, Math.ceil(Math.sqrt(column.finite))));
    const all = new Float64Array(bins), chosen = new Float64Array(bins);
    column.values.forEach((value, row) => {
      const place = place_of(column, value);
      if (Number.isNaN(place)) return;
      const bin = Math.min(bins - 1, Math.floor(place * bins));
      ++all[bin];
      chosen[bin] += choice.selected[row];
    });
    const most = Math.max(...all, 1), wide = (cell - 2 * kEdge) / bins, room = cell - 24;
    for (const [counts, fill, alpha] of [[all, colours.soft, 0.35], [chosen, colours.accent, 0.8]]) {
      context.fillStyle = fill;
      context.globalAlpha = alpha;
      counts.forEach((count, k) => context.fillRect(left + kEdge + k * wide, top + cell - 2 - (count / most) * room, Math.max(wide - 0.5, 1), (count / most) * room));
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.text;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.fillText(cut_text(context, column.name, cell - 8), left + cell / 2, top + 5);
    context.textAlign = "left";
  }

  draw_correlation(context, r, c, colours) {
    const {correlation, columns} = this.view, [left, top] = this.corner(r, c), {cell} = this;
    const value = correlation ? correlation[this.columns[r].k * columns.length + this.columns[c].k] : NaN;
    const size = Number.isFinite(value) ? Math.abs(value) : 0;
    context.globalAlpha = 0.5 * size;
    context.fillStyle = value < 0 ? colours.mark : colours.accent;
    context.fillRect(left, top, cell, cell);
    context.globalAlpha = 1;
    context.fillStyle = size > 0.3 ? colours.text : colours.soft;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(Number.isFinite(value) ? `r = ${number_text(Number(value.toFixed(2)), 2)}` : "–", left + cell / 2, top + cell / 2);
    context.textAlign = "left";
  }

  draw_labels(context, colours) {
    const n = this.columns.length, {cell} = this;
    context.fillStyle = colours.text;
    this.columns.forEach((column, k) => {
      const [left, top] = this.corner(k, k), under = n * (cell + kGap) - kGap;
      context.textBaseline = "top";
      context.textAlign = "center";
      const across = ticks_of(column, Math.max(1, Math.floor(cell / 44)));
      for (const tick of across) {
        const x = this.x(column, tick, left), text = tick_text(tick, column), half = context.measureText(text).width / 2;
        context.fillText(text, Math.min(Math.max(x, left + half), left + cell - half), under + 3);
      }
      context.fillText(cut_text(context, title_of(column), cell), left + cell / 2, under + 18);
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (const tick of ticks_of(column, 4)) if (k > 0) context.fillText(cut_text(context, tick_text(tick, column), 54), kLeft - 4, this.y(column, tick, top));
      context.save();
      context.translate(8, top + cell / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText(cut_text(context, title_of(column), cell), 0, 0);
      context.restore();
      context.textAlign = "left";
    });
  }

  // The current run.
  draw_front() {
    if (!this.width) return;
    const context = fit_canvas(this.front, this.width, this.height), colours = theme_colours(), {run} = this.choice;
    if (run === null) return;
    for (let r = 1; r < this.columns.length; ++r) {
      for (let c = 0; c < r; ++c) {
        const [left, top] = this.corner(r, c);
        context.beginPath();
        context.arc(this.x(this.columns[c], this.columns[c].values[run], left), this.y(this.columns[r], this.columns[r].values[run], top), 6, 0, 2 * Math.PI);
        for (const [width, stroke] of [[4.5, colours.card], [2, colours.text]]) {
          context.lineWidth = width;
          context.strokeStyle = stroke;
          context.stroke();
        }
      }
    }
  }

  pick(event) {
    const box = this.front.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    const c = Math.floor((px - kLeft) / (this.cell + kGap)), r = Math.floor(py / (this.cell + kGap));
    if (c < 0 || r >= this.columns.length || c >= r) return;
    const [left, top] = this.corner(r, c), across = this.columns[c], up = this.columns[r];
    let best = 10, found = null;
    for (let i = 0; i < this.view.count; ++i) {
      if (!this.choice.selected[i]) continue;
      const off = Math.hypot(this.x(across, across.values[i], left) - px, this.y(up, up.values[i], top) - py);
      if (off < best) [best, found] = [off, i];
    }
    if (found !== null) this.choice.set_run(found);
  }

  save_png() {
    const canvas = h("canvas", {width: this.back.width, height: this.back.height}), context = canvas.getContext("2d");
    context.fillStyle = theme_colours().card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const layer of [this.back, this.front]) context.drawImage(layer, 0, 0);
    canvas.toBlob((blob) => save_blob(blob, file_name(`${this.view.name}-scatter`, ".png")));
  }
}

function cross(context, x, y, size, stroke) {
  context.strokeStyle = stroke;
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x - size, y + size);
  context.lineTo(x + size, y - size);
  context.stroke();
}

// The most informative columns: the first results, and the parameters with the largest influence on them.
function first_columns({columns, parameters, results}) {
  if (columns.length <= kMost) return columns;
  const shown = results.slice(0, parameters.length ? 2 : kMost);
  const weight = parameters.map((_, i) => Math.max(0, ...shown.map(({sensitivity}) => Math.abs(sensitivity?.total?.[i] ?? sensitivity?.regression?.[i] ?? 0))));
  const order = parameters.map((_, i) => i).sort((a, b) => weight[b] - weight[a]).slice(0, kMost - shown.length);
  const kept = new Set([...shown, ...order.map((i) => parameters[i])]);
  return columns.filter((column) => kept.has(column));
}
