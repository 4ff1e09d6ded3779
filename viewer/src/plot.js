// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// One plot: signals of one unit over time, or their spectra or histograms.

import uPlot from "uplot";
import {labels_of, make_chart, with_unit} from "./charts.js";
import {kOkabeIto, signal_colour} from "./colours.js";
import {display_unit, file_name, h, save_blob, toggle, tool} from "./dom.js";
import {is_dark} from "./theme.js";

const kHeight = 210;

export class Plot {
  // panel: {view, player, range, zoom(from, to), remove(channel), lines(channels, plot), colours()}
  constructor(panel, unit) {
    this.panel = panel;
    this.unit = unit;
    this.signals = [];      // selected
    this.channels = [];     // drawn
    this.kind = "time";
    this.log = true;        // logarithmic counts of histograms
    this.difference = false;   // show differences from the first run
    this.chart = h("div", {class: "chart"});
    this.rows = h("div", {class: "legend"});
    this.notes = h("div", {class: "plot-notes"});
    this.moment = h("span", {class: "moment"});
    this.title = h("strong", {class: "plot-title"});
    const kind = (name, label, title) => toggle(label, title, false, (on) => this.set_kind(on ? name : "time"));
    this.kinds = {spectrum: kind("spectrum", "Spectrum", "Amplitude over frequency"), histogram: kind("histogram", "Histogram", "How often which value")};
    this.log_button = toggle("Log", "Counts on a logarithmic axis", true, (on) => {
      this.log = on;
      this.draw();
    });
    this.difference_button = panel.view.has_differences ? toggle("Difference", "Each run less the first one", false, (on) => this.set_difference(on)) : null;
    this.element = h("section", {class: "card plot", "aria-label": `Plot in ${unit || "no unit"}`},
      h("div", {class: "plot-head"}, this.title, this.moment,
        h("span", {class: "plot-tools"}, this.difference_button, this.kinds.spectrum, this.kinds.histogram, this.log_button, tool("+", "Zoom in at the cursor", () => this.zoom_by(0.5)),
          tool("−", "Zoom out", () => this.zoom_by(2)), tool("All", "Show all of it (or double click)", () => this.zoom_all()),
          tool("CSV", "Save the values in view as a table", () => this.save_csv()), tool("PNG", "Save as a picture", () => this.save_png()),
          panel.view.runs ? tool("×", "Take this signal away", () => this.panel.remove(this.signals[0])) : null)),
      this.chart, this.notes, this.rows);
    this.colour = (i) => signal_colour(this.channels[i]?.run ?? i, is_dark());
    this.colours = () => panel.colours();
  }

  // Sets the selected signals; with several runs each is drawn as one line per run.
  set_channels(signals) {
    this.signals = signals;
    this.channels = this.panel.lines(signals, this);
    this.display = display_unit(largest_of(this.channels), signals[0]?.unit ?? this.unit);
    this.draw();
  }

  set_difference(on) {
    this.difference = on;
    this.difference_button.setAttribute("aria-pressed", String(on));
    this.set_channels(this.signals);
  }

  // "time", "spectrum" or "histogram".
  set_kind(kind) {
    this.kind = kind;
    for (const [name, button] of Object.entries(this.kinds)) button.setAttribute("aria-pressed", String(name === kind));
    this.draw();
  }

  draw() {
    this.destroy();
    this.cells = this.channels.map((channel, i) => this.legend_row(channel, i));
    this.rows.replaceChildren(...this.cells.map((cell) => cell.row));
    this.log_button.hidden = this.kind !== "histogram";
    this.title.textContent = this.panel.title?.(this) ?? title_of(this.channels, this.display.unit);
    const {time} = this.panel.view;
    const [from, to] = this.panel.range ?? [time[0], time[time.length - 1]];
    this.shown = this.channels.length ? make_chart(this.kind, this, from, to) : {problem: this.panel.nothing?.(this) ?? "Nothing to show."};
    this.chart.replaceChildren();
    this.notes.replaceChildren(...(this.shown.notes ?? []).map((text) => h("p", {class: "hint"}, text)));
    this.line = null;
    if (this.shown.problem) {
      this.moment.textContent = "";
      this.chart.append(h("p", {class: "hint"}, this.shown.problem));
      return;
    }
    this.data = this.shown.data;
    this.plot = new uPlot(this.options(), this.data, this.chart);
    this.line = h("div", {class: "now"});
    if (this.kind === "time") this.plot.over.append(this.line);
    this.watch_clicks();
    this.set_time(this.panel.player.t);
  }

