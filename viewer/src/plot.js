// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// One plot: signals of one unit over time, or their spectra.

import uPlot from "uplot";
import {kOkabeIto, signal_colour} from "./colours.js";
import {file_name, h, number_text, save_blob} from "./dom.js";
import {spectra, value_at} from "./spectrum.js";
import {is_dark} from "./theme.js";

const kHeight = 210;

export class Plot {
  // panel: {view, player, range, zoom(from, to), remove(channel), colours()}
  constructor(panel, unit) {
    this.panel = panel;
    this.unit = unit;
    this.channels = [];
    this.spectral = false;
    this.chart = h("div", {class: "chart"});
    this.rows = h("tbody");
    this.moment = h("span", {class: "moment"});
    this.spectrum_button = h("button", {type: "button", "aria-pressed": "false", onclick: () => this.set_spectral(!this.spectral)}, "Spectrum");
    const button = (text, title, action) => h("button", {type: "button", title, onclick: action}, text);
    this.element = h("section", {class: "card plot", "aria-label": `Plot in ${unit || "no unit"}`},
      h("div", {class: "plot-head"}, h("strong", {}, unit && unit !== "1" ? unit : "no unit"), this.moment,
        h("span", {class: "plot-tools"}, this.spectrum_button, button("+", "Zoom in at the cursor", () => this.zoom_by(0.5)),
          button("−", "Zoom out", () => this.zoom_by(2)), button("All", "Show all of it (or double click)", () => this.zoom_all()),
          button("CSV", "Save these values as a table", () => this.save_csv()), button("PNG", "Save as a picture", () => this.save_png()))),
      this.chart, h("table", {class: "legend"}, this.rows));
  }

  set_channels(channels) {
    this.channels = channels;
    this.draw();
  }

  set_spectral(on) {
    this.spectral = on;
    this.spectrum_button.setAttribute("aria-pressed", String(on));
    this.draw();
  }

  colour(i) {
    return signal_colour(i, is_dark());
  }

  draw() {
    this.destroy();
    this.cells = this.channels.map((channel, i) => this.legend_row(channel, i));
    this.rows.replaceChildren(...this.cells.map((cell) => cell.row));
    const {view, range} = this.panel;
    const time = view.time;
    const [from, to] = range ?? [time[0], time[time.length - 1]];
    let data = [time, ...this.channels.map((channel) => channel.values)];
    if (this.spectral) {
      const found = spectra(time, this.channels.map((channel) => channel.values), from, to);
      if (!found) {
        this.chart.replaceChildren(h("p", {class: "hint"}, "Too few records for a spectrum."));
        return;
      }
      data = [found.hz, ...found.amplitudes.map((values) => values.map((x) => Math.max(x, 1e-30)))];
    }
    this.chart.replaceChildren();
    this.data = data;
    this.plot = new uPlot(this.options(from, to), data, this.chart);
    this.line = h("div", {class: "now"});
    if (!this.spectral) this.plot.over.append(this.line);
    this.watch_clicks();
    this.set_time(this.panel.player.t);
  }

  legend_row(channel, i) {
    const value = h("td", {class: "value"});
    const swatch = h("span", {class: "swatch"});
    swatch.style.background = this.colour(i);
    const remove = h("button", {type: "button", class: "plain", "aria-label": `Take ${channel.name} off the plot`,
      onclick: () => this.panel.remove(channel)}, "×");
    return {value, row: h("tr", {}, h("td", {}, swatch), h("td", {class: "what"}, h("span", {class: "name"}, channel.name), h("span", {class: "kind"}, channel.group)), value,
      h("td", {class: "unit"}, this.unit), h("td", {}, remove))};
  }

