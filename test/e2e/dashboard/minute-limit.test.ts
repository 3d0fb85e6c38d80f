import assert from "node:assert/strict";
import { test } from "node:test";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";

const SALE = /\/exitability\/at\?/;
const REFUSAL = {
  error: "rate_limit_exceeded",
  message: "You have used 120 of 120 queries this minute; wait for the window to open.",
  used: 120,
  limit: 120,
  register_url: null,
  waitlist_url: "/api/oracle/waitlist",
  upgrade_cta: "Join the waitlist for a tier without a daily limit.",
};

test("a limit of a minute keeps the last answer, marked as old, and the page is read again when it ends", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit({ language: "es" });
  await open(`/token/${demoMint("Steady")}?size=5`);
  await page.locator(".exit-paid").waitFor();
  let retryAfter = 40;
  await page.route(SALE, (route) =>
    route.fulfill({ status: 429, headers: { "retry-after": `${retryAfter}` }, json: REFUSAL }),
  );
  await page.getByRole("button", { name: "50", exact: true }).click();
  const notice = page.locator(".notice").filter({ hasText: "Límite de consultas alcanzado" });
  await notice.getByText("Has usado 120 de 120 consultas en este minuto.").waitFor();
  await notice.getByText(/se vuelven a leer dentro de (?:3\d|40) s/).waitFor();
  await page.getByText(/^Vender 5.SOL en STEADY pagaba, hace \d+ s$/).waitFor();
  assert.equal(await page.locator(".exit-paid").count(), 1);
  assert.equal(await page.locator(".exit-answer .verdict.good").count(), 0);
  assert.equal(await page.getByRole("button", { name: /lista de espera/ }).count(), 0);
  assert.ok(await page.locator("#blockers").isVisible());
  assert.deepEqual(await violationsOn(page), []);
  await keepPicture("token-minute-limit-light-es", "window");
  // Another size is refused as well, and asked for again once the limit is over.
  retryAfter = 2;
  await page.getByRole("button", { name: "10", exact: true }).click();
  await notice.getByText(/dentro de [0-2] s/).waitFor();
  await page.unroute(SALE);
  await page.getByText("Vender 10 SOL en STEADY ahora paga").waitFor();
  await notice.waitFor({ state: "detached" });
});

test("a slider that moves for ten seconds asks for about one size a second", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  await open(`/token/${demoMint("Steady")}`);
  await page.locator(".exit-paid").waitFor();
  const sizes = new Set<string>();
  page.on("request", (request) => {
    if (SALE.test(request.url())) sizes.add(request.url());
  });
  const slider = page.locator("input[type=range]");
  const endMs = performance.now() + 10_000;
  for (let step = 100; performance.now() < endMs; step++) {
    await slider.fill(`${100 + (step % 300)}`);
    await page.waitForTimeout(50);
  }
  await slider.fill("400");
  await page.getByText("Selling 100 SOL worth of STEADY now pays").waitFor();
  assert.ok(sizes.size >= 5 && sizes.size <= 13, `${sizes.size} sizes`);
});
