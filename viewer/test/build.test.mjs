// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// The committed template is what the source builds, and is what it should be.

import assert from "node:assert/strict";
import {existsSync, readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {test} from "node:test";
import {kTemplate} from "./sample.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const skip = existsSync(join(here, "..", "node_modules", "esbuild")) ? false : "no esbuild installed (npm ci)";

test("the committed template is what the source builds", {skip}, async () => {
  const {make_template} = await import("../build.mjs");
  assert.ok((await make_template()) === readFileSync(kTemplate, "utf8"), "dist/viewer.html is not up to date: node build.mjs");
});

test("the template is one small file with one place for the data and the licences of what it contains", () => {
  const page = readFileSync(kTemplate, "utf8");
  assert.equal(page.split("@LIMBER_VIEW_DATA@").length, 2);
  assert.ok(page.length < 2e6, `${page.length} bytes`);
  const without_script = page.replace(/<script>[^]*<\/script>/, "");
  assert.doesNotMatch(without_script, /<(link|img|iframe)\s|\ssrc=|@import|url\(/i);
  for (const words of ["three.js authors", "Leon Sorokin", "Permission is hereby granted"]) assert.ok(page.includes(words), words);
});

test("the lock file names no host", () => {
  assert.doesNotMatch(readFileSync(join(here, "..", "package-lock.json"), "utf8"), /"resolved"|https?:\/\/(?!.*(opencollective|github\.com\/sponsors))/);
});
