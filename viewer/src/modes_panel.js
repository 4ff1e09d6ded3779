// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The list of modes next to the 3D view.

import {h, number_text} from "./dom.js";

export class ModesPanel {
  constructor(view, on_choose) {
    this.view = view;
    this.on_choose = on_choose;
    this.chosen = 0;
    this.buttons = [];
    const groups = new Map();
    view.modes.forEach((mode, i) => {
      if (!groups.has(mode.group)) groups.set(mode.group, []);
      groups.get(mode.group).push(this.make_row(mode, i));
    });
    this.element = h("div", {class: "plot-panel"}, [...groups].map(([group, rows]) =>
      h("section", {class: "card modes", "aria-label": group}, h("h2", {}, group), rows)));
  }

  make_row(mode, i) {
    const damping = mode.damping === null ? "" : `ζ ${number_text(100 * mode.damping, 3)} %`;
    const button = h("button", {type: "button", class: "mode", "aria-pressed": "false", onclick: () => this.choose(i)},
      h("span", {class: "name"}, mode.name, mode.detail ? h("span", {class: "detail"}, mode.detail) : null), h("span", {class: "hz"}, `${number_text(mode.hz)} Hz`), h("span", {class: "unit"}, damping));
    this.buttons.push({i, button});
    return button;
  }

  // Scrolls the list, not the page.
  reveal(button) {
    const list = this.element.getBoundingClientRect(), row = button.getBoundingClientRect();
    if (row.top < list.top) this.element.scrollTop -= list.top - row.top;
    else if (row.bottom > list.bottom) this.element.scrollTop += row.bottom - list.bottom;
  }

  choose(i) {
    const count = this.view.modes.length;
    this.chosen = (i + count) % count;
    for (const entry of this.buttons) entry.button.setAttribute("aria-pressed", String(entry.i === this.chosen));
    this.reveal(this.buttons[this.chosen].button);
    this.on_choose(this.chosen);
  }
}
