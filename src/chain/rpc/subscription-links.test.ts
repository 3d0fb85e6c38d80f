import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { closeAfter } from "#test/support/ending.ts";
import { EventLog } from "#test/support/event-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { createRpcFollower } from "./rpc-follower.ts";
import type { WantedSubscription } from "./subscription-link.ts";
import { createSubscriptionLinks, type LinksOptions } from "./subscription-links.ts";

const MAX_PER_LINK = 3;
const SILENT_AFTER_MS = 60_000;

/**
 * A node that takes slotSubscribe and three more on each connection, and speaks as the test says.
 *
 * @param accepts whether the connection attempt of this number, from 1 on, is accepted
 */
async function strictNode(t: TestContext, accepts = (_attempt: number) => true) {
  let attempts = 0;
  const verifyClient = () => accepts(++attempts);
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", verifyClient });
  await once(server, "listening");
  const told = new EventLog<"refused" | "closed">();
  const connections: Connection[] = [];
  server.on("connection", (socket) => {
    connections.push(new Connection(socket, () => told.add("refused")));
    socket.on("close", () => told.add("closed"));
  });
  closeAfter(t, () => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, connections, told };
}

class Connection {
  readonly #socket: WebSocket;
  readonly #idByName = new Map<string, number>();
  #slotId = 0;
  #lastId = 0;

