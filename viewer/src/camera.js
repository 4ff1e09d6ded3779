// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Camera positions from which given points fill the view.

import {Quaternion, Vector3} from "three";

const kViews = {x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1]};

// Candidate directions of a three-quarter view: [angle about up from -y, height], the default first.
const kCorners = [35, -35, 60, -60, 145, -145].flatMap((azimuth) => [26, 40, 55].map((height) => [azimuth, height]));

function corner_direction([azimuth, height], up) {
  const a = (azimuth * Math.PI) / 180, e = (height * Math.PI) / 180;
  const d = new Vector3(Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e));
  return d.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up));
}

// Direction towards the camera of a named view.
export function view_direction(name, up) {
  const d = new Vector3(...kViews[name]);
  // Exactly from above, the up direction is undefined: tilt slightly towards -y, or towards z if y is up.
  if (Math.abs(d.dot(up)) > 0.999) d.add(Math.abs(up.y) > 0.9 ? new Vector3(0, 0, 1e-4) : new Vector3(0, -1e-4, 0));
  return d;
}

// The three-quarter view in which the points cover most of the view.
export function best_corner(points, up, tangents, margin) {
  let best = null, most = -Infinity;
  kCorners.forEach((corner, i) => {
    const d = corner_direction(corner, up);
    const found = fit_points(points, d, up, tangents, margin);
    // Prefers the first candidates unless another is clearly better; a view from high above looks like a plan.
    const score = found.spread * (1 - 0.012 * i) * (corner[1] > 50 ? 0.8 : 1);
    if (score > most) [best, most] = [d, score];
  });
  return best;
}

// {centre, distance, spread} for a camera in direction d: all points are visible with a margin, and centred.
// tangents: [across, up] of half the angle of view.  spread: measure of the scatter of the points in the view.
export function fit_points(points, d, up, tangents, margin) {
  const back = d.clone().normalize();
  const right = up.clone().cross(back).normalize();
  const above = back.clone().cross(right);
  const local = new Float64Array(points.length);
  for (let k = 0; k < points.length; k += 3) {
    const x = points[k], y = points[k + 1], z = points[k + 2];
    local[k] = right.x * x + right.y * y + right.z * z;
    local[k + 1] = above.x * x + above.y * y + above.z * z;
    local[k + 2] = back.x * x + back.y * y + back.z * z;
  }
  // Each point restricts the camera to half planes; the bounds of both sides intersect at the nearest position.
  const place = [0, 1].map((c) => {
    let low = Infinity, high = -Infinity;
    for (let k = 0; k < local.length; k += 3) {
      low = Math.min(low, local[k + c] - margin - tangents[c] * local[k + 2]);
      high = Math.max(high, local[k + c] + margin + tangents[c] * local[k + 2]);
    }
    // Highest edge: x = high - t z; lowest: x = low + t z.
    return {at: (low + high) / 2, z: (high - low) / (2 * tangents[c])};
  });
  const [x, y] = place.map((p) => p.at);
  const z = Math.max(...place.map((p) => p.z));
  let deepest = 0;
  for (let k = 2; k < local.length; k += 3) deepest += local[k] / (local.length / 3);
  const distance = Math.max(z - deepest, margin);
  const centre = new Vector3().addScaledVector(right, x).addScaledVector(above, y).addScaledVector(back, deepest);
  return {centre, distance, direction: back, spread: spread_of(local, tangents, z)};
}

// Square root of the determinant of the covariance of the points in the view.
function spread_of(local, tangents, z) {
  let n = 0, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
  for (let k = 0; k < local.length; k += 3) {
    const depth = Math.max(z - local[k + 2], 1e-9);
    const x = local[k] / (tangents[0] * depth), y = local[k + 1] / (tangents[1] * depth);
    ++n;
    sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y;
  }
  const cxx = xx / n - (sx / n) ** 2, cyy = yy / n - (sy / n) ** 2, cxy = xy / n - (sx * sy) / (n * n);
  return Math.sqrt(Math.max(cxx * cyy - cxy * cxy, 0)) + 0.05 * Math.sqrt(cxx + cyy);
}
