// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The surfaces of all bodies as one mesh that deforms with its stations; normals are recomputed for each frame.

import {BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh} from "three";
import {body_colour, one_colour, scale_colour} from "./colours.js";

const kSmooth = Math.cos((40 * Math.PI) / 180);   // faces at smaller angles are shaded smoothly

// Corners of the surfaces of all bodies: {stations (in the machine) and bodies of the vertices, index}.  A station
// where faces meet at a sharp edge becomes several vertices.
export function collect_surfaces(machine) {
  const stations = [], bodies = [], index = [];
  machine.view.bodies.forEach(({geometry}, b) => {
    if (!geometry.triangles) return;
    geometry.split ??= split_edges(geometry);
    const start = stations.length;
    for (const station of geometry.split.stations) {
      stations.push(machine.first[b] + station);
      bodies.push(b);
    }
    for (const corner of geometry.split.index) index.push(start + corner);
  });
  return {stations: Uint32Array.from(stations), bodies: Uint32Array.from(bodies), index: Uint32Array.from(index)};
}

function split_edges({stations: p, triangles}) {
  const stations = [], index = [], known = new Map();
  const normal = [0, 0, 0];
  for (let k = 0; k < triangles.length; k += 3) {
    cross_of(p, triangles[k], triangles[k + 1], triangles[k + 2], normal);
    const size = Math.hypot(...normal);
    if (size === 0) continue;
    const n = normal.map((x) => x / size);
    for (let c = 0; c < 3; ++c) {
      const station = triangles[k + c];
      if (!known.has(station)) known.set(station, []);
      const here = known.get(station);
      let found = here.find((one) => one.n[0] * n[0] + one.n[1] * n[1] + one.n[2] * n[2] > kSmooth);
      if (!found) {
        here.push(found = {n, vertex: stations.length});
        stations.push(station);
      }
      index.push(found.vertex);
    }
  }
  return {stations, index};
}

// (b - a) x (c - a) of three points of p.
function cross_of(p, a, b, c, out) {
  const ax = p[3 * a], ay = p[3 * a + 1], az = p[3 * a + 2];
  const ux = p[3 * b] - ax, uy = p[3 * b + 1] - ay, uz = p[3 * b + 2] - az;
  const vx = p[3 * c] - ax, vy = p[3 * c + 1] - ay, vz = p[3 * c + 2] - az;
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
}

export class Surfaces {
  constructor(machine, corners, material) {
    this.machine = machine;
    this.corners = corners;
    this.geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * corners.stations.length), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(new BufferAttribute(corners.index, 1));
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.visible = null;   // or the only visible body
  }

  // Colours by body, by values of the stations / largest, or all in one colour.
  colour(values, largest, one = null) {
    if (!values && this.plain === (one ?? "body")) return;
    this.plain = values ? null : one ?? "body";
    const colours = this.geometry.getAttribute("color");
    const {stations, bodies} = this.corners;
    for (let v = 0; v < stations.length; ++v) {
      if (values) scale_colour(values[stations[v]] / (largest || 1), colours.array, 3 * v);
      else if (one) one_colour(one, colours.array, 3 * v);
      else body_colour(this.machine.view, bodies[v], colours.array, 3 * v);
    }
    colours.needsUpdate = true;
  }

  // Moves the surfaces to the stations of the machine.
  update() {
    const {stations, bodies, index} = this.corners;
    if (!stations.length) return;
    const position = this.geometry.getAttribute("position"), normal = this.geometry.getAttribute("normal");
    const p = position.array, n = normal.array, {points} = this.machine;
    for (let v = 0; v < stations.length; ++v) {
      const at = 3 * stations[v], drawn = this.visible === null || this.visible === bodies[v];
      for (let c = 0; c < 3; ++c) p[3 * v + c] = drawn ? points[at + c] : 0;
    }
    n.fill(0);
    const face = [0, 0, 0];
    for (let k = 0; k < index.length; k += 3) {
      cross_of(p, index[k], index[k + 1], index[k + 2], face);
      for (let c = 0; c < 3; ++c) {
        const v = 3 * index[k + c];
        n[v] += face[0];
        n[v + 1] += face[1];
        n[v + 2] += face[2];
      }
    }
    for (let v = 0; v < n.length; v += 3) {
      const size = 1 / (Math.sqrt(n[v] * n[v] + n[v + 1] * n[v + 1] + n[v + 2] * n[v + 2]) || 1);
      n[v] *= size;
      n[v + 1] *= size;
      n[v + 2] *= size;
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }
}
