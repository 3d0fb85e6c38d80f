import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocketServer } from "ws";
import { closeAfter } from "#test/support/ending.ts";
import { EventLog } from "#test/support/event-log.ts";
import type { WantedSubscription } from "./subscription-link.ts";
import { createSubscriptionLinks } from "./subscription-links.ts";

type Refusal = { readonly code: number; readonly message: string };

/** A node that refuses the subscriptions for which `refusalOf` says why. */
async function refusingNode(
  t: TestContext,
  refusalOf: (request: {
    readonly method: string;
    readonly connection: number;
    readonly accepted: number;
  }) => Refusal | null,
) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const refused = new EventLog<string>();
  const accepted: number[] = [];
  server.on("connection", (socket) => {
    const connection = accepted.push(0) - 1;
    socket.on("message", (text) => {
      const { id, method } = JSON.parse(String(text)) as { id: number; method: string };
      const held = accepted[connection] ?? 0;
      const error =
        method === "slotSubscribe" ? null : refusalOf({ method, connection, accepted: held });
      if (error === null && method !== "slotSubscribe") accepted[connection] = held + 1;
      if (error !== null) refused.add(method);
      const reply = error === null ? { result: id } : { error };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
    });
  });
  const close = () => {
    for (const client of server.clients) client.terminate();
  };
  closeAfter(t, () => {
    close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, accepted, refused, disconnectAll: close };
}

function linksTo(t: TestContext, url: string) {
  const links = createSubscriptionLinks({
    ...{ url, random: () => 0.5, logger: null },
    clock: { nowMs: () => performance.now() },
    timing: { silentAfterMs: 60_000, firstWaitMs: 5, longestWaitMs: 40, settleMs: 1 },
  });
  closeAfter(t, () => links.close());
  const confirmed = new EventLog<string>();
  const want = (kind: WantedSubscription["kind"], name: string): void =>
    links.want({
      kind,
      params: () => [name],
      onResult: () => {},
      onConfirmed: () => confirmed.add(name),
    });
  return { want, confirmed };
}

test("a node that serves no subscriptions to programs is asked for them on one connection", async (t) => {
  const node = await refusingNode(t, ({ method }) =>
    method === "programSubscribe" ? { code: -32601, message: "Method not found" } : null,
  );
  const { want, confirmed } = linksTo(t, node.url);
  want("account", "clock");
  await confirmed.first((name) => name === "clock", "the first account");
  for (let program = 0; program < 19; program++) want("program", `program ${program}`);
  want("account", "after the refusals");
  await confirmed.first((name) => name === "after the refusals", "the replies to all of them");
  for (let account = 0; account < 10; account++) want("account", `account ${account}`);
  await confirmed.first((name) => name === "account 9", "the last account");
  assert.equal(node.refused.events.length, 19);
  assert.deepEqual(node.accepted, [12]);
});

test("of a kind that a node does not serve one is asked for again, and all once that is accepted", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isServed = false;
  const node = await refusingNode(t, ({ method }) =>
    method === "programSubscribe" && !isServed
      ? { code: -32601, message: "Method not found" }
      : null,
  );
  const { want, confirmed } = linksTo(t, node.url);
  for (let program = 0; program < 19; program++) want("program", `program ${program}`);
  const untilRefused = async (times: number) => {
    while (node.refused.events.length < times) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(100);
    }
  };
  await untilRefused(19);
  for (let time = 1; time <= 3; time++) await untilRefused(19 + time);
  want("account", "after the refusals");
  await confirmed.first((name) => name === "after the refusals", "the replies to all of them");
  assert.equal(node.refused.events.length, 22);
  isServed = true;
  while (confirmed.events.length < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(100);
  }
  assert.deepEqual(node.accepted, [20]);
});

test("a subscription of a kind that was never accepted leaves a connection that is full", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const node = await refusingNode(t, ({ accepted }) =>
    accepted === 2 ? { code: -32006, message: "Too many subscriptions" } : null,
  );
  const { want, confirmed } = linksTo(t, node.url);
  for (const name of ["first", "second"]) want("account", name);
  want("program", "program");
  want("account", "third");
  while (confirmed.events.length < 4) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(100);
  }
  assert.deepEqual(confirmed.events, ["first", "second", "program", "third"]);
  assert.deepEqual(node.accepted, [2, 2]);
});

test("programs that come once a connection is full of accounts are subscribed on another", async (t) => {
  const node = await refusingNode(t, ({ accepted }) =>
    accepted === 10 ? { code: -32006, message: "Too many subscriptions" } : null,
  );
  const { want, confirmed } = linksTo(t, node.url);
  for (let account = 0; account < 10; account++) want("account", `account ${account}`);
  await confirmed.first((name) => name === "account 9", "the last account");
  for (let program = 0; program < 3; program++) want("program", `program ${program}`);
  for (let program = 0; program < 3; program++)
    await confirmed.first((name) => name === `program ${program}`, `program ${program}`);
  assert.deepEqual(node.accepted, [10, 3]);
});

test("one refusal after a reconnect does not limit what a connection holds for ever", async (t) => {
  let isRefused = false;
  const node = await refusingNode(t, ({ connection, accepted }) => {
    if (connection !== 1 || accepted !== 1 || isRefused) return null;
    isRefused = true;
    return { code: -32603, message: "Internal error" };
  });
  const { want, confirmed } = linksTo(t, node.url);
  for (let account = 0; account < 30; account++) want("account", `account ${account}`);
  await confirmed.first((name) => name === "account 29", "the last account");
  node.disconnectAll();
  await node.refused.first(() => true, "a refusal after the reconnect");
  await confirmed.first(() => confirmed.events.length > 30, "the refused one, elsewhere");
  const later = Array.from({ length: 20 }, (_, account) => `new ${account}`);
  for (const name of later) want("account", name);
  for (const name of later) await confirmed.first((it) => it === name, name);
  assert.equal(node.accepted.length, 3);
});
