import { setTimeout as delay } from "node:timers/promises";
import { StreamNews } from "#src/api/streams/stream-news.ts";
import { Subscriptions } from "#src/api/streams/subscriptions.ts";
import { parseSize } from "#src/measure/questions/requested-size.ts";
import type { Address } from "#src/units/address.ts";
import { SILENT_LOG } from "#test/support/failure-loggers.ts";
import { quantile } from "../support/quantile.ts";
import { openStreamMarket } from "./stream-market.ts";

/** A cluster confirms a slot about half a second after it is processed: one slot later, and the votes. */
const CONFIRMED_AFTER_SLOTS = 1;
/** An event within this time after another one waits for it on purpose. */
const APART_MS = 600;

export type CommitmentLatency = {
  readonly commitment: "processed" | "confirmed";
  readonly changes: number;
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
};

/** The time from the end of a slot that changed a token's pool to the event of its stream. */
export async function latencyOf(
  commitment: "processed" | "confirmed",
  changes: number,
): Promise<CommitmentLatency> {
  const market = await openStreamMarket({
    commitment,
    prepare: (geyser) => {
      geyser.confirmedAfter = CONFIRMED_AFTER_SLOTS;
    },
  });
  const { demo, ledger, tracker, clock } = market;
  const subscriptions = new Subscriptions({ markets: tracker, clock, log: SILENT_LOG });
  const changedAtMs = new Map<string, number>();
  const sentAtMs = new Map<string, number>();
  const pools = new Map<Address, Address>();
  const latenciesMs: number[] = [];
  const size = parseSize("1");
  for (const { mint } of demo.namedTokens) {
    const snapshot = await tracker.snapshot(mint).catch(() => null);
    if (snapshot?.kind !== "assessed" || size === null) continue;
    for (const { address } of snapshot.assessment.measurement?.pools ?? [])
      pools.set(address, mint);
    const news = new StreamNews(0, (bodies) => {
      for (const { token_id: id } of bodies) {
        const changedMs = changedAtMs.get(id);
        if (changedMs !== undefined) latenciesMs.push(performance.now() - changedMs);
        changedAtMs.delete(id);
        sentAtMs.set(id, performance.now());
      }
    });
    const question = { mint, profile: "retail", size, language: "en" } as const;
    subscriptions.follow(question, (subscription) => news.add(subscription));
  }
  await delay(APART_MS);
  const stop = ledger.listen({
    onAccount: (address) => {
      const mint = pools.get(address);
      const nowMs = performance.now();
      if (mint === undefined || changedAtMs.has(mint)) return;
      if (nowMs - (sentAtMs.get(mint) ?? 0) > APART_MS) changedAtMs.set(mint, nowMs);
    },
    onTransaction: () => {},
    onSlot: () => {},
  });
  while (latenciesMs.length < changes) await delay(100);
  stop();
  subscriptions.close();
  await market.close();
  const rounded = (share: number): number | null => {
    const value = quantile(latenciesMs, share);
    return value === null ? null : Math.round(value);
  };
  return { commitment, changes: latenciesMs.length, p50Ms: rounded(0.5), p90Ms: rounded(0.9) };
}