  constructor(socket: WebSocket, onRefused: () => void) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(String(data));
      const subscription = ++this.#lastId;
      if (method === "slotSubscribe") this.#slotId = subscription;
      else if (method === "accountUnsubscribe") this.#forget(params[0]);
      else if (method === "accountSubscribe" && this.#idByName.size < MAX_PER_LINK)
        this.#idByName.set(params[0], subscription);
      else if (method === "accountSubscribe") {
        onRefused();
        this.#send({ id, error: { code: -32006, message: "Too many subscriptions" } });
        return;
      }
      this.#send({ id, result: subscription });
    });
  }

  #forget(dropped: number): void {
    for (const [name, id] of this.#idByName) if (id === dropped) this.#idByName.delete(name);
  }

  get names(): readonly string[] {
    return [...this.#idByName.keys()];
  }

  tellSlot(slot: number): void {
    this.#notify(this.#slotId, { slot });
  }

  tellAll(): void {
    for (const [name, id] of this.#idByName) this.#notify(id, name);
  }

  #notify(subscription: number, result: unknown): void {
    this.#send({ method: "notification", params: { subscription, result } });
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}

function linksTo(t: TestContext, url: string, options: Partial<LinksOptions> = {}) {
  const links = createSubscriptionLinks({
    url,
    clock: { nowMs: () => performance.now() },
    random: () => 0.5,
    logger: null,
    timing: { silentAfterMs: SILENT_AFTER_MS, firstWaitMs: 5, longestWaitMs: 40, settleMs: 1 },
    maxPerLink: MAX_PER_LINK,
    ...options,
  });
  closeAfter(t, () => links.close());
  const slots = new EventLog<bigint>();
  links.listen({ onSlot: (slot) => slots.add(slot), onRestored: () => {} });
  return { links, slots };
}

function wantedOf(name: string, heard: EventLog<unknown>, stood: EventLog<string>) {
  const wanted: WantedSubscription = {
    kind: "account",
    params: () => [name],
    onResult: (result) => heard.add(result),
    onConfirmed: () => stood.add(name),
  };
  return wanted;
}

async function sevenWanted(t: TestContext, options: Partial<LinksOptions> = {}) {
  const node = await strictNode(t);
  const { links, slots } = linksTo(t, node.url, options);
  const heard = new EventLog<unknown>();
  const stood = new EventLog<string>();
  const names = Array.from({ length: 7 }, (_, index) => `account ${index}`);
  const wanted = names.map((name) => wantedOf(name, heard, stood));
  for (const each of wanted) links.want(each);
  for (const name of names) await stood.first((it) => it === name, `${name} stands`);
  return { node, links, slots, heard, names, wanted };
}

test("more subscriptions than one connection takes are all made and receive updates, none is refused", async (t) => {
  const { node, heard, names } = await sevenWanted(t);
  assert.deepEqual(node.told.events, []);
  assert.deepEqual(
    node.connections.map((connection) => connection.names.length).toSorted(),
    [1, 3, 3],
  );
  for (const connection of node.connections) connection.tellAll();
  for (const name of names) await heard.first((it) => it === name, `${name} is heard`);
});

test("a slot is published once every connection has reached it: a stalled one holds it back", async (t) => {
  const { node, slots } = await sevenWanted(t);
  const [first, second, third] = node.connections;
  for (const connection of node.connections) connection.tellSlot(10);
  await slots.first((slot) => slot === 10n, "slot 10");
  first?.tellSlot(12);
  second?.tellSlot(11);
  third?.tellSlot(11);
  await slots.first((slot) => slot === 11n, "slot 11");
  assert.ok(!slots.events.includes(12n));
});

test("a connection is closed with its last subscription, and holds back no slot after that", async (t) => {
  const { node, links, slots, wanted } = await sevenWanted(t);
  for (const connection of node.connections) connection.tellSlot(10);
  await slots.first((slot) => slot === 10n, "slot 10");
  const last = wanted.at(-1);
  assert.ok(last !== undefined);
  links.drop(last);
  await node.told.first((it) => it === "closed", "the third connection closes");
  const full = node.connections.filter(({ names }) => names.length === MAX_PER_LINK);
  assert.equal(full.length, 2);
  for (const connection of full) connection.tellSlot(12);
  await slots.first((slot) => slot === 12n, "slot 12");
});

test("a connection that the node refuses holds slots back after a grace time, until it is open", async (t) => {
  let isSecondAllowed = false;
  const node = await strictNode(t, (attempt) => attempt === 1 || isSecondAllowed);
  let nowMs = 0;
  const { links, slots } = linksTo(t, node.url, { clock: { nowMs: () => nowMs } });
  const heard = new EventLog<unknown>();
  const stood = new EventLog<string>();
  const wanted = [0, 1, 2, 3].map((index) => wantedOf(`account ${index}`, heard, stood));
  for (const each of wanted) links.want(each);
  await stood.first((name) => name === "account 2", "the first connection is full");
  const [first] = node.connections;
  first?.tellSlot(10);
  await slots.first((slot) => slot === 10n, "slot 10, within the grace time");
  nowMs += SILENT_AFTER_MS;
  first?.tellSlot(11);
  first?.tellAll();
  await heard.first((name) => name === "account 2", "what the first connection sent last");
  assert.deepEqual(slots.events, [10n]);
  isSecondAllowed = true;
  await stood.first((name) => name === "account 3", "the second connection");
  node.connections[1]?.tellSlot(12);
  await slots.first((slot) => slot === 11n, "slot 11");
});

test("the subscriptions of a connection that the node never accepts move where others are dropped", async (t) => {
  const node = await strictNode(t, (attempt) => attempt === 1);
  let nowMs = 0;
  const { links, slots } = linksTo(t, node.url, { clock: { nowMs: () => nowMs } });
  const heard = new EventLog<unknown>();
  const stood = new EventLog<string>();
  const wanted = [0, 1, 2, 3].map((index) => wantedOf(`account ${index}`, heard, stood));
  for (const each of wanted) links.want(each);
  await stood.first((name) => name === "account 2", "the first connection is full");
  const [first] = node.connections;
  nowMs += SILENT_AFTER_MS;
  first?.tellSlot(10);
  first?.tellAll();
  await heard.first((name) => name === "account 2", "what the first connection sent last");
  assert.deepEqual(slots.events, []);
  const [dropped] = wanted;
  assert.ok(dropped !== undefined);
  links.drop(dropped);
  await stood.first((name) => name === "account 3", "the last account");
  await slots.first((slot) => slot === 10n, "no connection holds slots back");
});

test("a new subscription goes to a connection that works, if it has room", async (t) => {
  const node = await strictNode(t, (attempt) => attempt === 2);
  const { links, slots } = linksTo(t, node.url);
  const stood = new EventLog<string>();
  const wanted = Array.from({ length: 5 }, (_, index) =>
    wantedOf(`account ${index}`, new EventLog<unknown>(), stood),
  );
  for (const each of wanted) links.want(each);
  await stood.first((name) => name === "account 4", "the second connection");
  node.connections[0]?.tellSlot(10);
  await slots.first((slot) => slot === 10n, "slot 10");
  const [ofRefused] = wanted;
  assert.ok(ofRefused !== undefined);
  links.drop(ofRefused);
  links.want(wantedOf("new account", new EventLog<unknown>(), stood));
  await stood.first((name) => name === "new account", "the new account");
});

test("the number of subscriptions that a node allows is learned: refused ones move to further connections", async (t) => {
  const { node, heard, names } = await sevenWanted(t, { maxPerLink: 1_000 });
  assert.deepEqual(
    node.connections.map((connection) => connection.names.length).toSorted(),
    [1, 3, 3],
  );
  for (const connection of node.connections) connection.tellAll();
  for (const name of names) await heard.first((it) => it === name, `${name} is heard`);
});

test("an account whose subscription was refused after a reconnect is confirmed again once it is made", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  closeAfter(t, () => server.close());
  let connections = 0;
  let refusals = 0;
  server.on("connection", (socket) => {
    const connection = ++connections;
    socket.on("message", (text) => {
      const { id, method } = JSON.parse(String(text));
      const isRefused = method === "accountSubscribe" && connection === 2 && refusals++ === 0;
      const reply = isRefused ? { error: { code: 429, message: "slow down" } } : { result: id };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
    });
  });
  const { port } = server.address() as AddressInfo;
  const { links } = linksTo(t, `ws://127.0.0.1:${port}`);
  const stood = new EventLog<string>();
  links.want(wantedOf("account", new EventLog<unknown>(), stood));
  await stood.first(() => true, "it stands");
  for (const client of server.clients) client.terminate();
  // The account is asked for again after half a minute.
  while (refusals < 2) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(100);
  }
  t.mock.timers.reset();
  await eventually("it is confirmed again", () => stood.events[1] ?? null);
  assert.deepEqual(stood.events, ["account", "account"]);
});

