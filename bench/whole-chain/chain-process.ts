import { setPriority } from "node:os";
import { setImmediate as yieldTo } from "node:timers/promises";
import { Ledger } from "#src/node/ledger.ts";
import { clockAt, SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { createIndexedNode } from "../support/indexed-node.ts";
import { ChainMarket } from "./chain-market.ts";
import { ChainPast } from "./chain-past.ts";
import { type CheckOrder, type CheckResult, checkAnswer } from "./check-answer.ts";
import { type PlayedEvent, type PlayedSlot, timeOfSlot } from "./played-slot.ts";
import { messagesOf, type StreamMessage } from "./stream-messages.ts";
import { type StreamCounts, StreamServer } from "./stream-server.ts";

/**
 * The chain: a process of its own with a Yellowstone server and an RPC node. Slots are played ahead of the
 * time at which they are sent, so that a burst costs it no more than any other time.
 */
export type ChainProcessOptions = {
  readonly seed: number;
  readonly tokens: number;
  readonly swapsPerSecond: number;
  readonly compression: number;
  readonly probes: number;
  /** Tokens traded once in each slot until the run begins. */
  readonly sweptPerSlot: number;
  /** A slot's updates are sent in so many parts, the last one at its end. */
  readonly sendsPerSlot: number;
};

export type ChainTokenFacts = {
  readonly mint: Address;
  readonly venue: VenueId;
  readonly pool: Address;
};

export type ChainReady = {
  readonly kind: "ready";
  readonly rpcUrl: string;
  readonly geyserUrl: string;
  readonly seconds: number;
  readonly tokens: readonly ChainTokenFacts[];
  readonly probes: readonly Address[];
  /** In the order in which their liquidity is taken out. */
  readonly drained: readonly Address[];
};

/** Something that was sent at that time, by the clock that all processes share. */
export type SentEvent = PlayedEvent & { readonly slot: number; readonly atMs: number };

export type ChainInterval = {
  readonly kind: "interval";
  readonly slot: number;
  readonly isBurst: boolean;
  readonly swaps: number;
  readonly accounts: number;
  readonly transactions: number;
  readonly stream: StreamCounts;
  readonly streams: number;
  readonly rpcCalls: Readonly<Record<string, number>>;
  /** Slots that are played and not sent yet. */
  readonly ahead: number;
  /** Slots that were sent late because they were not played in time, or the process was busy. */
  readonly lateSlots: number;
  /** Slots that were left out because the process was too late for them. */
  readonly skippedSlots: number;
  readonly residentBytes: number;
  readonly busy: number;
};

export type ChainWord =
  | ChainReady
  | ChainInterval
  | { readonly kind: "began"; readonly slot: number }
  | { readonly kind: "sent"; readonly events: readonly SentEvent[] }
  | {
      readonly kind: "head";
      readonly slot: number;
      readonly atMs: number;
      readonly isBurst: boolean;
    }
  | { readonly kind: "checked"; readonly id: number; readonly result: CheckResult };
export type ChainOrder =
  | { readonly kind: "begin" }
  | { readonly kind: "check"; readonly id: number; readonly order: CheckOrder };

type Ready = { readonly slot: PlayedSlot; readonly messages: readonly StreamMessage[] };

/** Slots that are played ahead while the service loads, and in the run. */
const AHEAD = { sweep: 3, run: 150 } as const;
const UNHURRIED_SLOTS = 10;
/** A slot that would be later than this is left out. */
const LATEST_MS = 2_000;
/** Messages that wait to be sent take memory: playing ahead pauses above this. */
const MOST_MESSAGES_AHEAD = 1_500_000;
const CHAIN_NICE = 15;
const INTERVAL_MS = 5_000;
const START_AFTER_MS = 2_000;

const options: ChainProcessOptions = JSON.parse(process.argv[2] ?? "{}");
const now = (): number => performance.timeOrigin + performance.now();
const say = (word: ChainWord): void => {
  if (process.connected) process.send?.(word, () => undefined);
};
const startedMs = now();
const market = new ChainMarket({ ...options, startMs: Date.now() });
const ledger = new Ledger(clockAt(Date.now()));
ledger.apply(market.accounts, { isSilent: true });
const { node, index, takeCalls } = createIndexedNode(ledger);
const server = new StreamServer();
const past = new ChainPast(ledger);
const queue: Ready[] = [];
let messagesAhead = 0;
let isBegun = false;
let lateSlots = 0;
let skippedSlots = 0;
let sums = { swaps: 0, accounts: 0, transactions: 0 };
let newest = toNumber(market.slot);
let isBurst = false;
let busySince = performance.eventLoopUtilization();

const { httpUrl: rpcUrl } = await node.listen();
const geyserUrl = await server.listen();
market.startAt(Date.now() + START_AFTER_MS);
process.on("message", (order: ChainOrder) => {
  if (order.kind === "begin") isBegun = true;
  else say({ kind: "checked", id: order.id, result: checkAnswer(past, order.order) });
});
process.on("disconnect", () => process.exit(0));
const mintsOf = (tokens: ChainMarket["tokens"]) => tokens.map(({ mint }) => mint);
say({
  ...{ kind: "ready", rpcUrl, geyserUrl, seconds: (now() - startedMs) / 1_000 },
  tokens: market.tokens.map(({ mint, venue, pool }) => ({ mint, venue: venue.id, pool })),
  probes: mintsOf(market.probes),
  drained: mintsOf(market.drained),
});
setInterval(sayInterval, INTERVAL_MS);
/** Below the service: on machines of their own, a node and a Yellowstone server take no processor time from it. */
setPriority(CHAIN_NICE);
void playAhead();
for (;;) await sendNext();

/** Plays slots until enough are ready; gives way to what is due after each. */
async function playAhead(): Promise<void> {
  let hasBegun = false;
  for (;;) {
    const most = isBegun ? AHEAD.run : AHEAD.sweep;
    if (queue.length >= most || messagesAhead > MOST_MESSAGES_AHEAD) {
      await delay(SLOT_MS / 4);
      continue;
    }
    if (isBegun && !hasBegun) {
      hasBegun = true;
      market.begin();
      say({ kind: "began", slot: toNumber(market.slot) + 1 });
    }
    skippedSlots += market.skipTo(now() - LATEST_MS);
    const slot = isBegun ? await playInParts() : market.playSweep(options.sweptPerSlot);
    const messages = messagesOf(slot);
    messagesAhead += messages.length;
    queue.push({ slot, messages });
    await yieldTo();
  }
}

/** A slot of a burst takes half a second to play: others are sent meanwhile. */
async function playInParts(): Promise<PlayedSlot> {
  const parts = market.playInParts();
  for (;;) {
    const { value, done } = parts.next();
    if (done === true) return value;
    // With some slots ready it takes half a core at most: the service needs the rest.
    if (queue.length > UNHURRIED_SLOTS) await delay(1);
    else await yieldTo();
  }
}

/**
 * Sends a slot, then its end. In one part, as a Yellowstone server does once a slot is confirmed; in several,
 * they are spread over its 400 ms. Reads return the slot from its first update on.
 */
async function sendNext(): Promise<void> {
  const next = queue.shift();
  if (next === undefined) {
    await delay(5);
    return;
  }
  const { slot, messages } = next;
  const startMs = timeOfSlot(slot.clock.slot);
  if (now() > startMs + SLOT_MS / 2) lateSlots++;
  const { sendsPerSlot } = options;
  const partMs = SLOT_MS / sendsPerSlot;
  const unsent = slot.events.map((event) => ({ event, accounts: new Set(event.accounts) }));
  await until(startMs + partMs);
  past.add(slot);
  ledger.advance(slot.clock);
  ledger.apply(slot.changes);
  index.add(slot.changes.keys());
  // Slots between them were left out: to a follower, a parent that it never got is a gap.
  const parent = newest;
  newest = toNumber(slot.clock.slot);
  ({ isBurst } = slot);
  for (let part = 0; part < sendsPerSlot; part++) {
    await until(startMs + (part + 1) * partMs);
    const from = Math.floor((messages.length * part) / sendsPerSlot);
    const to = Math.floor((messages.length * (part + 1)) / sendsPerSlot);
    server.send(messages.slice(from, to));
    sayEvents(slot, unsent, messages.slice(from, to));
  }
  messagesAhead -= messages.length;
  server.endSlot(newest, parent);
  say({ kind: "head", slot: newest, atMs: now(), isBurst });
  sums.swaps += slot.swaps;
  sums.accounts += slot.changes.size;
  sums.transactions += slot.transactions.length;
}

type UnsentEvent = { readonly event: PlayedEvent; readonly accounts: Set<Address> };

/** Reports the events whose last account is among these messages. Transactions that name it come much later. */
function sayEvents(
  slot: PlayedSlot,
  unsent: UnsentEvent[],
  messages: readonly StreamMessage[],
): void {
  if (unsent.length === 0) return;
  // What `send` wrote leaves the process in a later phase of this turn of the event loop.
  const atMs = now();
  const sent = messages.flatMap(({ kind, addresses }) => (kind === "account" ? addresses : []));
  for (const { accounts } of unsent) for (const address of sent) accounts.delete(address);
  const done = unsent.filter(({ accounts }) => accounts.size === 0);
  if (done.length === 0) return;
  unsent.splice(0, unsent.length, ...unsent.filter(({ accounts }) => accounts.size > 0));
  const number = toNumber(slot.clock.slot);
  say({ kind: "sent", events: done.map(({ event }) => ({ ...event, slot: number, atMs })) });
}

function sayInterval(): void {
  const utilization = performance.eventLoopUtilization();
  const { utilization: busy } = performance.eventLoopUtilization(utilization, busySince);
  busySince = utilization;
  say({
    ...{ kind: "interval", slot: newest, isBurst, ...sums },
    ...{ stream: server.takeCounts(), streams: server.clientCount, rpcCalls: takeCalls() },
    ...{ ahead: queue.length, lateSlots, skippedSlots },
    ...{ residentBytes: process.memoryUsage.rss(), busy },
  });
  sums = { swaps: 0, accounts: 0, transactions: 0 };
  lateSlots = 0;
  skippedSlots = 0;
}

async function until(atMs: number): Promise<void> {
  const leftMs = atMs - now();
  if (leftMs > 1) await delay(leftMs);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
