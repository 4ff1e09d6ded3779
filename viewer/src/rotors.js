// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Rotors of drives: discs at their joints that rotate with the motor, with two dark quadrants.

import {BufferAttribute, CylinderGeometry, InstancedMesh, Matrix4, MeshPhongMaterial, Quaternion, Vector3} from "three";

const kSides = 24;
const kZ = new Vector3(0, 0, 1);
const matrix = new Matrix4(), turn = new Quaternion(), own = new Quaternion(), place = new Vector3(), size = new Vector3();
const pose = new Float64Array(7);

// A disc of radius 1 and length 1 about z, starting at z = 0.
function make_disc() {
  const disc = new CylinderGeometry(1, 1, 1, kSides).rotateX(Math.PI / 2).translate(0, 0, 0.5).toNonIndexed();
  const places = disc.getAttribute("position"), shades = new Float32Array(3 * places.count);
  for (let corner = 0; corner < places.count; corner += 3) {
    let x = 0, y = 0;
    for (let k = 0; k < 3; ++k) x += places.getX(corner + k), y += places.getY(corner + k);
    const dark = x * y > 0;
    for (let k = 0; k < 3; ++k) shades.set(dark ? [0.12, 0.14, 0.18] : [0.85, 0.62, 0.2], 3 * (corner + k));
  }
  disc.setAttribute("color", new BufferAttribute(shades, 3));
  return disc;
}

export class Rotors {
  constructor(machine, scene, reach) {
    this.machine = machine;
    this.radius = 0.026 * reach;
    this.items = machine.view.rotors;
    this.mesh = new InstancedMesh(make_disc(), new MeshPhongMaterial({vertexColors: true, specular: 0x222222, shininess: 30}), this.items.length);
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
    this.set_visible(true);
  }

  set_visible(on) {
    this.mesh.visible = on && this.items.length > 0;
  }

  // Updates to the angles of the sampled state.
  update(show) {
    this.set_visible(show);
    if (!this.mesh.visible) return;
    this.items.forEach(({body, node, at, rotation}, i) => {
      if (body >= 0) this.machine.node_pose(node, body, pose);
      else pose.set([0, 0, 0, 1, 0, 0, 0]);
      turn.set(pose[4], pose[5], pose[6], pose[3]);
      place.set(...at).applyQuaternion(turn);
      place.set(place.x + pose[0], place.y + pose[1], place.z + pose[2]);
      turn.multiply(own.set(rotation[1], rotation[2], rotation[3], rotation[0]));
      place.addScaledVector(size.copy(kZ).applyQuaternion(turn), 1.2 * this.radius);
      turn.multiply(own.setFromAxisAngle(kZ, this.machine.rotor_angles[i] % (2 * Math.PI)));
      this.mesh.setMatrixAt(i, matrix.compose(place, turn, size.set(this.radius, this.radius, 0.4 * this.radius)));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
