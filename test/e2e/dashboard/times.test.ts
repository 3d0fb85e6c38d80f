import assert from "node:assert/strict";
import { test } from "node:test";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";

const THREE = demoMint("Three");
/** One is read as soon as the other has arrived; on a busy machine that takes a while. */
const TOGETHER_MS = 2_000;

test("the losses by one route and split are of one time: the pushed ones wait for the others", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${THREE}?size=50&profile=retail`);
  await page.locator(".freshness.live").waitFor();
  const rows = page.locator("section[aria-labelledby=curve] tbody tr");
  const last = rows.last().locator("td");
  await last.nth(1).getByText("%").waitFor();
  // Never answered: each of these requests is given up after its time.
  await page.route(/\/exitability\?profile=pro/, () => undefined);
  await page.waitForRequest(/\/exitability\?profile=pro/);
  const before = await rows.allInnerTexts();
  const loss = page.locator(".exit-loss strong");
  const lossBefore = await loss.innerText();
  // The sale is read again after an answer was pushed.
  await loss.filter({ hasNotText: lossBefore }).waitFor();
  assert.deepEqual(await rows.allInnerTexts(), before);
  await page.unroute(/\/exitability\?profile=pro/);
  await last
    .first()
    .filter({ hasNotText: (before.at(-1) ?? "").split("\t")[1] ?? "" })
    .waitFor();
});

test("without pushed answers one is read right after the other", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.route(/\/api\/stream\?/, (route) => route.fulfill({ status: 503 }));
  await open(`/token/${THREE}?size=5&profile=pro`);
  await page.locator("#curve").waitFor();
  const sentMs: Record<"retail" | "pro", number[]> = { retail: [], pro: [] };
  page.on("request", (request) => {
    const profile = /\/exitability\?profile=(retail|pro)/.exec(request.url())?.[1];
    if (profile === "retail" || profile === "pro") sentMs[profile].push(performance.now());
  });
  for (let poll = 0; poll < 3; poll++) await page.waitForRequest(/\/exitability\?profile=pro/);
  await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
  const apart = sentMs.pro.map((ms) => Math.min(...sentMs.retail.map((at) => Math.abs(at - ms))));
  t.diagnostic(`at most ${Math.max(...apart).toFixed(0)} ms apart`);
  assert.ok(Math.max(...apart) < TOGETHER_MS, apart.join());
});

test("a panel whose own figures are not current gives their age", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${THREE}`);
  for (const [panel, answer] of [
    ["curve", /\/exitability\/curve$/],
    ["pools", /\/pools$/],
  ] as const) {
    const note = page.locator(`section[aria-labelledby=${panel}]`).getByText("not current");
    await page.locator(`section[aria-labelledby=${panel}] table`).waitFor();
    assert.equal(await note.count(), 0, panel);
    const updated_at = new Date(Date.now() - 90_000).toISOString();
    await page.route(answer, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), updated_at } });
    });
    await note.waitFor({ timeout: 30_000 });
    assert.deepEqual(await violationsOn(page), []);
    await page.unroute(answer);
    await note.waitFor({ state: "detached" });
  }
});
