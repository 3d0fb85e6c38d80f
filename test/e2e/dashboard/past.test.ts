import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

const CHANGES = {
  observations: 400,
  p1_pct: -4,
  p10_pct: -1.25,
  p50_pct: 0,
  p90_pct: 1.5,
  p99_pct: 4,
};
const FIRST_HEADING =
  'getComputedStyle(document.querySelector("[aria-labelledby=past] tbody th"), "::before").content';
const RESILIENCE = { sells: 64, regained_pct: { "10": 14, "60": 55, "300": 84 } };

test("the exit after the largest holders, and what waiting cost, are shown when they are opened; unknown as unknown", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit({ language: "en" });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/holders-first|past-day/.test(request.url())) asked.push(request.url());
  });
  await open(`/token/${demoMint("Three")}`);
  const panel = page.locator("section[aria-labelledby=past]");
  await panel.waitFor();
  assert.deepEqual(asked, []);

  const [holders, waiting] = [panel.locator("details").first(), panel.locator("details").last()];
  await holders.locator("summary").click();
  await holders.locator("tbody tr").first().waitFor();
  const largest = await holders.locator("tbody th").allTextContents();
  assert.deepEqual(largest.slice(0, 4), ["1", "3", "5", "10"]);
  const losses = await holders.locator("tbody td:last-child").allTextContents();
  assert.ok(
    losses.every((loss) => /%|can't be sold whole/.test(loss)),
    losses.join(),
  );

  await waiting.locator("summary").click();
  await waiting.locator("tbody tr").first().waitFor();
  const cells = await waiting.locator("tbody td").allTextContents();
  assert.deepEqual([...new Set(cells)], ["unknown"]);
  assert.match((await waiting.textContent()) ?? "", /regained: unknown/);
  await waiting
    .getByText("10 s needs half an hour, 60 s needs 3.5 hours, 5 min needs 17 hours")
    .waitFor();
  await waiting.getByText("it takes 30 large sells in the last day").waitFor();
  await waiting.scrollIntoViewIfNeeded();
  await keepPicture("token-waiting-unknown-light-en", "window");
  assert.equal(asked.length, 2);

  await page.route("**/past-day", async (route) => {
    const body = await (await route.fetch()).json();
    body.waiting["1"]["60"] = CHANGES;
    await route.fulfill({ json: { ...body, resilience: RESILIENCE } });
  });
  await page.setViewportSize({ width: 320, height: 800 });
  await open(`/token/${demoMint("Three")}`);
  await waiting.locator("summary").click();
  await holders.locator("summary").click();
  await waiting.getByText("-1.25 % to 1.5 %").waitFor();
  await waiting.getByText(/samples are too few: 10 s needs half an hour, 5 min needs/).waitFor();
  assert.match(
    (await waiting.textContent()) ?? "",
    /55\s% of the fall in a minute and 84\s% in five/,
  );
  // As cards, the rows keep the names of their headings, and the caption its lines.
  await holders.locator("tbody tr").first().waitFor();
  assert.equal(await page.evaluate(FIRST_HEADING), '"Largest that have sold "');
  const caption = await waiting.locator("caption").boundingBox();
  assert.ok(
    caption !== null && caption.width > 200 && caption.height < 60,
    JSON.stringify(caption),
  );
  assert.equal(await sidewaysOverflow(page), 0);
  assert.deepEqual(await violationsOn(page), []);
});

test("what the mint allows, and what is open of the past, is read again each minute", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.clock.install();
  const mint = demoMint("Three");
  await open(`/token/${mint}`);
  const details = page.locator("section[aria-labelledby=past] details");
  for (const each of [details.first(), details.last()]) {
    await each.locator("summary").click();
    await each.locator("tbody tr").first().waitFor();
  }
  const again = [`/${mint}`, "/holders-first", "/past-day"].map((end) =>
    page.waitForRequest((request) => request.url().endsWith(end)),
  );
  await page.clock.fastForward(61_000);
  await Promise.all(again);
});

test("a missing loss of the past reads as no exit, not measured or unknown, whichever is known", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const slippage = { "0.5": 0.4, "1": 0.5, "2": 1, "5": 2, "10": 4, "50": null };
  for (const [word, c10_sol, missing] of [
    ["Three", 20, "no exit"],
    ["Three", null, "unknown"],
    ["Sea", 20, "not measured above 10 SOL"],
  ] as const) {
    const { page, open } = await dashboard.visit();
    const figures = { depth_sol: 300, precio_mid: 5e-6, slippage };
    const points = [20, c10_sol].map((c10, place) => ({
      t: new Date(Date.now() - (2 - place) * 60_000).toISOString(),
      c10_sol: c10,
      ...figures,
    }));
    const mint = demoMint(word);
    await page.route(/\/history\?/, (route) =>
      route.fulfill({ json: { token_id: mint, step_seconds: 60, points, alerts: [] } }),
    );
    await open(`/token/${mint}?size=50`);
    await page.getByRole("radio", { name: "Loss at my size" }).check();
    const chart = page.getByRole("slider", { name: /^Loss when selling 50.SOL, one route$/ });
    await chart.press("End");
    assert.match((await chart.getAttribute("aria-valuetext")) ?? "", new RegExp(`: ${missing}$`));
  }
});

test("of a family that is measured up to 10 SOL, the past is that of 10 SOL beside a larger sale", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${demoMint("Sea")}?size=50`);
  const panel = page.locator("section[aria-labelledby=past]");
  for (const place of [0, 1]) await panel.locator("summary").nth(place).click();
  await panel
    .getByRole("columnheader", { name: /^Loss when selling 10.SOL, one route$/ })
    .waitFor();
  await panel.getByText(/^A position of 10.SOL, one route$/).waitFor();
});

test("exits after the holders are waited for as long as the service may take, and it is not called away", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.route(/\/exitability\/holders-first/, async (route) => {
    await pause(12_000);
    await route.fallback();
  });
  await open(`/token/${demoMint("Three")}`);
  const holders = page.locator("section[aria-labelledby=past] details").first();
  await holders.locator("summary").click();
  const answered = await page.waitForResponse(/\/exitability\/holders-first/);
  assert.equal(answered.status(), 200);
  await holders.locator("tbody tr").first().waitFor();
  assert.equal(await page.locator(".problem").count(), 0);
});
