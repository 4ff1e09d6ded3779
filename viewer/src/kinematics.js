// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Kinematics: stations and nodes in the world from the poses and modal coordinates of a frame.
// A pose is seven numbers: position x y z, quaternion w x y z.  station = R (p0 + s u) + r with the displacement
// u = S eta + 1/2 eta^T Xi eta, magnified by s; the second term only if the data have it.

// c = a b, at offsets; c may be a or b.
export function compose(a, i, b, j, c, k) {
  const aw = a[i + 3], ax = a[i + 4], ay = a[i + 5], az = a[i + 6];
  const bw = b[j + 3], bx = b[j + 4], by = b[j + 5], bz = b[j + 6];
  const x = b[j], y = b[j + 1], z = b[j + 2];
  const tx = 2 * (ay * z - az * y), ty = 2 * (az * x - ax * z), tz = 2 * (ax * y - ay * x);
  c[k] = a[i] + x + aw * tx + ay * tz - az * ty;
  c[k + 1] = a[i + 1] + y + aw * ty + az * tx - ax * tz;
  c[k + 2] = a[i + 2] + z + aw * tz + ax * ty - ay * tx;
  c[k + 3] = aw * bw - ax * bx - ay * by - az * bz;
  c[k + 4] = aw * bx + ax * bw + ay * bz - az * by;
  c[k + 5] = aw * by - ax * bz + ay * bw + az * bx;
  c[k + 6] = aw * bz + ax * by - ay * bx + az * bw;
}

export function invert(a, out) {
  const w = a[3], x = -a[4], y = -a[5], z = -a[6];
  const px = -a[0], py = -a[1], pz = -a[2];
  const tx = 2 * (y * pz - z * py), ty = 2 * (z * px - x * pz), tz = 2 * (x * py - y * px);
  out[0] = px + w * tx + y * tz - z * ty;
  out[1] = py + w * ty + z * tx - x * tz;
  out[2] = pz + w * tz + x * ty - y * tx;
  out[3] = w;
  out[4] = x;
  out[5] = y;
  out[6] = z;
}

// The quaternion of the rotation vector (x, y, z), into out[k ... k+3].
export function turn_of(x, y, z, out, k) {
  const angle = Math.hypot(x, y, z);
  const s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  out[k] = Math.cos(angle / 2);
  out[k + 1] = s * x;
  out[k + 2] = s * y;
  out[k + 3] = s * z;
}

// Rotation matrix of the pose at offset i, row by row, into m.
export function matrix_of(a, i, m) {
  const w = a[i + 3], x = a[i + 4], y = a[i + 5], z = a[i + 6];
  m[0] = 1 - 2 * (y * y + z * z); m[1] = 2 * (x * y - w * z); m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z); m[4] = 1 - 2 * (x * x + z * z); m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y); m[7] = 2 * (y * z + w * x); m[8] = 1 - 2 * (x * x + y * y);
}

const kIdentity = new Float64Array([0, 0, 0, 1, 0, 0, 0]);
const moved = new Float64Array(6);
const bent = new Float64Array(7);
const matrix = new Float64Array(9);
let pairs = new Float64Array(0);

// 1/2 eta_i eta_j of n modal coordinates, row by row, into pairs.
function fill_pairs(eta, offset, n) {
  if (pairs.length < n * n) pairs = new Float64Array(n * n);
  for (let i = 0, at = 0; i < n; ++i) for (let j = 0; j < n; ++j, ++at) pairs[at] = 0.5 * eta[offset + i] * eta[offset + j];
}

function pair_sum(rows, at, size) {
  let sum = 0;
  for (let k = 0; k < size; ++k) sum += rows[at + k] * pairs[k];
  return sum;
}

