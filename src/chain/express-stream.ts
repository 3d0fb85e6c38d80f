import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { ChainLogger } from "./chain-logger.ts";
import type { AccountUpdate, Express, ExpressEvents } from "./chain-source.ts";
import type { OpenStream } from "./geyser-client.ts";
import { accountsPerStream, FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { type GeyserWants, subscribeRequest } from "./geyser-request.ts";
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
 * others. It passes the updates of a slot together, once the slot is over, so that a gap is reported before any update
 * after it. It is open between `resume` and `suspend`: a server that limits streams serves the others first.
 */
export class ExpressStream implements Express {
  readonly #options: ExpressStreamOptions;
  #stream: GeyserStream | null = null;
  readonly #wanted = new Set<Address>([CLOCK_SYSVAR]);
  readonly #delivered = new Set<Address>();
  /** By address, the number of the request that first has it, until the server has applied that. */
  readonly #requested = new Map<Address, number>();
  #requests = 0;
  /** Updates of slots that are not over. */
  #held: AccountUpdate[] = [];
  #reachedSlot = -1n;
  #limits = FIRST_LIMITS;
  #isClosed = false;

  constructor(options: ExpressStreamOptions) {
    this.#options = options;
  }

  get delivered(): ReadonlySet<Address> {
    return this.#delivered;
  }

  change(added: readonly Address[], removed: readonly Address[]): void {
    for (const address of removed) this.#drop(address);
    const room = Math.max(0, accountsPerStream(this.#limits, 0) - this.#wanted.size);
    for (const address of added.slice(0, room)) this.#wanted.add(address);
    this.#request(added);
  }

  resume(): void {
    if (this.#stream !== null || this.#isClosed) return;
    const { open, clock, random, logger, host, timing } = this.#options;
    this.#stream = new GeyserStream({
      ...{ open, clock, random, logger, host, timing, outcomes: null },
      what: "follow the accounts of tokens in use over a gRPC stream of their own",
      next: "reopening with growing waits; the other streams deliver them too",
      request: () => subscribeRequest(this.#wants(), "confirmed", this.#limits),
      onUpdate: (update) => this.#receive(update),
      onSlot: (slot) => this.#endSlot(slot),
      onGap: () => this.#options.events.onGap(),
      onLost: ({ reason }) => this.#lost(reason),
    });
    this.#request(this.#wanted);
  }

  suspend(): void {
    const stream = this.#stream;
    if (stream === null) return;
    this.#stream = null;
    this.#requested.clear();
    this.#delivered.clear();
    this.#held = [];
    stream.close();
    if (!this.#isClosed) this.#options.events.onGap();
  }

  close(): void {
    this.#isClosed = true;
    this.suspend();
  }

  #wants(): GeyserWants {
    return { accounts: this.#wanted, programs: [], mentioned: NONE };
  }

  /** Sends all that is wanted; what was added is delivered once the server has applied this. */
  #request(added: Iterable<Address>): void {
    const stream = this.#stream;
    if (stream === null) return;
    const request = ++this.#requests;
    for (const address of added)
      if (this.#wanted.has(address)) this.#requested.set(address, request);
    stream.refresh(() => {
      if (stream === this.#stream) this.#applied(request);
    });
  }

  #applied(request: number): void {
    for (const [address, first] of this.#requested) {
      if (first > request) continue;
      this.#requested.delete(address);
      this.#delivered.add(address);
    }
  }

  #drop(address: Address): void {
    if (address === CLOCK_SYSVAR) return;
    this.#wanted.delete(address);
    this.#delivered.delete(address);
    this.#requested.delete(address);
  }

  #receive({ account }: GeyserUpdate): void {
    const update = account?.update ?? null;
    if (update === null || this.#options.isFarAhead(update.slot)) return;
    if (update.slot > this.#reachedSlot) this.#held.push(update);
    else this.#options.events.onUpdate(update);
  }

  #endSlot(slot: bigint): void {
    const { events, isFarAhead } = this.#options;
    if (isFarAhead(slot)) return;
    this.#reachedSlot = slot;
    const held = this.#held;
    this.#held = held.filter((update) => update.slot > slot);
    for (const update of held) if (update.slot <= slot) events.onUpdate(update);
    events.onReached(slot);
  }

  /** If the server accepts less in a request, the accounts that were added last are left out: that is a gap in them. */
  #lost(reason: string): void {
    this.#held = [];
    const limits = learnedLimits(this.#limits, reason);
    if (limits === null) return;
    this.#limits = limits;
    const tooMany = [...this.#wanted].slice(Math.max(1, accountsPerStream(limits, 0)));
    for (const address of tooMany) this.#drop(address);
    this.#options.events.onGap();
  }
}
