// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Bands of a thinned recording: smallest and largest value of all original records, drawn behind the kept ones.

import {frame_at} from "./kinematics.js";

// [low, high] over the bands of the channels between two times, or null without bands.
export function band_range(channels, from, to) {
  let low = Infinity, high = -Infinity;
  for (const channel of channels) {
    if (!channel.low) continue;
    const last = frame_at(channel.time, channel.time.length, to);
    for (let i = frame_at(channel.time, channel.time.length, from); i <= last; ++i) {
      if (channel.low[i] < low) low = channel.low[i];
      if (channel.high[i] > high) high = channel.high[i];
    }
  }
  return low <= high ? [low, high] : null;
}

// Fills the band of one channel in the chart u: one step per record, merged if several fall on one pixel.
export function draw_band(u, channel, colour) {
  const {ctx, bbox} = u, {time} = channel;
  const {min, max} = u.scales.x;
  const scale = bbox.width / (max - min);
  const place = (t) => bbox.left + (t - min) * scale;
  const height = (value) => u.valToPos(value, "y", true);
  const first = frame_at(time, time.length, min), last = Math.min(frame_at(time, time.length, max) + 1, time.length - 1);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.3;
  ctx.beginPath();
  let left = null, low = Infinity, high = -Infinity;
  for (let i = Math.max(0, first - 1); i <= last && i < time.length - 1; ++i) {
    left ??= Math.round(place(time[i]));
    if (channel.low[i] < low) low = channel.low[i];     // false for NaN
    if (channel.high[i] > high) high = channel.high[i];
    const right = Math.round(place(time[i + 1]));
    if (right <= left && i < last) continue;
    if (low <= high) {
      const top = height(high);
      ctx.rect(left, top, Math.max(right - left, 1), height(low) - top);
    }
    left = null;
    low = Infinity;
    high = -Infinity;
  }
  ctx.fill();
  ctx.restore();
}

// Whether the band is wider than the last displayed digit of the value.
export function band_shows(value, low, high, digits) {
  if (!(high > low)) return false;
  const size = Math.max(Math.abs(value), Math.abs(low), Math.abs(high));
  const shown = value === 0 ? size : Math.abs(value);
  return high - low > 10 ** (Math.floor(Math.log10(shown)) + 1 - digits);
}