// Pose of a node in its body, with magnified displacement and rotation.
function node_in_body(node, eta, offset, scale, out) {
  if (!node) {
    out.set(kIdentity);
    return;
  }
  out.set(node.position);
  out.set(node.rotation, 3);
  if (!node.shapes) return;
  const n = node.modes;
  if (node.second) fill_pairs(eta, offset, n);
  for (let row = 0; row < 6; ++row) {
    let sum = 0;
    for (let k = 0; k < n; ++k) sum += node.shapes[row * n + k] * eta[offset + k];
    if (node.second && row < 3) sum += pair_sum(node.second, row * n * n, n * n);
    moved[row] = sum * scale;
  }
  // The rotation of the deformation is applied after the node's undeformed rotation.
  for (let c = 0; c < 3; ++c) {
    bent[c] = out[c] + moved[c];
    out[c] = 0;
  }
  turn_of(moved[3], moved[4], moved[5], bent, 3);
  compose(bent, 0, out, 0, out, 0);
}

// Writes the section of a beam at x = s to node: shapes interpolated between stations, rotations from their slopes.
export function section_on_beam(geometry, s, node) {
  const {stations, shapes, turns, second, modes: n, count} = geometry, size = n * n;
  let i = 0;
  while (i + 2 < count && stations[3 * (i + 1)] < s) ++i;
  const x = (k) => stations[3 * k], w = (s - x(i)) / (x(i + 1) - x(i));
  const between = (f) => (1 - w) * f(i) + w * f(i + 1);
  node.position = [s, 0, 0];
  for (let mode = 0; mode < n; ++mode) {
    const at = (k, row) => shapes[(3 * k + row) * n + mode];
    const slope = (row) => (k) => {
      const a = Math.max(k - 1, 0), b = Math.min(k + 1, count - 1);
      return (at(b, row) - at(a, row)) / (x(b) - x(a));
    };
    for (let row = 0; row < 3; ++row) node.shapes[row * n + mode] = between((k) => at(k, row));
    node.shapes[3 * n + mode] = turns ? between((k) => turns[3 * k * n + mode]) : 0;
    node.shapes[4 * n + mode] = -between(slope(2));
    node.shapes[5 * n + mode] = between(slope(1));
  }
  if (second) for (let row = 0; row < 3; ++row) for (let k = 0; k < size; ++k) node.second[row * size + k] = between((j) => second[(3 * j + row) * size + k]);
  return node;
}

function make_section({modes, second}) {
  return {position: [0, 0, 0], rotation: [1, 0, 0, 0], shapes: new Float64Array(6 * modes), second: second ? new Float64Array(3 * modes * modes) : null, modes};
}

export class Machine {
  constructor(view) {
    this.view = view;
    this.slider_places = new Float64Array(view.slider_places ? view.joints.filter(({slides}) => slides !== null).length : 0);
    this.rotor_angles = new Float64Array(view.rotors?.length ?? 0);
    this.sections = new Map(view.slider_places ? view.joints.filter(({slides}) => slides !== null).map((joint) => [joint, make_section(view.bodies[joint.parent].geometry)]) : []);
    const B = view.bodies.length;
    this.pose = new Float64Array(B * 7);      // as recorded
    this.eta = new Float64Array(view.modal_count);
    this.placed = new Float64Array(B * 7);    // as drawn, with magnified deformation
    this.scale = 1;
    this.first = [];                          // first station of each body
    let total = 0;
    for (const body of view.bodies) {
      this.first.push(total);
      total += body.geometry.count;
    }
    this.points = new Float32Array(total * 3);
    this.deflection = new Float32Array(total);
    this.energy = new Float32Array(total);    // strain energy, J/m
    this.with_energy = false;                 // whether stations() fills it
    this.has_energy = view.bodies.some(({geometry}) => geometry.modes > 0 && (geometry.strain || geometry.stiffness));
    this.turns = view.bodies.some(({geometry}) => geometry.turns) ? new Float32Array(total * 3) : null;   // rotation vectors of sections
    this.scratch = Array.from({length: 5}, () => new Float64Array(7));
  }