  legend_row(channel, i) {
    const value = h("span", {class: "value"});
    const swatch = h("span", {class: "swatch"});
    swatch.style.background = this.colour(i);
    const remove = channel.signal ? null : h("button", {type: "button", class: "plain", title: "Take it off the plot", "aria-label": `Take ${channel.name} off the plot`,
      onclick: () => this.panel.remove(channel)}, "×");
    // The title contains the group if all signals share it.
    const mixed = this.channels.some((other) => other.group !== channel.group);
    const what = h("span", {class: "what"}, h("span", {class: "name"}, channel.name), mixed ? h("span", {class: "kind"}, channel.group) : null);
    const reading = h("span", {class: "reading"}, value, h("span", {class: "unit"}, this.display.unit === "1" ? "" : this.display.unit));
    return {value, row: h("div", {class: "legend-row"}, swatch, h("div", {class: "entry"}, what, reading), remove)};
  }

  options() {
    const {shown} = this;
    const colours = this.panel.colours();
    const font = "12px system-ui, sans-serif";
    const axis = {stroke: colours.text, grid: {stroke: colours.line, width: 1}, ticks: {stroke: colours.line, width: 1}, font, labelFont: font};
    const series = this.channels.map((channel, i) => ({label: channel.name, stroke: this.colour(i), width: 1.5,
      dash: (channel.run ?? i) >= kOkabeIto.length ? [6, 4] : undefined, points: {show: false}, ...shown.series?.(i)}));
    const y = shown.y.label && shown.y.label !== "1" ? {labelSize: 16, labelGap: 0} : {label: undefined};
    return {width: Math.max(this.chart.clientWidth, 200), height: kHeight, legend: {show: false}, scales: shown.scales, series: [{}, ...series],
      cursor: {y: false, drag: {x: true, y: false}, points: {size: 6}, sync: this.kind === "time" ? {key: "limber"} : undefined},
      axes: [{...axis, labelSize: 18, labelGap: -2, size: 34, ...shown.x}, {...axis, size: axis_width, ...shown.y, ...y}],
      hooks: {setCursor: [() => this.show_hover()], drawAxes: [shown.under], draw: [(u) => shown.over?.(u), () => this.line && this.set_time(this.panel.player.t)],
        setScale: [(u, key) => key === "x" && this.zoomed(u)]}};
  }

  zoomed(u) {
    if (this.kind === "time" && u.scales.x.min !== null && this.plot === u) this.panel.zoom(u.scales.x.min, u.scales.x.max, this);
  }

  // Follows the zoom of another plot.
  follow(from, to) {
    if (this.kind !== "time") this.draw();
    else if (this.plot && (this.plot.scales.x.min !== from || this.plot.scales.x.max !== to)) this.plot.setScale("x", {min: from, max: to});
    this.set_time(this.panel.player.t);
  }

  zoom_by(factor) {
    if (!this.plot) return;
    const {min, max} = this.plot.scales.x;
    const x = this.plot.data[0];
    if (this.kind === "spectrum") {
      const a = Math.log(min), b = Math.log(max), middle = (a + b) / 2, half = ((b - a) / 2) * factor;
      this.plot.setScale("x", {min: Math.max(x[0], Math.exp(middle - half)), max: Math.min(x[x.length - 1], Math.exp(middle + half))});
      return;
    }
    const t = this.kind === "time" ? this.panel.player.t : (min + max) / 2;
    const centre = t >= min && t <= max ? t : (min + max) / 2;
    const half = ((max - min) / 2) * factor;
    this.plot.setScale("x", {min: Math.max(x[0], centre - half), max: Math.min(x[x.length - 1], centre + half)});
  }

  zoom_all() {
    const x = this.plot?.data[0];
    if (x) this.plot.setScale("x", {min: x[0], max: x[x.length - 1]});
  }

