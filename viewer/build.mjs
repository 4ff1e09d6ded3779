// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Builds the one-file template: node build.mjs [OUTPUT], by default dist/viewer.html.

import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (...parts) => readFileSync(join(here, ...parts), "utf8");

async function bundle() {
  const result = await build({
    absWorkingDir: here, entryPoints: ["src/main.js"], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    charset: "ascii", legalComments: "none", logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// The whole licence texts, as a comment behind the script.
function licences() {
  return ["three", "uplot"].map((name) => `/*! ${name} ${JSON.parse(read("node_modules", name, "package.json")).version}\n`
    + read("node_modules", name, "LICENSE").trim() + "\n*/").join("\n");
}

export async function make_template() {
  const script = `${await bundle()}\n${licences()}\n`;
  if (/<\/script|<!--/i.test(script)) throw new Error("the script holds </script or <!--, which would end or change it");
  const style = (read("node_modules", "uplot", "dist", "uPlot.min.css") + read("src", "style.css")).replace(/\r/g, "");
  const hash = "sha256-" + createHash("sha256").update(script).digest("base64");
  const fill = (text, mark, value) => text.replace(mark, () => value);
  let page = read("src", "index.html");
  for (const [mark, value] of [["@SCRIPT_HASH@", hash], ["@STYLE@", style], ["@SCRIPT@", script]]) page = fill(page, mark, value);
  return page;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const output = process.argv[2] ?? join(here, "dist", "viewer.html");
  const page = await make_template();
  mkdirSync(dirname(output), {recursive: true});
  writeFileSync(output, page);
  console.log(`${output}: ${page.length} bytes`);
}
