import type { ChainSource, Following, StreamInUse } from "#src/chain/chain-source.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import { AccountReads } from "./account-reads.ts";
import { applySlotEnd, applyUpdate } from "./apply-update.ts";
import { accountsOf, groupsOf } from "./followed-tokens.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { refreshGroups } from "./refresh-pools.ts";
import { dueConfirmations, dueRereads, rereadEverything, rereadLost } from "./schedule.ts";
import { recordClock } from "./slot-times.ts";
import { trimSlots } from "./unconfirmed.ts";

/** If no new slot arrives for this time, the feed counts as silent. */
const SILENT_MS = 3_000;
/** After this the status names it: a reconnect is over by then. */
const POLLING_AFTER_MS = 15_000;
const NO_SLOTS = "no slots arrive; accounts are polled";
const WEBSOCKET: StreamInUse = {
  configured: "websocket",
  inUse: "websocket",
  reason: null,
  sinceMs: null,
};

export type ChainFeedDeps = {
  readonly source: ChainSource;
  /** Programs of which the source delivers every account. */
  readonly streamed: readonly Venue<unknown>[];
  readonly state: LiveState;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  readonly background: BackgroundWork;
  /** Called after each update, and where a slot was delivered or dropped: pools may have changed, or wait no longer. */
  readonly onChange: () => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** Keeps the accounts of the live state current, by notifications and, where those are missing, by reads. */
export class ChainFeed {
  readonly #deps: ChainFeedDeps;
  readonly #reads: AccountReads;
  readonly #following: Following;
  #headSlot: bigint | null = null;
  #headReceivedAtMs: number;

  constructor(deps: ChainFeedDeps) {
    const { source, state, clock, signal, onChange, onFailure } = deps;
    this.#deps = deps;
    this.#headReceivedAtMs = clock.nowMs();
    this.#reads = new AccountReads({
      source,
      state,
      clock,
      signal,
      onFailure: (cause) => onFailure("read accounts", cause),
    });
    this.#following = source.follow({
      onUpdate: (update) => {
        applyUpdate(state, update, clock.nowMs());
        onChange();
      },
      onFollowed: (addresses) => this.#reads.queue(addresses),
      onGap: (_, untilSlot = null, lost = null) => {
        if (lost === null) rereadEverything(state, clock.nowMs(), { untilSlot });
        else rereadLost(state, clock.nowMs(), { lost, untilSlot });
      },
      onSlot: (slot) => this.#recordSlot(slot),
      onSlotEnd: (slot, outcome) => {
        applySlotEnd(state, slot, outcome);
        onChange();
      },
      onWhole: (isWhole) => {
        if (state.stream !== null) state.stream.isWhole = isWhole;
      },
      onReached: (slot) => {
        if (state.stream !== null) state.stream.reachedSlot = slot;
        onChange();
      },
      onElsewhere: (addresses) => {
        if (state.stream !== null) state.stream.elsewhere = addresses;
      },
    });
    this.#following.add([CLOCK_SYSVAR]);
  }

  /** The last slot received from the node. */
  get headSlot(): bigint | null {
    return this.#headSlot;
  }

  /** Time from which every read has failed; null: reads succeed. */
  get readsFailingSinceMs(): number | null {
    return this.#reads.failingSinceMs;
  }

  /** The stream of the source, or polling while no slot arrives over it. */
  streamInUse(nowMs: number): StreamInUse {
    const inUse = this.#deps.source.streamInUse?.() ?? WEBSOCKET;
    if (nowMs - this.#headReceivedAtMs < POLLING_AFTER_MS) return inUse;
    const reason = inUse.reason ?? NO_SLOTS;
    return { ...inUse, inUse: "polling", reason, sinceMs: inUse.sinceMs ?? this.#headReceivedAtMs };
  }

  /** Subscribes to and reads newly wanted accounts, and unsubscribes from unwanted ones. */
  pump(): void {
    const { state } = this.#deps;
    const { wanted, unwanted, rereadSoon } = state;
    if (unwanted.size > 0) this.#following.remove([...unwanted]);
    if (wanted.size > 0) this.#following.add([...wanted].filter((it) => !this.#isStreamed(it)));
    // A restored token's accounts are read again once they are followed.
    this.#reads.queueFirst([...wanted].filter((it) => state.accounts.get(it)?.wasAsked !== true));
    this.#reads.queueOnce(rereadSoon);
    for (const set of [wanted, unwanted, rereadSoon]) set.clear();
    this.#reads.pump();
  }

  /** Queues the reads that are due. */
  sweep(nowMs: number): void {
    const { state, background } = this.#deps;
    const isStreaming = nowMs - this.#headReceivedAtMs < SILENT_MS;
    this.#reads.queue(dueRereads(state, nowMs, isStreaming));
    this.#reads.queue(dueConfirmations(state, nowMs));
    for (const { address } of state.doubted) state.rereadSoon.add(address);
    if (state.unconfirmed !== null)
      for (const { address } of trimSlots(state.unconfirmed)) state.rereadSoon.add(address);
    if (nowMs - state.times.receivedAtMs < SILENT_MS) return;
    background.runAlone("read the clock", () => this.#readClock());
  }

  /**
   * Reads all accounts of the token now.
   *
   * @throws AppError chain_unavailable if the node can't be reached in time
   */
  async readToken(token: FollowedToken, signal: AbortSignal): Promise<void> {
    const { state, clock } = this.#deps;
    this.pump();
    const accounts = accountsOf(state, token);
    const addresses = Array.from(accounts, ({ address }) => address);
    await this.#reads.readNow(addresses, signal);
    if (state.times.newest === null) await this.#readClock();
    refreshGroups(state, groupsOf(state, token), clock.nowMs());
  }

  idle(): Promise<void> {
    return this.#reads.idle();
  }

  close(): Promise<void> {
    return this.#following.close();
  }

  async #readClock(): Promise<void> {
    const { source, state, signal } = this.#deps;
    recordClock(state.times, await source.readClock(signal), this.#deps.clock.nowMs());
  }

  #recordSlot(slot: bigint): void {
    this.#headReceivedAtMs = this.#deps.clock.nowMs();
    // Not the highest of all: one false slot would count for ever.
    this.#headSlot = slot;
  }

  /** Whether the stream of its whole program delivers the account: then it needs no subscription. */
  #isStreamed(address: Address): boolean {
    const { state, streamed } = this.#deps;
    if (streamed.length === 0) return false;
    const owner = state.known.get(address)?.owner;
    return streamed.some(({ programId }) => programId === owner);
  }
}
