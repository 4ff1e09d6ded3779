// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The page: reads its data, builds the panels for them, and runs the drawing loop.

import {read_page} from "./data.js";
import {h, number_text, tool} from "./dom.js";
import {make_help, start_keys} from "./keys.js";
import {ModeMachine} from "./mode_machine.js";
import {ModesPanel} from "./modes_panel.js";
import {Player} from "./player.js";
import {make_provenance} from "./provenance.js";
import {RunsPanel} from "./runs.js";
import {survey_cycle, survey_motion} from "./survey.js";
import {StagePanel} from "./stage_panel.js";
import {StudyPanel} from "./study.js";
import {make_message, make_summary, make_title} from "./summary.js";
import {flip_theme, force_light, on_theme, start_theme, theme_colours} from "./theme.js";

const kPhases = 48;
const kSlow = 70, kSlowPictures = 4;   // ms per frame; number of consecutive slow frames

// Largest displacement of a mode as a fraction of the machine's size.
const share = (scale) => 0.02 * Math.sqrt(scale);

// Detects slow playback.  Remains slow until playback stops, so that the quality does not alternate.
class Pace {
  constructor() {
    this.slow = false;
    this.late = 0;
  }

  is_slow(now, playing) {
    const took = now - (this.before ?? now);
    this.before = now;
    if (!playing) this.slow = false;
    this.late = playing && took > kSlow ? this.late + 1 : 0;
    if (this.late >= kSlowPictures) this.slow = true;
    return this.slow;
  }
}

class App {
  constructor(view) {
    this.view = view;
    this.flip_theme = flip_theme;
    this.help = make_help(view.kind);
    if (view.kind === "modes") this.build_modes();
    else if (view.kind === "study") this.study = new StudyPanel(view, (runs) => this.take(runs));
    else this.build_recording();
  }

  build_recording() {
    this.take(new RunsPanel(this.view));
  }

  // Directs keys and printing to these runs.
  take(runs) {
    this.runs = runs;
    this.player = runs?.player;
    this.stage_panel = runs?.stage_panel;
    this.side = runs?.side;
  }

  make_main() {
    if (this.study) return this.study.element;
    const parts = this.stage_panel ? [h("div", {class: "left"}, this.stage_panel.element), this.side.element] : [this.side.element];
    return h("main", {class: `columns ${this.stage_panel ? this.view.kind : "plain"}`}, parts);
  }

  build_modes() {
    const {view} = this;
    this.player = new Player(Float64Array.from({length: kPhases + 1}, (_, i) => i / kPhases));
    const machine = new ModeMachine(view);
    this.machine = machine;
    const survey = survey_motion(machine, 1, () => machine.sample_mode(0));
    this.size = survey.box.max.distanceTo(survey.box.min) || 1;
    const motion = {player: this.player, relative: true, scale_label: "Amplitude", time_text: (t) => `${Math.round(t * 360)}°`,
      scale_words: (scale) => this.amplitude_words(scale), rest: () => machine.sample_mode(0), on_scale: () => this.fit_cycle(),
      sample: () => {
        const amplitude = this.amplitude();
        survey.deflection = this.bend * amplitude || 1;
        survey.energy = this.strain * amplitude ** 2 || 1;
        machine.sample_mode(amplitude * Math.sin(2 * Math.PI * this.player.t));
      }};
    this.stage_panel = new StagePanel(machine, survey, motion);
    this.side = new ModesPanel(view, (mode) => this.choose_mode(mode));
  }

