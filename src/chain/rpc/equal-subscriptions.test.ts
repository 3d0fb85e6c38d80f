import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { closeAfter } from "#test/support/ending.ts";
import { EventLog } from "#test/support/event-log.ts";
import type { WantedSubscription } from "./subscription-link.ts";
import { createSubscriptionLinks } from "./subscription-links.ts";

/** A node that gives equal subscriptions of a connection one id, as Agave does: the first end ends all of them. */
async function agaveNode(t: TestContext) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const idOf = new Map<string, number>();
  const held = new Set<number>();
  const sockets: WebSocket[] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.on("message", (text) => {
      const { id, method, params } = JSON.parse(String(text));
      if (method.endsWith("Unsubscribe")) {
        held.delete(params[0]);
        return;
      }
      const key = `${method} ${JSON.stringify(params)}`;
      const subscription = idOf.get(key) ?? idOf.size + 1;
      idOf.set(key, subscription);
      held.add(subscription);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: subscription }));
    });
  });
  closeAfter(t, () => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  const notify = (name: string, result: unknown): void => {
    const subscription = idOf.get(`accountSubscribe ${JSON.stringify([name])}`);
    if (subscription === undefined || !held.has(subscription)) return;
    const params = { subscription, result };
    for (const socket of sockets)
      socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notification", params }));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, notify };
}

test("an account that is dropped and followed again before the node replies is notified", async (t) => {
  const node = await agaveNode(t);
  const links = createSubscriptionLinks({
    ...{ url: node.url, random: () => 0.5, logger: null },
    clock: { nowMs: () => performance.now() },
    timing: { silentAfterMs: 60_000, firstWaitMs: 5, longestWaitMs: 40, settleMs: 1 },
  });
  closeAfter(t, () => links.close());
  const confirmed = new EventLog<string>();
  const notified = new EventLog<unknown>();
  const wantedOf = (name: string, who: string): WantedSubscription => ({
    kind: "account",
    params: () => [name],
    onResult: (result) => notified.add(`${who} ${String(result)}`),
    onConfirmed: () => confirmed.add(who),
  });
  links.want(wantedOf("other", "other"));
  await confirmed.first((who) => who === "other", "the connection");
  const [first, second] = [wantedOf("account", "first"), wantedOf("account", "second")];
  links.want(first);
  links.drop(first);
  links.want(second);
  await confirmed.first((who) => who === "second", "the second subscription");
  // What was sent before has reached the node once it replies to this.
  links.want(wantedOf("last", "last"));
  await confirmed.first((who) => who === "last", "a later subscription");
  node.notify("account", 1);
  node.notify("last", 2);
  await notified.first((it) => it === "last 2", "a later notification");
  assert.deepEqual(notified.events, ["second 1", "last 2"]);
});
