// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Surroundings of the machine: ground grid; axes and gravity in the corner.

import {ArrowHelper, BufferGeometry, CanvasTexture, Color, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, PerspectiveCamera,
  Quaternion, SRGBColorSpace, Scene, Sprite, SpriteMaterial, Vector3} from "three";

// 1, 2 or 5 times a power of ten, at least x.
export function nice_step(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5].find((f) => f * power >= x * 0.999) ?? 10);
}

export function length_text(x) {
  if (x >= 1000) return `${x / 1000} km`;
  if (x >= 1) return `${x} m`;
  if (x >= 0.01) return `${Number((x * 100).toPrecision(3))} cm`;
  return `${Number((x * 1000).toPrecision(3))} mm`;
}

export function text_sprite(text, colour, height) {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const font = "600 44px system-ui, sans-serif";
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 16;
  canvas.height = 60;
  context.font = font;
  context.fillStyle = colour;
  context.textBaseline = "middle";
  context.fillText(text, 8, 31);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({map, transparent: true, depthTest: false}));
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  return sprite;
}

// A grid normal to `up` below the machine; box: extent of the machine's motion, in the world.
export function make_ground(box, up, colours) {
  const group = new Group();
  const size = Math.max(box.getSize(new Vector3()).length(), 1e-6);
  const step = nice_step(size / 18);
  const half = Math.ceil((1.1 * size) / step);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
  const centre = box.getCenter(new Vector3()).applyQuaternion(turn.clone().invert());
  const low = Math.min(...[box.min, box.max].map((p) => p.dot(up))) - 0.02 * size;
  const cx = Math.round(centre.x / step) * step, cy = Math.round(centre.y / step) * step;
  group.add(grid_lines(cx, cy, low, step, half, colours));
  group.quaternion.copy(turn);
  group.userData = {step, low};
  return group;
}

// Lines around (cx, cy) that fade with distance.
function grid_lines(cx, cy, low, step, half, colours) {
  const points = [], shades = [];
  const minor = new Color(colours.grid), major = new Color(colours.grid_major);
  const alpha = (x, y) => Math.max(0, 1 - (Math.hypot(x - cx, y - cy) / (half * step)) ** 2);
  const add = (x1, y1, x2, y2, c) => {
    points.push(x1, y1, low, x2, y2, low);
    shades.push(c.r, c.g, c.b, alpha(x1, y1), c.r, c.g, c.b, alpha(x2, y2));
  };
  for (let k = -half; k <= half; ++k) {
    const x = cx + k * step, y = cy + k * step;
    const shade = (z) => (Math.round(z / step) % 5 === 0 ? major : minor);
    for (let i = -half; i < half; ++i) {
      add(x, cy + i * step, x, cy + (i + 1) * step, shade(x));
      add(cx + i * step, y, cx + (i + 1) * step, y, shade(y));
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(shades, 4));
  const lines = new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, transparent: true, depthWrite: false}));
  lines.renderOrder = -2;
  return lines;
}

// The three axes in the corner of the view, x, y, z by colour and letter, and the direction of gravity.
export class AxesCorner {
  constructor(gravity) {
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, 0.1, 10);
    const axes = [["x", "#d55e00", [1, 0, 0]], ["y", "#009e73", [0, 1, 0]], ["z", "#56b4e9", [0, 0, 1]]];
    if (gravity.length() > 0) axes.push(["g", "#8a94a0", gravity.clone().normalize().toArray()]);
    for (const [name, colour, d] of axes) {
      const direction = new Vector3(...d);
      this.scene.add(new ArrowHelper(direction, new Vector3(), 0.8, colour, 0.25, 0.15));
      const label = text_sprite(name, colour, 0.55);
      label.position.copy(direction).multiplyScalar(1.08);
      this.scene.add(label);
    }
  }

  render(renderer, camera, target) {
    const pixels = 92;
    this.camera.position.copy(camera.position).sub(target).setLength(4.4);
    this.camera.up.copy(camera.up);
    this.camera.lookAt(0, 0, 0);
    renderer.setScissorTest(true);
    renderer.setScissor(4, 4, pixels, pixels);
    renderer.setViewport(4, 4, pixels, pixels);
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.render(this.scene, this.camera);
    renderer.autoClear = true;
    renderer.setScissorTest(false);
  }
}
