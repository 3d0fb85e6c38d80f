import { chunksOf } from "#src/platform/chunks.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { type ChainLogger, hostOf } from "../chain-logger.ts";
import type {
  ChainSource,
  FollowEvents,
  Following,
  StreamInUse,
  TransactionSource,
} from "../chain-source.ts";
import { DEFAULT_LINK_TIMING, type LinkTiming } from "../link-timing.ts";
import type { Commitment } from "../rpc/rpc-reader.ts";
import type { NodeReport } from "../rpc/rpc-source.ts";
import { loadGeyserClient, type OpenStream } from "./geyser-client.ts";
import { GeyserFallback } from "./geyser-fallback.ts";
import { GeyserFollowers } from "./geyser-followers.ts";
import {
  GeyserHealth,
  LARGEST_LAG,
  LARGEST_LAG_PROCESSED,
  type StreamLoss,
} from "./geyser-health.ts";
import { FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { GeyserPlacement } from "./geyser-placement.ts";
import { type GeyserWants, type ProgramsFilter, subscribeRequest } from "./geyser-request.ts";
import { GeyserStream } from "./geyser-stream.ts";
import { type SlotOutcome, SlotOutcomes } from "./slot-outcomes.ts";

export type GeyserOptions = {
  readonly url: string;
  /** Sent as x-token; null: none. */
  readonly token: string | null;
  /** Serves reads and searches, which a stream does not offer, and what no stream follows. */
  readonly reads: ChainSource & TransactionSource & Pick<NodeReport, "isFarAhead">;
  readonly clock: WallClock;
  readonly random: () => number;
  readonly logger?: ChainLogger;
  readonly commitment?: Commitment;
  readonly timing?: LinkTiming;
};

/** Each request contains every address: the more there are, the longer changes are gathered. */
const GATHER_MS_PER_ADDRESS = 0.02;
const MAX_REASON_LENGTH = 200;
const NO_FILTERS = filtersText([], []);

/**
 * A ChainSource whose subscriptions run over Yellowstone gRPC streams: whole programs at the cost of one
 * filter each. What no stream delivers is followed over `reads`, which is not closed with it.
 *
 * @throws GeyserUnavailable if the client can't be loaded on this platform
 */
export async function createGeyserSource(
  options: GeyserOptions,
): Promise<ChainSource & TransactionSource> {
  const source = new GeyserSource(options, await loadGeyserClient(options));
  const { reads } = options;
  const { followers } = source;
  return {
    ...reads,
    follow: source.follow,
    followProgram: followers.followProgram,
    followTransactions: followers.followTransactions,
    isProcessed: options.commitment === "processed",
    streamInUse: source.streamInUse,
    close: source.close,
  };
}

class GeyserSource {
  readonly #options: GeyserOptions;
  readonly #open: OpenStream;
  readonly #timing: LinkTiming;
  readonly followers: GeyserFollowers;
  readonly #fallback: GeyserFallback;
  readonly #streams = new Map<number, GeyserStream>();
  readonly #placement = new GeyserPlacement();
  readonly #health: GeyserHealth;
  /** What becomes of slots that are followed when they are processed; null: they are followed confirmed. */
  readonly #outcomes: SlotOutcomes | null;
  #limits = FIRST_LIMITS;
  #isWhole = false;
  /** By stream, the filters for programs and transactions in its last request. */
  readonly #sentFilters = new Map<number, string>();
  #refreshTimer: NodeJS.Timeout | null = null;
  /** Changes when every account is placed again: earlier requests are void then. */
  #generation = 0;
  #isClosed = false;

  constructor(options: GeyserOptions, open: OpenStream) {
    this.#options = options;
    this.#open = open;
    this.#timing = options.timing ?? DEFAULT_LINK_TIMING;
    this.followers = new GeyserFollowers(() => this.#refreshSoon(), options.reads.isFarAhead);
    this.#fallback = new GeyserFallback(options.reads);
    const isProcessed = options.commitment === "processed";
    this.#health = new GeyserHealth({
      largestLag: isProcessed ? LARGEST_LAG_PROCESSED : LARGEST_LAG,
      calmMs: this.#timing.longestWaitMs,
    });
    const onEnd = (slot: bigint, outcome: SlotOutcome): void => {
      for (const { events } of this.followers.accounts) events.onSlotEnd?.(slot, outcome);
    };
    this.#outcomes = isProcessed
      ? new SlotOutcomes({ onEnd, onUnknown: () => this.#gap(null) })
      : null;
  }

  readonly follow = (events: FollowEvents): Following => {
    events.onElsewhere?.(this.#placement.elsewhere);
    events.onWhole?.(this.#isWhole);
    return this.followers.follow(events);
  };

  readonly streamInUse = (): StreamInUse => {
    const down = this.#health.firstDown;
    if (down === null) return { configured: "grpc", inUse: "grpc", reason: null, sinceMs: null };
    const { token } = this.#options;
    const words = token === null ? down.reason : down.reason.replaceAll(token, "…");
    const reason = words.slice(0, MAX_REASON_LENGTH);
    return { configured: "grpc", inUse: "websocket", reason, sinceMs: down.sinceMs };
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer);
    await this.#fallback.close();
    this.followers.clear();
    for (const stream of this.#streams.values()) stream.close();
  };

  #streamAt(index: number): GeyserStream {
    const existing = this.#streams.get(index);
    if (existing !== undefined) return existing;
    const { commitment = "confirmed", clock, random, logger = null, url } = this.#options;
    const stream = new GeyserStream({
      ...{ open: this.#open, clock, random, logger, host: hostOf(url), timing: this.#timing },
      request: () => subscribeRequest(this.#wants(index), commitment, this.#limits),
      onUpdate: (update) => this.followers.dispatch(update),
      onSlot: (slot) => this.#receiveSlot(index, slot),
      isFarAhead: this.#options.reads.isFarAhead,
      onLost: (loss) => this.#lost(index, loss),
      outcomes: this.#outcomes,
      onGap: (sinceSlot, untilSlot) =>
        this.#gap(sinceSlot, untilSlot, this.#accountsIfNoPrograms(index)),
    });
    this.#streams.set(index, stream);
    return stream;
  }

  /** Every stream has delivered the slot that is published. */
  #receiveSlot(index: number, slot: bigint): void {
    if (this.#health.received(index, slot, this.#options.clock.nowMs())) {
      if (this.#health.firstDown === null) {
        const text = "the gRPC stream is accepted again; accounts are followed over it";
        this.#options.logger?.info({ host: hostOf(this.#options.url) }, text);
      }
      this.#refreshSoon();
    }
    const reached = this.#health.reached(this.#streams.keys());
    if (reached !== null) {
      for (const { events } of this.followers.accounts) events.onReached?.(reached);
    }
    this.#publishWhole(this.#health.isWhole(this.#streams.keys()));
    if (reached === null) return;
    for (const { events } of this.followers.accounts) events.onSlot(reached);
  }

  #gap(
    sinceSlot: bigint | null,
    untilSlot: bigint | null = null,
    lost: ReadonlySet<Address> | null = null,
  ): void {
    this.#outcomes?.clear();
    this.followers.gap(sinceSlot, untilSlot, lost);
  }

  /**
   * The accounts of a stream without programs, which its loss concerns alone. Null: it has programs, or slots are
   * followed when they are processed, and all streams together state what became of a slot.
   */
  #accountsIfNoPrograms(index: number): ReadonlySet<Address> | null {
    const { accounts, programs } = this.#wants(index);
    return programs.length > 0 || this.#outcomes !== null ? null : accounts;
  }

  #publishWhole(isWhole: boolean): void {
    if (isWhole === this.#isWhole) return;
    this.#isWhole = isWhole;
    for (const { events } of this.followers.accounts) events.onWhole?.(isWhole);
  }

  #lost(index: number, loss: StreamLoss): void {
    const { clock, logger, url } = this.#options;
    const host = hostOf(url);
    const { reason } = loss;
    const hasFallenBack = this.#health.firstDown !== null;
    const isGivenUp = this.#health.lost(index, loss, clock.nowMs());
    this.#publishWhole(false);
    const limits = learnedLimits(this.#limits, reason);
    if (limits !== null) {
      const text = "the gRPC server's limits are smaller; subscribing within them";
      logger?.warn({ host, reason, ...limits }, text);
      this.#limits = limits;
      // Accounts move to streams that cannot name them as lost.
      this.#gap(null);
      this.#health.forgetFailures();
      this.#placement.reset();
      this.#generation++;
      this.followers.reportAllAgain();
      this.#refreshSoon();
      return;
    }
    if (!isGivenUp) return;
    this.#gap(null);
    if (!hasFallenBack) {
      const text =
        "the gRPC server accepts no stream, sends nothing or ends streams soon; following over the node's WebSocket meanwhile";
      logger?.warn({ host, reason }, text);
    }
    this.#refreshSoon();
  }

  /** Changes made together become one request. */
  #refreshSoon(): void {
    if (this.#isClosed) return;
    this.#refreshTimer ??= setTimeout(
      () => {
        this.#refreshTimer = null;
        this.#refresh();
      },
      this.#timing.settleMs + this.followers.accountCount * GATHER_MS_PER_ADDRESS,
    );
  }

  #refresh(): void {
    const programs = this.followers.programFilters(this.#limits.addresses);
    const { filters } = this.#limits;
    const otherFilters = (stream: number): number =>
      Math.min(filters, Math.max(0, programs.length - stream * filters));
    const accounts = {
      changed: this.followers.takeChanged(),
      isWanted: (address: Address) => this.followers.isFollowed(address),
    };
    const changed = this.#placement.update(accounts, this.#limits, otherFilters);
    const filtered = Math.max(1, programs.length, this.#mentionedChunks().length);
    const indexes = new Set(this.#streams.keys());
    for (let index = 0; index * filters < filtered; index++) indexes.add(index);
    for (const index of indexes) {
      const text = this.#filtersText(index, programs);
      const sent = this.#sentFilters.get(index) ?? NO_FILTERS;
      if (this.#streams.has(index) && text === sent) continue;
      this.#sentFilters.set(index, text);
      changed.add(index);
    }
    for (const [index, stream] of this.#streams) {
      const { accounts: followed, programs: own, mentioned } = this.#wantsOf(index, programs);
      if (index === 0 || followed.size + own.length + mentioned.size > 0) continue;
      stream.close();
      this.#streams.delete(index);
      this.#sentFilters.delete(index);
      this.#health.forget(index);
      changed.delete(index);
    }
    const { addresses, report } = this.followers.takeAdded((address) =>
      this.#placement.isStreamed(address),
    );
    // Also for accounts that another follower already has: the stream's request may not be applied yet.
    for (const address of addresses) changed.add(this.#placement.streamOf(address) ?? 0);
    const generation = this.#generation;
    let left = changed.size;
    for (const index of changed) {
      this.#streamAt(index).refresh(() => {
        if (--left === 0 && generation === this.#generation && !this.#isClosed) report();
      });
    }
    this.#fallBack(programs);
  }

  /** Over the WebSocket: what no stream has room for, and what a stream that is given up would deliver. */
  #fallBack(programs: readonly ProgramsFilter[]): void {
    const down = [...this.#streams.keys()].filter((index) => this.#health.isDown(index));
    const missing = new Set(down.flatMap((index) => this.#wantsOf(index, programs).programs));
    const isEveryAccountStreamed = down.length === 0 && this.#placement.elsewhere.size === 0;
    const isMissing = (filter: ProgramFilter): boolean =>
      missing
        .values()
        .some((own) =>
          own.kind === "whole"
            ? own.programIds.includes(filter.programId)
            : own.filter.programId === filter.programId,
        );
    this.#fallback.update(this.followers, {
      isAccount: isEveryAccountStreamed
        ? null
        : (address) => {
            const stream = this.#placement.streamOf(address);
            return stream === null || down.includes(stream);
          },
      isProgram: isMissing,
      areTransactions: down.some((index) => this.#wantsOf(index, programs).mentioned.size > 0),
    });
  }

  #wants(index: number): GeyserWants {
    return this.#wantsOf(index, this.followers.programFilters(this.#limits.addresses));
  }

  #wantsOf(index: number, programs: readonly ProgramsFilter[]): GeyserWants {
    const { filters } = this.#limits;
    return {
      accounts: this.#placement.accountsOf(index),
      programs: programs.slice(index * filters, (index + 1) * filters),
      mentioned: new Set(
        this.#mentionedChunks()
          .slice(index * filters, (index + 1) * filters)
          .flat(),
      ),
    };
  }

  #filtersText(index: number, programs: readonly ProgramsFilter[]): string {
    const { programs: own, mentioned } = this.#wantsOf(index, programs);
    return filtersText(own, mentioned);
  }

  /** The addresses of each filter for transactions. */
  #mentionedChunks(): readonly (readonly Address[])[] {
    return chunksOf(this.followers.allMentioned(), this.#limits.addresses);
  }
}

function filtersText(programs: readonly ProgramsFilter[], mentioned: Iterable<Address>): string {
  return JSON.stringify([programs, [...mentioned]]);
}
