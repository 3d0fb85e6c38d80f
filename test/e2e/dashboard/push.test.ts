import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { address } from "#src/units/address.ts";
import { demoMint, startDashboard, violationsOn } from "#test/support/dashboard.ts";
import { startDemoNode } from "#test/support/demo-node.ts";
import { pushSubscriber, VAPID_KEY } from "#test/support/push-subscriber.ts";

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
    assert.deepEqual(await notifications(page), ["Your exit alerts will arrive in this browser."]);
    await keepPicture("alerts-push-light-en");
    assert.deepEqual(await violationsOn(page), []);
  });

  await t.test("a withdrawal arrives as a notification", async () => {
    assert.ok(node.market.script(RUG, { kind: "liquidity", shareBps: 9_950 }));
    await devices.deliver(await service.next());
    const [, alert] = await notifications(page);
    assert.match(alert ?? "", /a position of 1 SOL .* Explained share of that loss: a liquidity/);
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

/** A push service on this machine: the subscription that it gives, and what is posted there, decrypted. */
async function startPushService(t: TestContext) {
  const posted = new EventEmitter();
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body);
      posted.emit("body");
      response.writeHead(201).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { subscription, open } = pushSubscriber(`http://127.0.0.1:${port}/send/1`);
  return {
    subscription,
    async next(): Promise<string> {
      while (bodies.length === 0) await once(posted, "body", { signal: t.signal });
      return open(bodies.shift() ?? assert.fail("no body"));
    },
  };
}

/** Without the network of a browser's maker there is no push service: the page subscribes to ours. */
function subscribeAs(subscription: string): string {
  return `{
    let held = null;
    const own = { ...${subscription}, toJSON: () => (${subscription}), unsubscribe: async () => { held = null; return true; } };
    PushManager.prototype.subscribe = async () => (held = own);
    PushManager.prototype.getSubscription = async () => held;
  }`;
}

/** Hands messages to the service worker, as the browser does when its push service has one. */
async function deviceOf(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  const found = Promise.withResolvers<string>();
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [registration] = registrations;
    if (registration !== undefined) found.resolve(registration.registrationId);
  });
  await cdp.send("ServiceWorker.enable");
  return {
    async deliver(data: string): Promise<void> {
      const { origin } = new URL(page.url());
      const registrationId = await found.promise;
      await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    },
  };
}

/** The bodies of the notifications that this browser shows, oldest first. */
function notifications(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    const registration = await navigator.serviceWorker.ready;
    const shown = await registration.getNotifications();
    return shown.toSorted((a, b) => a.timestamp - b.timestamp).map(({ body }) => body);
  })()`);
}