test("a node that closes each connection after its first slot is asked with growing waits", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  closeAfter(t, () => server.close());
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.once("message", (text) => {
      const { id } = JSON.parse(String(text));
      const params = { subscription: id, result: { slot: connections } };
      for (const message of [
        { id, result: id },
        { method: "slotNotification", params },
      ])
        socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
      socket.close();
    });
  });
  const { port } = server.address() as AddressInfo;
  const timing = { silentAfterMs: 60_000, firstWaitMs: 10, longestWaitMs: 60_000, settleMs: 1 };
  const { links, slots } = linksTo(t, `ws://127.0.0.1:${port}`, { timing });
  const startedMs = performance.now();
  links.want(wantedOf("account", new EventLog<unknown>(), new EventLog<string>()));
  await slots.first((slot) => slot === 7n, "the seventh connection");
  const waitedMs = performance.now() - startedMs;
  const doubledMs = 0.75 * (10 + 20 + 40 + 80 + 160 + 320);
  // A timer of Node may fire up to a millisecond early.
  assert.ok(waitedMs >= doubledMs - 10, `${waitedMs} ms`);
});

test("the second address is used where the first serves no WebSocket", async (t) => {
  const node = await strictNode(t);
  const closed = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const { links } = linksTo(t, `ws://127.0.0.1:${port}`, { otherUrl: node.url });
  const stood = new EventLog<string>();
  links.want(wantedOf("account", new EventLog<unknown>(), stood));
  await stood.first((it) => it === "account", "the account is confirmed");
});

test("accounts are followed uncompressed where the node does not know the compression", async (t) => {
  const encodings: string[] = [];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  closeAfter(t, () => server.close());
  server.on("connection", (socket) => {
    socket.on("message", (text) => {
      const { id, method, params } = JSON.parse(String(text));
      const encoding = params[1]?.encoding;
      if (method === "accountSubscribe") encodings.push(encoding);
      const refusal = { error: { code: -32602, message: "unknown variant `base64+zstd`" } };
      const reply = encoding === "base64+zstd" ? refusal : { result: id };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
    });
  });
  const { port } = server.address() as AddressInfo;
  const { links } = linksTo(t, `ws://127.0.0.1:${port}`, { maxPerLink: 10 });
  const followed = new EventLog<string>();
  const onFollowed = (addresses: readonly string[]) => addresses.forEach(followed.add);
  const follower = createRpcFollower({
    ...{ link: links, commitment: "confirmed", settleMs: 1 },
    isFarAhead: () => false,
  });
  const following = follower.follow({
    ...{ onFollowed, onUpdate: () => {}, onGap: () => {}, onSlot: () => {} },
  });
  const [first, second] = [testAddress(1), testAddress(2)];
  following.add([first]);
  await followed.first((address) => address === first, "the first account");
  following.add([second]);
  await followed.first((address) => address === second, "the second account");
  assert.deepEqual(encodings, ["base64+zstd", "base64", "base64"]);
});
