// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Paths of traced nodes: drawn faintly as a whole, strongly up to the current time.

import {Color, Vector2} from "three";
import {Line2} from "three/addons/lines/Line2.js";
import {LineGeometry} from "three/addons/lines/LineGeometry.js";
import {LineMaterial} from "three/addons/lines/LineMaterial.js";
import {kOkabeIto} from "./colours.js";
import {frame_at} from "./kinematics.js";

const kMostPoints = 3000;
const kMostWork = 1.5e5;   // bodies times points
const kSmallWork = 2e4;    // computed at once
const kMostTime = 5;       // ms per frame, otherwise

export class Traces {
  // one: common colour; otherwise each path has the colour of its body.
  constructor(machine, scene, one = null) {
    this.machine = machine;
    this.nodes = machine.view.nodes.filter((node) => node.trace).slice(0, 8);
    const {count} = machine.view.frames;
    const points = Math.max(2, Math.min(kMostPoints, count, Math.floor(kMostWork / machine.view.bodies.length)));
    this.frames = Array.from({length: points}, (_, i) => Math.round((i * (count - 1)) / (points - 1)));
    this.scale = null;
    this.lines = this.nodes.map((node) => {
      const colour = new Color(one ?? kOkabeIto[node.body % kOkabeIto.length]);
      return [this.make(scene, colour, 1.2, 0.35), this.make(scene, colour, 2.4, 1)];
    });
  }

  set_colour(one) {
    for (const line of this.lines.flat()) line.material.color.set(one);
  }

  make(scene, color, linewidth, opacity) {
    const line = new Line2(new LineGeometry(), new LineMaterial({color, linewidth, opacity, transparent: true, resolution: new Vector2(800, 600)}));
    line.frustumCulled = false;
    scene.add(line);
    return line;
  }

  // Recomputes the paths after a change of the magnification, a part per frame; restores the state of the machine.
  compute(scale) {
    const {machine} = this;
    if (this.work?.scale !== scale) this.work = {scale, next: 0, places: this.nodes.map(() => [])};
    const {work} = this;
    const kept = [machine.pose.slice(), machine.eta.slice(), machine.scale];
    const pose = new Float64Array(7);
    const small = machine.view.bodies.length * this.frames.length < kSmallWork;
    const end = small ? Infinity : performance.now() + kMostTime;
    for (; work.next < this.frames.length && performance.now() < end; ++work.next) {
      machine.sample(machine.view.frames.time[this.frames[work.next]]);
      machine.place(scale);
      this.nodes.forEach((node, i) => {
        machine.node_pose(node, node.body, pose);
        work.places[i].push(pose[0], pose[1], pose[2]);
      });
    }
    machine.pose.set(kept[0]);
    machine.eta.set(kept[1]);
    machine.place(kept[2]);
    if (work.next < this.frames.length) return;
    this.lines.forEach((pair, i) => pair.forEach((line) => line.geometry.setPositions(work.places[i])));
    this.scale = scale;
    this.work = null;
  }

  // True while paths are incomplete.
  update(t, scale, visible) {
    const wanted = visible && this.nodes.length > 0;
    if (wanted && scale !== this.scale) this.compute(scale);
    const there = visible && this.scale !== null;
    const frame = frame_at(this.machine.view.frames.time, this.machine.view.frames.count, t);
    let passed = 0;
    while (passed < this.frames.length - 1 && this.frames[passed + 1] <= frame) ++passed;
    for (const [whole, strong] of this.lines) {
      whole.visible = there;
      strong.visible = there && passed > 0;
      strong.geometry.instanceCount = passed;
    }
    return wanted && scale !== this.scale;
  }
}
