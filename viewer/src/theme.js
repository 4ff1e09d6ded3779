// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Dark and light theme: the system's setting until the reader chooses.

const query = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
const listeners = [];

export function is_dark() {
  return chosen === null ? query.matches : chosen;
}

function apply() {
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function start_theme() {
  query.addEventListener("change", apply);
  apply();
}

export function flip_theme() {
  chosen = !is_dark();
  apply();
}

// For paper: light while printing.
export function force_light(on, kept = {}) {
  if (on) kept.chosen = chosen;
  chosen = on ? false : kept.chosen;
  apply();
  return kept;
}

export function on_theme(listener) {
  listeners.push(listener);
}

// The colours for the 3D view and plots, from the style sheet.
export function theme_colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["stage", "grid", "grid_major", "text", "line", "card", "mark", "soft", "shadow", "shadow_depth", "accent"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name.replace("_", "-")}`).trim()]));
}
