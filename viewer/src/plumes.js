// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Plumes of firing thrusters: cones from their nodes, opposite to the force.

import {ConeGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3} from "three";

const kDown = new Vector3(0, 0, -1);
const matrix = new Matrix4(), turn = new Quaternion(), place = new Vector3(), size = new Vector3(), direction = new Vector3();
const pose = new Float64Array(7);

export class Plumes {
  constructor(machine, scene, reach) {
    this.machine = machine;
    this.reach = 0.07 * reach;
    this.items = machine.view.thrusters ?? [];
    // Its tip at the origin, opening along -z.
    const cone = new ConeGeometry(0.22, 1, 12, 1, true).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    this.mesh = new InstancedMesh(cone, new MeshBasicMaterial({color: 0xe69f00, transparent: true, opacity: 0.75, depthWrite: false}), this.items.length);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    scene.add(this.mesh);
  }

  // State at time t: the thrust of a frame holds until the next frame.
  update(t, show) {
    this.mesh.visible = show && this.items.length > 0;
    if (!this.mesh.visible) return;
    const {view} = this.machine;
    const {time} = view.frames;
    let low = 0, high = time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    this.items.forEach(({node, body, force, direction: along}, i) => {
      const share = view.thrust[low * this.items.length + i] / force;
      this.machine.node_pose(node, body, pose);
      direction.set(...along).applyQuaternion(turn.set(pose[4], pose[5], pose[6], pose[3])).negate();
      size.setScalar(share > 0 ? this.reach * Math.sqrt(share) : 0);
      this.mesh.setMatrixAt(i, matrix.compose(place.set(pose[0], pose[1], pose[2]), turn.setFromUnitVectors(kDown, direction), size));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
