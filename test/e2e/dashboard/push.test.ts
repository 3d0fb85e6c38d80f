import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/processes/dashboard.ts";
import {
  deviceOf,
  notifications,
  startPushService,
  subscribeAs,
} from "#test/support/users/push-browser.ts";
import { VAPID_KEY } from "#test/support/users/push-subscriber.ts";

const RUG = address(demoMint("Rug"));

test("a browser that asks for notifications shows the next alert as one", async (t) => {
  const node = await startDemoNode(t);
  const service = await startPushService(t);
  const dashboard = await startDashboard(t, {
    ...node.environment,
    WEBHOOK_ALLOW: "127.0.0.0/8",
    VAPID_PRIVATE_KEY: VAPID_KEY,
  });
  if (dashboard === null) return;
  const { page, context, open, signIn, keepPicture } = await dashboard.visit();
  await context.grantPermissions(["notifications"]);
  await context.addInitScript(subscribeAs(service.subscription));
  await signIn("pia@example.com");
  await open(`/token/${RUG}`);
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("link", { name: /Watched/ }).waitFor();
  const devices = await deviceOf(page);

  await t.test("the first message verifies the browser, without a code to type", async () => {
    await open("/alerts");
    await page.getByRole("button", { name: "Notify me here" }).click();
    const first = await service.next();
    await page.getByText("Waiting for the first notification").waitFor();
    await devices.deliver(first);
    await page.getByText("On: alerts appear as notifications").waitFor();
    await page.locator("#channels ~ ul .badge.good").getByText("verified").waitFor();
    const [greeting] = await notifications(page, 1);
    assert.equal(greeting?.body, "Your exit alerts will arrive in this browser.");
    await keepPicture("alerts-push-light-en");
    assert.deepEqual(await violationsOn(page), []);
  });

  await t.test("a withdrawal arrives as a notification", async () => {
    assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: 9_950 }));
    const message = await service.next();
    let shown = await notifications(page, 1);
    // The browser's debugger loses a message now and then; one that comes twice is shown once.
    for (let delivered = 0; shown.length < 2 && delivered < 5; delivered++) {
      await devices.deliver(message);
      for (const later of service.posted()) await devices.deliver(later);
      shown = await notifications(page, 2);
    }
    const [, alert] = shown;
    assert.match(
      alert?.body ?? "",
      /a position of 1 SOL .* Explained share of that loss: a liquidity/,
    );
  });

  await t.test("switching off removes the channel", async () => {
    await page.getByRole("button", { name: "Stop notifying me here" }).click();
    await page.getByRole("button", { name: "Notify me here" }).waitFor();
    assert.equal(await page.locator("#channels ~ ul li").count(), 0);
  });
});

test("without a key the page states that there are no notifications", async (t) => {
  const dashboard = await startDashboard(t);
  if (dashboard === null) return;
  const { page, open, signIn } = await dashboard.visit({ language: "es" });
  await signIn("paz@example.com");
  await open("/alerts");
  await page.getByText("Este servicio no envía notificaciones a navegadores").waitFor();
  assert.equal(await page.getByRole("button", { name: "Avisarme aquí" }).count(), 0);
});
