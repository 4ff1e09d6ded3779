// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The selected runs as a table, sorted by any column.

import {breakable, count_text, file_name, h, save_blob, tool} from "./dom.js";
import {make_card, soon, value_text} from "./study_draw.js";

const kRows = 50;   // rows per page

export class TableCard {
  constructor(view, choice) {
    this.view = view;
    this.choice = choice;
    this.sort = {key: "index", falling: false};
    this.page = 0;
    this.head = h("tr", {});
    this.rows = h("tbody", {});
    this.before = tool("◂", "Rows before", () => this.turn(-1));
    this.after = tool("▸", "Rows after", () => this.turn(1));
    this.element = make_card("Runs", "", [this.before, this.after, tool("CSV", "Save the selected runs as a table", () => this.save_csv())],
      h("div", {class: "table-scroll"}, h("table", {class: "table runs-table"}, h("thead", {}, this.head), this.rows)));
    this.words = this.element.querySelector(".moment");
    this.draw_soon = soon(() => this.draw());
    choice.listen((what) => {
      if (what === "selection") this.page = 0;
      if (what !== "colour") this.draw_soon();
    });
  }

  start() {
    this.draw();
  }

  turn(by) {
    this.page = Math.min(Math.max(0, this.page + by), Math.max(0, Math.ceil(this.choice.selected_count / kRows) - 1));
    this.draw();
  }

  sort_by(key) {
    this.sort = {key, falling: this.sort.key === key && !this.sort.falling};
    this.page = 0;
    this.draw();
  }

  // Rows of the selected runs; missing values are sorted last.
  order() {
    const {view, choice, sort: {key, falling}} = this;
    const rows = [];
    for (let i = 0; i < view.count; ++i) if (choice.selected[i]) rows.push(i);
    if (key === "index" && !falling) return rows;
    const value = key === "index" ? view.index : key === "status" ? view.status : key.values, sign = falling ? -1 : 1;
    return rows.sort((a, b) => Number(Number.isNaN(value[a])) - Number(Number.isNaN(value[b])) || sign * (value[a] - value[b]) || a - b);
  }

  draw() {
    const {view, choice, sort} = this;
    const button = (key, text, unit = "") => h("th", {scope: "col", "aria-sort": sort.key === key ? (sort.falling ? "descending" : "ascending") : "none"},
      h("button", {type: "button", class: "plain", onclick: () => this.sort_by(key)}, breakable(text), unit && unit !== "1" ? h("span", {class: "unit"}, ` ${unit}`) : null, sort.key === key ? (sort.falling ? " ▾" : " ▴") : ""));
    this.head.replaceChildren(button("index", "run"), button("status", "status"), ...view.columns.map((column) => button(column, column.name, column.unit)));
    const order = this.order(), first = this.page * kRows, shown = order.slice(first, first + kRows);
    this.words.textContent = order.length ? `${count_text(first + 1)} to ${count_text(first + shown.length)} of ${count_text(order.length)}${order.length < view.count ? " selected" : ""}` : "none selected";
    this.before.disabled = first === 0;
    this.after.disabled = first + kRows >= order.length;
    this.rows.replaceChildren(...shown.map((row) => {
      const {text, failed} = view.statuses[view.status[row]];
      return h("tr", {class: `${failed ? "failed" : ""} ${row === choice.run ? "chosen" : ""}`, onclick: () => choice.set_run(row)},
        h("td", {}, h("button", {type: "button", class: "plain", "aria-label": `Show run ${view.index[row]}`}, view.index[row])), h("td", {class: "status"}, text),
        view.columns.map((column) => h("td", {class: "value"}, value_text(column, column.values[row], 5))));
    }));
  }

  save_csv() {
    const {view} = this, quote = (text) => `"${String(text).replace(/"/g, '""')}"`;
    const lines = [["run", "status", ...view.columns.map(({name, unit}) => (unit && unit !== "1" ? `${name} [${unit}]` : name))].map(quote).join(",")];
    for (const row of this.order()) lines.push([view.index[row], quote(view.statuses[view.status[row]].text), ...view.columns.map(({values, words}) => (words ? quote(words[values[row]]) : Number.isNaN(values[row]) ? "" : values[row]))].join(","));
    save_blob(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}), file_name(`${view.name}-runs`, ".csv"));
  }
}
