// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Where the machine comes and how far it bends, over the whole motion.

import {Box3, Vector3} from "three";

const kMostPoints = 3000;   // kept to fit the camera

// {box, cloud (points where the machine comes), deflection, energy (largest)} from `pictures` of the motion.
export function survey_motion(machine, pictures, sample) {
  const box = new Box3(), point = new Vector3(), cloud = [];
  const {points, placed, view} = machine;
  const count = points.length / 3;
  const stride = Math.max(1, Math.ceil((count * pictures) / kMostPoints)) | 1;
  let deflection = 0, energy = 0, next = 0;
  machine.with_energy = machine.has_energy;
  for (let i = 0; i < pictures; ++i) {
    sample(i, pictures);
    machine.place(1);
    machine.stations();
    for (let k = 0; k < points.length; k += 3) box.expandByPoint(point.set(points[k], points[k + 1], points[k + 2]));
    for (; next < count; next += stride) cloud.push(points[3 * next], points[3 * next + 1], points[3 * next + 2]);
    next -= count;
    deflection = largest(machine.deflection, deflection);
    if (machine.has_energy) energy = largest(machine.energy, energy);
    for (let b = 0; b < placed.length; b += 7) box.expandByPoint(point.fromArray(placed, b));
    if (i === 0 || i === pictures - 1) add_boxes(machine, box, cloud);
  }
  machine.with_energy = false;
  if (box.isEmpty()) box.setFromCenterAndSize(new Vector3(), new Vector3(1, 1, 1));
  if (!cloud.length) for (let b = 0; b < view.bodies.length; ++b) cloud.push(placed[7 * b], placed[7 * b + 1], placed[7 * b + 2]);
  return {box, cloud: Float32Array.from(cloud), deflection, energy};
}

function largest(values, most) {
  for (let i = 0; i < values.length; ++i) if (values[i] > most) most = values[i];
  return most;
}

function add_boxes(machine, box, cloud) {
  const point = new Vector3();
  machine.view.bodies.forEach((body, b) => {
    for (const [x, y, z, ...size] of body.geometry.boxes) {
      const reach = Math.hypot(x, y, z) + 0.5 * Math.hypot(...size);
      for (const r of [reach, -reach]) {
        box.expandByPoint(point.fromArray(machine.placed, 7 * b).addScalar(r));
        cloud.push(point.x, point.y, point.z);
      }
    }
  });
}
