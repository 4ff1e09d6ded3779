// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The 3D view with its buttons, sliders and marks.

import {scale_gradient} from "./colours.js";
import {length_text} from "./decor.js";
import {file_name, h, number_text, save_blob, toggle, tool, unit_text} from "./dom.js";
import {kSpeeds} from "./player.js";
import {Stage} from "./scene.js";

const kShown = [
  ["ghost", "Ghost", "Show the machine without deformation (g)", false],
  ["trace", "Traces", "Show the paths of the tips (t)", true],
  ["axes", "Axes", "Show joint axes (a)", false],
  ["nodes", "Nodes", "Show node frames (n)", false],
];

const kPaper = [1400, 540];   // size of the printed view
const kColours = [["run", "Colour by run"], ["body", "Colour by body"], ["deflection", "Colour by deflection"], ["strain", "Colour by strain energy"]];

export class StagePanel {
  // motion: {player, sample(), scale_words(scale), on_scale(), time_text(t)}; modes have an amplitude instead of a magnification.
  constructor(machine, survey, motion) {
    this.machine = machine;
    this.survey = survey;
    this.motion = motion;
    this.player = motion.player;
    this.scale = 1;
    this.stale = true;
    this.canvas = h("canvas", {tabindex: "0", "aria-label": "The machine in 3D: drag or arrow keys to turn, right drag or two fingers to move, wheel or page keys to zoom"});
    this.badge = h("span", {class: "badge"});
    this.grid_badge = h("span", {class: "badge"});
    this.colour_bar = h("span", {class: "badge colour-bar", hidden: true});
    this.frame = h("div", {class: "stage"}, this.canvas, h("div", {class: "badges"}, this.badge, this.grid_badge), this.colour_bar);
    this.element = h("section", {class: "card stage-card", "aria-label": "3D view"}, this.frame, this.make_transport(), this.make_tools());
    this.player.listen(() => {
      this.stale = true;
      this.show_time();
    });
  }

  // Call after the element is in the page.  Returns false without WebGL.
  start(colours) {
    try {
      this.stage = new Stage(this.machine, this.canvas, this.survey, this.motion.others);
    } catch (error) {
      this.frame.replaceChildren(h("p", {class: "hint"}, `No 3D picture: this browser gives no WebGL (${error.message}). The plots work without.`));
      return false;
    }
    this.set_theme(colours);
    this.resize();
    this.stage.view("iso");
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.show_time();
    this.show_scale();
    // Surfaces are coloured by deflection by default.
    if (this.machine.view.bodies.some(({geometry}) => geometry.triangles) && !this.motion.others?.length) this.set_colour("deflection");
    return true;
  }

  set_theme(colours) {
    if (!this.stage) return;
    this.stage.theme(colours);
    const g = Math.hypot(...this.machine.view.gravity);
    this.grid_badge.textContent = `grid ${length_text(this.stage.ground.userData.step)}${g > 0 ? `, g ${number_text(g)} m/s²` : ", no gravity"}`;
  }

  resize() {
    const {clientWidth, clientHeight} = this.frame;
    if (!clientWidth || !clientHeight) return;
    this.stage.resize(clientWidth, clientHeight);
    this.stage.render();
  }

  destroy() {
    this.stage?.destroy();
  }

  make_transport() {
    const {player} = this;
    this.play_button = tool("▶", "Play (space)", () => player.play(!player.playing));
    this.play_button.classList.add("play");
    this.slider = h("input", {type: "range", class: "scrub", min: 0, max: 1, step: "any", "aria-label": "Time",
      oninput: () => player.seek(player.first + Number(this.slider.value) * (player.last - player.first))});
    this.clock = h("output", {class: "clock", "aria-live": "off"});
    this.speed = h("select", {"aria-label": "Speed", title: "Speed ([ and ])", onchange: () => player.set_speed(Number(this.speed.value))},
      kSpeeds.map((speed) => h("option", {value: speed}, `${speed}×`)));
    this.loop = toggle("Loop", "Begin again at the end (l)", true, (on) => (player.loop = on));
    return h("div", {class: "transport"}, this.play_button, tool("|◂", "To the start (Home)", () => player.seek(player.first)),
      tool("◂", "One frame back (←)", () => player.step(-1)), tool("▸", "One frame on (→)", () => player.step(1)),
      this.slider, this.clock, this.speed, this.loop);
  }

