import {open_browser} from "./test/browser.mjs";
import {readFileSync} from "node:fs";
const browser = await open_browser();
const page = await browser.show(readFileSync("/tmp/v/four-bar.html", "utf8"), {viewport: {width: 1366, height: 768}});
console.log(await page.evaluate(() => { limber_view.player.seek(1.5); const m = limber_view.stage_panel.machine; return [limber_view.node_place("rocker.tip"), limber_view.node_place("coupler.tip"), [...m.first], [...m.points].slice(-6), m.view.nodes.map(n=>n.name)]; }));
await browser.close();
