// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Parallel coordinates: an axis for each parameter and result, a line for each run.  A drag along an axis selects a range, a
// click selects the nearest run.

import {breakable, file_name, h, save_blob, tool} from "./dom.js";
import {place_of, value_of} from "./study_data.js";
import {cut_text, fit_canvas, make_card, run_colours, shuffled, soon, tick_text, ticks_of} from "./study_draw.js";
import {theme_colours} from "./theme.js";

const kHeight = 360, kTop = 12, kBottom = 34, kSide = 64;
const kLeastGap = 96;        // between axes
const kReach = 16;           // distance within which the pointer hits an axis
const kWords = "drag along an axis: select · click a line: its run · click a name: colour";
const kMostTime = 12;        // ms of drawing per animation frame

export class ParallelCard {
  constructor(view, choice) {
    this.view = view;
    this.choice = choice;
    this.order = shuffled(view.count);
    this.back = h("canvas", {"aria-hidden": "true"});
    this.front = h("canvas", {tabindex: "0", "aria-label": "Parallel coordinates: a line for each run. Drag along an axis to select a range; arrow keys up and down go through the runs"});
    this.labels = h("div", {class: "axis-labels"});
    this.inner = h("div", {class: "parallel-inner"}, this.labels, h("div", {class: "parallel-canvas"}, this.back, this.front));
    this.scroller = h("div", {class: "parallel"}, this.inner);
    this.element = make_card("Parallel coordinates", kWords,
      [tool("All", "Show all runs again (Escape)", () => choice.clear()), tool("PNG", "Save as a picture", () => this.save_png())], this.scroller);
    this.draw_soon = soon(() => this.draw());
    this.mark_soon = soon(() => this.draw_front());
    this.watch_pointer();
    choice.listen((what) => (what === "run" ? this.mark_soon() : this.draw_soon()));
  }

  start() {
    new ResizeObserver(() => this.scroller.clientWidth !== this.room && this.draw_soon()).observe(this.scroller);
    this.draw();
  }

  x(k) {
    const n = this.view.columns.length;
    return n === 1 ? this.width / 2 : kSide + (k * (this.width - 2 * kSide)) / (n - 1);
  }

  // Missing values are drawn below the axes.
  y(place) {
    return Number.isNaN(place) ? kHeight - 12 : kTop + (1 - place) * (kHeight - kTop - kBottom);
  }

  draw() {
    const {columns} = this.view;
    if (!columns.length) return;
    this.room = this.scroller.clientWidth;
    this.width = Math.max(this.room, 2 * kSide + (columns.length - 1) * kLeastGap, 200);
    this.inner.style.width = `${this.width}px`;
    this.element.querySelector(".moment").textContent = this.width > this.room ? `${kWords} · scroll sideways: ${columns.length} axes` : kWords;
    this.place_labels();
    this.lines = fit_canvas(this.back, this.width, kHeight);
    this.pieces = (this.pieces ?? 0) + 1;
    this.finished = false;
    this.draw_piece(this.pieces, 0);
    this.draw_front();
  }

  place_labels() {
    const {columns} = this.view;
    const room = columns.length > 1 ? (this.width - 2 * kSide) / (columns.length - 1) - 10 : 200;
    this.labels.replaceChildren(...columns.map((column, k) => {
      const button = h("button", {type: "button", class: `plain axis-label ${column.kind}`, title: `${column.name}: colour the runs by it`,
        "aria-pressed": String(column === this.choice.colour), onclick: () => this.choice.set_colour(column)},
      h("span", {class: "name"}, breakable(column.name)), h("span", {class: "unit"}, [column.unit === "1" ? "" : column.unit, column.log ? "log" : ""].filter(Boolean).join(", ")));
      button.style.left = `${this.x(k)}px`;
      button.style.width = `${Math.min(room, 2 * kSide)}px`;
      return button;
    }));
  }

  path(context, row) {
    context.beginPath();
    this.view.columns.forEach((column, k) => {
      const y = this.y(place_of(column, column.values[row]));
      if (k) context.lineTo(this.x(k), y);
      else context.moveTo(this.x(k), y);
    });
    if (this.view.columns.length === 1) context.lineTo(this.x(0) + 8, this.y(place_of(this.view.columns[0], this.view.columns[0].values[row])));
    context.stroke();
  }

  // Draws unselected runs first, faintly, then the others, in chunks per frame to keep the page responsive.
  draw_piece(job, at) {
    if (job !== this.pieces) return;
    const {order, view, choice, lines} = this;
    const some = choice.selected_count < view.count;
    const colour = run_colours(view, choice.colour), {soft} = theme_colours();
    const strong = Math.min(0.9, Math.max(0.05, 8 / Math.sqrt(Math.max(choice.selected_count, 1))));
    const faint = Math.min(0.08, 1 / Math.sqrt(view.count));
    const end = performance.now() + kMostTime;
    let i = at;
    lines.lineWidth = 1;
    for (; i < 2 * order.length && (i % 64 || performance.now() < end); ++i) {
      const second = i >= order.length, row = order[second ? i - order.length : i];
      if (Boolean(choice.selected[row]) !== second || (!second && !some)) continue;
      lines.globalAlpha = second ? (view.failed[row] ? Math.max(strong, 0.5) : strong) : faint;
      lines.strokeStyle = second ? colour(row) : soft;
      this.path(lines, row);
    }
    lines.globalAlpha = 1;
    if (i < 2 * order.length) requestAnimationFrame(() => this.draw_piece(job, i));
    else this.finished = true;
  }

