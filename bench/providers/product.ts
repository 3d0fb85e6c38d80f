import { Accuracy } from "#src/accuracy/accuracy.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import type { LocalNodeUrls } from "#src/node/node.ts";
import { AppError } from "#src/platform/app-error.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";

/** How one question was answered. */
export type Asked = {
  readonly mint: Address;
  readonly ms: number;
  readonly answer:
    | {
        readonly kind: "assessed";
        /** Null: blocked. */
        readonly depthSol: number | null;
        readonly pools: number;
        readonly isSearchComplete: boolean;
        readonly ageSeconds: number;
      }
    | { readonly kind: "not-found" }
    /** 503, or no answer within the caller's timeout. */
    | { readonly kind: "unavailable" };
};

/** A caller gives up after so long. */
const PATIENCE_MS = 20_000;

export type Product = {
  readonly ask: (mint: Address) => Promise<Asked>;
  /** The accounts behind a tracked token's answer as they are held now. */
  readonly accountsOf: (mint: Address) => ReadonlyMap<Address, Account | null>;
  readonly close: () => Promise<void>;
};

/** The tracker, and the accuracy record if wanted, on a provider. */
export async function openProduct(
  { httpUrl, wsUrl }: LocalNodeUrls,
  options: { readonly withAccuracy: boolean },
): Promise<Product> {
  const clock = systemClock;
  // Plain data: it is sent to the thread of the accuracy record.
  const urls = { httpUrl, wsUrl };
  const rpc = createRpcSource({ ...urls, origin: "live", clock, random: Math.random });
  const source = recordingSource(rpc);
  const record = new AccuracyRecord();
  const tracker = new Tracker({ source, venues: VENUES, clock, database: null });
  const accuracy = options.withAccuracy
    ? new Accuracy({
        ...{ source, tracker, record, clock, starts: rpc, database: null },
        transactions: { ...urls, geyser: null, sample: { readsPerMinute: 2 } },
        log: { error: () => {}, warn: () => {}, info: () => {} },
      })
    : null;
  tracker.start();
  await accuracy?.start();

  async function ask(mint: Address): Promise<Asked> {
    const startedMs = performance.now();
    const patience = new Promise<"late">((resolve) => {
      setTimeout(() => resolve("late"), PATIENCE_MS).unref();
    });
    const snapshot = await Promise.race([tracker.snapshot(mint), patience]).catch(
      (error: unknown) => {
        if (error instanceof AppError) return "late" as const;
        throw error;
      },
    );
    const ms = performance.now() - startedMs;
    if (snapshot === "late" || snapshot.kind === "unavailable") {
      return { mint, ms, answer: { kind: "unavailable" } };
    }
    if (snapshot.kind === "not-found") return { mint, ms, answer: { kind: "not-found" } };
    const { measurement, findings, stateTimeMs } = snapshot.assessment;
    const answer = {
      kind: "assessed",
      depthSol: measurement === null ? null : Number(measurement.depthLamports) / 1e9,
      pools: measurement?.pools.length ?? 0,
      isSearchComplete: findings.every(({ kind }) => kind !== "search-incomplete"),
      ageSeconds: (Date.now() - stateTimeMs) / 1_000,
    } as const;
    return { mint, ms, answer };
  }

  const close = async () => {
    await accuracy?.close();
    await tracker.close();
    await rpc.close();
  };
  const accountsOf = (mint: Address) => tracker.saleGround(mint)?.accounts ?? new Map();
  return { ask, accountsOf, close };
}
