// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The page of a study: an overview of many runs, and details of one.

import {scale_gradient} from "./colours.js";
import {make_view} from "./data.js";
import {count_text, h, toggle, tool} from "./dom.js";
import {overlay_of} from "./overlay.js";
import {RunsPanel} from "./runs.js";
import {StudyChoice} from "./study_data.js";
import {DetailCard} from "./study_detail.js";
import {tick_text, title_of} from "./study_draw.js";
import {HistogramCard} from "./study_histograms.js";
import {ParallelCard} from "./study_parallel.js";
import {ScatterCard} from "./study_scatter.js";
import {SensitivityCard} from "./study_sensitivity.js";
import {TableCard} from "./study_table.js";

export class StudyPanel {
  // on_open(runs): called when a recording is shown, or none (null)
  constructor(view, on_open) {
    this.view = view;
    this.on_open = on_open;
    this.choice = new StudyChoice(view);
    this.recording = h("div", {class: "study-recording"});
    this.detail = new DetailCard(view, this.choice, (rows) => this.open(rows));
    this.cards = view.count ? [new ParallelCard(view, this.choice), new ScatterCard(view, this.choice), ...view.results.map((column) => new HistogramCard(view, this.choice, column)),
      new TableCard(view, this.choice)] : [];
    this.element = h("main", {class: "study"}, view.count ? this.make_parts() : h("p", {class: "card hint"}, "This study has no runs yet: limber sweep makes them."));
  }

  make_parts() {
    const [parallel, scatter, ...rest] = this.cards.map((card) => card.element);
    const table = rest.pop();
    const sensitivity = this.view.results.length && this.view.parameters.length ? new SensitivityCard(this.view).element : "";
    const histograms = rest.length ? h("div", {class: "study-histograms"}, rest) : h("p", {class: "card hint"}, "This study has no results.");
    return [this.make_bar(), parallel, h("div", {class: "study-two"}, scatter, this.detail.element), this.recording, histograms, sensitivity, table];
  }

  // Number of selected runs, and the legend of the colours.
  make_bar() {
    const {view, choice} = this;
    const failed = view.failed.reduce((sum, x) => sum + x, 0);
    const words = h("span", {class: "selected-count"}), scale = h("span", {class: "badge colour-bar"});
    const only = failed ? toggle(`Failed: ${count_text(failed)}`, "Select the failed runs only", false, (on) => choice.set_only_failed(on)) : null;
    const show = (what) => {
      if (what === "run") return;
      words.textContent = choice.selected_count < view.count ? `${count_text(choice.selected_count)} of ${count_text(view.count)} runs selected` : `${count_text(view.count)} runs`;
      only?.setAttribute("aria-pressed", String(choice.only_failed));
      const {colour} = choice, bar = h("i");
      bar.style.background = scale_gradient();
      scale.replaceChildren(...(colour && colour.finite ? [`${title_of(colour)}: ${tick_text(colour.low, colour)} `, bar, ` ${tick_text(colour.high, colour)}`] : []));
    };
    choice.listen(show);
    show();
    return h("div", {class: "study-bar"}, words, only, tool("All runs", "Select all runs again (Escape)", () => choice.clear()), scale,
      failed ? h("span", {class: "badge failed-mark"}, "× failed, or no value") : null);
  }

  start() {
    for (const card of this.cards) card.start();
  }

  // Shows the recordings of some runs as an overlay.
  open(rows) {
    this.runs?.destroy();
    const views = rows.map((row) => {
      const view = make_view(this.view.recordings.get(row));
      view.header.label = `run ${this.view.index[row]}`;
      view.label = view.header.label;
      return view;
    });
    const view = views.length === 1 ? views[0] : {header: {kind: "overlay"}, kind: "overlay", name: views.map((one) => one.label).join(", "), ...overlay_of(views)};
    this.runs = new RunsPanel(view);
    const close = tool("×", "Close the recording", () => this.close());
    this.recording.replaceChildren(h("div", {class: "plot-head"}, h("strong", {}, `Recording of ${views.map((one) => one.label).join(", ")}`), h("span", {class: "plot-tools"}, close)),
      h("div", {class: `columns ${this.runs.stage_panel ? "recording" : "plain"}`}, this.runs.elements()));
    this.on_open(this.runs);
    this.runs.start();
    this.recording.scrollIntoView({block: "start"});
  }

  close() {
    this.runs?.destroy();
    this.runs = null;
    this.recording.replaceChildren();
    this.detail.shown = [];
    this.detail.fill();
    this.on_open(null);
  }

  set_theme() {
    this.runs?.set_theme();
    this.choice.tell("selection");
  }
}
