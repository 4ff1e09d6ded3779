// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// A machine in one of its modes: x0 + A phi at every station, linear in the amplitude A.  With the twist (w, v) of the
// body frame, its rotation R and modal coordinates e of the mode,
//   phi = w x (x0 - r) + v + R (S + Xi eta0) e,    theta = w + R T e
// are the displacement and the rotation of a station per unit amplitude; eta0 are the modal coordinates at rest.  They
// keep all joints closed to first order in A, and at any A, because both sides of a joint are drawn linearly.

import {Machine, compose, matrix_of, turn_of} from "./kinematics.js";

const kTurn = 10;   // rad: limit of the largest rotation if the largest displacement is the size of the machine

export class ModeMachine extends Machine {
  constructor(view) {
    super(view);
    this.amplitude = 0;
    this.mode = 0;
    this.turns = new Float32Array(this.points.length);
    this.rest = new Float64Array(this.points.length);        // positions at rest, in the world
    this.phi = new Float64Array(this.points.length);         // of the chosen mode
    this.theta = new Float64Array(this.points.length);
    this.rotations = view.bodies.map((_, b) => {
      const m = new Float64Array(9);
      matrix_of(view.poses, 7 * b, m);
      return m;
    });
    this.pose.set(view.poses);
    this.placed.set(view.poses);
    view.bodies.forEach((body, b) => this.place_at_rest(body, b));
    this.choose(0);
  }

  place_at_rest({geometry, eta}, b) {
    const u = new Float64Array(3);
    for (let i = 0, at = 3 * this.first[b]; i < geometry.count; ++i, at += 3) {
      displacement(geometry.shapes, geometry.second, i, geometry.modes, this.view.rest_eta, eta, u);
      turned(this.rotations[b], geometry.stations[3 * i] + u[0], geometry.stations[3 * i + 1] + u[1], geometry.stations[3 * i + 2] + u[2], this.rest, at);
      for (let c = 0; c < 3; ++c) this.rest[at + c] += this.view.poses[7 * b + c];
    }
  }

  // Displacements and rotations of all stations in a mode, per amplitude.
  choose(mode) {
    this.mode = mode;
    this.view.bodies.forEach(({geometry}, b) => {
      for (let i = 0, at = 3 * this.first[b]; i < geometry.count; ++i, at += 3) {
        this.motion(b, geometry.shapes, geometry.second, geometry.turns, i, this.rest, at, this.phi, this.theta, at);
      }
    });
  }

  twist(b) {
    const at = 6 * (this.mode * this.view.bodies.length + b);
    return this.view.mode_twists.subarray(at, at + 6);
  }

  // phi and theta of the point x[at ...] of body b, with rows 3 i ... of its shapes.
  motion(b, shapes, second, turns, i, x, at, phi, theta, out) {
    const {poses, rest_eta, mode_eta, bodies, modal_count} = this.view;
    const [wx, wy, wz, vx, vy, vz] = this.twist(b), n = shapes ? bodies[b].geometry.modes : 0, offset = bodies[b].eta;
    const e = mode_eta.subarray(this.mode * modal_count + offset, this.mode * modal_count + offset + n);
    const u = new Float64Array(3), a = new Float64Array(3);
    if (n) {
      change(shapes, second, i, n, rest_eta, offset, e, u);
      turned(this.rotations[b], u[0], u[1], u[2], u, 0);
      if (turns) for (let c = 0; c < 3; ++c) for (let k = 0; k < n; ++k) a[c] += turns[(3 * i + c) * n + k] * e[k];
      turned(this.rotations[b], a[0], a[1], a[2], a, 0);
    }
    const dx = x[at] - poses[7 * b], dy = x[at + 1] - poses[7 * b + 1], dz = x[at + 2] - poses[7 * b + 2];
    phi[out] = vx + wy * dz - wz * dy + u[0];
    phi[out + 1] = vy + wz * dx - wx * dz + u[1];
    phi[out + 2] = vz + wx * dy - wy * dx + u[2];
    theta[out] = wx + a[0];
    theta[out + 1] = wy + a[1];
    theta[out + 2] = wz + a[2];
  }

  sample_mode(amplitude) {
    this.amplitude = amplitude;
    const n = this.eta.length;
    for (let k = 0; k < n; ++k) this.eta[k] = amplitude * this.view.mode_eta[this.mode * n + k];   // for colours by strain
  }

  place() {}   // nothing to do: poses are linear here

  body_stations(b) {
    const {geometry, eta: offset} = this.view.bodies[b];
    const {amplitude, rest, phi, theta, points, turns} = this;
    const first = 3 * this.first[b], end = first + 3 * geometry.count;
    for (let k = first; k < end; ++k) {
      points[k] = rest[k] + amplitude * phi[k];
      turns[k] = amplitude * theta[k];
    }
    const u = new Float64Array(3);
    for (let i = 0; i < geometry.count; ++i) {
      u.fill(0);
      if (geometry.modes) change(geometry.shapes, geometry.second, i, geometry.modes, this.view.rest_eta, offset, this.eta.subarray(offset, offset + geometry.modes), u);
      this.deflection[this.first[b] + i] = Math.hypot(u[0], u[1], u[2]);
    }
  }

