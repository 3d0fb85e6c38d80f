import assert from "node:assert/strict";
import { test } from "node:test";
import { startExecutableNode } from "#test/support/chain/executable-node.ts";
import {
  demoMint,
  sidewaysOverflow,
  startDashboard,
  violationsOn,
} from "#test/support/processes/dashboard.ts";

test("the shown sale is checked with the program: pool, code, slot, both amounts and the verdict", async (t) => {
  const node = await startExecutableNode(t);
  if (node === null) return;
  const dashboard = await startDashboard(t, { ...node.environment, ACCURACY: "off" });
  if (dashboard === null) return;
  for (const [language, button, verdict] of [
    ["en", "Check with the programs", /computed here for slot [\d,]{4,}\./],
    ["es", "Comprobar con los programas", /aquí se calculó para el slot [\d.]{4,}\./],
  ] as const) {
    for (const isPhone of [false, true]) {
      await t.test(`${language}, ${isPhone ? "phone" : "wide"}`, async () => {
        const { page, open, keepPicture } = await dashboard.visit({ language, isPhone });
        await open(`/token/${node.splitMint}?size=20&profile=pro`);
        await page.getByRole("button", { name: button }).click();
        await page.getByText(verdict).waitFor();
        const sales = page.locator(".proof-sales > li");
        assert.equal(await sales.count(), 4);
        const [modelled, executed] = await sales.first().locator("dd.figure").allInnerTexts();
        assert.match(modelled ?? "", /^[\d.,\s]+ lamports$/);
        assert.equal(executed, modelled);
        assert.match(await sales.first().locator("code").innerText(), /^[0-9a-f]{16}$/);
        assert.equal(await sidewaysOverflow(page), 0);
        assert.deepEqual(await violationsOn(page), []);
        await keepPicture(`token-proof-${language}${isPhone ? "-phone" : ""}`);
      });
    }
  }
});

test("on the demo market the page says that there is no code to execute", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, keepPicture } = await dashboard.visit({ language: "es" });
  await open(`/token/${demoMint("Steady")}`);
  await page.getByRole("button", { name: "Comprobar con los programas" }).click();
  await page
    .getByText("Sin comprobar: los programas de la demostración no tienen código que ejecutar.")
    .waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await keepPicture("token-proof-demo");
});

test("a sale in dollars and its verdict stay in sight while the price of SOL moves", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open } = await dashboard.visit();
  let solUsd = 150;
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), sol_usd: solUsd++ } });
  });
  await open(`/token/${demoMint("Quiet")}?size=500&unit=usd`);
  await page.getByRole("button", { name: "Check with the programs" }).click();
  const verdict = page.getByText("Not checked: the programs of the demo market");
  await verdict.waitFor();
  // What is asked for from now on stays without an answer.
  await page.route(/\/exitability\/at\?/, () => undefined);
  const dollars = page.locator(".exit-usd");
  const before = await dollars.innerText();
  await dollars.filter({ hasNotText: before }).waitFor();
  assert.ok(await verdict.isVisible());
});
