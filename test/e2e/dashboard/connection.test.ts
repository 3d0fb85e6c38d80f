import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "#test/support/eventually.ts";
import { startCuttingProxy } from "#test/support/processes/cutting-proxy.ts";
import {
  demoMint,
  startDashboard,
  type Visitor,
  violationsOn,
} from "#test/support/processes/dashboard.ts";
import { runCommand } from "#test/support/processes/service.ts";

const STEADY = `/token/${demoMint("Steady")}?size=1`;
const RECOVERED_WITHIN_MS = 30_000;
const LATENCY_MS = 2_500;
/** A load that fails while the service answers is repeated less often than this. */
const MORE_THAN_RETRIES = 6;
/** The last one trades every few seconds, so that its next answer is not long in coming. */
const WORDS = ["Dynamic", "Three", "Buck", "Curve", "Rug", "Thin", "Sea", "Steady"] as const;

/** Makes a page hidden, as a tab behind another one is, or visible: here every page counts as visible. */
const become = (visibility: "hidden" | "visible") => `
  Object.defineProperty(document, "hidden", { value: ${visibility === "hidden"}, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
`;

async function chooseSize(page: Page, size: string): Promise<void> {
  await page.getByRole("button", { name: size, exact: true }).click();
  await page.getByText(`Selling ${size} SOL worth of STEADY now pays`).waitFor();
}

