import type { Worker } from "node:worker_threads";
import type { Arrival } from "../support/alerts-receivers.ts";
import { Latencies } from "../support/latencies.ts";
import type { Chain } from "./chain.ts";

/** The time from a sent withdrawal to its alert at a mail server and at a webhook. */
export class SentAlerts {
  readonly #causedAtMs = new Map<string, number>();
  /** When the last message about a token arrived before its withdrawal: the next one waits for the cool-down. */
  readonly #earlierAtMs = new Map<string, number>();
  readonly #arrived = {
    email: { mints: new Set<string>(), latencies: new Latencies() },
    webhook: { mints: new Set<string>(), latencies: new Latencies() },
  };
  #isEnding = false;

  constructor(chain: Chain, receivers: Worker, watched: ReadonlySet<string>) {
    chain.onSent.push(({ kind, mint, atMs }) => {
      if (kind !== "withdrawn" || !watched.has(mint) || this.#isEnding) return;
      this.#causedAtMs.set(mint, atMs);
    });
    receivers.on("message", ({ kind, mints, atMs }: Arrival) => {
      const { mints: arrived, latencies } = this.#arrived[kind];
      for (const mint of mints) {
        const causedMs = this.#causedAtMs.get(mint);
        if (causedMs === undefined) this.#earlierAtMs.set(mint, atMs);
        if (causedMs === undefined || arrived.has(mint)) continue;
        arrived.add(mint);
        latencies.add(atMs - causedMs);
      }
    });
  }

  /** Ignores the withdrawals from now on: the run may end before their alerts arrive. */
  endCauses(): void {
    this.#isEnding = true;
  }

  /** The withdrawals whose alert has not arrived everywhere at this moment. */
  missing(nowMs: number) {
    const { email, webhook } = this.#arrived;
    return [...this.#causedAtMs]
      .filter(([mint]) => !email.mints.has(mint) || !webhook.mints.has(mint))
      .map(([mint, causedMs]) => {
        const earlierMs = this.#earlierAtMs.get(mint);
        return {
          mint,
          causedSecondsAgo: (nowMs - causedMs) / 1_000,
          messageSecondsBefore: earlierMs === undefined ? null : (causedMs - earlierMs) / 1_000,
        };
      });
  }

  get figures() {
    const of = (kind: "email" | "webhook") => {
      const { mints, latencies } = this.#arrived[kind];
      return {
        ...{ arrived: mints.size, missed: this.#causedAtMs.size - mints.size },
        ...{ p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99) },
      };
    };
    return { causes: this.#causedAtMs.size, email: of("email"), webhook: of("webhook") };
  }
}
