// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// One run of a study: its parameters, results, the command to rerun it, and its recording if kept.

import {breakable, h, number_text, tool} from "./dom.js";
import {make_card, value_text} from "./study_draw.js";

export class DetailCard {
  // show(rows): shows the recordings of these runs
  constructor(view, choice, show) {
    this.view = view;
    this.choice = choice;
    this.show = show;
    this.shown = [];      // rows whose recordings are shown
    this.body = h("div", {class: "detail"});
    this.element = make_card("Run", "", [tool("◂", "Run before (↑)", () => choice.step(-1)), tool("▸", "Run after (↓)", () => choice.step(1))], this.body);
    this.title = this.element.querySelector(".plot-title");
    choice.listen((what) => what === "run" && this.fill());
    this.fill();
  }

  fill() {
    const {view, choice: {run}} = this;
    if (run === null) {
      this.title.textContent = "Run";
      this.body.replaceChildren(h("p", {class: "hint"}, view.count ? "Click a line or a point to see its run." : "This study has no runs yet."));
      return;
    }
    this.title.textContent = `Run ${view.index[run]}`;
    const status = view.statuses[view.status[run]];
    const table = (columns) => h("table", {class: "table values"}, h("tbody", {}, columns.map((column) =>
      h("tr", {}, h("th", {scope: "row"}, breakable(column.name)), h("td", {class: "value"}, value_text(column, column.values[run], 6)), h("td", {class: "unit"}, column.unit === "1" ? "" : column.unit)))));
    this.body.replaceChildren(...[h("p", {class: status.failed ? "warning" : "hint"}, status.text, view.wall && Number.isFinite(view.wall[run]) ? ` · took ${number_text(view.wall[run], 3)} s` : ""),
      h("h3", {}, "Parameters"), table(view.parameters), h("h3", {}, "Results"), view.results.length ? table(view.results) : h("p", {class: "hint"}, "No results."),
      this.make_recording(run), this.make_command(run)].filter(Boolean));
  }

  make_recording(run) {
    const {view} = this;
    if (view.recordings.has(run)) {
      const others = this.shown.filter((row) => row !== run);
      return h("div", {class: "group"}, h("button", {type: "button", class: "show-recording", onclick: () => this.open([run])}, "Show its recording"),
        others.length ? h("button", {type: "button", class: "add-recording", onclick: () => this.open([...others, run])}, "Compare with the one shown") : null);
    }
    const file = view.kept[view.index[run]];
    if (file) return h("p", {class: "hint"}, "Its recording was kept: ", h("code", {}, `limber view ${file}`));
    return h("p", {class: "hint"}, "No recording of this run was kept.");
  }

  open(rows) {
    this.shown = rows;
    this.show(rows);
    this.fill();
  }

  // The command to rerun it.
  make_command(run) {
    const {view} = this;
    const words = view.parameters.map(({name, values, words}) => `--set ${quote(`${name}=${words ? words[values[run]] : values[run]}`)}`).join(" ");
    const text = `limber run ${quote(view.header.scenario || "SCENARIO")} ${words}`.trim();
    const copy = tool("Copy", "Copy this command", async () => {
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        copy.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    const code = h("code", {}, text);
    return h("div", {class: "again"}, h("h3", {}, "Run it again ", copy), code);
  }
}

// A word quoted for the shell.
function quote(text) {
  return /^[\w.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
