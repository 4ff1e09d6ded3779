// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Rigid parts, as instances and line segments: boxes, balls, pins of joints, frames of nodes.

import {BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4,
  MeshPhongMaterial, Quaternion, SphereGeometry, Vector3} from "three";
import {body_colour, one_colour, scale_colour} from "./colours.js";
import {matrix_of} from "./kinematics.js";

const kTurning = new Set(["revolute", "cylindrical", "universal"]);
const kZ = new Vector3(0, 0, 1);
const matrix = new Matrix4(), turn = new Quaternion(), place = new Vector3(), size = new Vector3(), direction = new Vector3();
const pose = new Float64Array(7), rotation = new Float64Array(9), frame = new Float64Array(12), frame_matrix = new Matrix4();

function instances(scene, geometry, count, material = new MeshPhongMaterial({specular: 0x222222, shininess: 30})) {
  const mesh = new InstancedMesh(geometry, material, count);
  mesh.frustumCulled = false;
  mesh.visible = count > 0;
  scene.add(mesh);
  return mesh;
}

// count line segments; rgb: one colour for all; otherwise the colours of x, y, z alternate.
export function line_set(scene, count, rgb) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(count * 6), 3));
  const shades = new Float32Array(count * 6);
  const turns = [[0.67, 0.11, 0], [0, 0.34, 0.17], [0.1, 0.45, 0.81]];
  for (let i = 0; i < count * 2; ++i) shades.set(rgb ?? turns[(i >> 1) % 3], 3 * i);
  geometry.setAttribute("color", new BufferAttribute(shades, 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, depthTest: false, transparent: true}));
  lines.frustumCulled = false;
  lines.renderOrder = 2;
  scene.add(lines);
  return lines;
}

// Boxes of rigid bodies, and balls for stations without line or surface.
export class Solids {
  constructor(machine, scene, reach, material = undefined) {
    this.machine = machine;
    this.radius = 0.014 * reach;
    this.boxes = [];
    this.balls = [];
    machine.view.bodies.forEach(({geometry}, b) => {
      for (const box of geometry.boxes) this.boxes.push({body: b, box});
      if (geometry.triangles) return;
      geometry.on_line ??= new Set(geometry.lines.flat());
      for (let i = 0; i < geometry.count; ++i) if (!geometry.on_line.has(i)) this.balls.push({body: b, station: machine.first[b] + i});
    });
    this.box_mesh = instances(scene, new BoxGeometry(1, 1, 1), this.boxes.length, material);
    this.ball_mesh = instances(scene, new SphereGeometry(1, 12, 8), this.balls.length, material);
  }

  set_visible(on) {
    this.box_mesh.visible = on && this.boxes.length > 0;
    this.ball_mesh.visible = on && this.balls.length > 0;
  }