  // A click without a drag sets the time.
  watch_clicks() {
    const {over} = this.plot;
    let down = null;
    over.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    over.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4;
      if (still && this.kind === "time") this.panel.player.seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
      down = null;
    });
  }

  hovering() {
    const {cursor} = this.plot;
    return cursor.left >= 0 && cursor.idx !== null && cursor.idx !== undefined;
  }

  show_hover() {
    if (!this.plot) return;
    if (!this.hovering()) {
      this.set_time(this.panel.player.t);
      return;
    }
    const i = this.plot.cursor.idx;
    this.moment.textContent = `pointer: ${this.shown.moment(this.data[0][i])}`;
    this.say(this.shown.texts(i));
  }

  set_time(t) {
    if (!this.plot) return;
    if (this.kind === "time" && this.line) {
      const left = this.plot.valToPos(t, "x");
      this.line.style.transform = `translateX(${left}px)`;
      this.line.hidden = !(left >= -1 && left <= this.plot.over.clientWidth + 1);
    }
    if (this.hovering()) return;
    this.moment.textContent = this.shown.about || this.shown.moment(t);
    this.say(this.shown.rest(t));
  }

  say(texts) {
    this.cells.forEach((cell, i) => (cell.value.textContent = texts ? texts[i] : ""));
  }

  // Resizes to the width available in the page, or to a size for paper.
  resize(paper = null) {
    const {width, height} = paper ?? {width: this.chart.clientWidth, height: kHeight};
    if (this.plot && width > 0 && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({width, height});
    this.set_time(this.panel.player.t);
  }

  save_csv() {
    if (!this.plot) return;
    const quote = (text) => `"${text.replace(/"/g, '""')}"`;
    const {head, columns} = this.shown.table();
    const lines = [head.map(quote).join(",")];
    const {min, max} = this.plot.scales.x;
    for (let i = 0; i < columns[0].length; ++i) if (columns[0][i] >= min && columns[0][i] <= max) lines.push(columns.map((values, k) => (values[i] ?? null) === null ? "" : Number(values[i].toPrecision(k ? 9 : 15))).join(","));
    save_blob(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}), file_name(this.file_stem(), ".csv"));
  }

  save_png() {
    if (!this.plot) return;
    const source = this.plot.ctx.canvas, ratio = devicePixelRatio, line = 18 * ratio;
    const canvas = h("canvas", {width: source.width, height: source.height + line * (this.channels.length + 1)});
    const context = canvas.getContext("2d");
    context.fillStyle = this.panel.colours().card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0);
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    const labels = labels_of(this.channels);
    labels.forEach((label, i) => {
      const y = source.height + line * (i + 0.7);
      context.fillStyle = this.colour(i);
      context.fillRect(12 * ratio, y - 5 * ratio, 16 * ratio, 3 * ratio);
      context.fillStyle = this.panel.colours().text;
      context.fillText(with_unit(label, this.display.unit), 36 * ratio, y);
    });
    canvas.toBlob((blob) => save_blob(blob, file_name(this.file_stem(), ".png")));
  }

  file_stem() {
    const what = this.panel.view.runs ? `${this.signals[0].group}-${this.signals[0].name}` : this.unit;
    return `${this.panel.view.name}-${what}`;
  }

  destroy() {
    this.plot?.destroy();
    this.plot = null;
  }
}

// Space for the longest number at the axis.
function axis_width(u, values) {
  const longest = (values ?? []).reduce((most, text) => Math.max(most, text?.length ?? 0), 0);
  return Math.max(50, 20 + 7 * longest);
}

function largest_of(channels) {
  let most = 0;
  for (const {values, low, high} of channels) {
    for (const row of low ? [low, high] : [values]) {
      for (let i = 0; i < row.length; ++i) if (Math.abs(row[i]) > most && Number.isFinite(row[i])) most = Math.abs(row[i]);
    }
  }
  return most;
}

// The groups of the signals and their unit.
function title_of(channels, unit) {
  const groups = [...new Set(channels.map((channel) => channel.group))];
  const words = groups.length > 2 ? `${groups[0]} and ${groups.length - 1} more` : groups.join(", ");
  return unit && unit !== "1" ? `${words}, ${unit}` : words;
}
