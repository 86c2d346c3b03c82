// SPDX-License-Identifier: GPL-3.0-only
// Drives a browser over its DevTools port: playwright.mjs MODULES ENDPOINT URL. One line of JSON.
import { createRequire } from "node:module";

const [modules, endpoint, url] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const browser = await chromium.connectOverCDP(endpoint);
const page = await (await browser.newContext({ viewport: { width: 320, height: 240 } })).newPage();
await page.goto(url);
const title = await page.title();
await page.fill("#name", "typed from outside");
await page.click("#go");
const said = await page.textContent("#said");
const shot = await page.screenshot();
const file = await page.goto("file:///etc/hostname").then(() => page.textContent("body"), String);
console.log(JSON.stringify({
    title, said, file, version: browser.version(),
    png: shot.subarray(0, 8).toString("latin1"), width: shot.readUInt32BE(16),
    height: shot.readUInt32BE(20),
}));
await browser.close();
