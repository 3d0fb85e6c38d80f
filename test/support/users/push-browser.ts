import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { closeAfter, type Ending } from "../ending.ts";
import { pushSubscriber } from "./push-subscriber.ts";

type Shown = { readonly title: string; readonly body: string };

/** A push service on this machine: the subscription that it gives, and what is posted there, decrypted. */
export async function startPushService(ending: Ending) {
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
  closeAfter(ending, () => void server.close());
  const { port } = server.address() as AddressInfo;
  const { subscription, open } = pushSubscriber(`http://127.0.0.1:${port}/send/1`);
  return {
    subscription,
    async next(): Promise<string> {
      while (bodies.length === 0) await once(posted, "body");
      return open(bodies.shift() ?? assert.fail("no body"));
    },
    /** All that `next` has not taken, oldest first; a message may come twice, or be of another token. */
    posted(): readonly string[] {
      return bodies.map(open);
    },
  };
}

/** Without the network of a browser's maker there is no push service: the page subscribes to ours. */
export function subscribeAs(subscription: string): string {
  return `{
    let held = null;
    const own = { ...${subscription}, toJSON: () => (${subscription}), unsubscribe: async () => { held = null; return true; } };
    PushManager.prototype.subscribe = async () => (held = own);
    PushManager.prototype.getSubscription = async () => held;
  }`;
}

/** Hands messages to the service worker, as the browser does when its push service has one. */
export async function deviceOf(page: Page) {
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

/**
 * The notifications that this browser shows, oldest first, once there are so many: what is delivered is
 * shown a moment later. Fewer after two seconds.
 */
export function notifications(page: Page, count: number): Promise<Shown[]> {
  return page.evaluate<Shown[]>(`(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (const endMs = performance.now() + 2_000; ; ) {
      const shown = await registration.getNotifications();
      if (shown.length >= ${count} || performance.now() > endMs)
        return shown.toSorted((a, b) => a.timestamp - b.timestamp).map(({ title, body }) => ({ title, body }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
}