  // Sets the state at time t, interpolated between two frames.
  sample(t) {
    const {time, poses, eta, count} = this.view.frames;
    const i = frame_at(time, count, t);
    const j = Math.min(i + 1, count - 1);
    const s = j > i ? Math.min(1, Math.max(0, (t - time[i]) / (time[j] - time[i]))) : 0;
    blend_poses(poses, i * this.pose.length, j * this.pose.length, s, this.pose);
    const n = this.eta.length;
    for (let k = 0; k < n; ++k) this.eta[k] = (1 - s) * eta[i * n + k] + s * eta[j * n + k];
    for (const [out, rows] of [[this.slider_places, this.view.slider_places], [this.rotor_angles, this.view.rotor_angles]])
      if (rows) for (let k = 0, m = out.length; k < m; ++k) out[k] = (1 - s) * rows[i * m + k] + s * rows[j * m + k];
  }

  // Attachment of a joint on its parent: a node, the body frame, or the section at a sliding joint.
  parent_node(joint) {
    const section = this.sections.get(joint);
    return section ? section_on_beam(this.view.bodies[joint.parent].geometry, this.slider_places[joint.slides], section) : joint.parent_node;
  }

  // Places the bodies with magnified deformation: joints keep their recorded motion, and bodies on a bent body move with
  // it.  scale 1 yields the recorded poses, 0 the machine without deformation.
  place(scale) {
    this.scale = scale;
    this.placed.set(this.pose);
    if (scale === 1) return;
    const [parent, child, relative, back, drawn] = this.scratch;
    for (const joint of this.view.joints) {
      const p = joint.parent, c = joint.child;
      const child_eta = this.view.bodies[c].eta;
      node_in_body(joint.child_node, this.eta, child_eta, 1, child);
      compose(this.pose, c * 7, child, 0, relative, 0);
      if (p >= 0) {
        const parent_eta = this.view.bodies[p].eta, parent_node = this.parent_node(joint);
        node_in_body(parent_node, this.eta, parent_eta, 1, parent);
        compose(this.pose, p * 7, parent, 0, parent, 0);
        invert(parent, back);
        compose(back, 0, relative, 0, relative, 0);
        node_in_body(parent_node, this.eta, parent_eta, scale, parent);
        compose(this.placed, p * 7, parent, 0, drawn, 0);
        compose(drawn, 0, relative, 0, relative, 0);
      }
      node_in_body(joint.child_node, this.eta, child_eta, scale, child);
      invert(child, back);
      compose(relative, 0, back, 0, this.placed, c * 7);
    }
  }

  // Fills points (world, as drawn), deflection (true, m) and, if with_energy, energy (true, J/m).
  stations() {
    for (let b = 0; b < this.view.bodies.length; ++b) {
      this.body_stations(b);
      if (this.with_energy) this.body_energy(b);
    }
  }

  body_stations(b) {
    const {geometry, eta: offset} = this.view.bodies[b];
    const {stations, shapes, modes, count} = geometry;
    const {points, deflection, eta, placed, scale} = this;
    const {second, turns} = geometry, size = modes * modes;
    if (second) fill_pairs(eta, offset, modes);
    matrix_of(placed, b * 7, matrix);
    const rx = placed[b * 7], ry = placed[b * 7 + 1], rz = placed[b * 7 + 2];
    for (let i = 0, out = this.first[b]; i < count; ++i, ++out) {
      let ux = 0, uy = 0, uz = 0;
      for (let k = 0, at = 3 * i * modes; k < modes; ++k, ++at) {
        const e = eta[offset + k];
        ux += shapes[at] * e;
        uy += shapes[at + modes] * e;
        uz += shapes[at + 2 * modes] * e;
      }
      if (second) {
        ux += pair_sum(second, 3 * i * size, size);
        uy += pair_sum(second, (3 * i + 1) * size, size);
        uz += pair_sum(second, (3 * i + 2) * size, size);
      }
      const x = stations[3 * i] + scale * ux, y = stations[3 * i + 1] + scale * uy, z = stations[3 * i + 2] + scale * uz;
      points[3 * out] = matrix[0] * x + matrix[1] * y + matrix[2] * z + rx;
      points[3 * out + 1] = matrix[3] * x + matrix[4] * y + matrix[5] * z + ry;
      points[3 * out + 2] = matrix[6] * x + matrix[7] * y + matrix[8] * z + rz;
      deflection[out] = Math.sqrt(ux * ux + uy * uy + uz * uz);
      if (turns) this.turn_station(turns, i, modes, offset, out);
    }
  }