  options(from, to) {
    const colours = this.panel.colours();
    const axis = {stroke: colours.text, grid: {stroke: colours.line, width: 1}, ticks: {stroke: colours.line, width: 1}, font: "12px system-ui, sans-serif"};
    const series = this.channels.map((channel, i) => ({label: channel.name, stroke: this.colour(i), width: 1.5,
      dash: i >= kOkabeIto.length ? [6, 4] : undefined, points: {show: false}}));
    const values = (_, ticks) => ticks.map((x) => (x === null ? "" : number_text(x)));
    const log_values = (_, ticks) => ticks.map((x) => (x === null ? "" : x >= 0.01 && x < 1e4 ? String(Number(x.toPrecision(1))) : x.toExponential(0).replace("e+", "e")));
    const scales = this.spectral ? {x: {time: false, distr: 3, range: (_, low, high) => [low, high]}, y: {distr: 3, range: (_, low, high) => log_range(low, high)}}
      : {x: {time: false, min: from, max: to}};
    return {width: Math.max(this.chart.clientWidth, 200), height: kHeight, legend: {show: false}, scales, series: [{}, ...series],
      cursor: {y: false, drag: {x: true, y: false}, points: {size: 6}, sync: this.spectral ? undefined : {key: "limber"}},
      axes: [{...axis, label: this.spectral ? "Hz" : "s", labelSize: 18, labelGap: -2, size: 34, values: this.spectral ? log_values : values},
        {...axis, size: 68, values: this.spectral ? log_values : values, ...(this.spectral ? {splits: powers_of_ten, filter: (_, ticks) => ticks} : {})}],
      hooks: {setCursor: [() => this.show_hover()], draw: [() => this.line && this.set_time(this.panel.player.t)], drawAxes: this.spectral ? [(u) => this.mark_frequencies(u)] : [],
        setScale: [(u, key) => key === "x" && this.zoomed(u)]}};
  }

  zoomed(u) {
    if (!this.spectral && u.scales.x.min !== null && this.plot === u) this.panel.zoom(u.scales.x.min, u.scales.x.max, this);
  }

  // Follows the zoom of another plot.
  follow(from, to) {
    if (this.spectral) this.draw();
    else if (this.plot && (this.plot.scales.x.min !== from || this.plot.scales.x.max !== to)) this.plot.setScale("x", {min: from, max: to});
    this.set_time(this.panel.player.t);
  }

  zoom_by(factor) {
    if (!this.plot) return;
    const {min, max} = this.plot.scales.x;
    const x = this.plot.data[0];
    if (this.spectral) {
      const a = Math.log(min), b = Math.log(max), middle = (a + b) / 2, half = ((b - a) / 2) * factor;
      this.plot.setScale("x", {min: Math.max(x[0], Math.exp(middle - half)), max: Math.min(x[x.length - 1], Math.exp(middle + half))});
      return;
    }
    const t = this.panel.player.t;
    const centre = t >= min && t <= max ? t : (min + max) / 2;
    const half = ((max - min) / 2) * factor;
    this.plot.setScale("x", {min: Math.max(x[0], centre - half), max: Math.min(x[x.length - 1], centre + half)});
  }

  zoom_all() {
    const x = this.plot?.data[0];
    if (x) this.plot.setScale("x", {min: x[0], max: x[x.length - 1]});
  }

