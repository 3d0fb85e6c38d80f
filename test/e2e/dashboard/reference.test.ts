import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "#src/api/operations.ts";
import {
  type Dashboard,
  demoMint,
  sidewaysOverflow,
  startDashboard,
  type VisitorOptions,
} from "#test/support/processes/dashboard.ts";

const LOOKS: readonly (VisitorOptions & { readonly name: string })[] = [
  { name: "light" },
  { name: "dark", theme: "dark" },
  { name: "phone", isPhone: true },
];

async function openReference(dashboard: Dashboard, options: VisitorOptions = {}) {
  const visitor = await dashboard.visit(options);
  const requested: string[] = [];
  visitor.page.on("request", (request) => requested.push(request.url()));
  await visitor.page.goto("/docs");
  await visitor.page.locator(".opblock").last().waitFor();
  return { ...visitor, requested };
}

test("the reference shows every operation, on a screen and on a phone, and requests nothing foreign", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  for (const look of LOOKS) {
    await t.test(look.name, async () => {
      const { page, keepPicture, requested } = await openReference(dashboard, look);
      await keepPicture(`reference-${look.name}`, "window");
      await page.getByRole("navigation").getByRole("link", { name: "Status" }).waitFor();
      const response = await fetch(`${dashboard.url}/openapi.json`);
      const { webhooks } = (await response.json()) as { webhooks: object };
      const shown = OPERATIONS.length + Object.keys(webhooks).length;
      assert.equal(await page.locator(".opblock").count(), shown);
      assert.equal(await sidewaysOverflow(page), 0, "pixels beyond the window");
      const origins = new Set(requested.map((url) => new URL(url).origin));
      assert.deepEqual(origins, new Set([new URL(dashboard.url).origin]));
    });
  }
});

test("a request tried in the reference is sent to the service, with the key", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page } = await openReference(dashboard);
  const send = async (summary: string) => {
    const operation = page.locator(".opblock").filter({ hasText: summary }).first();
    await operation.locator("button").first().click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    return operation.locator(".live-responses-table");
  };
  const measured = await send("/exitability");
  await measured.getByText(demoMint("Three")).first().waitFor();
  await measured.getByText('"ok"').first().waitFor();

  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".dialog-ux");
  await dialog.locator("input").first().fill("exi_nothing");
  await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const refused = await send("/pools");
  await refused.getByText('"unauthorized"').first().waitFor();
});
