// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The data container embedded in the page: base64 of gzip of header and arrays (README.md, "The data").

export class DataError extends Error {}

const kMagic = "LIMBERV1";
const kTypes = {f32: Float32Array, f64: Float64Array, u32: Uint32Array};

export function fail(text) {
  throw new DataError(text);
}

export function check(condition, text) {
  if (!condition) fail(text);
}

// {header, array(name)} of the page; throws a DataError with a readable message.
export async function open_container(element) {
  const text = element ? element.textContent.trim() : "";
  check(text !== "" && !text.startsWith("@"), "This page holds no recording: it is the empty template. limber view RECORDING fills it.");
  const packed = base64_bytes(text);
  return read_container(packed[0] === 0x1f && packed[1] === 0x8b ? await unzip(packed) : packed);
}

function base64_bytes(text) {
  let raw;
  try {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    raw = atob(text);
  } catch {
    fail("The data of this page is broken: it is not base64. The file may have been edited or cut; write it again.");
  }
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function unzip(bytes) {
  check(typeof DecompressionStream !== "undefined",
    "This browser cannot unpack the data (no DecompressionStream). Chrome 80, Firefox 113, Safari 16.4 or newer can.");
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    return fail("The data of this page is broken: it does not unpack. The file may have been cut; write it again.");
  }
}

// {header, array(name), part(header)} of a container; part: the same for a nested header with its own arrays.
export function read_container(bytes) {
  check(bytes.length >= 16, "The data of this page is broken: it is too short.");
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  check(magic === kMagic, "The data of this page is not of this version of the viewer: it does not begin with " + kMagic + ".");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  check(12 + length <= bytes.length, "The data of this page is broken: its header is cut.");
  let header;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  } catch {
    fail("The data of this page is broken: its header is not JSON.");
  }
  check(header !== null && typeof header === "object", "The data of this page is broken: its header is no object.");
  const start = Math.ceil((12 + length) / 8) * 8;
  const part = (inner) => {
    check(inner !== null && typeof inner === "object", "The data of this page is broken: a part has no header.");
    const cache = new Map();
    const array = (name) => {
      if (!cache.has(name)) cache.set(name, cut_array(bytes, start, inner.arrays ?? {}, name));
      return cache.get(name);
    };
    return {header: inner, array, part};
  };
  return part(header);
}

function cut_array(bytes, start, arrays, name) {
  const entry = Object.hasOwn(arrays, name) ? arrays[name] : fail(`The data of this page has no array '${name}'.`);
  const {type, shape, offset, packed} = entry;
  check(Object.hasOwn(kTypes, type) && Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && n >= 0)
    && Number.isInteger(offset) && offset >= 0, `The data of this page is broken: array '${name}' is not described well.`);
  check(packed === undefined || (type === "f32" && Number.isInteger(packed) && packed > 0),
    `The data of this page is broken: array '${name}' is packed in an unknown way.`);
  const make = kTypes[type];
  const count = shape.reduce((a, b) => a * b, 1);
  const first = start + offset, size = count * make.BYTES_PER_ELEMENT;
  check(first + size <= bytes.length, `The data of this page is cut: array '${name}' is not whole.`);
  if (packed) return {values: unpack(bytes.subarray(first, first + size), count, packed), shape};
  const place = bytes.byteOffset + first;
  const aligned = place % make.BYTES_PER_ELEMENT === 0;
  const buffer = aligned ? bytes.buffer : bytes.buffer.slice(place, place + size);
  return {values: new make(buffer, aligned ? place : 0, count), shape};
}

// Unpacks four byte planes, lowest first, of zigzag-coded differences between the bits of values `stride` apart.
export function unpack(bytes, count, stride) {
  const b0 = bytes.subarray(0, count), b1 = bytes.subarray(count, 2 * count);
  const b2 = bytes.subarray(2 * count, 3 * count), b3 = bytes.subarray(3 * count, 4 * count);
  const bits = new Uint32Array(count);
  for (let i = 0; i < count; ++i) {
    const z = b0[i] | (b1[i] << 8) | (b2[i] << 16) | (b3[i] << 24);
    const difference = (z >>> 1) ^ -(z & 1);
    bits[i] = i < stride ? difference : (bits[i - stride] + difference) | 0;
  }
  return new Float32Array(bits.buffer);
}
