// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The plots next to the 3D view, and the list of signals.

import {h} from "./dom.js";
import {Plot} from "./plot.js";

const kMostRows = 300;
const kPaper = {width: 340, height: 165};   // size of a printed plot

export class PlotPanel {
  constructor(view, player, colours) {
    this.view = view;
    this.player = player;
    this.colours = colours;
    this.range = null;
    this.chosen = [];
    this.plots = new Map();
    this.visible = (view.runs ?? []).map(() => true);
    this.cards = h("div", {class: "plots"});
    this.found = h("div", {class: "signal-list"});
    this.search = h("input", {type: "search", placeholder: `Search ${view.channels.length} signals`, "aria-label": "Search signals",
      oninput: () => this.list_signals()});
    this.chooser = h("details", {class: "card chooser"}, h("summary", {}, "Signals"), this.search, this.found);
    this.element = h("div", {class: "plot-panel"}, this.chooser, this.cards);
    this.list_signals();
    const shown = view.channels.filter((channel) => channel.shown);
    this.chosen = (shown.length ? shown : view.channels.slice(0, 3)).slice(0, 8);
    if (!view.channels.length) this.element.replaceChildren(h("p", {class: "card hint"}, "This recording has no signals."));
    player.listen(() => this.set_time());
  }

  // Call after the element is in the page, where it has a width.
  start() {
    this.refresh();
    new ResizeObserver(() => this.plots.forEach((plot) => plot.resize())).observe(this.cards);
  }

  list_signals() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = group_by(this.view.channels);
    let rows = 0;
    const parts = [];
    for (const [group, channels] of groups) {
      const hits = words.length ? channels.filter((c) => words.every((word) => `${c.group} ${c.name}`.toLowerCase().includes(word))) : channels;
      if (!hits.length) continue;
      const open = words.length > 0 && rows < kMostRows;
      const box = h("details", {open}, h("summary", {}, group, h("span", {class: "count"}, ` ${hits.length}`)));
      const fill = () => {
        if (box.open && box.children.length === 1) this.fill_group(box, hits);
      };
      box.addEventListener("toggle", fill);
      fill();
      rows += hits.length;
      parts.push(box);
    }
    this.found.replaceChildren(...(parts.length ? parts : [h("p", {class: "hint"}, "No signal has all these words.")]));
  }

  fill_group(box, hits) {
    for (const channel of hits.slice(0, kMostRows)) {
      const tick = h("input", {type: "checkbox", onchange: () => this.choose(channel, tick.checked)});
      tick.checked = this.chosen.includes(channel);
      tick.channel = channel;
      box.append(h("label", {}, tick, h("span", {class: "name"}, channel.name), h("span", {class: "unit"}, channel.unit)));
    }
    if (hits.length > kMostRows) box.append(h("p", {class: "hint"}, `${hits.length - kMostRows} more: search for them.`));
  }

  choose(channel, on) {
    this.chosen = this.chosen.filter((other) => other !== channel);
    if (on) this.chosen.push(channel);
    this.refresh();
  }

  remove(channel) {
    this.choose(channel, false);
  }

  // Key of a plot: signals of one unit share one; with several runs each signal has its own, with one line per run.
  plot_key(channel) {
    return this.view.runs ? channel : channel.unit;
  }

  // The lines of a plot.
  lines(channels, plot) {
    if (!this.view.runs) return channels;
    return channels[0][plot.difference ? "differences" : "lines"].filter((line) => line && this.visible[line.run]);
  }

  title({signals, display, difference}) {
    if (!this.view.runs) return null;
    const [{name, group}] = signals;
    const words = `${group}: ${name}${difference ? ", difference" : ""}`;
    return display.unit && display.unit !== "1" ? `${words}, ${display.unit}` : words;
  }

  nothing({difference}) {
    return difference ? "No run that is shown has this signal in common with the first one." : "No run that is shown has this signal.";
  }

  // Shows or hides a run in all plots.
  set_visible(run, on) {
    this.visible[run] = on;
    for (const plot of this.plots.values()) plot.set_channels(plot.signals);
  }

  // One plot per key, in the order of selection.
  refresh() {
    const units = group_by(this.chosen, (channel) => this.plot_key(channel));
    for (const [unit, plot] of this.plots) {
      if (units.has(unit)) continue;
      plot.destroy();
      plot.element.remove();
      this.plots.delete(unit);
    }
    for (const [unit, channels] of units) {
      const plot = this.plots.get(unit) ?? new Plot(this, channels[0].unit);
      this.plots.set(unit, plot);
      if (!plot.element.isConnected) this.cards.append(plot.element);
      const same = plot.signals.length === channels.length && channels.every((channel, i) => channel === plot.signals[i]);
      if (!same) plot.set_channels(channels);
    }
    this.none ??= h("p", {class: "card hint"}, "Choose signals from the list above.");
    if (this.chosen.length || !this.view.channels.length) this.none.remove();
    else this.cards.append(this.none);
    for (const tick of this.found.querySelectorAll("input")) tick.checked = this.chosen.includes(tick.channel);
  }

  zoom(from, to, source) {
    if (this.range && this.range[0] === from && this.range[1] === to) return;
    this.range = [from, to];
    for (const plot of this.plots.values()) if (plot !== source) plot.follow(from, to);
    source.set_time(this.player.t);
  }

  // On paper, two plots are placed side by side.
  set_paper(on) {
    for (const plot of this.plots.values()) plot.resize(on ? kPaper : null);
  }

  set_time() {
    for (const plot of this.plots.values()) plot.set_time(this.player.t);
  }

  redraw() {
    for (const plot of this.plots.values()) plot.draw();
  }
}

function group_by(channels, key = (channel) => channel.group) {
  const groups = new Map();
  for (const channel of channels) {
    if (!groups.has(key(channel))) groups.set(key(channel), []);
    groups.get(key(channel)).push(channel);
  }
  return groups;
}