  // Magnified rotation vector of a section relative to its body frame, in the world; `matrix`: rotation of the body.
  turn_station(turns, i, modes, offset, out) {
    let ax = 0, ay = 0, az = 0;
    for (let k = 0, at = 3 * i * modes; k < modes; ++k, ++at) {
      const e = this.scale * this.eta[offset + k];
      ax += turns[at] * e;
      ay += turns[at + modes] * e;
      az += turns[at + 2 * modes] * e;
    }
    this.turns[3 * out] = matrix[0] * ax + matrix[1] * ay + matrix[2] * az;
    this.turns[3 * out + 1] = matrix[3] * ax + matrix[4] * ay + matrix[5] * az;
    this.turns[3 * out + 2] = matrix[6] * ax + matrix[7] * ay + matrix[8] * az;
  }

  // Energy per length: 1/2 sum of (strain row . eta)^2, or the energy of the whole body divided by its size.
  body_energy(b) {
    const {geometry, eta: offset} = this.view.bodies[b];
    const {strain, strain_rows, stiffness, modes, count, extent} = geometry;
    const {energy, eta} = this;
    const first = this.first[b];
    if (strain) {
      for (let i = 0, at = 0; i < count; ++i) {
        let sum = 0;
        for (let r = 0; r < strain_rows; ++r) {
          let row = 0;
          for (let k = 0; k < modes; ++k, ++at) row += strain[at] * eta[offset + k];
          sum += 0.5 * row * row;
        }
        energy[first + i] = sum;
      }
    } else if (stiffness) {
      fill_pairs(eta, offset, modes);
      energy.fill(pair_sum(stiffness, 0, modes * modes) / (extent || 1), first, first + count);
    }
  }

  // Rotation matrix, row by row, and position of a body frame as drawn: twelve numbers.
  body_frame(b, out) {
    matrix_of(this.placed, 7 * b, out);
    for (let c = 0; c < 3; ++c) out[9 + c] = this.placed[7 * b + c];
    return out;
  }

  // The frame of body b to which the sides of its tubes refer.
  side_matrix(b, m) {
    matrix_of(this.placed, 7 * b, m);
  }

  // Pose in the world, as drawn, of a node, or of a body if node is null.
  node_pose(node, body, out) {
    node_in_body(node, this.eta, this.view.bodies[body].eta, this.scale, out);
    compose(this.placed, body * 7, out, 0, out, 0);
    return out;
  }
}

// Index of the last frame at or before t.
export function frame_at(time, count, t) {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

// Interpolates poses between two frames: positions linearly, rotations by normalised linear interpolation.
function blend_poses(poses, i, j, s, out) {
  for (let k = 0; k < out.length; k += 7) {
    const a = i + k, b = j + k;
    for (let c = 0; c < 3; ++c) out[k + c] = (1 - s) * poses[a + c] + s * poses[b + c];
    const dot = poses[a + 3] * poses[b + 3] + poses[a + 4] * poses[b + 4] + poses[a + 5] * poses[b + 5] + poses[a + 6] * poses[b + 6];
    const sign = dot < 0 ? -s : s;
    let norm = 0;
    for (let c = 3; c < 7; ++c) {
      out[k + c] = (1 - s) * poses[a + c] + sign * poses[b + c];
      norm += out[k + c] ** 2;
    }
    norm = 1 / (Math.sqrt(norm) || 1);
    for (let c = 3; c < 7; ++c) out[k + c] *= norm;
  }
}
