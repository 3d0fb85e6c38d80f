import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/dashboard.ts";
import { startDemoNode } from "#test/support/demo-node.ts";

const RUG = address(demoMint("Rug"));
const ALL_BUT_A_SLIVER_BPS = 9_950;

test("liquidity that is withdrawn is told on the token's page as it happens, with its cause", async (t) => {
  const node = await startDemoNode(t);
  const dashboard = await startDashboard(t, node.environment);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit();
  await open(`/token/${RUG}`);
  await page.locator(".figures").waitFor();
  await page.evaluate("window.isStillTheSamePage = true");
  assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: ALL_BUT_A_SLIVER_BPS }));
  const beganMs = performance.now();
  await page.getByText("Liquidity is deteriorating rapidly").waitFor();
  t.diagnostic(`seen ${(performance.now() - beganMs).toFixed(0)} ms after the withdrawal`);
  await page.locator(".alert-list").getByText("liquidity withdrawn").waitFor();
  assert.equal(await page.evaluate("window.isStillTheSamePage"), true);
  await keepPicture("token-alert-light-en");
  assert.deepEqual(await violationsOn(page), []);
});
