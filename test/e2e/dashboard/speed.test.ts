import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DIST, demoMint, startDashboard } from "#test/support/processes/dashboard.ts";

const MOST_BYTES = 150 * 1024;
/** The share of the window that moved, times how far; below a hundredth it is not visible. */
const MOST_SHIFT = 0.01;

/** Counts what moves and how long the page takes to answer, from before its first script on. */
const OBSERVE = `
  window.seen = { shift: 0, moved: [], slowestMs: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.seen.shift += entry.value;
      for (const { node } of entry.sources) window.seen.moved.push(node?.outerHTML?.slice(0, 120));
    }
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry.interactionId) window.seen.slowestMs = Math.max(window.seen.slowestMs, entry.duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
`;

type Seen = {
  readonly shift: number;
  readonly moved: readonly string[];
  readonly slowestMs: number;
};

const PATHS = [
  { path: "/", sign: ".example" },
  { path: `/token/${demoMint("Three")}`, sign: "#pools ~ table a.address" },
  { path: "/status", sign: ".venue-list li" },
  { path: "/method", sign: "details" },
  { path: "/watchlist", sign: ".panel .button" },
];

test("the first load is below 150 KB of compressed script and styles, on every page", (t) => {
  const assets = join(DIST, "assets");
  const names = readdirSync(assets);
  const sizeOf = (name: string) => statSync(join(assets, `${name}.br`)).size;
  const all = names.filter((name) => /\.(?:js|css)$/.test(name));
  const index = readFileSync(join(DIST, "index.html"), "utf8");
  const first = all.filter((name) => index.includes(name));
  const sum = (list: readonly string[]) => list.reduce((total, name) => total + sizeOf(name), 0);
  t.diagnostic(`first load: ${kib(sum(first))}; every page together: ${kib(sum(all))} (brotli)`);
  assert.ok(first.length >= 2, "a script and a style sheet");
  assert.ok(sum(all) < MOST_BYTES);
});

test("nothing moves when data arrives", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const isPhone of [false, true]) {
    for (const { path, sign } of PATHS) {
      const { page, context, open } = await dashboard.visit({ isPhone });
      await context.addInitScript(OBSERVE);
      await open(path);
      await page.locator(sign).first().waitFor();
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      await nextFrames(page);
      const loaded = await page.evaluate<Seen>("window.seen");
      const paintMs = await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime",
      );
      await interact(page);
      const { slowestMs } = await page.evaluate<Seen>("window.seen");
      t.diagnostic(
        `${isPhone ? "phone" : "wide"} ${path}: first contentful paint ${paintMs.toFixed(0)} ms, ` +
          `slowest interaction ${slowestMs.toFixed(0)} ms, layout shift ${loaded.shift.toFixed(4)}`,
      );
      assert.ok(loaded.shift < MOST_SHIFT, `${path} moved: ${loaded.moved.join("\n")}`);
    }
  }
});

test("an age that gets longer moves nothing on a phone", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ isPhone: true });
  await open(`/token/${demoMint("Three")}`);
  await page.locator(".confidence a").waitFor();
  const tops = await page.locator(".freshness").evaluate((freshness) =>
    ["data 1 s old · every 5 s", "data 12 s old · every 5 s", "Data 45 s old: not current."].map(
      (words) => {
        const shown = freshness.cloneNode();
        shown.textContent = `● ${words}`;
        freshness.replaceWith(shown);
        const top = freshness.ownerDocument
          .querySelector(".answer-notes")
          ?.getBoundingClientRect().top;
        shown.replaceWith(freshness);
        return top;
      },
    ),
  );
  assert.equal(typeof tops[0], "number");
  assert.deepEqual(tops, Array(3).fill(tops[0]));
});

/** What a reader does most: another theme, another language, and where there is a slider, a size. */
async function interact(page: Page): Promise<void> {
  const tools = page.locator(".tools button");
  await tools.nth(1).click();
  await tools.nth(0).click();
  const slider = page.locator("input[type=range]");
  if ((await slider.count()) > 0) {
    await slider.focus();
    for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowRight");
  }
  await nextFrames(page);
}

/** Lets the browser draw what it has, and report on it. */
async function nextFrames(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => setTimeout(done, 150))");
}

function kib(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`;
}
