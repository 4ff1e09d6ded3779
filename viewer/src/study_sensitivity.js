// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Sensitivity of results to parameters: Sobol indices if the data contain them, and standardised regression.

import {breakable, count_text, file_name, h, number_text, save_blob, tool} from "./dom.js";
import {make_card} from "./study_draw.js";

const kRows = 12;   // parameters shown initially
const kLinear = 0.9;   // fraction of explained variance below which the result is called nonlinear

const given = (list) => Array.isArray(list) && list.length > 0;
const share_text = (x) => (x !== null && Number.isFinite(x) ? number_text(Number(x.toFixed(3)), 3) : "–");

export class SensitivityCard {
  constructor(view) {
    this.view = view;
    this.element = make_card("Sensitivity", "which parameters the results depend on", [tool("CSV", "Save as a table", () => this.save_csv())],
      h("div", {class: "sensitivities"}, view.results.map((column) => this.make_result(column))));
  }

  make_result(column) {
    const s = column.sensitivity ?? {};
    const sobol = given(s.total), regression = given(s.regression);
    const weight = (i) => Math.abs((sobol ? s.total[i] : s.regression?.[i]) ?? 0);
    const order = this.view.parameters.map((_, i) => i).sort((a, b) => weight(b) - weight(a));
    const rows = order.map((i) => this.make_row(this.view.parameters[i], sobol ? [s.first[i], s.total[i]] : null, regression ? s.regression[i] : undefined));
    rows.slice(kRows).forEach((row) => (row.hidden = true));
    const more = rows.length > kRows ? h("button", {type: "button", onclick: () => {
      rows.forEach((row) => (row.hidden = false));
      more.remove();
    }}, `${rows.length - kRows} more parameters`) : null;
    const head = h("tr", {}, h("th", {scope: "col"}, "parameter"),
      sobol ? [h("th", {scope: "col", colspan: 2}, "Sobol index, first order and total")] : null,
      regression ? [h("th", {scope: "col", colspan: 2}, "standardised regression coefficient")] : null);
    return h("section", {class: "sensitivity", "aria-label": `Sensitivity of ${column.name}`}, h("h3", {}, column.name), how(s),
      sobol || regression ? h("table", {class: "table"}, h("thead", {}, head), h("tbody", {}, rows)) : null, more);
  }

  make_row(parameter, indices, coefficient) {
    const cells = [h("th", {scope: "row", title: parameter.name}, breakable(parameter.name))];
    if (indices) cells.push(h("td", {class: "bars"}, bar(indices[1], "total"), bar(indices[0], "first")), h("td", {class: "numbers"}, `${share_text(indices[0])} · ${share_text(indices[1])}`));
    if (coefficient !== undefined) cells.push(h("td", {class: "bars"}, signed_bar(coefficient)), h("td", {class: "numbers"}, share_text(coefficient)));
    return h("tr", {}, cells);
  }

  save_csv() {
    const quote = (text) => `"${String(text).replace(/"/g, '""')}"`;
    const lines = ["result,parameter,sobol_first,sobol_total,standardised_regression"];
    for (const {name, sensitivity: s} of this.view.results) {
      this.view.parameters.forEach((parameter, i) => lines.push([quote(name), quote(parameter.name), s?.first?.[i] ?? "", s?.total?.[i] ?? "", s?.regression?.[i] ?? ""].join(",")));
    }
    save_blob(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}), file_name(`${this.view.name}-sensitivity`, ".csv"));
  }
}

// How the numbers were computed, and how reliable they are.
function how(s) {
  const words = [];
  if (given(s.total) && s.points > 0) words.push(`Sobol indices from Saltelli's design, ${count_text(s.points)} points`);
  else if (given(s.total)) words.push(`Sobol indices from a polynomial chaos expansion of degree ${s.degree}, which predicts ${number_text(100 * s.predicted, 3)} % of the variance (leave-one-out)`);
  else if (s.why_no_sobol) words.push(`No Sobol indices: ${s.why_no_sobol}`);
  if (given(s.regression)) words.push(`regression explains R² = ${number_text(100 * s.explained, 3)} % of the variance${s.explained < kLinear ? ": the result is not linear in the parameters" : ""}`);
  else if (s.why_no_regression) words.push(`no regression: ${s.why_no_regression}`);
  if (Number.isFinite(s.runs)) words.push(`${count_text(s.runs)} runs`);
  return h("p", {class: "hint"}, words.length ? `${words.join("; ")}.` : "Not computed.");
}

function bar(share, kind) {
  const element = h("i", {class: `bar ${kind}`});
  element.style.width = `${100 * Math.min(1, Math.max(0, share || 0))}%`;
  return element;
}

function signed_bar(value) {
  const element = h("i", {class: `bar signed ${value < 0 ? "negative" : ""}`}), size = 50 * Math.min(1, Math.abs(value || 0));
  element.style.width = `${size}%`;
  element.style.left = `${value < 0 ? 50 - size : 50}%`;
  return element;
}
