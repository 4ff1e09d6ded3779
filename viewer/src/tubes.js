// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// All links as one mesh of deforming tubes: one buffer, rewritten for each frame.

import {BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh} from "three";
import {body_colour, one_colour, scale_colour} from "./colours.js";

const kStripe = 0.35;   // of the colour

// The lines of all bodies: {body, radius, length, stations (in the machine), side (a direction in the body across the
// line)}.  Short links are thin, but never too thin to be visible.
export function collect_lines(machine, size) {
  const lines = [];
  machine.view.bodies.forEach((body, b) => {
    const {geometry} = body;
    for (const line of geometry.lines) {
      const length = line_length(geometry.stations, line);
      const radius = geometry.radius || Math.max(0.003 * size, Math.min(0.011 * size, 0.06 * length));
      lines.push({body: b, radius, length, stations: line.map((i) => machine.first[b] + i), side: side_of(geometry.stations, line),
        striped: twists(geometry)});
    }
  });
  return lines;
}

// Whether sections rotate about their line in some mode; a stripe then shows this.
function twists({turns, modes, stations, count}) {
  if (!turns || count < 2) return false;
  const d = [0, 1, 2].map((c) => stations[3 * (count - 1) + c] - stations[c]), length = Math.hypot(...d) || 1;
  let about = 0, across = 0;
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < modes; ++k) {
      const a = [0, 1, 2].map((c) => turns[(3 * i + c) * modes + k]);
      about = Math.max(about, Math.abs(a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) / length);
      across = Math.max(across, Math.hypot(...a));
    }
  }
  return about > 1e-3 * across && about > 0;
}

function line_length(p, line) {
  let sum = 0;
  for (let k = 1; k < line.length; ++k) {
    const i = 3 * line[k - 1], j = 3 * line[k];
    sum += Math.hypot(p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]);
  }
  return sum;
}

// The body axis most perpendicular to the line.
function side_of(p, line) {
  const i = 3 * line[0], j = 3 * line.at(-1);
  const d = [0, 1, 2].map((c) => Math.abs(p[j + c] - p[i + c]));
  const least = d.indexOf(Math.min(...d));
  return [0, 1, 2].map((c) => (c === least ? 1 : 0));
}

export class Tubes {
  constructor(machine, lines, sides, material) {
    this.machine = machine;
    this.lines = lines;
    this.sides = sides;
    const rings = lines.reduce((sum, line) => sum + line.stations.length + 2, 0);
    this.geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(rings * sides * 3), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(new BufferAttribute(this.make_index(rings), 1));
    this.cosines = Float64Array.from({length: sides}, (_, k) => Math.cos((2 * Math.PI * k) / sides));
    this.sines = Float64Array.from({length: sides}, (_, k) => Math.sin((2 * Math.PI * k) / sides));
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.visible = null;   // or the only visible body
  }

  make_index(rings) {
    const {sides, lines} = this;
    const index = new Uint32Array((rings - lines.length) * sides * 6);
    let at = 0, ring = 0;
    for (const line of lines) {
      for (let r = 0; r < line.stations.length + 1; ++r, ++ring) {
        for (let k = 0; k < sides; ++k) {
          const a = ring * sides + k, b = ring * sides + ((k + 1) % sides);
          index.set([a, b, a + sides, b, b + sides, a + sides], at);
          at += 6;
        }
      }
      ++ring;
    }
    return index;
  }

  // Colours the tubes by body, by values of the stations / largest, or all in one colour.
  colour(values, largest, one = null) {
    if (!values && this.plain === (one ?? "body")) return;
    this.plain = values ? null : one ?? "body";
    const colours = this.geometry.getAttribute("color");
    const {array} = colours;
    const rgb = [0, 0, 0];
    let at = 0;
    for (const line of this.lines) {
      if (one) one_colour(one, rgb, 0);
      else body_colour(this.machine.view, line.body, rgb, 0);
      const n = line.stations.length;
      for (let r = -1; r <= n; ++r) {
        if (values) scale_colour(values[line.stations[Math.min(Math.max(r, 0), n - 1)]] / (largest || 1), rgb, 0);
        for (let k = 0; k < this.sides; ++k, at += 3) {
          const shade = line.striped && k % (this.sides >> 1) === 0 ? kStripe : 1;
          array[at] = shade * rgb[0];
          array[at + 1] = shade * rgb[1];
          array[at + 2] = shade * rgb[2];
        }
      }
    }
    colours.needsUpdate = true;
  }

