// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The top of the page: what was run, how it ended, warnings.

import {h} from "./dom.js";

export function make_summary(view) {
  if (view.runs) return make_comparison(view);
  const {header} = view;
  const facts = facts_of(header);
  const cards = facts.map((fact) => h("div", {class: `fact ${fact.level === "warning" ? "bad" : ""}`}, h("dt", {}, fact.label), h("dd", {}, fact.value)));
  return h("div", {class: "summary"}, view.warnings.map(warning), ended(header), view.notes.map(note), cards.length ? h("dl", {class: "facts"}, cards) : null);
}

function facts_of(header) {
  const given = [{label: "model", value: header.model}, {label: "solver", value: header.solver}].filter(({value}) => value !== undefined && value !== null && value !== "");
  return [...given, ...(Array.isArray(header.summary) ? header.summary : [])];
}

// Several runs: one row per item, one column per run; items that differ between runs are highlighted.
function make_comparison({runs, warnings, notes}) {
  const facts = runs.map((run) => new Map(facts_of(run.header).map((fact) => [fact.label, fact])));
  const labels = [...new Set(facts.flatMap((one) => [...one.keys()]))];
  const rows = labels.map((label) => {
    const values = facts.map((one) => one.get(label)?.value ?? "–");
    const same = values.every((value) => value === values[0]);
    return h("tr", {class: same ? "same" : ""}, h("th", {scope: "row"}, label),
      facts.map((one, k) => h("td", {class: one.get(label)?.level === "warning" ? "bad" : ""}, values[k])));
  });
  const of = (run, texts) => texts.map((text) => `${run.label}: ${text}`);
  return h("div", {class: "summary"}, warnings.map(warning), runs.flatMap((run) => of(run, run.warnings)).map(warning),
    runs.map((run) => ended(run.header, run.label)), notes.map(note), runs.flatMap((run) => of(run, run.notes)).map(note),
    h("div", {class: "card comparison"}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}), runs.map((run) => h("th", {scope: "col"}, run.label)))), h("tbody", {}, rows)),
      same_texts(runs)));
}

// Whether scenario and model are the same text.
function same_texts(runs) {
  const text = (run, name) => (Array.isArray(run.header.texts) ? run.header.texts : []).find((entry) => entry?.name === name)?.text;
  const words = ["model", "scenario"].flatMap((name) => {
    const texts = runs.map((run) => text(run, name));
    if (texts.some((one) => typeof one !== "string")) return [];
    return [`${name}: ${texts.every((one) => one === texts[0]) ? "the same text" : "texts differ"}`];
  });
  return words.length ? h("p", {class: "hint"}, words.join(" · ")) : null;
}

function warning(text) {
  return h("p", {class: "warning", role: "note"}, h("strong", {}, "Warning "), text);
}

function note(text) {
  return h("p", {class: "note", role: "note"}, text);
}

// Mentions only a run that did not reach its end.
function ended(header, label = "") {
  if (header.kind !== "recording" || header.complete !== false) return null;
  return warning(`${label ? `${label}: ` : ""}The run did not reach its end: ${header.ended ?? "unknown why"}. What was recorded until then is shown.`);
}

export function make_title(view) {
  const {header} = view;
  const what = {modes: "mode shapes", overlay: `${view.runs?.length} recordings`, study: "study"}[view.kind] ?? "recording";
  const version = header.version ? `limber ${header.version}` : "limber";
  return h("div", {class: "title"}, h("h1", {}, view.name), h("p", {}, [what, version, header.date].filter(Boolean).join(" · ")));
}

// The page without data to show.
export function make_message(text) {
  return h("main", {class: "message", role: "alert"}, h("h1", {}, "Nothing to show"), h("p", {}, text),
    h("p", {class: "hint"}, "limber view RECORDING makes such a page of a recording"));
}
