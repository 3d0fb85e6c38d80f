import assert from "node:assert/strict";
import { test } from "node:test";
import {
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

const HELD = { judged: 1_310, held_80_pct: 80.4, held_98_pct: 97.6, below_p10_pct: 9.8 };
const FEW = { judged: 40, held_80_pct: null, held_98_pct: null, below_p10_pct: null };

function row(size: string, waited: number, age: string, month: typeof HELD | typeof FEW) {
  return { size, waited_seconds: waited, token_age: age, windows: { day: FEW, month } };
}

test("the status page shows by size, time and age how often ranges held; too few judgements as unknown", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit({ language: "en" });
  const section = page.locator("section[aria-labelledby=waiting-held]");
  await open("/status");
  await section.getByText("No range has been compared yet").waitFor();

  await page.route("**/api/accuracy", async (route) => {
    const body = await (await route.fetch()).json();
    const waiting_held = [
      row("1", 10, "under-1-day", HELD),
      row("1", 60, "1-to-7-days", FEW),
      row("50", 300, "over-7-days", { ...HELD, held_80_pct: 71.25 }),
    ];
    await route.fulfill({ json: { ...body, waiting_held } });
  });
  await open("/status");
  await section.locator("tbody tr").first().waitFor();
  const cells = () => section.locator("tbody tr").allTextContents();
  assert.deepEqual(await section.locator("tbody th").allTextContents(), ["10 s", "60 s"]);
  const [held = "", few = ""] = await cells();
  assert.match(held, /less than a day.*1,310.*80\.4.%.*97\.6.%.*9\.8.%/);
  assert.match(few, /1 to 7 days.*40.*unknown.*unknown.*unknown/);
  await section.getByRole("radio", { name: "50 SOL" }).check();
  await section.getByText("5 min", { exact: true }).waitFor();
  assert.match((await cells()).join(), /more than 7 days.*71\.25.%/);
  assert.deepEqual(await violationsOn(page), []);
  await section.screenshot({ path: "ci-output/dashboard/waiting-held.png" });
  await page.setViewportSize({ width: 320, height: 800 });
  assert.equal(await sidewaysOverflow(page), 0);
  await section.screenshot({ path: "ci-output/dashboard/waiting-held-phone.png" });
});