  // The scale of a mode is arbitrary: it is drawn with the largest displacement equal to a fraction of the size of the
  // machine, or of the only body drawn, and with no rotation of more than ten times this fraction in radians.
  choose_mode(mode) {
    const {machine, stage_panel} = this;
    const {only} = this.view.modes[mode];
    const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);
    machine.choose(mode);
    const size = only === null ? this.size : this.view.bodies[only].geometry.extent || this.size;
    this.measure = machine.measure(size, only);
    this.measure.size = size;
    machine.sample_mode(1);
    machine.with_energy = machine.has_energy;
    machine.stations();
    this.bend = largest(machine.deflection);
    this.strain = largest(machine.energy);
    stage_panel.stage?.only(only);
    stage_panel.show_scale();
    this.fit_cycle();
    stage_panel.stale = true;
  }

  amplitude() {
    return (this.measure?.unit ?? 0) * share(this.stage_panel.scale);
  }

  amplitude_words(scale) {
    if (!this.measure) return "";
    const {displacement, size, turn} = this.measure, part = displacement / size;
    if (part > 0.999) return `moves ${number_text(100 * share(scale), 2)} % of the size`;
    return `turns ${number_text((turn * share(scale) * 180) / Math.PI, 2)}°, moves ${number_text(100 * part * share(scale), 2)} % of the size`;
  }

  // The camera shows the whole cycle, unless it was moved by hand; both extremes suffice, because the motion is linear.
  fit_cycle() {
    const {machine, stage_panel} = this;
    if (!this.measure || !stage_panel.stage) return;
    const amplitude = this.amplitude();
    const ends = [-amplitude, 0, amplitude].map((a) => () => machine.sample_mode(a));
    stage_panel.survey.cloud = survey_cycle(machine, this.view.modes[machine.mode].only, ends);
    if (!stage_panel.stage.touched) stage_panel.stage.fit();
  }

  next_mode(step) {
    this.side.choose(this.side.chosen + step);
  }

  search() {
    this.side.chooser.open = true;
    this.side.search.focus();
  }

  mount() {
    const {view} = this;
    document.title = `${view.name} – limber`;
    document.body.append(
      h("header", {class: "top"}, make_title(view), h("div", {class: "group top-tools"}, tool("◐", "Dark, light (d)", flip_theme),
        tool("Print", "Print", () => window.print()), tool("?", "Keys and mouse (?)", () => this.help.showModal()))),
      make_summary(view), this.make_main(), make_provenance(view) ?? "", this.help);
    this.stage_panel?.start(theme_colours());
    this.side?.start?.();
    this.study?.start();
    if (view.kind === "modes") {
      this.stage_panel.set_scale(12);
      this.stage_panel.toggles.ghost.set(true);
      this.side.choose(0);
      // With reduced motion, the mode is shown at its largest amplitude until it is started by hand.
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.seek(0.25);
      else this.player.play(true);
    }
    on_theme(() => {
      if (this.study) return this.study.set_theme();
      this.runs?.paint();
      this.stage_panel?.set_theme(theme_colours());
      this.side.redraw?.();
    });
    start_keys(this);
    this.watch_printing();
    this.run();
  }

  watch_printing() {
    let kept = null;
    addEventListener("beforeprint", () => {
      kept ??= force_light(true);
      this.stage_panel?.put_on_paper();
      this.side?.set_paper?.(true);
    });
    addEventListener("afterprint", () => {
      if (kept) force_light(false, kept);
      kept = null;
      this.side?.set_paper?.(false);
    });
  }

  run() {
    const pace = new Pace();
    const picture = (now) => {
      this.player?.tick(now);
      this.stage_panel?.set_plain(pace.is_slow(now, this.player.playing));
      this.stage_panel?.draw();
      this.pictures = (this.pictures ?? 0) + 1;
      requestAnimationFrame(picture);
    };
    requestAnimationFrame(picture);
  }

  // For scripts and tests: position of a node as drawn, in the world.
  node_place(name) {
    const node = this.stage_panel.machine.view.nodes.find((entry) => entry.name === name);
    this.stage_panel.stale = true;
    this.stage_panel.draw();
    return [...this.stage_panel.machine.node_pose(node, node.body, new Float64Array(7))];
  }
}

async function start() {
  document.getElementById("limber-cut")?.remove();   // message for a page truncated before this script
  start_theme();
  try {
    const view = await read_page(document.getElementById("limber-data"));
    window.limber_view = new App(view);
    window.limber_view.mount();
  } catch (error) {
    // Shows errors in the data, and also our own bugs, as a message instead of a blank page.
    const text = error.name === "Error" || !error.message ? String(error.message) : `The page could not be built: ${error.message}`;
    document.body.append(make_message(text));
    document.title = "limber: nothing to show";
  }
  document.documentElement.dataset.ready = "yes";
}

start();
