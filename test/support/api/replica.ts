import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import type { RelayLink } from "#src/relay/relay-link.ts";
import {
  messageText,
  newsText,
  parseMessage,
  relayTopics,
  type TrackerMessage,
  type TrackerReply,
  type TrackerRequest,
} from "#src/relay/relay-messages.ts";
import { RemoteMarkets } from "#src/relay/remote-markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { closeAfter } from "../ending.ts";
import { SOME_MINT, someSnapshot } from "../markets/assessments.ts";
import { type RelayBus, relayBus } from "./relay-bus.ts";

/** The topics of the deployment that tests of the relay have. */
export const TOPICS = relayTopics("a-deployment");

/** The markets of a process that receives them over the link; stopped after the test. */
export function startReplica(
  t: TestContext,
  link: RelayLink,
  {
    isFrozen = true,
    stored = null,
  }: { readonly isFrozen?: boolean; readonly stored?: AssessedSnapshot | null } = {},
): RemoteMarkets<unknown> {
  const markets = new RemoteMarkets({
    ...{ link, topics: TOPICS, isFrozen, clock: systemClock },
    storedAnswer: async () => stored,
    storedState: async () => ({ kind: "not-stored", slots: { before: null, after: null } }),
  });
  markets.start();
  closeAfter(t, () => markets.close());
  return markets;
}

export const START = Date.UTC(2026, 9, 5, 12);
const health = { chainAgeMs: 400 } as TrackerHealth;

/** A process that answers, with what it receives and sends. */
export function replicaOnBus(t: TestContext, stored: AssessedSnapshot | null = null) {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout", "Date"], now: START });
  const bus = relayBus();
  return { bus, markets: startReplica(t, bus.link, { isFrozen: false, stored }) };
}

export const beat = (bus: RelayBus, term: bigint, connections = 1) =>
  bus.say(TOPICS.heartbeats, messageText({ term, connections, health, facts: {} }));

export function publish(
  bus: RelayBus,
  term: bigint,
  snapshot: AssessedSnapshot,
  edition = 1,
): void {
  const { mint } = snapshot.assessment;
  bus.say(TOPICS.news(mint), newsText({ term, edition, kind: "snapshot", snapshot }));
}

export function state(stateTimeMs: number): AssessedSnapshot {
  const snapshot = someSnapshot({ stateTimeMs });
  assert.ok(snapshot.kind === "assessed");
  return snapshot;
}

export function messagesTo(bus: RelayBus): readonly TrackerMessage[] {
  return bus.published
    .filter(({ topic }) => topic === TOPICS.tracker)
    .map(({ text }) => parseMessage<TrackerMessage>(text))
    .filter((message) => message !== null);
}

export function questions(bus: RelayBus): readonly TrackerRequest[] {
  return messagesTo(bus).filter((message): message is TrackerRequest => "replica" in message);
}

export const named = (bus: RelayBus, kind: "touched" | "missed") =>
  messagesTo(bus).flatMap((message) =>
    message.kind === kind && "mints" in message ? message.mints : [],
  );

export function reply(bus: RelayBus, term: bigint, answer: unknown): void {
  sayReply(bus, term, { answer });
}

/** Answers the newest question. */
export function sayReply(
  bus: RelayBus,
  term: bigint,
  outcome: Omit<TrackerReply, "term" | "id">,
): void {
  const ask = questions(bus).at(-1);
  assert.ok(ask !== undefined, "nothing was asked");
  bus.say(TOPICS.replica(ask.replica), messageText({ term, id: ask.id, ...outcome }));
}

/** Lets pending promises run. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The replica holds this state, which the tracker of the term published. */
export async function holding(
  bus: RelayBus,
  markets: RemoteMarkets<unknown>,
  held: AssessedSnapshot,
  term: bigint,
) {
  beat(bus, term);
  const asked = markets.snapshot(SOME_MINT);
  await settle();
  reply(bus, term, held);
  await asked;
}

export const heldTimeMs = (markets: RemoteMarkets<unknown>) => {
  const held = markets.latest(SOME_MINT);
  return held?.kind === "assessed" ? held.assessment.stateTimeMs : null;
};