  // Axes, ranges and the current run.
  draw_front() {
    if (!this.width) return;
    const context = fit_canvas(this.front, this.width, kHeight), colours = theme_colours();
    const {columns} = this.view;
    const gaps = columns.some((column) => column.finite < this.view.count);
    if (gaps) {
      context.fillStyle = colours.mark;
      context.fillText("no value", 2, kHeight - 8);
    }
    columns.forEach((column, k) => this.draw_axis(context, column, k, colours));
    if (this.choice.run === null) return;
    context.lineJoin = "round";
    for (const [width, stroke] of [[5, colours.card], [2.5, colours.text]]) {
      context.lineWidth = width;
      context.strokeStyle = stroke;
      this.path(context, this.choice.run);
    }
  }

  draw_axis(context, column, k, colours) {
    const x = this.x(k), top = this.y(1), bottom = this.y(0);
    const range = this.choice.ranges.get(column);
    context.lineWidth = 1;
    context.strokeStyle = colours.text;
    context.globalAlpha = 0.55;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    context.globalAlpha = 1;
    context.textBaseline = "middle";
    for (const tick of ticks_of(column, 5)) {
      const y = this.y(place_of(column, tick)), text = cut_text(context, tick_text(tick, column), 56), width = context.measureText(text).width;
      context.globalAlpha = 0.75;
      context.fillStyle = colours.card;
      context.fillRect(x - width - 8, y - 7, width + 4, 14);
      context.globalAlpha = 1;
      context.fillStyle = colours.text;
      context.fillText(text, x - width - 6, y);
      context.fillRect(x - 3, y - 0.5, 6, 1);
    }
    if (!range) return;
    const [a, b] = range.map((value) => this.y(place_of(column, Math.min(Math.max(value, column.low), column.high))));
    context.globalAlpha = 0.35;
    context.fillStyle = colours.mark;
    context.fillRect(x - 7, b, 14, Math.max(a - b, 2));
    context.globalAlpha = 1;
    context.strokeStyle = colours.mark;
    context.strokeRect(x - 7, b, 14, Math.max(a - b, 2));
  }

  axis_at(x) {
    const {columns} = this.view;
    const k = columns.findIndex((_, i) => Math.abs(this.x(i) - x) <= kReach);
    return k < 0 ? null : columns[k];
  }

  watch_pointer() {
    const {front, choice} = this;
    const place = (event) => {
      const box = front.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const value = (column, y) => value_of(column, Math.min(1, Math.max(0, 1 - (y - kTop) / (kHeight - kTop - kBottom))));
    let drag = null;
    front.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      drag = {x, y, column: this.axis_at(x), moved: false};
      if (drag.column) front.setPointerCapture(event.pointerId);
    });
    front.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      front.style.cursor = this.axis_at(x) ? "ns-resize" : "pointer";
      if (!drag?.column || (!drag.moved && Math.abs(y - drag.y) < 4)) return;
      drag.moved = true;
      const ends = [value(drag.column, drag.y), value(drag.column, y)].sort((a, b) => a - b);
      choice.set_range(drag.column, ends);
    });
    front.addEventListener("pointerup", (event) => {
      const [x, y] = place(event);
      if (drag && !drag.moved && drag.column && choice.ranges.has(drag.column)) choice.set_range(drag.column, null);
      else if (drag && !drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) this.pick(x, y);
      drag = null;
    });
    front.addEventListener("dblclick", () => choice.clear());
  }

  // The selected run with the nearest line.
  pick(x, y) {
    const {columns, count} = this.view;
    let k = 0;
    while (k < columns.length - 2 && this.x(k + 1) < x) ++k;
    const a = columns[k], b = columns[Math.min(k + 1, columns.length - 1)];
    const s = columns.length > 1 ? (x - this.x(k)) / (this.x(k + 1) - this.x(k)) : 0;
    let best = 12, found = null;
    for (let i = 0; i < count; ++i) {
      if (!this.choice.selected[i]) continue;
      const ya = this.y(place_of(a, a.values[i])), yb = this.y(place_of(b, b.values[i]));
      const off = Math.abs((1 - s) * ya + s * yb - y) / Math.hypot(1, (yb - ya) / Math.max(this.x(1) - this.x(0) || 1, 1));
      if (off < best) [best, found] = [off, i];
    }
    if (found !== null) this.choice.set_run(found);
  }

  save_png() {
    const head = 34, ratio = this.back.width / this.width;
    const canvas = h("canvas", {width: this.back.width, height: this.back.height + head * ratio});
    const context = canvas.getContext("2d"), colours = theme_colours();
    context.fillStyle = colours.card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const layer of [this.back, this.front]) context.drawImage(layer, 0, head * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colours.text;
    context.textAlign = "center";
    this.view.columns.forEach((column, k) => context.fillText(cut_text(context, column.name, 120), this.x(k), 22));
    canvas.toBlob((blob) => save_blob(blob, file_name(`${this.view.name}-parallel`, ".png")));
  }
}
