// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Force elements as lines: springs as coils, ropes and actuators as polylines, bushings as crosses.

import {matrix_of} from "./kinematics.js";
import {line_set} from "./solids.js";

const kTurns = 8, kPerTurn = 12;   // of a coil
const kStraight = 0.12;            // straight fraction of a spring at each end
const kColours = {spring: [0.1, 0.3, 0.6], actuator: [0.75, 0.35, 0.05], rope: [0.35, 0.22, 0.08], bushing: [0.1, 0.45, 0.3]};
const pose = new Float64Array(7), rotation = new Float64Array(9);

function segment_count({kind, points}) {
  if (kind === "spring") return kTurns * kPerTurn + 2;
  return kind === "rope" || kind === "actuator" ? points.length - 1 : 3;
}

export class Elements {
  constructor(machine, scene, reach) {
    this.machine = machine;
    this.radius = 0.012 * reach;
    this.parts = machine.view.elements.map((element) => ({element, lines: line_set(scene, segment_count(element), kColours[element.kind])}));
    for (const {lines} of this.parts) lines.material.depthTest = true;
  }

  // A place on a node, a body or the world.
  place({body, node, at}) {
    if (body < 0) return at;
    this.machine.node_pose(node, body, pose);
    matrix_of(pose, 0, rotation);
    return [0, 1, 2].map((i) => pose[i] + rotation[3 * i] * at[0] + rotation[3 * i + 1] * at[1] + rotation[3 * i + 2] * at[2]);
  }

  update(show) {
    for (const {element, lines} of this.parts) {
      lines.visible = show;
      if (!show) continue;
      const places = element.points.map((point) => this.place(point));
      const line = lines.geometry.getAttribute("position");
      const path = element.kind === "spring" ? this.coil(places[0], places.at(-1)) : places;
      if (element.kind === "bushing") this.cross(line, places[0]);
      else for (let i = 0; i + 1 < path.length; ++i) this.segment(line, i, path[i], path[i + 1]);
      line.needsUpdate = true;
    }
  }

  segment(line, i, a, b) {
    line.setXYZ(2 * i, ...a);
    line.setXYZ(2 * i + 1, ...b);
  }

  cross(line, p) {
    for (let c = 0; c < 3; ++c) this.segment(line, c, p.map((x, i) => x - (i === c ? this.radius : 0)), p.map((x, i) => x + (i === c ? this.radius : 0)));
  }

  // From a to b: straight, a coil, straight.
  coil(a, b) {
    const d = a.map((x, i) => b[i] - x), length = Math.hypot(...d) || 1, n = d.map((x) => x / length);
    const least = n.map(Math.abs).indexOf(Math.min(...n.map(Math.abs)));
    const e = [0, 1, 2].map((i) => (i === least ? 1 : 0) - n[least] * n[i]), size = Math.hypot(...e);
    const u = e.map((x) => x / size), w = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
    const count = kTurns * kPerTurn, path = [a];
    for (let k = 0; k <= count; ++k) {
      const s = kStraight + (1 - 2 * kStraight) * k / count, angle = 2 * Math.PI * k / kPerTurn;
      path.push(a.map((x, i) => x + s * d[i] + this.radius * (Math.cos(angle) * u[i] + Math.sin(angle) * w[i])));
    }
    path.push(b);
    return path;
  }
}
