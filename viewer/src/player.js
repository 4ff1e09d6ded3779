// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The current time of the page: plays, steps, loops.

import {frame_at} from "./kinematics.js";

export const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
  // times: of the frames, rising.
  constructor(times) {
    this.times = times;
    this.first = times[0];
    this.last = times[times.length - 1];
    this.t = this.first;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.listeners = [];
    this.clock = null;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  seek(t) {
    this.t = Math.min(Math.max(t, this.first), this.last);
    this.tell();
  }

  play(on) {
    if (on && !this.loop && this.t >= this.last) this.t = this.first;
    this.playing = on && this.last > this.first;
    this.clock = null;
    this.tell();
  }

  step(frames) {
    this.play(false);
    const i = frame_at(this.times, this.times.length, this.t + 1e-9 * (this.last - this.first));
    const at = this.times[Math.min(Math.max(i + frames, 0), this.times.length - 1)];
    const between = frames < 0 && this.t > this.times[i] + 1e-6 * (this.last - this.first);
    this.seek(between && frames === -1 ? this.times[i] : at);
  }

  set_speed(speed) {
    this.speed = speed;
    this.tell();
  }

  change_speed(direction) {
    const i = kSpeeds.indexOf(this.speed);
    this.set_speed(kSpeeds[Math.min(Math.max(i + direction, 0), kSpeeds.length - 1)]);
  }

  // Advances by the time since the last call; now in ms.
  tick(now) {
    if (!this.playing) return;
    const passed = this.clock === null ? 0 : Math.min(now - this.clock, 250) / 1000;
    this.clock = now;
    const span = this.last - this.first;
    let t = this.t + passed * this.speed;
    if (t >= this.last) {
      if (this.loop) t = this.first + ((t - this.first) % span);
      else {
        t = this.last;
        this.playing = false;
      }
    }
    this.seek(t);
  }
}