  // A click without a drag moves the time there.
  watch_clicks() {
    const {over} = this.plot;
    let down = null;
    over.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    over.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4;
      if (still && !this.spectral) this.panel.player.seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
      down = null;
    });
  }

  mark_frequencies(u) {
    const colours = this.panel.colours();
    const ratio = devicePixelRatio;
    const {ctx, bbox} = u;
    ctx.save();
    ctx.textAlign = "left";
    ctx.strokeStyle = colours.mark;
    ctx.fillStyle = colours.mark;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.font = `${10.5 * ratio}px system-ui, sans-serif`;
    let last = -Infinity;
    const inside = this.panel.view.frequencies.filter((f) => f.hz >= u.scales.x.min && f.hz <= u.scales.x.max);
    for (const {hz} of [...inside].sort((a, b) => a.hz - b.hz).slice(0, 60)) {
      const x = u.valToPos(hz, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const text = number_text(hz, 3);
      if (x - last > ctx.measureText(text).width + 8 * ratio) {
        ctx.fillText(text, x + 3 * ratio, bbox.top + 10 * ratio);
        last = x;
      }
    }
    ctx.restore();
  }

  show_hover() {
    const i = this.plot?.cursor.idx;
    if (i === null || i === undefined || this.plot.cursor.left < 0) this.set_time(this.panel.player.t);
    else this.show_values(this.data[0][i], this.data.slice(1).map((values) => values[i]), true);
  }

  set_time(t) {
    if (!this.plot) return;
    if (this.spectral) {
      if (!(this.plot.cursor.left >= 0)) {
        const f = this.panel.view.frequencies.length ? "; natural frequencies dashed" : "";
        this.moment.textContent = `amplitude over Hz${f}`;
        for (const cell of this.cells) cell.value.textContent = "";
      }
      return;
    }
    const left = this.plot.valToPos(t, "x");
    this.line.style.transform = `translateX(${left}px)`;
    this.line.hidden = !(left >= -1 && left <= this.plot.over.clientWidth + 1);
    if (!(this.plot.cursor.left >= 0)) this.show_values(t, this.channels.map((channel) => value_at(this.panel.view.time, channel.values, t)), false);
  }

  show_values(x, values, hovering) {
    this.moment.textContent = `${hovering ? "pointer: " : ""}${this.spectral ? "" : "t = "}${number_text(x, 5)} ${this.spectral ? "Hz" : "s"}`;
    values.forEach((value, i) => (this.cells[i].value.textContent = number_text(value, 5)));
  }

  resize() {
    const width = this.chart.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({width, height: kHeight});
    this.set_time(this.panel.player.t);
  }

  save_csv() {
    const quote = (text) => `"${text.replace(/"/g, '""')}"`;
    const head = [this.spectral ? "frequency [Hz]" : "time [s]", ...this.channels.map((c) => `${c.name} [${this.unit}]`)].map(quote);
    const lines = [head.join(",")];
    for (let i = 0; i < this.data[0].length; ++i) lines.push(this.data.map((values, k) => Number(values[i].toPrecision(k ? 9 : 15))).join(","));
    save_blob(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}), file_name(`${this.panel.view.name}-${this.unit}`, ".csv"));
  }

  save_png() {
    const source = this.plot.ctx.canvas, ratio = devicePixelRatio, line = 18 * ratio;
    const canvas = h("canvas", {width: source.width, height: source.height + line * (this.channels.length + 1)});
    const context = canvas.getContext("2d");
    context.fillStyle = this.panel.colours().card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0);
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    this.channels.forEach((channel, i) => {
      const y = source.height + line * (i + 0.7);
      context.fillStyle = this.colour(i);
      context.fillRect(12 * ratio, y - 5 * ratio, 16 * ratio, 3 * ratio);
      context.fillStyle = this.panel.colours().text;
      context.fillText(`${channel.name} [${this.unit}]`, 36 * ratio, y);
    });
    canvas.toBlob((blob) => save_blob(blob, file_name(`${this.panel.view.name}-${this.unit}`, ".png")));
  }

  destroy() {
    this.plot?.destroy();
    this.plot = null;
  }
}

// Ticks of a logarithmic axis, at most about six.
function powers_of_ten(u, axis, low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 5));
  const ticks = [];
  for (let power = last; power >= first; power -= step) ticks.unshift(10 ** power);
  return ticks;
}

function log_range(low, high) {
  const top = 10 ** Math.ceil(Math.log10(Math.max(high ?? 1, 1e-29)));
  return [Math.max(10 ** Math.floor(Math.log10(Math.max(low ?? 1e-6, 1e-30))), top * 1e-9), top];
}