  // Colours by body, by values of the stations / largest, or all in one colour; a box does not deform.
  colour(values, largest, one = null) {
    if (!values && this.plain === (one ?? "body")) return;
    this.plain = values ? null : one ?? "body";
    const rgb = [0, 0, 0], shade = new Color();
    const paint = (mesh, items) => items.forEach(({body, station}, i) => {
      if (values) scale_colour(station === undefined ? 0 : values[station] / (largest || 1), rgb, 0);
      else if (one) one_colour(one, rgb, 0);
      else body_colour(this.machine.view, body, rgb, 0);
      mesh.setColorAt(i, shade.setRGB(...rgb));
    });
    for (const [mesh, items] of [[this.box_mesh, this.boxes], [this.ball_mesh, this.balls]]) {
      paint(mesh, items);
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  update(only) {
    const {points} = this.machine;
    const hidden = (body) => only !== null && only !== body;
    this.boxes.forEach(({body, box}, i) => {
      const [a, b, c, d, e, f, g, h, j, x, y, z] = this.machine.body_frame(body, frame);
      frame_matrix.set(a, b, c, x, d, e, f, y, g, h, j, z, 0, 0, 0, 1);
      size.set(box[3], box[4], box[5]).multiplyScalar(hidden(body) ? 0 : 1);
      matrix.makeScale(size.x, size.y, size.z).setPosition(box[0], box[1], box[2]);
      this.box_mesh.setMatrixAt(i, matrix.premultiply(frame_matrix));
    });
    this.balls.forEach(({body, station}, i) => {
      const r = hidden(body) ? 0 : this.radius;
      matrix.makeScale(r, r, r).setPosition(points[3 * station], points[3 * station + 1], points[3 * station + 2]);
      this.ball_mesh.setMatrixAt(i, matrix);
    });
    this.box_mesh.instanceMatrix.needsUpdate = true;
    this.ball_mesh.instanceMatrix.needsUpdate = true;
  }
}

// Pins of joints that rotate or slide, and their axes as lines.
export class Pins {
  constructor(machine, scene, reach, lines) {
    this.machine = machine;
    this.reach = reach;
    const radius = new Map();
    for (const line of lines) radius.set(line.body, Math.max(radius.get(line.body) ?? 0, Math.min(line.radius, 0.15 * line.length)));
    this.items = [];
    for (const joint of machine.view.joints) {
      if (joint.type === "fixed" || joint.type === "free") continue;
      const r = Math.min(radius.get(joint.child) ?? Infinity, radius.get(joint.parent) ?? Infinity);
      const thick = Number.isFinite(r) ? r : 0.011 * reach;
      const axes = joint.axes.length ? joint.axes : [[0, 0, 1]];
      for (const axis of axes) this.items.push({joint, axis: new Vector3(...axis).normalize(), round: !joint.axes.length || !kTurning.has(joint.type), thick});
    }
    const sides = this.items.length > 100 ? 8 : 20;
    this.mesh = instances(scene, new CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2), this.items.length);
    // Pins of links shorter than their drawn thickness would be inside the tubes.
    this.inside = lines.length > 0 && lines.every((line) => line.radius > 0.5 * line.length);
    this.set_visible(true);
    this.mesh.material.color.set(0x9aa3ad);
    this.axes = line_set(scene, this.items.length, [0.84, 0.37, 0]);
  }

  set_visible(on) {
    this.mesh.visible = on && !this.inside && this.items.length > 0;
  }

  update(only, show_axes) {
    this.axes.visible = show_axes;
    if (!this.mesh.visible && !show_axes) return;
    const line = this.axes.geometry.getAttribute("position");
    this.items.forEach(({joint, axis, round, thick}, i) => {
      this.machine.node_pose(joint.child_node, joint.child, pose);
      place.set(pose[0], pose[1], pose[2]);
      direction.copy(axis).applyQuaternion(turn.set(pose[4], pose[5], pose[6], pose[3]));
      turn.setFromUnitVectors(kZ, direction);
      const drawn = only === null ? thick : 0;
      size.set(1.35 * drawn, 1.35 * drawn, (round ? 2.4 : 3.2) * drawn);
      this.mesh.setMatrixAt(i, matrix.compose(place, turn, size));
      if (!show_axes) return;
      const s = Math.min(0.07 * this.reach, 14 * thick);
      line.setXYZ(2 * i, place.x - s * direction.x, place.y - s * direction.y, place.z - s * direction.z);
      line.setXYZ(2 * i + 1, place.x + s * direction.x, place.y + s * direction.y, place.z + s * direction.z);
    });
    line.needsUpdate = show_axes;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

// The frames of the nodes: x, y, z by colour.
export class NodeFrames {
  constructor(machine, scene, reach) {
    this.machine = machine;
    this.reach = 0.045 * reach;
    this.lines = line_set(scene, machine.view.nodes.length * 3, null);
  }

  update(show) {
    this.lines.visible = show;
    if (!show) return;
    const line = this.lines.geometry.getAttribute("position");
    this.machine.view.nodes.forEach((node, i) => {
      this.machine.node_pose(node, node.body, pose);
      matrix_of(pose, 0, rotation);
      for (let c = 0; c < 3; ++c) {
        line.setXYZ(6 * i + 2 * c, pose[0], pose[1], pose[2]);
        line.setXYZ(6 * i + 2 * c + 1, pose[0] + this.reach * rotation[c], pose[1] + this.reach * rotation[3 + c], pose[2] + this.reach * rotation[6 + c]);
      }
    });
    line.needsUpdate = true;
  }
}
