// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Colours suitable for colour-blind readers: those of Okabe and Ito for signals and bodies, cividis for deflection and strain.

export const kOkabeIto = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f"];

// Lightened at its dark end, to be visible on a dark background.
const kCividis = [[24, 70, 150], [52, 80, 130], [76, 84, 109], [107, 109, 113], [138, 134, 120], [172, 161, 116], [209, 190, 101], [255, 233, 69]];

// Bright colours are darkened for thin lines on a light background.
const kOnLight = ["#0072b2", "#d08700", "#009e73", "#c2649a", "#3f9fd8", "#d55e00", "#8f8500", "#6b6b6b"];

// The light blue comes first on a dark background, the dark blue on a light one.
export function signal_colour(i, dark) {
  const k = i % kOkabeIto.length;
  return dark ? kOkabeIto[k % 4 === 0 ? 4 - k : k] : kOnLight[k];
}

const kSteps = 256;
const table = new Float32Array(3 * kSteps);

// Colour of x in 0 ... 1 into out[k ... k+2], linear light.
export function scale_colour(x, out, k) {
  if (table[2] === 0) fill_table();
  const i = 3 * Math.round(Math.min(Math.max(x, 0), 1) * (kSteps - 1));
  out[k] = table[i];
  out[k + 1] = table[i + 1];
  out[k + 2] = table[i + 2];
}

function fill_table() {
  for (let at = 0; at < kSteps; ++at) {
    const place = (at / (kSteps - 1)) * (kCividis.length - 1);
    const i = Math.min(Math.floor(place), kCividis.length - 2);
    const s = place - i;
    for (let c = 0; c < 3; ++c) table[3 * at + c] = linear(((1 - s) * kCividis[i][c] + s * kCividis[i + 1][c]) / 255);
  }
}

// The same as CSS text.
export function scale_rgb(x) {
  const place = Math.min(Math.max(x, 0), 1) * (kCividis.length - 1), i = Math.min(Math.floor(place), kCividis.length - 2), s = place - i;
  return `rgb(${kCividis[i].map((c, k) => Math.round((1 - s) * c + s * kCividis[i + 1][k])).join(",")})`;
}

export function scale_gradient() {
  return `linear-gradient(90deg, ${kCividis.map((rgb) => `rgb(${rgb.join(",")})`).join(", ")})`;
}

const kManyBodies = 50;

// Distinct colours for few bodies; colours along the scale for many, where distinct ones would look like noise.
export function body_colour(view, body, out, k) {
  const {colour} = view.bodies[body];
  if (view.colour_count > kManyBodies) {
    scale_colour(0.15 + (0.85 * colour) / view.colour_count, out, k);
    return;
  }
  one_colour(kOkabeIto[colour % kOkabeIto.length], out, k);
}

// "#rrggbb" into out[k ... k+2], linear light.
export function one_colour(text, out, k) {
  const hex = parseInt(text.slice(1), 16);
  for (let c = 0; c < 3; ++c) out[k + c] = linear(((hex >> (16 - 8 * c)) & 255) / 255);
}

function linear(x) {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}
