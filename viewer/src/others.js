// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The machine of another run, transparent, in the colour of that run.

import {Color, DoubleSide, MeshLambertMaterial} from "three";
import {signal_colour} from "./colours.js";
import {Solids} from "./solids.js";
import {Surfaces, collect_surfaces} from "./surfaces.js";
import {is_dark} from "./theme.js";
import {Traces} from "./traces.js";
import {Tubes, collect_lines} from "./tubes.js";

// The same in the 3D view and in plots.
export const run_colour = (run) => signal_colour(run, is_dark());

export class OtherMachine {
  // other: {machine, run}; size: of the view
  constructor({machine, run}, scene, size, sides) {
    this.machine = machine;
    this.run = run;
    const faint = new MeshLambertMaterial({color: new Color(run_colour(run)), transparent: true, opacity: 0.5, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2, side: DoubleSide});
    this.material = faint;
    this.parts = [new Tubes(machine, collect_lines(machine, size), sides, faint), new Surfaces(machine, collect_surfaces(machine), faint)];
    for (const part of this.parts) if (part.geometry.index.count) scene.add(part.mesh);
    this.solids = new Solids(machine, scene, size, faint);
    this.traces = new Traces(machine, scene, run_colour(run));
  }

  theme() {
    this.material.color.set(run_colour(this.run));
    this.traces.set_colour(run_colour(this.run));
  }

  set_visible(on) {
    for (const {mesh} of this.parts) mesh.visible = on;
    this.solids.set_visible(on);
  }

  // Updates to the sampled state; returns true while its traces are incomplete.
  update(scale, t, visible, with_traces) {
    this.set_visible(visible);
    if (visible) {
      this.machine.place(scale);
      this.machine.stations();
      for (const part of this.parts) part.update();
      this.solids.update(null);
    }
    return this.traces.update(t, scale, visible && with_traces);
  }
}
