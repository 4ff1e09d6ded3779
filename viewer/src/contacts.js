// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Contacts: the shape, drawn transparent, and the point or sphere, red if it touches the shape as drawn.

import {BoxGeometry, CylinderGeometry, DoubleSide, Mesh, MeshLambertMaterial, PlaneGeometry, Quaternion, SphereGeometry, Vector3} from "three";

const kTouching = 0xc8202f, kApart = 0xd9a441;
const turn = new Quaternion(), own = new Quaternion(), local = new Vector3(), point = new Vector3();
const pose = new Float64Array(7);

// Geometry of a shape; the axis of a cylinder is along z of its frame.
function make_geometry({kind, size}, reach) {
  if (kind === "box") return new BoxGeometry(...size);
  if (kind === "cylinder") return new CylinderGeometry(size[0], size[0], size[1], 32).rotateX(Math.PI / 2);
  return new PlaneGeometry(0.3 * reach, 0.3 * reach, 6, 6);
}

// Signed distance of a point from the surface of the shape, in the frame of the shape; negative inside.
export function gap_to(kind, size, [x, y, z]) {
  if (kind === "plane") return z;
  const d = kind === "box" ? [Math.abs(x) - size[0] / 2, Math.abs(y) - size[1] / 2, Math.abs(z) - size[2] / 2]
    : [Math.hypot(x, y) - size[0], Math.abs(z) - size[1] / 2];
  return Math.hypot(...d.map((a) => Math.max(a, 0))) + Math.min(Math.max(...d), 0);
}

export class Contacts {
  constructor(machine, scene, reach) {
    this.machine = machine;
    this.items = machine.view.contacts.map((contact) => {
      const seen_through = new MeshLambertMaterial({color: 0x7d8ca3, transparent: true, opacity: 0.3, depthWrite: false, side: DoubleSide,
        wireframe: contact.shape.kind === "plane"});
      const shape = new Mesh(make_geometry(contact.shape, reach), seen_through);
      const ball = new Mesh(new SphereGeometry(Math.max(contact.radius, 0.006 * reach), 20, 14), new MeshLambertMaterial({color: kApart}));
      for (const mesh of [shape, ball]) {
        mesh.frustumCulled = false;
        scene.add(mesh);
      }
      return {contact, shape, ball, gap: Infinity};
    });
  }

  // Sets the pose of a mesh to that of a place on a node, a body or the world.
  put({body, node, at, rotation}, mesh) {
    if (body >= 0) this.machine.node_pose(node, body, pose);
    else pose.set([0, 0, 0, 1, 0, 0, 0]);
    turn.set(pose[4], pose[5], pose[6], pose[3]);
    mesh.position.set(...at).applyQuaternion(turn);
    mesh.position.set(mesh.position.x + pose[0], mesh.position.y + pose[1], mesh.position.z + pose[2]);
    mesh.quaternion.copy(turn).multiply(own.set(rotation[1], rotation[2], rotation[3], rotation[0]));
  }

  update(show) {
    for (const item of this.items) {
      const {contact, shape, ball} = item;
      shape.visible = ball.visible = show;
      if (!show) continue;
      this.put(contact.on, shape);
      this.put(contact.point, ball);
      local.copy(ball.position).sub(shape.position).applyQuaternion(turn.copy(shape.quaternion).conjugate());
      item.gap = gap_to(contact.shape.kind, contact.shape.size, local.toArray()) - contact.radius;
      ball.material.color.set(item.gap <= 0 ? kTouching : kApart);
      // A plane is unbounded: its patch follows the point.
      if (contact.shape.kind === "plane") shape.position.add(point.set(local.x, local.y, 0).applyQuaternion(shape.quaternion));
    }
  }
}
