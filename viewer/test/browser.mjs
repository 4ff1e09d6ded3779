// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0

// Opens pages in a headless Chromium.

import {existsSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const kPrograms = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].filter(Boolean);
const kArguments = ["--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const kPatience = 300000;   // ms for whatever a test waits for: a machine may have ten times as much to do

// Why no browser can be used, or false.
export async function no_browser() {
  if (!kPrograms.some(existsSync)) return "no Chromium installed (apt-get install chromium, or set CHROMIUM)";
  try {
    await import("playwright-core");
    return false;
  } catch {
    return "no playwright-core installed (npm ci)";
  }
}

// One browser serves all tests of a process; it ends when each that opened it has closed it.
let users = 0;
let opened;
export async function open_browser() {
  ++users;
  opened ??= start_browser();
  const browser = await opened;
  const close = async () => {
    if (--users > 0) return;
    opened = undefined;
    await browser.close();
  };
  return {show: browser.show, close};
}

async function start_browser() {
  const {chromium} = await import("playwright-core");
  const browser = await chromium.launch({executablePath: kPrograms.find(existsSync), args: kArguments, timeout: kPatience});
  const folder = mkdtempSync(join(tmpdir(), "limber-viewer-"));
  let count = 0;
  const idle = [];   // pages of the plain kind that were closed: a new one takes longer than all that happens in it
  const new_page = async (options, before) => {
    const page = await browser.newPage({viewport: {width: 1200, height: 800}, ...options});
    page.setDefaultTimeout(kPatience);
    if (before) await page.addInitScript(before);
    // What was asked for is drawn: some pictures have passed, however busy the machine is.
    page.drawn = () => page.evaluate(() => new Promise((done) => {
      let left = 4;
      const next = () => (left-- ? requestAnimationFrame(next) : done());
      next();
    }));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall/.test(message.text()) && page.problems.push(message.text()));
    page.on("pageerror", (error) => page.problems.push(String(error)));
    page.on("dialog", (dialog) => (page.problems.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    page.on("request", (request) => !/^(file|blob|data|about):/.test(request.url()) && page.problems.push(`network: ${request.url()}`));
    if (before || Object.keys(options).length > 0) return page;
    page.close = async () => {
      await page.mouse.move(0, 0);
      await page.goto("about:blank");
      idle.push(page);
    };
    return page;
  };
  // Shows a page; page.problems collects what it complains about and every request that is not for the page itself.
  // before: runs in the page before its own script; cut: that never runs.
  const show = async (html, {before, cut, ...options} = {}) => {
    const file = join(folder, `${++count}.html`);
    writeFileSync(file, html);
    const plain = !before && Object.keys(options).length === 0;
    const page = (plain && idle.pop()) || await new_page(options, before);
    page.problems = [];
    await page.goto(pathToFileURL(file).href);
    if (!cut) await page.waitForSelector("html[data-ready]");
    return page;
  };
  const close = async () => {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
  };
  return {show, close};
}
