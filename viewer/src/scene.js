// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The picture: camera, light, and the machine as a handful of meshes, however many links it has.

import {AmbientLight, Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, MeshLambertMaterial, PerspectiveCamera, Quaternion, Scene, SphereGeometry, Vector3, WebGLRenderer} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import {body_colour} from "./colours.js";
import {AxesCorner, make_gravity, make_ground} from "./decor.js";
import {matrix_of} from "./kinematics.js";
import {Traces} from "./traces.js";
import {Tubes, collect_lines} from "./tubes.js";

const kViews = {iso: [1, -1.4, 0.9], x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1]};
const kTurning = new Set(["revolute", "cylindrical", "universal"]);

export class Stage {
  constructor(machine, canvas, survey) {
    this.machine = machine;
    this.survey = survey;               // {box, deflection}: of the whole motion
    this.renderer = new WebGLRenderer({canvas, antialias: true, preserveDrawingBuffer: true});
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(38, 1, 0.01, 1000);
    const g = new Vector3(...machine.view.gravity);
    this.up = g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);       // before the controls, which keep it
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.corner = new AxesCorner();
    this.show = {ghost: false, trace: true, axes: false, nodes: false, deflection: false};
    this.size = Math.max(survey.box.getSize(new Vector3()).length(), 1e-6);
    this.lamp = new DirectionalLight(0xffffff, 2.2);
    this.scene.add(new AmbientLight(0xffffff, 1.3), this.lamp);
    this.build_machine();
    this.view("iso");
  }

  build_machine() {
    const {machine, scene} = this;
    const bodies = machine.view.bodies.length;
    this.lines = collect_lines(machine, this.size);
    const sides = bodies > 500 ? 5 : bodies > 200 ? 6 : bodies > 40 ? 8 : 14;
    this.tubes = new Tubes(machine, this.lines, sides, new MeshLambertMaterial({vertexColors: true}));
    const faint = new MeshLambertMaterial({color: 0x8899aa, transparent: true, opacity: 0.28, depthWrite: false});
    this.ghost = new Tubes(machine, this.lines, Math.min(sides, 8), faint);
    scene.add(this.tubes.mesh, this.ghost.mesh);
    this.build_solids();
    this.build_joints();
    this.axis_lines = this.line_set(this.joint_axes.length, [0.84, 0.37, 0]);
    this.node_lines = this.line_set(machine.view.nodes.length * 3, null);
    this.traces = machine.view.frames ? new Traces(machine, scene) : null;
  }

  // Boxes of rigid bodies and balls for stations on no line, as instances.
  build_solids() {
    this.boxes = [];
    this.balls = [];
    this.machine.view.bodies.forEach((body, b) => {
      const {geometry} = body;
      for (const box of geometry.boxes) this.boxes.push({body: b, box});
      const on_line = new Set(geometry.lines.flat());
      for (let i = 0; i < geometry.count; ++i) if (!on_line.has(i)) this.balls.push({body: b, station: this.machine.first[b] + i});
    });
    const rgb = [0, 0, 0];
    const paint = (mesh, items) => items.forEach((item, i) => {
      body_colour(item.body, rgb, 0);
      mesh.setColorAt(i, new Color(rgb[0], rgb[1], rgb[2]));
    });
    this.box_mesh = this.instances(new BoxGeometry(1, 1, 1), this.boxes.length);
    this.ball_mesh = this.instances(new SphereGeometry(1, 12, 8), this.balls.length);
    paint(this.box_mesh, this.boxes);
    paint(this.ball_mesh, this.balls);
  }

  build_joints() {
    const radius = new Map();
    for (const line of this.lines) radius.set(line.body, Math.max(radius.get(line.body) ?? 0, Math.min(line.radius, 0.15 * line.length)));
    // Pins of links shorter than they are drawn thick would be inside the tubes.
    const inside = this.lines.length > 0 && this.lines.every((line) => line.radius > 0.5 * line.length);
    this.joint_axes = [];
    for (const joint of this.machine.view.joints) {
      const r = Math.min(...[joint.child, joint.parent].map((b) => radius.get(b) ?? Infinity));
      const size = Number.isFinite(r) ? r : 0.011 * this.size;
      if (joint.type === "fixed" || joint.type === "free") continue;
      if (!joint.axes.length) this.joint_axes.push({joint, axis: [0, 0, 1], round: true, size});
      for (const axis of joint.axes) this.joint_axes.push({joint, axis, round: !kTurning.has(joint.type), size});
    }
    const sides = this.joint_axes.length > 100 ? 8 : 20;
    this.pins = this.instances(new CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2), this.joint_axes.length);
    this.pins.visible = this.pins.visible && !inside;
    this.pins.material.color.set(0x9aa3ad);
  }

  instances(geometry, count) {
    const mesh = new InstancedMesh(geometry, new MeshLambertMaterial(), count);
    mesh.frustumCulled = false;
    mesh.visible = count > 0;
    this.scene.add(mesh);
    return mesh;
  }

  // count line segments; rgb for all, or x, y, z in turn.
  line_set(count, rgb) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(count * 6), 3));
    const shades = new Float32Array(count * 6);
    const turns = [[0.67, 0.11, 0], [0, 0.34, 0.17], [0.1, 0.45, 0.81]];
    for (let i = 0; i < count * 2; ++i) shades.set(rgb ?? turns[(i >> 1) % 3], 3 * i);
    geometry.setAttribute("color", new BufferAttribute(shades, 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, depthTest: false, transparent: true}));
    lines.frustumCulled = false;
    lines.renderOrder = 2;
    this.scene.add(lines);
    return lines;
  }

  // Colours of the page; builds the ground again.
  theme(colours) {
    this.scene.background = new Color(colours.stage);
    if (this.ground) this.scene.remove(this.ground, this.gravity);
    this.ground = make_ground(this.survey.box, this.up, colours);
    this.gravity = make_gravity(this.machine.view.gravity, this.ground, colours.text);
    this.scene.add(this.ground, this.gravity);
    this.dirty = true;
  }

  // Brings the machine to its sampled state, with deformation magnified.  motion.rest, where there is one, gives the
  // state of the ghost.
  update(scale, t, motion = {}) {
    const {machine, show} = this;
    this.ghost.mesh.visible = show.ghost;
    if (show.ghost) {
      motion.rest?.();
      machine.place(0);
      machine.stations();
      this.ghost.update();
      if (motion.rest) motion.sample();
    }
    machine.place(scale);
    machine.stations();
    this.tubes.update();
    this.tubes.colour(show.deflection, this.survey.deflection);
    this.update_solids();
    this.update_joints();
    this.update_nodes();
    if (this.traces) this.traces.update(t, scale, show.trace);
    this.dirty = true;
  }

  only(body) {
    this.tubes.visible = body;
    this.ghost.visible = body;
  }

  update_solids() {
    const matrix = new Matrix4(), turn = new Quaternion(), place = new Vector3(), size = new Vector3(), m = new Float64Array(9);
    const {placed, points} = this.machine;
    const hidden = (body) => this.tubes.visible !== null && this.tubes.visible !== body;
    this.boxes.forEach(({body, box}, i) => {
      const k = 7 * body;
      matrix_of(placed, k, m);
      turn.set(placed[k + 4], placed[k + 5], placed[k + 6], placed[k + 3]);
      place.set(box[0], box[1], box[2]).applyQuaternion(turn);
      place.x += placed[k]; place.y += placed[k + 1]; place.z += placed[k + 2];
      size.set(box[3], box[4], box[5]).multiplyScalar(hidden(body) ? 0 : 1);
      this.box_mesh.setMatrixAt(i, matrix.compose(place, turn, size));
    });
    this.balls.forEach(({body, station}, i) => {
      const r = hidden(body) ? 0 : 0.014 * this.size;
      matrix.makeScale(r, r, r).setPosition(points[3 * station], points[3 * station + 1], points[3 * station + 2]);
      this.ball_mesh.setMatrixAt(i, matrix);
    });
    this.box_mesh.instanceMatrix.needsUpdate = true;
    this.ball_mesh.instanceMatrix.needsUpdate = true;
  }

  update_joints() {
    const pose = new Float64Array(7), turn = new Quaternion(), place = new Vector3(), d = new Vector3(), matrix = new Matrix4();
    const z = new Vector3(0, 0, 1), size = new Vector3();
    const line = this.axis_lines.geometry.getAttribute("position");
    this.joint_axes.forEach(({joint, axis, round, size: r}, i) => {
      this.machine.node_pose(joint.child_node, joint.child, pose);
      place.set(pose[0], pose[1], pose[2]);
      d.set(...axis).normalize().applyQuaternion(turn.set(pose[4], pose[5], pose[6], pose[3]));
      turn.setFromUnitVectors(z, d);
      const drawn = this.tubes.visible === null ? r : 0;
      size.set(1.35 * drawn, 1.35 * drawn, (round ? 2.4 : 3.2) * drawn);
      this.pins.setMatrixAt(i, matrix.compose(place, turn, size));
      const reach = Math.min(0.07 * this.size, 14 * r);
      for (let k = 0; k < 2; ++k) {
        const s = k ? reach : -reach;
        line.setXYZ(2 * i + k, place.x + s * d.x, place.y + s * d.y, place.z + s * d.z);
      }
    });
    line.needsUpdate = true;
    this.pins.instanceMatrix.needsUpdate = true;
    this.axis_lines.visible = this.show.axes;
  }

  update_nodes() {
    this.node_lines.visible = this.show.nodes;
    if (!this.show.nodes) return;
    const pose = new Float64Array(7), m = new Float64Array(9);
    const line = this.node_lines.geometry.getAttribute("position");
    const reach = 0.045 * this.size;
    this.machine.view.nodes.forEach((node, i) => {
      this.machine.node_pose(node, node.body, pose);
      matrix_of(pose, 0, m);
      for (let c = 0; c < 3; ++c) {
        line.setXYZ(6 * i + 2 * c, pose[0], pose[1], pose[2]);
        line.setXYZ(6 * i + 2 * c + 1, pose[0] + reach * m[c], pose[1] + reach * m[3 + c], pose[2] + reach * m[6 + c]);
      }
    });
    line.needsUpdate = true;
  }

  // The whole motion in the picture, from the same side, and where the machine is drawn magnified now.
  fit() {
    const box = this.survey.box.clone();
    const {points} = this.machine;
    const point = new Vector3();
    for (let k = 0; k < points.length && this.width; k += 3) box.expandByPoint(point.fromArray(points, k));
    const centre = box.getCenter(new Vector3());
    const from = this.camera.position.clone().sub(this.controls.target);
    const radius = 0.5 * this.size;
    from.setLength(1.12 * this.distance_to_see(box, centre, from));
    this.camera.near = radius / 200;
    this.camera.far = radius * 100;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(from);
    this.controls.update();
    this.dirty = true;
  }

  // How far from the centre, in direction `from`, all corners of the box are in the picture.
  distance_to_see(box, centre, from) {
    const back = from.clone().normalize();
    const right = this.camera.up.clone().cross(back).normalize();
    const up = back.clone().cross(right);
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    const corner = new Vector3();
    let distance = 0.05 * this.size;
    for (let k = 0; k < 8; ++k) {
      corner.set(k & 1 ? box.min.x : box.max.x, k & 2 ? box.min.y : box.max.y, k & 4 ? box.min.z : box.max.z).sub(centre);
      const across = Math.max(Math.abs(corner.dot(right)) / (tangent * this.camera.aspect), Math.abs(corner.dot(up)) / tangent);
      distance = Math.max(distance, across + corner.dot(back));
    }
    return distance;
  }

  view(name) {
    const d = new Vector3(...kViews[name]);
    if (name === "iso") d.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up));
    // From right above nothing says which side is up: lean a little towards -y, or z where y is up.
    if (Math.abs(d.clone().normalize().dot(this.up)) > 0.999) d.add(Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1e-4) : new Vector3(0, -1e-4, 0));
    this.camera.position.copy(this.controls.target).add(d);
    this.fit();
  }

  resize(width, height) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.width = width;
    this.height = height;
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  render() {
    if (!this.dirty || !this.width) return;
    this.dirty = false;
    this.lamp.position.copy(this.camera.position).sub(this.controls.target).applyAxisAngle(this.camera.up, 0.5);
    this.renderer.setViewport(0, 0, this.width, this.height);
    this.renderer.render(this.scene, this.camera);
    this.corner.render(this.renderer, this.camera, this.controls.target);
  }
}

// Where the machine comes and how far it bends, over the whole motion, from at most `pictures` of it.
export function survey_motion(machine, pictures, sample) {
  const box = new Box3();
  const point = new Vector3();
  let deflection = 0;
  for (let i = 0; i < pictures; ++i) {
    sample(i, pictures);
    machine.place(1);
    machine.stations();
    for (let k = 0; k < machine.points.length; k += 3) box.expandByPoint(point.fromArray(machine.points, k));
    for (const x of machine.deflection) if (x > deflection) deflection = x;
    for (let b = 0; b < machine.placed.length; b += 7) box.expandByPoint(point.fromArray(machine.placed, b));
  }
  machine.view.bodies.forEach((body, b) => {
    for (const [x, y, z, ...size] of body.geometry.boxes) {
      const reach = Math.hypot(x, y, z) + 0.5 * Math.hypot(...size);
      box.expandByPoint(point.fromArray(machine.placed, 7 * b).addScalar(reach));
      box.expandByPoint(point.fromArray(machine.placed, 7 * b).addScalar(-reach));
    }
  });
  if (box.isEmpty()) box.setFromCenterAndSize(new Vector3(), new Vector3(1, 1, 1));
  return {box, deflection};
}
