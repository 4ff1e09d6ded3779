// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Extent and largest deflection of the machine over the whole motion.

import {Box3, Vector3} from "three";

const kMostPoints = 3000;   // kept to fit the camera
const kBoxPictures = 25;    // frames in which the corners of boxes are examined

// {box, cloud (points reached by the machine), deflection, energy (largest)} from `pictures` frames of the motion.
export function survey_motion(machine, pictures, sample) {
  const box = new Box3(), point = new Vector3(), cloud = [];
  const {points, placed, view} = machine;
  const count = points.length / 3;
  const stride = Math.max(1, Math.ceil((count * pictures) / kMostPoints)) | 1;
  const box_stride = Math.ceil(pictures / kBoxPictures);
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
    if (i % box_stride === 0 || i === pictures - 1) add_boxes(machine, box, cloud);
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

// Points reached by the machine in one cycle, for the camera; `only`: the only body that is drawn.
export function survey_cycle(machine, only, samples) {
  const cloud = [], box = new Box3();
  for (const sample of samples) {
    sample();
    machine.stations();
    machine.view.bodies.forEach(({geometry}, b) => {
      if (only !== null && only !== b) return;
      cloud.push(...machine.points.subarray(3 * machine.first[b], 3 * (machine.first[b] + geometry.count)));
    });
    add_boxes(machine, box, cloud, only);
  }
  return Float32Array.from(cloud);
}

function add_boxes(machine, box, cloud, only = null) {
  const point = new Vector3(), m = new Float64Array(12);
  machine.view.bodies.forEach((body, b) => {
    if (only !== null && only !== b) return;
    machine.body_frame(b, m);
    for (const [x, y, z, ...size] of body.geometry.boxes) {
      for (let corner = 0; corner < 8; ++corner) {
        const side = (c) => ((corner >> c) & 1 ? 0.5 : -0.5) * size[c];
        const [px, py, pz] = [x + side(0), y + side(1), z + side(2)];
        point.set(m[0] * px + m[1] * py + m[2] * pz + m[9], m[3] * px + m[4] * py + m[5] * pz + m[10], m[6] * px + m[7] * py + m[8] * pz + m[11]);
        box.expandByPoint(point);
        cloud.push(point.x, point.y, point.z);
      }
    }
  });
}
