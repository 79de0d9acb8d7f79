// Drives the playground in a real browser: types schemas, generates, looks at what is shown.
//
//     node browser.mjs URL CHROMIUM FOLDER-WITH-PLAYWRIGHT-CORE [PICTURE.png]
//
// With a picture, the page is photographed for the README as well.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const [url, executablePath, folder, picture] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(folder), "x.js"))("playwright-core");

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", maxLength: 12 }, people: { type: "integer", minimum: 1, maximum: 999 } },
  required: ["city", "people"],
  additionalProperties: false,
};

const step = (words) => console.log(`browser: ${words}`);

async function generate(page) {
  await page.click("#generate");
  await page.waitForSelector("#stop:not([hidden])", { timeout: 10_000 });
  await page.waitForSelector("#stop[hidden]", { timeout: 90_000, state: "attached" });
  return page.textContent("#text");
}

async function diagnostics(page) {
  await page.waitForSelector('#source[aria-invalid="true"]', { timeout: 10_000 });
  const line = await page.textContent("#gutter .bad");
  const words = await page.textContent("#diagnostics button");
  assert.ok(await page.locator("#backdrop mark").count(), "the place is marked");
  assert.match(line, /4$/, "the fourth line is marked");
  assert.match(words, /4:\d+/);
  assert.match(words, /\/properties\/city\/type/);
  assert.match(words, /strin/);
}

async function chips(page) {
  assert.ok((await page.locator("#output .chip").count()) > 4, "there are chips");
  assert.ok(await page.locator("#output .chip.forced").count(), "forced tokens are marked");
  await page.locator("#output .chip.sampled").first().hover();
  assert.match(await page.textContent("#token"), /before the mask[\s\S]*after the mask[\s\S]*tokens allowed/);
  const told = [];
  for (const chip of await page.locator("#output .chip.sampled").all()) {
    await chip.hover();
    told.push(await page.textContent("#token"));
  }
  assert.ok(told.some((words) => /Strongest refused:[\s\S]*does not fit; expected/.test(words)), told.join("\n"));
  // Without a mouse.
  await page.locator("#output .chip").first().focus();
  const before = await page.textContent("#token .name");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.textContent("#token .name"), before);
  assert.ok(await page.locator("#chart circle.mask").count(), "the chart has masks");
  assert.ok(await page.locator("#chart circle.model-time").count(), "the chart has the model");
}

async function narrow(page) {
  await page.setViewportSize({ width: 360, height: 740 });
  const [inner, whole] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.ok(whole <= inner, `nothing sticks out of a narrow window (${whole} > ${inner})`);
}

async function photograph(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, deviceScaleFactor: 1.25 });
  await page.goto(url);
  await page.waitForSelector("#diagnostics .good", { timeout: 10_000 });
  await generate(page);
  // The token at which most was refused.
  let [best, most] = [null, -1];
  for (const chip of await page.locator("#output .chip.sampled").all()) {
    await chip.hover();
    const refused = await page.locator("#token .refusals .number").allTextContents();
    const sum = refused.reduce((all, words) => all + (parseFloat(words) || 0), 0) + refused.length;
    if (sum > most) [best, most] = [chip, sum];
  }
  await best.click();
  await page.screenshot({ path: picture });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: picture.replace(".png", "-dark.png") });
  await page.setViewportSize({ width: 390, height: 1800 });
  await page.screenshot({ path: picture.replace(".png", "-narrow.png") });
}

const browser = await chromium.launch({ executablePath, args: FLAGS, headless: true });
try {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("data:") || problems.push(`asks for ${request.url()}`));
  await page.goto(url);
  await page.waitForSelector("#diagnostics .good", { timeout: 10_000 });
  step("the page is there, and its first example compiles");

  await page.fill("#source", JSON.stringify(SCHEMA, null, 2).replace(/("city": \{)\s*"type": "string"/, '$1 "type": "strin"'));
  await diagnostics(page);
  step("a broken schema is marked at its place");

  await page.fill("#source", JSON.stringify(SCHEMA, null, 2));
  await page.waitForSelector('#source[aria-invalid="false"]', { timeout: 10_000 });
  await page.fill("#prompt", "Name a city.");
  await page.fill("#max_tokens", "40");
  const value = JSON.parse(await generate(page));
  assert.deepEqual(Object.keys(value), ["city", "people"]);
  assert.ok(value.city.length <= 12 && Number.isInteger(value.people) && value.people >= 1 && value.people <= 999);
  assert.match(await page.textContent("#outcome"), /Complete/);
  step(`valid JSON was written: ${JSON.stringify(value)}`);

  await chips(page);
  step("chips tell what was allowed and what was refused, with mouse and keyboard");
  await narrow(page);
  await page.check('input[name="kind"][value="choice"]', { force: true });
  await page.waitForSelector("#diagnostics .good", { timeout: 10_000 });
  assert.ok((await page.inputValue("#source")).split("\n").includes(await generate(page)), "one of the choices");
  step("a choice, in a narrow window");
  assert.deepEqual(problems, []);
  if (picture) await photograph(browser);
} finally {
  await browser.close();
}
