// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The 3D view: camera, lights, and the machine as a few meshes, for any number of links.

import {Color, DirectionalLight, DoubleSide, HemisphereLight, MeshLambertMaterial, MeshPhongMaterial, PerspectiveCamera, Scene, Vector3,
  WebGLRenderer} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import {best_corner, fit_points, view_direction} from "./camera.js";
import {Contacts} from "./contacts.js";
import {AxesCorner, make_ground} from "./decor.js";
import {Elements} from "./elements.js";
import {OtherMachine, run_colour} from "./others.js";
import {Plumes} from "./plumes.js";
import {Rotors} from "./rotors.js";
import {Shadows} from "./shadows.js";
import {NodeFrames, Pins, Solids} from "./solids.js";
import {Surfaces, collect_surfaces} from "./surfaces.js";
import {Traces} from "./traces.js";
import {Tubes, collect_lines} from "./tubes.js";

// For modes the cloud already covers the whole cycle.
const machine_moves = (machine) => machine.view.kind === "recording";

export class Stage {
  // others: [{machine, run}], machines of other runs, drawn in the same view.
  constructor(machine, canvas, survey, others = []) {
    this.machine = machine;
    this.run = others.length ? machine.view.run : null;
    this.survey = survey;               // of the whole motion
    this.renderer = new WebGLRenderer({canvas, antialias: true, preserveDrawingBuffer: true, stencil: true});
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    const g = new Vector3(...machine.view.gravity);
    this.up = g.length() > 0 ? g.clone().normalize().negate() : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);       // before creating the controls, which store it
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.controls.addEventListener("start", () => (this.touched = true));
    this.touched = false;               // the camera was moved by hand
    this.plain = false;
    this.corner = new AxesCorner(g);
    this.show = {ghost: false, trace: true, axes: false, nodes: false, colour: others.length ? "run" : "body", runs: new Set()};
    this.size = Math.max(survey.box.getSize(new Vector3()).length(), 1e-6);
    this.build_lights();
    this.build_machine();
    this.others = others.map((other) => new OtherMachine(other, this.scene, this.size, 8));
    for (const {run} of [{run: this.run}, ...others]) this.show.runs.add(run);
    this.camera.position.copy(best_corner(survey.cloud, this.up, this.tangents(), 0.03 * this.size));
  }

  // Sky light, a directional light from above that casts the shadows, a weak light at the camera for shaded parts.
  build_lights() {
    const sky = new HemisphereLight(0xffffff, 0x9a9690, 1.7);
    sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 1.5);
    const aside = new Vector3(0.32, -0.2, 0).addScaledVector(this.up, -this.up.dot(new Vector3(0.32, -0.2, 0)));
    this.sun.position.copy(this.up).add(aside);
    this.lamp = new DirectionalLight(0xffffff, 0.8);
    this.scene.add(sky, this.sun, this.lamp);
  }

  build_machine() {
    const {machine, scene} = this;
    const bodies = machine.view.bodies.length;
    this.lines = collect_lines(machine, this.size);
    const corners = collect_surfaces(machine);
    const sides = bodies > 500 ? 5 : bodies > 200 ? 6 : bodies > 40 ? 8 : 16;
    const solid = {vertexColors: true, specular: 0x2a2a2a, shininess: 35};
    this.tubes = new Tubes(machine, this.lines, sides, new MeshPhongMaterial(solid));
    this.surfaces = new Surfaces(machine, corners, new MeshPhongMaterial({...solid, side: DoubleSide}));
    const faint = new MeshLambertMaterial({color: 0x8899aa, transparent: true, opacity: 0.28, depthWrite: false, side: DoubleSide});
    this.ghosts = [new Tubes(machine, this.lines, Math.min(sides, 8), faint), new Surfaces(machine, corners, faint)];
    for (const part of [this.tubes, this.surfaces, ...this.ghosts]) if (part.geometry.index.count) scene.add(part.mesh);
    this.solids = new Solids(machine, scene, this.size);
    this.pins = new Pins(machine, scene, this.size, this.lines);
    this.frames = new NodeFrames(machine, scene, this.size);
    this.plumes = new Plumes(machine, scene, this.size);
    this.elements = new Elements(machine, scene, this.size);
    this.contacts = new Contacts(machine, scene, this.size);
    this.rotors = new Rotors(machine, scene, this.size);
    this.traces = machine.view.frames ? new Traces(machine, scene, this.run === null ? null : run_colour(this.run)) : null;
    this.shadows = new Shadows([this.tubes.mesh, this.surfaces.mesh, this.solids.box_mesh, this.solids.ball_mesh, this.pins.mesh], scene);
  }

  // Applies the colours of the page; rebuilds the ground.
  theme(colours) {
    this.scene.background = new Color(colours.stage);
    for (const other of this.others) other.theme();
    if (this.run !== null) this.traces?.set_colour(run_colour(this.run));
    if (this.ground) this.scene.remove(this.ground);
    this.ground = make_ground(this.survey.box, this.up, colours);
    this.scene.add(this.ground);
    this.shadows.cast(this.up, this.ground.userData.low, this.sun.position, colours);
    this.dirty = true;
  }

  // Updates the machine to its sampled state, with magnified deformation.  motion.rest, if any, sets the state of the
  // ghost.  Returns true if the view is incomplete and has to be updated again.
  update(scale, t, motion = {}) {
    const {machine, show} = this;
    const here = show.runs.has(this.run);
    for (const ghost of this.ghosts) ghost.mesh.visible = show.ghost && here;
    if (show.ghost && here) {
      motion.rest?.();
      machine.place(0);
      machine.stations();
      for (const ghost of this.ghosts) ghost.update();
      if (motion.rest) motion.sample();
    }
    machine.with_energy = show.colour === "strain";
    machine.place(scale);
    machine.stations();
    const values = {deflection: machine.deflection, strain: machine.energy}[show.colour] ?? null;
    const largest = show.colour === "strain" ? this.survey.energy : this.survey.deflection;
    const only = this.tubes.visible;
    for (const part of [this.tubes, this.surfaces, this.solids]) {
      part.update(only);
      part.colour(values, largest, show.colour === "run" ? run_colour(this.run) : null);
    }
    this.pins.update(only, show.axes && here);
    this.frames.update(show.nodes && here);
    this.plumes.update(t, here && machine_moves(machine));
    this.elements.update(here);
    this.contacts.update(here);
    this.rotors.update(here && only === null);
    if (this.run !== null) this.set_visible(here);
    this.dirty = true;
    const unfinished = this.others.map((other) => other.update(scale, t, show.runs.has(other.run), show.trace));
    return [this.traces?.update(t, scale, show.trace && here) ?? false, ...unfinished].some(Boolean);
  }

  set_visible(on) {
    for (const part of [this.tubes, this.surfaces]) part.mesh.visible = on;
    this.solids.set_visible(on);
    this.pins.set_visible(on);
    this.shadows.group.visible = on && !this.plain;
  }

  // Releases the resources of the graphics card.
  destroy() {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  only(body) {
    for (const part of [this.tubes, this.surfaces, ...this.ghosts]) part.visible = body;
  }

  // Tangents of half the angle of view, across and up, minus the space for the marks in the corners.
  tangents() {
    const up = Math.tan((this.camera.fov * Math.PI) / 360);
    return [0.95 * up * this.camera.aspect, 0.86 * up];
  }

  // Fits the whole motion and the machine as currently magnified into the view, from the same side.
  fit() {
    const {cloud} = this.survey;
    const {points} = this.machine;
    const now = this.drawn && machine_moves(this.machine) ? points : [];
    const all = new Float32Array(cloud.length + now.length);
    all.set(cloud);
    all.set(now, cloud.length);
    const from = this.camera.position.clone().sub(this.controls.target);
    const {centre, distance, direction} = fit_points(all, from, this.camera.up, this.tangents(), 0.03 * this.size);
    this.camera.near = this.size / 400;
    this.camera.far = this.size * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.controls.update();
    this.touched = false;
    this.dirty = true;
  }

  view(name) {
    const d = name === "iso" ? best_corner(this.survey.cloud, this.up, this.tangents(), 0.03 * this.size) : view_direction(name, this.up);
    this.camera.position.copy(this.controls.target).add(d);
    this.fit();
  }

  // Rotates the view by angles across and up, and scales the distance by a factor; for keys.
  turn(across, up, nearer) {
    const offset = this.camera.position.clone().sub(this.controls.target).applyAxisAngle(this.up, across);
    const height = Math.PI / 2 - offset.angleTo(this.up);
    const right = this.up.clone().cross(offset).normalize();
    const rise = Math.min(Math.max(height + up, -1.5), 1.5) - height;
    offset.applyAxisAngle(right, -rise).multiplyScalar(nearer);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.touched = true;
    this.dirty = true;
  }

  // Half the resolution in each direction, and no shadows.
  set_plain(plain) {
    this.plain = plain;
    this.shadows.group.visible = !plain && this.show.runs.has(this.run);
    this.renderer.setPixelRatio(this.ratio());
    this.dirty = true;
  }

  ratio() {
    return (this.plain ? 0.5 : 1) * Math.min(window.devicePixelRatio || 1, 2);
  }

  resize(width, height) {
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.setSize(width, height, false);
    this.width = width;
    this.height = height;
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.fit();
    this.dirty = true;
  }

  render() {
    if (!this.dirty || !this.width) return;
    this.dirty = false;
    this.drawn = true;
    this.lamp.position.copy(this.camera.position).sub(this.controls.target).applyAxisAngle(this.camera.up, 0.5);
    this.renderer.setViewport(0, 0, this.width, this.height);
    this.renderer.render(this.scene, this.camera);
    this.corner.render(this.renderer, this.camera, this.controls.target);
  }
}
