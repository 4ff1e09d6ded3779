// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Shadows on the ground: copies of the meshes projected along the light.  No cost per frame besides drawing.

import {Color, EqualStencilFunc, Group, IncrementStencilOp, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, DoubleSide} from "three";

export class Shadows {
  constructor(meshes, scene) {
    // Darkens each pixel of the ground once, for any number of parts above it.
    this.material = new MeshBasicMaterial({transparent: true, depthWrite: false, side: DoubleSide, stencilWrite: true, stencilRef: 0,
      stencilFunc: EqualStencilFunc, stencilZPass: IncrementStencilOp});
    this.group = new Group();
    this.pairs = meshes.filter((mesh) => mesh.parent).map((mesh) => [mesh, this.copy(mesh)]);
    scene.add(this.group);
  }

  copy(mesh) {
    const flat = mesh.isInstancedMesh ? new InstancedMesh(mesh.geometry, this.material, 0) : new Mesh(mesh.geometry, this.material);
    if (mesh.isInstancedMesh) {
      flat.instanceMatrix = mesh.instanceMatrix;
      flat.count = mesh.count;
      flat.visible = mesh.visible;
    }
    flat.frustumCulled = false;
    flat.matrixAutoUpdate = false;
    flat.renderOrder = -1;
    this.group.add(flat);
    return flat;
  }

  // p -> p - light (up . p - low) / (up . light)
  cast(up, low, light, colours) {
    const f = 1 / up.dot(light);
    const [ux, uy, uz] = up.toArray(), [lx, ly, lz] = light.toArray().map((x) => x * f);
    const flatten = new Matrix4().set(1 - lx * ux, -lx * uy, -lx * uz, lx * low, -ly * ux, 1 - ly * uy, -ly * uz, ly * low,
      -lz * ux, -lz * uy, 1 - lz * uz, lz * low, 0, 0, 0, 1);
    for (const [, flat] of this.pairs) {
      flat.matrix.copy(flatten);
      flat.matrixWorldNeedsUpdate = true;
    }
    this.material.color = new Color(colours.shadow);
    this.material.opacity = Number(colours.shadow_depth) || 0.2;
  }
}