test("without a network, or without the service, no figure of another size is shown", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const proxy = await startCuttingProxy(t, dashboard.url);

  await t.test("offline", async () => {
    const { page, context, open } = await dashboard.visit({ url: proxy.url });
    await open(STEADY);
    await page.locator("#curve").waitFor();
    await page.locator(".freshness.live").waitFor();
    await context.setOffline(true);
    await page.getByText("No network").waitFor();
    assert.match(await page.locator(".freshness").innerText(), /^data \d+ s old$/);
    await chooseSize(page, "50");
    assert.equal(await page.locator(".exit-paid").count(), 0);
    await context.setOffline(false);
    await page.locator(".exit-paid").waitFor();
    await page.getByText("No network").waitFor({ state: "detached" });
  });

  await t.test("the service is stopped: one banner, and /status is not green", async () => {
    const { page, open } = await dashboard.visit({ url: proxy.url });
    await open("/status");
    await page.locator(".badge.good").first().waitFor();
    const token = await dashboard.visit({ url: proxy.url });
    await token.open(STEADY);
    await token.page.locator("#curve").waitFor();
    proxy.cut();
    await Promise.all(
      [page, token.page].map((each) =>
        each.locator(".problem").getByText("The service does not answer").waitFor(),
      ),
    );
    assert.equal(await page.locator(".badge.good").count(), 0);
    await chooseSize(token.page, "50");
    assert.equal(await token.page.locator(".exit-paid").count(), 0);
    proxy.mend();
    await Promise.all(
      [page, token.page].map((each) => each.locator(".problem").waitFor({ state: "detached" })),
    );
    await token.page.locator(".exit-paid").waitFor();
    await page.locator(".badge.good").first().waitFor();
  });

  await t.test("a page whose code can't be loaded appears once the service is back", async () => {
    const { page, open } = await dashboard.visit({ url: proxy.url });
    await open(STEADY);
    await page.locator("#curve").waitFor();
    proxy.cut();
    await page.locator(".problem").getByText("The service does not answer").waitFor();
    await page.getByRole("link", { name: "Method" }).click();
    for (let failures = 0; failures < MORE_THAN_RETRIES; failures++)
      await page.waitForEvent("requestfailed", (request) =>
        /method-page.*\.js$/.test(request.url()),
      );
    proxy.mend();
    await page.getByRole("heading", { name: "How it is measured" }).waitFor();
  });

  await t.test("a black-holed connection is given up and replaced within 30 seconds", async (t) => {
    const { page, open } = await dashboard.visit({ url: proxy.url });
    await open(STEADY);
    await page.locator(".freshness.live").waitFor();
    proxy.silence();
    // The network is whole again at once; what was open stays silent for good.
    proxy.mend();
    const before = await page.locator(".freshness time").getAttribute("datetime");
    const beganMs = performance.now();
    await page
      .locator(`.freshness.live time:not([datetime="${before}"])`)
      .waitFor({ timeout: RECOVERED_WITHIN_MS });
    t.diagnostic(`live again after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  });

  await t.test("at 2.5 seconds of latency each figure is the one of its size", async () => {
    const { page, open } = await dashboard.visit({ url: proxy.url });
    await open(STEADY);
    await page.locator(".exit-paid").waitFor();
    const forOne = await page.locator(".exit-paid").innerText();
    await page.route(/\/exitability\/at\?/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
      await route.continue();
    });
    await chooseSize(page, "50");
    assert.equal(await page.locator(".exit-paid").count(), 0);
    await page.locator(".exit-paid").waitFor();
    assert.notEqual(await page.locator(".exit-paid").innerText(), forOne);
    await page.getByRole("radio", { name: "split" }).check();
    assert.equal(await page.locator(".exit-paid").count(), 0);
    await page.locator(".exit-paid").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});

test("a page whose code or style was refused once appears whole, without the reader", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const file of [
    /\/assets\/index-[^/]*\.js$/,
    /\/assets\/style-[^/]*\.css$/,
    /\/assets\/watchlist-page-[^/]*\.js$/,
  ]) {
    const { page } = await dashboard.visit();
    await page.route(file, (route) => route.fulfill({ status: 503, body: "" }), { times: 1 });
    const refused = page.waitForResponse((response) => response.status() === 503);
    await page.goto("/watchlist");
    await refused;
    await page.getByRole("heading", { level: 1, name: "Watchlist" }).waitFor();
    const isStyled =
      "[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet?.cssRules.length > 0)";
    await eventually("every style", async () => (await page.evaluate<boolean>(isStyled)) || null);
  }
});

test("a page whose code is missing for good is opened six times, and not again", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page } = await dashboard.visit();
  await page.clock.install();
  let opened = 0;
  await page.route(/\/assets\/index-[^/]*\.js$/, (route) => {
    opened++;
    return route.fulfill({ status: 404, body: "" });
  });
  await page.goto("/watchlist");
  for (let open = 2; open <= 6; open++) {
    await page.clock.fastForward(32_000);
    await eventually(`opened ${open} times`, () => opened >= open || null);
    await page.waitForLoadState();
  }
  await page.clock.fastForward(600_000);
  await page.evaluate("0");
  assert.equal(opened, 6);
});

test("what can't be read of a token's page is reported in its place, and is offered again", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  const parts = /\/(?:curve|history)|\/api\/token\/[^/]+$/;
  await page.route(parts, (route) =>
    route.fulfill({ status: 503, json: { error: "overloaded", message: "Failed here." } }),
  );
  await open(STEADY);
  const places = ["blockers", "curve", "history"].map((id) =>
    page.locator(`section[aria-labelledby=${id}]`),
  );
  for (const place of places) {
    await place.getByText("Failed here.").waitFor();
    await place.getByRole("button", { name: "Try again" }).waitFor();
    assert.equal(await place.locator(".skeleton").count(), 0);
  }
  assert.deepEqual(await violationsOn(page), []);
  await page.unroute(parts);
  for (const place of places) {
    await place.getByRole("button", { name: "Try again" }).click();
    await place.getByText("Failed here.").waitFor({ state: "detached" });
  }
});

test("an answer that can't be read leaves no figure blank, and takes no other one along", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const [answer, unknown] of [
    [/\/exitability\?/, 3],
    [/\/exitability\/at\?/, 1],
  ] as const) {
    const { page, open } = await dashboard.visit();
    await page.route(answer, (route) =>
      route.fulfill({ status: 503, json: { error: "overloaded", message: "Failed here." } }),
    );
    await page.route(/\/api\/stream\?/, (route) => route.fulfill({ status: 503 }));
    await open(STEADY);
    const facts = page.locator(".facts-line dd");
    await facts
      .getByText("unknown")
      .nth(unknown - 1)
      .waitFor();
    assert.equal(await facts.getByText("unknown").count(), unknown);
    // Who can withdraw the liquidity, and the losses by size, are other answers.
    await page.locator("#blockers").waitFor();
    const blockers = page.locator("section[aria-labelledby=blockers]");
    await blockers.locator(".skeleton").first().waitFor({ state: "detached" });
    const cells = page.locator("section[aria-labelledby=curve] td");
    await cells.nth(11).waitFor();
    assert.deepEqual(await violationsOn(page), []);
  }
});

test("a browser whose clock is ten minutes behind shows the history until now", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.clock.install({ time: Date.now() - 600_000 });
  const asked = page.waitForRequest(/\/history\?/);
  await open(STEADY);
  const to = new URL((await asked).url()).searchParams.get("to") ?? "";
  assert.ok(Math.abs(Date.parse(to) - Date.now()) < 60_000, to);
});

test("eight token tabs over HTTP/1.1 are all live over two streams, and a ninth page opens", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const visitor = await dashboard.visit();
  const email = "tabs@example.com";
  await visitor.signIn(email);
  const raised = runCommand(dashboard.place, ["admin", "user", "tier", email, "degen"]);
  assert.equal(raised.code, 0, raised.err);
  const streams = openStreams(visitor.context);
  const tabs = await openTabs(t, visitor);
  for (const tab of tabs) {
    await tab.bringToFront();
    await tab.locator(".exit-paid").waitFor();
    await tab.locator(".freshness.live").waitFor();
    if (tab !== tabs.at(-1)) await tab.evaluate(become("hidden"));
  }
  assert.ok(streams() <= 2, `${streams()} streams`);
  const ninth = await visitor.context.newPage();
  await ninth.goto("/method");
  await ninth.locator("details").first().waitFor();
  // The tab with the streams is closed: another one takes over.
  await tabs[0]?.close();
  const last = tabs.at(-1);
  assert.ok(last !== undefined);
  await last.bringToFront();
  const before = await last.locator(".freshness time").getAttribute("datetime");
  await last.locator(`.freshness.live time:not([datetime="${before}"])`).waitFor();
  assert.ok(streams() <= 2, `${streams()} streams`);
});

async function openTabs(t: TestContext, { context }: Visitor): Promise<readonly Page[]> {
  const tabs: Page[] = [];
  for (const word of WORDS) {
    const tab = await context.newPage();
    tab.on("pageerror", (error) => t.diagnostic(error.message));
    await tab.goto(`/token/${demoMint(word)}`);
    tabs.push(tab);
  }
  return tabs;
}

/** How many event streams the tabs of a browser have open. */
function openStreams(context: BrowserContext): () => number {
  const open = new Set<object>();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith("/stream")) open.add(request);
  });
  context.on("requestfinished", (request) => open.delete(request));
  context.on("requestfailed", (request) => open.delete(request));
  return () => open.size;
}

test("a tab that was hidden for a while calls nothing late that it has not read again", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.clock.install();
  await open(STEADY);
  await page.locator(".exit-paid").waitFor();
  await page.waitForResponse(/\/api\/status$/);
  const held = Promise.withResolvers<void>();
  await page.route(/\/api\//, async (route) => {
    await held.promise;
    await route.fallback();
  });
  await page.evaluate(become("hidden"));
  await page.clock.fastForward(600_000);
  const again = page.waitForRequest(/\/api\/status$/);
  await page.evaluate(become("visible"));
  await again;
  await page.clock.runFor(2_000);
  await page
    .getByText(/Data 1\d min old: not current/)
    .first()
    .waitFor();
  assert.equal(await page.locator(".problem").count(), 0);
  held.resolve();
});

test("a browser that can't join two signals reads the page too", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.addInitScript("delete AbortSignal.any");
  await open(STEADY);
  await page.locator("#curve").waitFor();
  await page.locator(".freshness.live").waitFor();
  assert.equal(await page.locator(".problem").count(), 0);
});

test("one answer that fails again and again has the others asked for no more often", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await page.route(/\/exitability\/curve$/, (route) => route.abort());
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/account/me")) requests++;
  });
  await open(STEADY);
  for (let failure = 0; failure < 12; failure++)
    await page.waitForEvent("requestfailed", (request) => request.url().endsWith("/curve"));
  assert.equal(requests, 1);
});
