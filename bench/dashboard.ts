import { setTimeout as wait } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import { Deployment } from "./support/deployment.ts";
import { lineThrough, type Point } from "./support/growth.ts";
import { readOptions } from "./support/options.ts";

/**
 * What an open token page costs its reader while nothing is done: share of one core, requests, and
 * memory that stays in use after a collection of all garbage, over the demo market. Needs Chromium
 * (CHROMIUM_PATH) and a built dashboard (`npm run build:web`).
 */

const { values } = readOptions("CPU time, requests and memory of an open token page while idle.", {
  minutes: { type: "string", default: "10" },
  mint: { type: "string", help: "the page's token; default a demo token" },
});

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const MINT = values.mint ?? "DemoSteady".padEnd(43, "1");
const SETTLING_MS = 10_000;
const IDLE_MS = 30_000;
const SAMPLE_EVERY_MS = 60_000;

const deployment = new Deployment();
try {
  const { url } = await deployment.serve(deployment.alone(), {});
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  deployment.after(() => browser.close());
  const page = await (await browser.newContext({ baseURL: url })).newPage();
  await measure(page);
} finally {
  await deployment.close();
}

async function measure(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const read = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    const { metrics } = await cdp.send("Performance.getMetrics");
    return (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  };
  let requests = 0;
  page.on("request", () => requests++);
  await page.goto(`/token/${MINT}`);
  await page.locator(".freshness.live").waitFor();
  await wait(SETTLING_MS);

  const before = await read();
  requests = 0;
  await wait(IDLE_MS);
  const after = await read();
  const share = (name: string) =>
    `${(((after(name) - before(name)) / (IDLE_MS / 1_000)) * 100).toFixed(1)} %`;
  console.log(
    `idle for ${IDLE_MS / 1_000} s: ${share("TaskDuration")} of a core, ` +
      `${share("ScriptDuration")} in scripts; ${requests} requests`,
  );

  const points: Point[] = [];
  for (let minute = 0; minute <= Number(values.minutes); minute++) {
    const metric = await read();
    const bytes = metric("JSHeapUsedSize");
    points.push({ minutes: minute, bytes });
    console.log(
      `minute ${minute}: ${(bytes / 1e6).toFixed(2)} MB, ${metric("Nodes")} nodes, ${metric("JSEventListeners")} listeners`,
    );
    if (minute < Number(values.minutes)) await wait(SAMPLE_EVERY_MS);
  }
  console.log("heap after collection:", JSON.stringify(lineThrough(points)));
}
