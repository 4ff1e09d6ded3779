import {open_browser} from "./test/browser.mjs";
import {readFileSync} from "node:fs";
const browser = await open_browser();
for (const a of process.argv.slice(2)) {
  const [file, t, out] = a.split(",");
  const t0 = Date.now();
  const page = await browser.show(readFileSync(file, "utf8"), {viewport: {width: 1366, height: 768}});
  console.log(file, "ready", Date.now() - t0, "ms", page.problems, await page.evaluate(() => performance.now()));
  await page.evaluate((t) => limber_view.player?.seek(Number(t)), t);
  await page.waitForTimeout(500);
  await page.screenshot({path: out});
  await page.close();
}
await browser.close();
