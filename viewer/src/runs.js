// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// One recording, or several overlaid: time, 3D view and plots of a page or of a part of one.

import {h, toggle} from "./dom.js";
import {Machine} from "./kinematics.js";
import {run_colour} from "./others.js";
import {Player} from "./player.js";
import {PlotPanel} from "./plots.js";
import {StagePanel} from "./stage_panel.js";
import {survey_motion} from "./survey.js";
import {theme_colours} from "./theme.js";

const kSurveyWork = 3e6;    // stations evaluated to find the extent of the motion

export class RunsPanel {
  // view: data of a recording or an overlay
  constructor(view) {
    this.view = view;
    const runs = view.runs ?? [view];
    runs.forEach((run, k) => (run.run = k));
    const drawn = runs.filter((run) => run.frames.count);
    this.player = new Player(drawn.length ? all_times(drawn.map((run) => run.frames.time)) : all_times(runs.map(({time}) => time)));
    if (drawn.length) this.build_stage(drawn);
    this.side = new PlotPanel(view, this.player, theme_colours);
    if (view.runs) this.side.element.prepend(this.make_card());
  }

  build_stage(drawn) {
    const {player} = this;
    const machines = drawn.map((run) => new Machine(run));
    const survey = machines.map((machine) => survey_frames(machine)).reduce(join_surveys);
    const digits = Math.max(0, 3 - Math.floor(Math.log10(player.last - player.first || 1)));
    const others = machines.slice(1).map((machine) => ({machine, run: machine.view.run}));
    this.stage_panel = new StagePanel(machines[0], survey, {player, others, sample: () => machines.forEach((machine) => machine.sample(player.t)),
      time_text: (t) => `${t.toFixed(Math.min(digits, 9))} s`});
  }

  // Legend of the runs; a run can be hidden.
  make_card() {
    this.swatches = [];
    const rows = this.view.runs.map((run, k) => {
      const swatch = h("span", {class: "swatch"});
      this.swatches.push(swatch);
      const button = toggle(run.label, "Show or hide this run", true, (on) => {
        this.side.set_visible(k, on);
        this.stage_panel?.show_run(k, on);
      });
      const words = [k === 0 && this.view.has_differences ? "reference" : "", run.name === run.label ? "" : run.name,
        run.frames.count ? "" : "no picture"].filter(Boolean).join(" · ");
      return h("div", {class: "run"}, swatch, button, h("span", {class: "hint"}, words));
    });
    this.paint();
    return h("section", {class: "card runs", "aria-label": "Runs"}, rows);
  }

  paint() {
    this.swatches?.forEach((swatch, k) => (swatch.style.background = run_colour(k)));
  }

  // Call after the elements are in the page.
  start() {
    this.stage_panel?.start(theme_colours());
    this.side.start();
  }

  set_theme() {
    this.paint();
    this.stage_panel?.set_theme(theme_colours());
    this.side.redraw();
  }

  elements() {
    return this.stage_panel ? [h("div", {class: "left"}, this.stage_panel.element), this.side.element] : [this.side.element];
  }

  destroy() {
    this.player.play(false);
    this.stage_panel?.destroy();
    for (const plot of this.side.plots.values()) plot.destroy();
  }
}

// Extent of the motion of a recording.
function survey_frames(machine) {
  const {frames} = machine.view;
  const pictures = Math.max(2, Math.min(frames.count, 400, Math.floor(kSurveyWork / Math.max(machine.points.length, 1))));
  return survey_motion(machine, pictures, (i, n) => machine.sample(frames.time[Math.round((i * (frames.count - 1)) / (n - 1))]));
}

function join_surveys(a, b) {
  const cloud = new Float32Array(a.cloud.length + b.cloud.length);
  cloud.set(a.cloud);
  cloud.set(b.cloud, a.cloud.length);
  return {box: a.box.union(b.box), cloud, deflection: Math.max(a.deflection, b.deflection), energy: Math.max(a.energy, b.energy)};
}

// The times of all runs, rising.
function all_times(lists) {
  if (lists.length === 1) return lists[0];
  return Float64Array.from(new Set(lists.flatMap((times) => [...times]))).sort();
}
