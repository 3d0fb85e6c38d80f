import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { ChainLogger } from "./chain-logger.ts";
import type { Express, ExpressEvents } from "./chain-source.ts";
import type { OpenStream } from "./geyser-client.ts";
import { accountsPerStream, FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { subscribeRequest } from "./geyser-request.ts";
import { GeyserStream } from "./geyser-stream.ts";
import type { GeyserUpdate } from "./geyser-update.ts";
import type { LinkTiming } from "./subscription-link.ts";

export type ExpressStreamOptions = {
  readonly open: OpenStream;
  readonly events: ExpressEvents;
  /** Updates of such a slot are dropped. */
  readonly isFarAhead: (slot: bigint) => boolean;
  readonly clock: { readonly nowMs: () => number };
  readonly random: () => number;
  readonly logger: ChainLogger | null;
  readonly host: string;
  readonly timing: LinkTiming;
};

const NONE: ReadonlySet<Address> = new Set();

/**
 * One gRPC stream for the clock and some accounts that the other streams deliver as well: here they wait behind no
 * others. Since nothing depends on it alone, its loss costs only time.
 */
export class ExpressStream implements Express {
  readonly #options: ExpressStreamOptions;
  readonly #stream: GeyserStream;
  readonly #wanted = new Set<Address>([CLOCK_SYSVAR]);
  readonly #delivered = new Set<Address>();
  /** By address, the number of the request that first has it, until the server has applied that. */
  readonly #requested = new Map<Address, number>();
  #requests = 0;
  #limits = FIRST_LIMITS;
  #isClosed = false;

  constructor(options: ExpressStreamOptions) {
    this.#options = options;
    const { open, clock, random, logger, host, timing, events } = options;
    this.#stream = new GeyserStream({
      ...{ open, clock, random, logger, host, timing, outcomes: null },
      what: "follow the accounts of tokens in use over a gRPC stream of their own",
      next: "reopening with growing waits; the other streams deliver them too",
      request: () =>
        subscribeRequest(
          { accounts: this.#wanted, programs: [], mentioned: NONE },
          "confirmed",
          this.#limits,
        ),
      onUpdate: (update) => this.#dispatch(update),
      onSlot: (slot) => events.onReached(slot),
      onGap: () => this.#gap(),
      onLost: ({ reason }) => this.#lost(reason),
    });
    this.#stream.refresh(() => undefined);
  }

  get delivered(): ReadonlySet<Address> {
    return this.#delivered;
  }

  change(added: readonly Address[], removed: readonly Address[]): void {
    if (this.#isClosed) return;
    for (const address of removed) this.#drop(address);
    const room = accountsPerStream(this.#limits, 0);
    const fitting = added.slice(0, Math.max(0, room - this.#wanted.size));
    const request = ++this.#requests;
    for (const address of fitting) {
      this.#wanted.add(address);
      this.#requested.set(address, request);
    }
    this.#stream.refresh(() => this.#applied(request));
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.close();
  }

  #drop(address: Address): void {
    if (address === CLOCK_SYSVAR) return;
    this.#wanted.delete(address);
    this.#delivered.delete(address);
    this.#requested.delete(address);
  }

  #applied(request: number): void {
    if (this.#isClosed) return;
    for (const [address, first] of this.#requested) {
      if (first > request) continue;
      this.#requested.delete(address);
      this.#delivered.add(address);
    }
  }

  #dispatch({ account }: GeyserUpdate): void {
    const update = account?.update ?? null;
    if (update !== null && !this.#options.isFarAhead(update.slot)) {
      this.#options.events.onUpdate(update);
    }
  }

  /** What was delivered is so again from now on: the reopened stream asked for all of it. */
  #gap(): void {
    this.#options.events.onGap();
  }

  /** If the server accepts less in a request, the accounts that were added last are left out. */
  #lost(reason: string): void {
    const limits = learnedLimits(this.#limits, reason);
    if (limits === null) return;
    this.#limits = limits;
    const tooMany = [...this.#wanted].slice(Math.max(1, accountsPerStream(limits, 0)));
    for (const address of tooMany) this.#drop(address);
  }
}
