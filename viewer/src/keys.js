// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Keyboard shortcuts, and the list of them.

import {h} from "./dom.js";

// [keys, words, action(app, event)]
const kKeys = [
  [[" "], "Play, pause", (app) => app.player.play(!app.player.playing), "Space"],
  [["ArrowLeft"], "One frame back; with Shift ten", (app, event) => app.player.step(event.shiftKey ? -10 : -1), "←"],
  [["ArrowRight"], "One frame on; with Shift ten", (app, event) => app.player.step(event.shiftKey ? 10 : 1), "→"],
  [["Home"], "To the start", (app) => app.player.seek(app.player.first)],
  [["End"], "To the end", (app) => app.player.seek(app.player.last)],
  [["["], "Slower", (app) => app.player.change_speed(-1)],
  [["]"], "Faster", (app) => app.player.change_speed(1)],
  [["l"], "Loop", (app) => app.stage_panel.loop.flip()],
  [["+", "="], "Magnify the deformation more", (app) => app.stage_panel.set_scale(app.stage_panel.scale * 10 ** 0.1)],
  [["-"], "Magnify it less", (app) => app.stage_panel.set_scale(app.stage_panel.scale / 10 ** 0.1)],
  [["1"], "True scale", (app) => app.stage_panel.set_scale(1), "1", "recording overlay"],
  [["c"], "Colour by body, deflection, strain energy", (app) => app.stage_panel.next_colour()],
  [["g"], "Ghost without deformation", (app) => app.stage_panel.toggles.ghost?.flip()],
  [["t"], "Traces of the tips", (app) => app.stage_panel.toggles.trace?.flip()],
  [["a"], "Joint axes", (app) => app.stage_panel.toggles.axes?.flip()],
  [["n"], "Node frames", (app) => app.stage_panel.toggles.nodes?.flip()],
  [["f"], "Fit", (app) => app.stage_panel.stage?.fit()],
  [["i"], "View from the corner", (app) => app.stage_panel.stage?.view("iso")],
  [["x", "y", "z"], "View along an axis", (app, event) => app.stage_panel.stage?.view(event.key), "x y z"],
  [["ArrowUp", "ArrowDown"], "Mode before, mode after", (app, event) => app.next_mode(event.key === "ArrowUp" ? -1 : 1), "↑ ↓", "modes"],
  [["ArrowUp", "ArrowDown"], "Run before, run after", (app, event) => app.study.choice.step(event.key === "ArrowUp" ? -1 : 1), "↑ ↓", "study"],
  [["v"], "Colour the runs by the next column", (app) => app.study.choice.next_colour(), "v", "study"],
  [["Escape"], "Select all runs", (app) => app.study.choice.clear(), "Esc", "study"],
  [["/"], "Search signals", (app) => app.search(), "/", "recording overlay"],
  [["d"], "Dark, light", (app) => app.flip_theme()],
  [["?"], "This list", (app) => app.help.open ? app.help.close() : app.help.showModal()],
];

// Keys that rotate and zoom the view when it has the focus: angles across and up, factor of the distance.
const kTurns = {ArrowLeft: [-0.15, 0, 1], ArrowRight: [0.15, 0, 1], ArrowUp: [0, 0.15, 1], ArrowDown: [0, -0.15, 1], PageUp: [0, 0, 0.85], PageDown: [0, 0, 1.18]};

// Keys that the focused element handles itself.
function taken(target, key) {
  if (target.matches("input[type=search], select, textarea")) return key !== "Escape";
  if (target.matches("input[type=range]")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  return key === " " && target.matches("button, summary, input");
}

export function start_keys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || taken(event.target, event.key)) return;
    if (event.target === app.stage_panel?.canvas && kTurns[event.key] && app.stage_panel.stage) {
      event.preventDefault();
      app.stage_panel.stage.turn(...kTurns[event.key]);
      return;
    }
    const found = kKeys.find(([keys, , , , kind]) => keys.includes(event.key) && (!kind || kind.split(" ").includes(app.view.kind)));
    if (!found || (app.help.open && event.key !== "?")) return;
    if (!app.stage_panel && !["?", "d", "/"].includes(event.key) && found[4] !== "study") return;
    event.preventDefault();
    found[2](app, event);
  });
}

export function make_help(kind) {
  const rows = kKeys.filter((entry) => !entry[4] || entry[4].split(" ").includes(kind))
    .map(([keys, words, , shown]) => h("tr", {}, h("td", {}, h("kbd", {}, shown ?? keys[0])), h("td", {}, words)));
  const study = kind === "study" ? [["Drag along an axis", "Select runs"], ["Click a line, a point", "Show its run"]].map(([what, words]) => h("tr", {}, h("td", {}, what), h("td", {}, words))) : [];
  const mouse = [["Drag", "Turn the picture"], ["Right drag, two fingers", "Move it"], ["Wheel, pinch", "Zoom"], ["Arrow, page keys", "Turn, zoom while it has the focus"], ["Click in a plot", "Go to that time"],
    ["Drag in a plot", "Zoom; double click shows all"]].map(([what, words]) => h("tr", {}, h("td", {}, what), h("td", {}, words)));
  const half = Math.ceil((study.length + rows.length + mouse.length) / 2);
  const all = [...study, ...rows, ...mouse];
  return h("dialog", {"aria-label": "Keys and mouse"}, h("h2", {}, "Keys and mouse"),
    h("div", {class: "halves"}, [all.slice(0, half), all.slice(half)].map((part) => h("table", {}, h("tbody", {}, part)))),
    h("form", {method: "dialog"}, h("button", {}, "Close")));
}
