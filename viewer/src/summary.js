// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The top of the page: what was run, how it went, what to be wary of.

import {h} from "./dom.js";

export function make_summary(view) {
  const {header} = view;
  const facts = [];
  const add = (label, value) => value !== undefined && value !== null && value !== "" && facts.push({label, value});
  add("model", header.model);
  add("solver", header.solver);
  const given = Array.isArray(header.summary) ? header.summary : [];
  for (const entry of given) facts.push(entry);
  const cards = facts.map((fact) => h("div", {class: `fact ${fact.level === "warning" ? "bad" : ""}`}, h("dt", {}, fact.label), h("dd", {}, fact.value)));
  return h("div", {class: "summary"}, view.warnings.map(warning), ended(header), view.notes.map(note), cards.length ? h("dl", {class: "facts"}, cards) : null);
}

function warning(text) {
  return h("p", {class: "warning", role: "note"}, h("strong", {}, "Warning "), text);
}

function note(text) {
  return h("p", {class: "note", role: "note"}, text);
}

// Only a run that did not reach its end is worth a word.
function ended(header) {
  if (header.kind !== "recording" || header.complete !== false) return null;
  return warning(`The run did not reach its end: ${header.ended ?? "unknown why"}. What was recorded until then is shown.`);
}

export function make_title(view) {
  const {header} = view;
  const what = view.kind === "modes" ? "mode shapes" : "recording";
  const version = header.version ? `limber ${header.version}` : "limber";
  return h("div", {class: "title"}, h("h1", {}, view.name), h("p", {}, [what, version, header.date].filter(Boolean).join(" · ")));
}

// The page when there is nothing to show.
export function make_message(text) {
  return h("main", {class: "message", role: "alert"}, h("h1", {}, "Nothing to show"), h("p", {}, text),
    h("p", {class: "hint"}, "limber view RECORDING makes such a page of a recording"));
}
