import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Assessment, Ladder } from "#src/measure/assessment.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { closeAfter } from "../ending.ts";
import {
  SOME_MINT,
  someLadder,
  someMarkets,
  someMeasurement,
  someSnapshot,
} from "../markets/assessments.ts";

type Event = { readonly event: string; readonly id?: string; readonly data: string };

/** A market whose tokens change on the test's command. */
export function changingTokens(mints: readonly Address[]) {
  const listeners = new Set<(snapshot: AssessedSnapshot) => void>();
  const held = new Map(mints.map((mint) => [mint, slipping(1, mint)]));
  const latest = (mint: Address) => held.get(mint) ?? null;
  const markets = someMarkets((mint) => latest(mint) ?? { kind: "not-found", mint }, {
    latest,
    onSnapshot: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const publish = (snapshot: AssessedSnapshot) => {
    held.set(snapshot.assessment.mint, snapshot);
    for (const listener of listeners) listener(snapshot);
  };
  const change = (mint: Address, slippagePct: number) => publish(slipping(slippagePct, mint));
  return { markets, latest, publish, change };
}

/** The same with one token. */
export function changingMarket() {
  const { markets, latest, publish, change } = changingTokens([SOME_MINT]);
  return {
    markets,
    change: (slippagePct: number) => change(SOME_MINT, slippagePct),
    tell(changeOf: (assessment: Assessment) => Partial<Assessment>) {
      const now = latest(SOME_MINT);
      assert.ok(now);
      publish({ ...now, assessment: { ...now.assessment, ...changeOf(now.assessment) } });
    },
  };
}

let slot = 400_000_000n;

export function slippingLadder(slippagePct: number): Ladder {
  return { ...someLadder, slippagesPct: someLadder.slippagesPct.with(1, slippagePct) };
}

export function slipping(slippagePct: number, mint = SOME_MINT): AssessedSnapshot {
  slot++;
  const snapshot = someSnapshot({
    mint,
    measurement: { ...someMeasurement, retail: slippingLadder(slippagePct) },
    slot,
    stateTimeMs: Number(slot),
  });
  assert.equal(snapshot.kind, "assessed");
  return snapshot;
}

/** Reads the events of an exitability stream one by one. */
export async function openStream(
  t: TestContext,
  url: string,
  headers: Record<string, string> = {},
) {
  const abort = new AbortController();
  closeAfter(t, () => abort.abort());
  const response = await fetch(url, { headers, signal: abort.signal });
  assert.equal(response.status, 200);
  assert.ok(response.body);
  const texts = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let buffer = "";
  const next = async (): Promise<Event> => {
    for (;;) {
      const end = buffer.indexOf("\n\n");
      if (end >= 0) {
        const block = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        const fields = block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2));
        return Object.fromEntries(fields);
      }
      const { value, done } = await texts.next();
      if (done === true) throw new Error("the stream ended");
      buffer += value;
    }
  };
  return { next, headers: response.headers, close: () => abort.abort() };
}