  // (1 + A w x) R and r + A v: boxes are drawn linearly, too.
  body_frame(b, out) {
    const A = this.amplitude, [wx, wy, wz, vx, vy, vz] = this.twist(b), R = this.rotations[b], {poses} = this.view;
    for (let c = 0; c < 3; ++c) {
      const x = R[c], y = R[3 + c], z = R[6 + c];
      out[c] = x + A * (wy * z - wz * y);
      out[3 + c] = y + A * (wz * x - wx * z);
      out[6 + c] = z + A * (wx * y - wy * x);
    }
    [vx, vy, vz].forEach((v, c) => (out[9 + c] = poses[7 * b + c] + A * v));
    return out;
  }

  // The frame to which the sides of tubes refer; `turns` holds the rotations of sections relative to it.
  side_matrix(b, m) {
    m.set(this.rotations[b]);
  }

  node_pose(node, body, out) {
    const {poses, rest_eta} = this.view, A = this.amplitude;
    const place = new Float64Array(7), phi = new Float64Array(3), theta = new Float64Array(3), turn = new Float64Array(7);
    const u = new Float64Array(3), n = this.view.bodies[body].geometry.modes, offset = this.view.bodies[body].eta;
    if (node?.shapes) displacement(node.shapes, node.second, 0, n, rest_eta, offset, u);
    const local = node ? node.position.map((p, c) => p + u[c]) : [0, 0, 0];
    turned(this.rotations[body], ...local, place, 0);
    for (let c = 0; c < 3; ++c) place[c] += poses[7 * body + c];
    this.motion(body, node?.shapes ?? null, node?.second ?? null, node?.shapes ? node.shapes.subarray(3 * n) : null, 0, place, 0, phi, theta, 0);
    turn_of(A * theta[0], A * theta[1], A * theta[2], turn, 3);
    compose(turn, 0, [0, 0, 0, ...poses.subarray(7 * body + 3, 7 * body + 7)], 0, out, 0);
    if (node?.shapes) {
      const bent = new Float64Array(7), row = (c) => node.shapes.subarray((3 + c) * n, (4 + c) * n).reduce((sum, s, k) => sum + s * rest_eta[offset + k], 0);
      turn_of(row(0), row(1), row(2), bent, 3);
      compose(out, 0, bent, 0, out, 0);
    }
    if (node) compose(out, 0, [0, 0, 0, ...node.rotation], 0, out, 0);
    for (let c = 0; c < 3; ++c) out[c] = place[c] + A * phi[c];
    return out;
  }

  // {unit, turn}: the amplitude at which no displacement exceeds `size` and no rotation exceeds kTurn, and the largest
  // rotation at that amplitude; `only`: the only body that is drawn.
  measure(size, only) {
    let displaced = 0, rotated = 0;
    this.view.bodies.forEach(({geometry}, b) => {
      if (only !== null && only !== b) return;
      const w = this.twist(b);
      rotated = Math.max(rotated, Math.hypot(w[0], w[1], w[2]));
      displaced = Math.max(displaced, this.corner_motion(b));
      for (let i = 0, at = 3 * this.first[b]; i < geometry.count; ++i, at += 3) {
        displaced = Math.max(displaced, Math.hypot(this.phi[at], this.phi[at + 1], this.phi[at + 2]));
        rotated = Math.max(rotated, Math.hypot(this.theta[at], this.theta[at + 1], this.theta[at + 2]));
      }
    });
    const most = Math.max(displaced / size, rotated / kTurn);
    const unit = most > 0 ? 1 / most : 0;
    return {unit, turn: unit * rotated, displacement: unit * displaced};
  }

  // Largest displacement of the corners of a body's boxes per unit amplitude.
  corner_motion(b) {
    let most = 0;
    const [wx, wy, wz, vx, vy, vz] = this.twist(b), d = new Float64Array(3);
    for (const [x, y, z, ...size] of this.view.bodies[b].geometry.boxes) {
      for (let corner = 0; corner < 8; ++corner) {
        const side = (c) => ((corner >> c) & 1 ? 0.5 : -0.5) * size[c];
        turned(this.rotations[b], x + side(0), y + side(1), z + side(2), d, 0);
        most = Math.max(most, Math.hypot(vx + wy * d[2] - wz * d[1], vy + wz * d[0] - wx * d[2], vz + wx * d[1] - wy * d[0]));
      }
    }
    return most;
  }
}

// out = m (x, y, z) at k.
function turned(m, x, y, z, out, k) {
  out[k] = m[0] * x + m[1] * y + m[2] * z;
  out[k + 1] = m[3] * x + m[4] * y + m[5] * z;
  out[k + 2] = m[6] * x + m[7] * y + m[8] * z;
}

// u = S eta + 1/2 eta^T Xi eta of station i.
function displacement(shapes, second, i, n, eta, offset, u) {
  for (let c = 0; c < 3; ++c) {
    u[c] = 0;
    for (let k = 0; k < n; ++k) {
      u[c] += shapes[(3 * i + c) * n + k] * eta[offset + k];
      if (second) for (let l = 0; l < n; ++l) u[c] += 0.5 * second[((3 * i + c) * n + k) * n + l] * eta[offset + k] * eta[offset + l];
    }
  }
}

// u = (S + Xi eta0) e of station i.
function change(shapes, second, i, n, eta, offset, e, u) {
  for (let c = 0; c < 3; ++c) {
    u[c] = 0;
    for (let k = 0; k < n; ++k) {
      let shape = shapes[(3 * i + c) * n + k];
      if (second) for (let l = 0; l < n; ++l) shape += second[((3 * i + c) * n + k) * n + l] * eta[offset + l];
      u[c] += shape * e[k];
    }
  }
}