  // Moves the tubes to the stations of the machine.
  update() {
    const position = this.geometry.getAttribute("position"), normal = this.geometry.getAttribute("normal");
    const m = new Float64Array(9);
    let at = 0, body = -1;
    for (const line of this.lines) {
      if (line.body !== body) this.machine.side_matrix((body = line.body), m);
      const [sx, sy, sz] = line.side;
      const side = [m[0] * sx + m[1] * sy + m[2] * sz, m[3] * sx + m[4] * sy + m[5] * sz, m[6] * sx + m[7] * sy + m[8] * sz];
      const hidden = this.visible !== null && this.visible !== body;
      at = this.sweep(line, side, hidden ? 0 : line.radius, at, position.array, normal.array);
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }

  // Rings around one line; the first and last have radius zero and close the tube.
  sweep(line, side, radius, at, position, normal) {
    const p = this.machine.points, n = line.stations.length, {cosines, sines} = this, {turns} = this.machine;
    let [vx, vy, vz] = side;
    const turned = [0, 0, 0];
    for (let r = -1; r <= n; ++r) {
      const here = Math.min(Math.max(r, 0), n - 1);
      const c = 3 * line.stations[here], a = 3 * line.stations[Math.max(here - 1, 0)], b = 3 * line.stations[Math.min(here + 1, n - 1)];
      let tx = p[b] - p[a], ty = p[b + 1] - p[a + 1], tz = p[b + 2] - p[a + 2];
      const length = 1 / (Math.sqrt(tx * tx + ty * ty + tz * tz) || 1);
      tx *= length; ty *= length; tz *= length;
      if (turns) {
        rotate(turns, c, side, turned);
        [vx, vy, vz] = turned;
      }
      // The previous direction across the line, or the one that rotates with the section, made perpendicular to the line.
      const dot = vx * tx + vy * ty + vz * tz;
      const wx0 = vx - dot * tx, wy0 = vy - dot * ty, wz0 = vz - dot * tz;
      const size = Math.sqrt(wx0 * wx0 + wy0 * wy0 + wz0 * wz0);
      if (size > 1e-6) { vx = wx0 / size; vy = wy0 / size; vz = wz0 / size; }
      const wx = ty * vz - tz * vy, wy = tz * vx - tx * vz, wz = tx * vy - ty * vx;
      const cap = r < 0 ? -1 : r === n ? 1 : 0;
      const ring = cap ? 0 : radius;
      for (let k = 0; k < this.sides; ++k, at += 3) {
        const cos = cosines[k], sin = sines[k];
        const nx = cos * vx + sin * wx, ny = cos * vy + sin * wy, nz = cos * vz + sin * wz;
        position[at] = p[c] + ring * nx;
        position[at + 1] = p[c + 1] + ring * ny;
        position[at + 2] = p[c + 2] + ring * nz;
        normal[at] = cap ? cap * tx : nx;
        normal[at + 1] = cap ? cap * ty : ny;
        normal[at + 2] = cap ? cap * tz : nz;
      }
    }
    return at;
  }
}

// out = v rotated by the rotation vector w[k ...].
function rotate(w, k, v, out) {
  const x = w[k], y = w[k + 1], z = w[k + 2];
  const angle = Math.sqrt(x * x + y * y + z * z);
  const s = angle > 1e-9 ? Math.sin(angle) / angle : 1, c = angle > 1e-9 ? (1 - Math.cos(angle)) / (angle * angle) : 0.5;
  const cx = y * v[2] - z * v[1], cy = z * v[0] - x * v[2], cz = x * v[1] - y * v[0];
  out[0] = v[0] + s * cx + c * (y * cz - z * cy);
  out[1] = v[1] + s * cy + c * (z * cx - x * cz);
  out[2] = v[2] + s * cz + c * (x * cy - y * cx);
}
