import assert from "node:assert/strict";
import { test } from "node:test";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

const DAY = "[A-Z][a-z]+ \\d+, \\d{4}";
const DIA = "\\d+ de [a-z]+ de \\d{4}";

test("a lock of liquidity is shown with its dates and its program, in both languages", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ language: "en" });
  await open(`/token/${demoMint("Tax")}`);
  const panel = page.locator("section[aria-labelledby=blockers]");
  const english = new RegExp(
    `^80\\s% locked: opens in parts from ${DAY} to ${DAY} · Jupiter Lock$`,
  );
  await panel.getByText(english).waitFor();
  await page.setViewportSize({ width: 320, height: 800 });
  assert.equal(await sidewaysOverflow(page), 0);
  assert.deepEqual(await violationsOn(page), []);

  const other = await dashboard.visit({ language: "es" });
  await other.open(`/token/${demoMint("Tax")}`);
  const spanish = `^80\\s% bloqueado: se abre por partes del ${DIA} al ${DIA} · Jupiter Lock$`;
  await other.page.getByText(new RegExp(spanish)).waitFor();
});

test("a lock without binding dates is never shown as locked", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ language: "en" });
  const undated = { opens_next: null, opens_fully: null };
  const opening = { at: "2027-06-01T12:00:00.000Z", slot: null };
  await page.route("**/stressed?*", async (route) => {
    const response = await route.fetch();
    // On a busy machine the first answer can be a refusal; the page then repeats the request.
    if (!response.ok()) return await route.fulfill({ response });
    const body = await response.json();
    const [lock] = body.pools[0].locks;
    body.pools[0].locks = [
      { ...lock, owner: "1", ...undated, reason: "revocable" },
      { ...lock, owner: "2", ...undated, reason: "undecodable" },
      { ...lock, owner: "3", opens_next: opening, opens_fully: opening },
    ];
    body.pools[0].locks_not_listed = 4;
    await route.fulfill({ json: body });
  });
  await open(`/token/${demoMint("Tax")}`);
  const panel = page.locator("section[aria-labelledby=blockers]");
  await panel.getByText("80 % in a lock that can be ended early").waitFor();
  await panel.getByText("80 % in a lock of unknown dates").waitFor();
  await panel.getByText("80 % locked until June 1, 2027").waitFor();
  await panel.getByText("and 4 more").waitFor();
});
