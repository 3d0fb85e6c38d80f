import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OPERATIONS } from "#src/http/operations/all.ts";
import {
  type Dashboard,
  demoMint,
  sidewaysOverflow,
  startDashboard,
  type VisitorOptions,
  violationsOn,
} from "#test/support/dashboard.ts";

const LOOKS: readonly (VisitorOptions & { readonly name: string })[] = [
  { name: "light" },
  { name: "dark", theme: "dark" },
  { name: "phone", isPhone: true },
];

async function openReference(dashboard: Dashboard, options: VisitorOptions = {}) {
  const visitor = await dashboard.visit(options);
  await visitor.open("/docs");
  await visitor.page.locator("article").last().waitFor();
  return visitor;
}

/** Sends an operation's form as it stands, and gives what is written below it. */
async function send(page: Page, id: string) {
  const article = page.locator(`#${id}`);
  await article.getByText("Try it", { exact: true }).click();
  await article.getByRole("button", { name: /^Send/ }).click();
  return article.locator("pre[aria-live]");
}

test("the reference shows every operation, wide and on a phone, with nothing beyond the window", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const look of LOOKS) {
    await t.test(look.name, async () => {
      const { page, keepPicture } = await openReference(dashboard, look);
      await keepPicture(`reference-${look.name}`);
      const shown = await page.evaluate<string[]>(
        "[...document.querySelectorAll('article')].map(({ id }) => id)",
      );
      assert.deepEqual(shown.toSorted(), OPERATIONS.map(({ id }) => id).toSorted());
      const links = await page.locator("nav a").count();
      assert.equal(links, OPERATIONS.length);
      await page.evaluate(
        "for (const each of document.querySelectorAll('details')) each.open = true",
      );
      assert.equal(await sidewaysOverflow(page), 0, "pixels beyond the window");
      assert.deepEqual(await violationsOn(page), []);
    });
  }
});

test("what is tried in the reference is sent, with the key and as the command says", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page } = await openReference(dashboard);
  const mint = demoMint("Three");

  const measured = await send(page, "getExitability");
  await measured.getByText(`"token_id": "${mint}"`).waitFor();
  assert.match(await measured.innerText(), /^200 \/api\/token\/\w+\/exitability\?profile=retail/);
  await page.locator("#getExitability-size").fill("5");
  const command = page.locator("#getExitability form pre").first();
  assert.match(await command.innerText(), /^curl .*size=5'$/);

  const batch = await send(page, "getExitabilityBatch");
  await batch.getByText('"items"').waitFor();

  const stream = await send(page, "streamExitability");
  await stream.getByText("event: exitability").waitFor();
  await page.locator("#streamExitability").getByRole("button", { name: "Stop" }).click();
  await stream.getByText("Stopped.").waitFor();

  await page.locator("#api-key").fill("exi_nothing");
  const refused = await send(page, "getPools");
  await refused.getByText('"unauthorized"').waitFor();
});
