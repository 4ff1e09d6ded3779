// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// All elements are created here, never from HTML text: names in the data reach the page only as text nodes.

// Makes an element: h("button", {class: "x", onclick: f, "aria-label": "Play"}, "text", child, ...).
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

// A long name with line breaks allowed after dots and underscores.
export function breakable(name) {
  return name.split(/(?<=[._/])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
}

// A button whose short text is explained by its title.
export function tool(text, title, action) {
  return h("button", {type: "button", title, "aria-label": title, onclick: action}, text);
}

// A toggle button; on_change(pressed).
export function toggle(label, title, pressed, on_change) {
  const button = h("button", {type: "button", class: "toggle", title, "aria-pressed": String(pressed)}, label);
  button.set = (value) => {
    button.setAttribute("aria-pressed", String(value));
    on_change(value);
  };
  button.flip = () => button.set(button.getAttribute("aria-pressed") !== "true");
  button.addEventListener("click", button.flip);
  return button;
}

export function save_blob(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A name that is valid on every file system.
export function file_name(name, ending) {
  const plain = String(name).normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-");
  return (plain.replace(/^[-.]+|-+$/g, "").slice(0, 80) || "limber") + ending;
}

const kThin = "\u202f";

// Short text of a number: exponents only if shorter, thousands separated; a dash for no value.
export function number_text(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value === Infinity ? "∞" : value === -Infinity ? "−∞" : "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || (size >= 1e5 && !Number.isInteger(value)) || size < 1e-3) return Number(value.toPrecision(digits)).toExponential().replace("e+", "e").replaceAll("-", "−");
  return apart(String(size >= 1e4 ? Math.round(value) : Number(value.toPrecision(digits)))).replace("-", "−");
}

export function count_text(value) {
  return apart(String(Math.round(value)));
}

// 12345.6 -> 12 345.6
function apart(text) {
  const [whole, ...rest] = text.split(".");
  return [whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, kThin) : whole, ...rest].join(".");
}

const kPlainUnits = /^(s|m|rad|N|J|W|V|A|Pa|K)([ ·/].*)?$/;
const kPrefixes = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9]];

// A value with its unit and a suitable prefix: 0.0123, "m" -> "12.3 mm".
export function unit_text(value, unit, digits = 3) {
  if (!Number.isFinite(value) || value === 0) return `${number_text(value)} ${unit}`;
  const [prefix, factor] = kPrefixes.find(([, f]) => Math.abs(value) >= 0.9995 * f) ?? kPrefixes.at(-1);
  return `${number_text(value / factor, digits)} ${prefix}${unit}`;
}

// {factor, unit} in which values up to `largest` are short; units without prefixes are unchanged.
export function display_unit(largest, unit) {
  if (!kPlainUnits.test(unit) || !(largest > 0) || (largest >= 0.01 && largest < 1e5)) return {factor: 1, unit};
  const [prefix, factor] = kPrefixes.find(([, f]) => largest >= 0.9995 * f) ?? kPrefixes.at(-1);
  return {factor, unit: prefix + unit};
}
