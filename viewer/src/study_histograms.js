// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Histograms of results, with their percentiles.

import uPlot from "uplot";
import {draw_marks, log_ticks} from "./charts.js";
import {signal_colour} from "./colours.js";
import {count_text, file_name, h, number_text, save_blob, tool} from "./dom.js";
import {place_of, value_of} from "./study_data.js";
import {make_card, soon, title_of} from "./study_draw.js";
import {is_dark, theme_colours} from "./theme.js";

const kHeight = 190;
const kStatistics = [["least", "least"], ["p5", "5 %"], ["p25", "25 %"], ["p50", "median"], ["p75", "75 %"], ["p95", "95 %"], ["p99", "99 %"],
  ["largest", "largest"], ["mean", "mean"], ["deviation", "std deviation"]];
const kMarked = [["p5", "5 %"], ["p50", "median"], ["p95", "95 %"]];

export class HistogramCard {
  constructor(view, choice, column) {
    this.view = view;
    this.choice = choice;
    this.column = column;
    this.chart = h("div", {class: "chart"});
    this.words = h("span", {class: "moment"});
    const {statistics} = column;
    const facts = statistics && column.finite ? kStatistics.filter(([key]) => Number.isFinite(statistics[key])).map(([key, label]) =>
      h("div", {}, h("dt", {}, label), h("dd", {}, number_text(statistics[key], 5)))) : [];
    this.element = make_card(title_of(column), "", [tool("CSV", "Save the bins as a table", () => this.save_csv()), tool("PNG", "Save as a picture", () => this.save_png())],
      this.chart, h("dl", {class: "statistics"}, facts));
    this.element.querySelector(".moment").replaceWith(this.words);
    this.draw_soon = soon(() => this.draw());
    choice.listen((what) => what === "selection" && this.draw_soon());
  }

  start() {
    new ResizeObserver(() => this.plot && this.chart.clientWidth > 0 && this.chart.clientWidth !== this.plot.width && this.plot.setSize({width: this.chart.clientWidth, height: kHeight})).observe(this.chart);
    this.draw();
  }

  // Edges of the bins, and the numbers of all runs and of selected runs in each.
  count() {
    const {column, choice} = this;
    const bins = column.high > column.low ? Math.min(60, Math.max(8, Math.ceil(Math.sqrt(column.finite)))) : 9;
    const half = column.high > column.low ? 0 : Math.abs(column.low) * 1e-3 || 1e-3;
    const edges = Float64Array.from({length: bins + 1}, (_, k) => (half ? column.low + half * ((2 * k) / bins - 1) : value_of(column, k / bins)));
    const all = new Float64Array(bins + 1), chosen = new Float64Array(bins + 1);
    column.values.forEach((value, row) => {
      const place = place_of(column, value);
      if (Number.isNaN(place)) return;
      const bin = Math.min(bins - 1, Math.floor(place * bins));
      ++all[bin];
      chosen[bin] += choice.selected[row];
    });
    return [edges, all, chosen];
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    const {column, view, choice} = this;
    const missing = view.count - column.finite;
    this.words.textContent = `${count_text(column.finite)} runs${missing ? `, ${count_text(missing)} without a value` : ""}`;
    if (!column.finite) {
      this.chart.replaceChildren(h("p", {class: "hint"}, "No run has a value of this result."));
      return;
    }
    const colours = theme_colours(), font = "12px system-ui, sans-serif", accent = signal_colour(0, is_dark());
    const axis = {stroke: colours.text, grid: {stroke: colours.line, width: 1}, ticks: {stroke: colours.line, width: 1}, font, labelFont: font};
    const some = choice.selected_count < view.count;
    this.data = this.count();
    const top = this.data[1].reduce((a, b) => Math.max(a, b), 1);
    const step = {paths: uPlot.paths.stepped({align: 1}), points: {show: false}, width: 1.2};
    const text = (_, ticks) => ticks.map((x) => (x === null ? "" : number_text(x, 5)));
    this.chart.replaceChildren();
    this.plot = new uPlot({width: Math.max(this.chart.clientWidth, 200), height: kHeight, legend: {show: false}, cursor: {y: false, drag: {x: false}, points: {show: false}},
      scales: {x: {time: false, distr: column.log ? 3 : 1, range: (_, low, high) => [low, high]}, y: {range: () => [0, top * 1.18]}},
      series: [{}, {...step, stroke: some ? colours.soft : accent, fill: some ? `${colours.soft}30` : `${accent}40`}, {...step, show: some, stroke: accent, fill: `${accent}66`}],
      axes: [{...axis, size: 30, values: text, ...(column.log ? {splits: log_ticks, filter: (_, ticks) => ticks} : {})}, {...axis, size: 52, values: text, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6], label: "runs", labelSize: 16, labelGap: 0}],
      hooks: {draw: [(u) => this.mark(u)], setCursor: [(u) => this.hover(u)]}}, this.data, this.chart);
  }

  mark(u) {
    const {statistics} = this.column;
    const colours = theme_colours();
    if (statistics) draw_marks(u, kMarked.filter(([key]) => Number.isFinite(statistics[key])).map(([key, text]) => ({x: statistics[key], text})), colours.mark, colours);
  }

  hover(u) {
    const k = u.cursor.idx;
    if (u.cursor.left < 0 || k === null || k === undefined || !this.data) return;
    const [edges, all, chosen] = this.data, bin = Math.min(Math.max(0, edges[k] > u.posToVal(u.cursor.left, "x") ? k - 1 : k), edges.length - 2);
    const some = this.choice.selected_count < this.view.count ? `, ${count_text(chosen[bin])} selected` : "";
    this.words.textContent = `${number_text(edges[bin], 4)} … ${number_text(edges[bin + 1], 4)}: ${count_text(all[bin])} runs${some}`;
  }

  save_csv() {
    if (!this.data) return;
    const [edges, all, chosen] = this.data;
    const lines = [`"from [${this.column.unit}]","to [${this.column.unit}]","runs","selected runs"`];
    for (let k = 0; k + 1 < edges.length; ++k) lines.push([edges[k], edges[k + 1], all[k], chosen[k]].join(","));
    save_blob(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}), file_name(`${this.view.name}-${this.column.name}`, ".csv"));
  }

  save_png() {
    if (!this.plot) return;
    const source = this.plot.ctx.canvas, ratio = devicePixelRatio, head = 22 * ratio;
    const canvas = h("canvas", {width: source.width, height: source.height + head});
    const context = canvas.getContext("2d"), colours = theme_colours();
    context.fillStyle = colours.card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, head);
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.fillStyle = colours.text;
    context.fillText(title_of(this.column), 12 * ratio, 15 * ratio);
    canvas.toBlob((blob) => save_blob(blob, file_name(`${this.view.name}-${this.column.name}`, ".png")));
  }
}
