// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Provenance of the page: file, date, program, and the texts of scenario and model, which can be copied.

import {file_name, h, save_blob} from "./dom.js";

// null if nothing is known.
export function make_provenance(view) {
  if (view.runs) return h("div", {}, view.runs.map((run) => make_provenance(run)?.relabel(`Where ${run.label} comes from`)));
  const {header} = view;
  const facts = [["file", header.file], ["written", header.date], ["program", header.version ? `limber ${header.version}` : ""]]
    .filter(([, value]) => typeof value === "string" && value !== "");
  const texts = (Array.isArray(header.texts) ? header.texts : []).filter((entry) => typeof entry?.text === "string");
  if (!facts.length && !texts.length) return null;
  const title = h("summary", {}, "Where this page comes from");
  const card = h("details", {class: "card provenance"}, title,
    h("dl", {}, facts.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value)))),
    texts.map((entry) => make_text(view, String(entry.name ?? "text"), entry.text)));
  card.relabel = (words) => {
    title.textContent = words;
    return card;
  };
  return card;
}

function make_text(view, name, text) {
  const pre = h("pre", {tabindex: "0", "aria-label": `Text of the ${name}`}, text);
  const copy = h("button", {type: "button", "aria-label": `Copy the ${name}`, onclick: () => copy_text(pre, text, copy)}, "Copy");
  const save = h("button", {type: "button", "aria-label": `Save the ${name}`,
    onclick: () => save_blob(new Blob([text], {type: "text/plain"}), file_name(`${view.name}-${name}`, text.trimStart().startsWith("{") ? ".json" : ".yaml"))}, "Save");
  return h("details", {}, h("summary", {}, name), h("div", {class: "group"}, copy, save), pre);
}

// Fallback without clipboard access: the text is selected and copied.
async function copy_text(pre, text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(pre);
    done = document.execCommand("copy");
  }
  button.textContent = done ? "Copied" : "Selected: copy with Ctrl+C";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}