  make_tools() {
    this.toggles = {};
    for (const [key, label, title, on] of kShown) {
      if (key === "trace" && !(this.machine.view.frames && this.machine.view.nodes.some((node) => node.trace))) continue;
      if (key === "nodes" && !this.machine.view.nodes.length) continue;
      this.toggles[key] = toggle(label, title, on, (value) => this.set_shown(key, value));
    }
    this.colours = kColours.filter(([key]) => (key !== "strain" || this.machine.has_energy) && (key !== "run" || this.motion.others?.length));
    this.colour_choice = h("select", {"aria-label": "Colour", title: "What the colours mean (c)", onchange: () => this.set_colour(this.colour_choice.value)},
      this.colours.map(([key, words]) => h("option", {value: key}, words)));
    const view = (text, name, title) => tool(text, title, () => this.stage?.view(name));
    this.magnifier = h("input", {type: "range", min: 0, max: 3, step: 0.01, value: 0, list: "true-scale", "aria-label": "Magnification of the deformation",
      oninput: () => this.set_scale(10 ** Number(this.magnifier.value))});
    this.scale_text = h("output", {class: "scale-text"});
    const ticks = h("datalist", {id: "true-scale"}, [0, 1, 2, 3].map((power) => h("option", {value: power, label: `${10 ** power}×`})));
    const magnify = h("div", {class: "magnify"}, ticks, h("span", {}, this.motion.scale_label ?? "Deformation"), this.magnifier, this.scale_text,
      this.motion.relative ? null : tool("1×", "True scale (1)", () => this.set_scale(1)));
    this.magnify = magnify;
    return h("div", {class: "tools"}, h("div", {class: "group", role: "group", "aria-label": "Show"}, this.colour_choice, Object.values(this.toggles)),
      h("div", {class: "group", role: "group", "aria-label": "Views"}, tool("Fit", "All of it in the picture (f)", () => this.stage?.fit()),
        view("Iso", "iso", "From the corner (i)"), view("X", "x", "Along x (x)"), view("Y", "y", "Along y (y)"), view("Z", "z", "From above (z)"),
        tool("PNG", "Save the picture", () => this.save_png())), magnify);
  }

  set_shown(key, on) {
    if (!this.stage) return;
    this.stage.show[key] = on;
    this.stale = true;
  }

  // Shows or hides the machine of a run.
  show_run(run, on) {
    if (!this.stage) return;
    this.stage.show.runs[on ? "add" : "delete"](run);
    this.stale = true;
  }

  set_colour(key) {
    this.colour_choice.value = key;
    if (!this.stage) return;
    this.stage.show.colour = key;
    this.stale = true;
    this.colour_bar.hidden = key === "body" || key === "run";
    const bar = h("i");
    bar.style.background = scale_gradient();
    const [words, largest, unit] = key === "strain" ? ["strain energy", this.survey.energy, "J/m"] : ["deflection", this.survey.deflection, "m"];
    this.colour_bar.replaceChildren(`${words} 0 `, bar, this.motion.relative ? " largest" : ` ${unit_text(largest, unit)}`);
  }

  next_colour() {
    const at = this.colours.findIndex(([key]) => key === this.colour_choice.value);
    this.set_colour(this.colours[(at + 1) % this.colours.length][0]);
  }

  set_scale(scale) {
    this.scale = Math.min(Math.max(scale, 1), 1000);
    this.magnifier.value = Math.log10(this.scale);
    this.stale = true;
    this.show_scale();
    this.motion.on_scale?.();
  }

  show_scale() {
    const words = this.motion.scale_words ?? ((scale) => (scale === 1 ? "1× true scale" : `${number_text(scale, 3)}× magnified`));
    this.scale_text.textContent = words(this.scale);
    this.magnifier.setAttribute("aria-valuetext", words(this.scale));
    this.badge.textContent = this.motion.relative ? words(this.scale) : `deformation ${words(this.scale)}`;
    this.badge.classList.toggle("strong", this.scale !== 1 && !this.motion.relative);
  }

  show_time() {
    const {player} = this;
    const share = player.last > player.first ? (player.t - player.first) / (player.last - player.first) : 0;
    this.slider.value = share;
    const text = this.motion.time_text(player.t);
    this.clock.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.play_button.textContent = player.playing ? "❚❚" : "▶";
    this.play_button.setAttribute("aria-label", player.playing ? "Pause (space)" : "Play (space)");
    this.speed.value = String(player.speed);
  }

  // Called once per animation frame.
  // Reduces the quality while playback is slow (no graphics card); still views have full quality.
  set_plain(plain) {
    if (this.stage && this.stage.plain !== plain) this.stage.set_plain(plain);
  }

  draw() {
    if (!this.stage) return;
    if (this.stale) {
      this.motion.sample();
      this.stale = this.stage.update(this.motion.relative ? 1 : this.scale, this.player.t, this.motion);
    }
    this.stage.render();
  }

  // A copy for printing, because a WebGL canvas may print an older frame.
  put_on_paper() {
    if (!this.stage) return;
    this.set_plain(false);
    const {width, height} = this.stage;
    this.stage.resize(...kPaper);
    this.draw_now();
    this.paper ??= this.frame.appendChild(h("canvas", {class: "paper", "aria-hidden": "true"}));
    this.paper.width = this.canvas.width;
    this.paper.height = this.canvas.height;
    this.paper.getContext("2d").drawImage(this.canvas, 0, 0);
    this.stage.resize(width, height);
    this.draw_now();
  }

  draw_now() {
    this.stale = true;
    this.draw();
  }

  save_png() {
    if (!this.stage) return;
    this.set_plain(false);
    this.draw_now();
    this.canvas.toBlob((blob) => save_blob(blob, file_name(this.machine.view.name, ".png")));
  }
}
