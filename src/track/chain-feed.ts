import type { ChainSource, Following } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import { AccountReads } from "./account-reads.ts";
import { applyUpdate } from "./apply-update.ts";
import type { BackgroundWork } from "./background-work.ts";
import { accountsOf } from "./followed-tokens.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { refreshPools } from "./refresh-pools.ts";
import { dueConfirmations, dueRereads, rereadEverything } from "./schedule.ts";
import { recordClock } from "./slot-times.ts";

/** Without a word of a new slot for so long, the feed counts as silent. */
const SILENT_MS = 3_000;

export type ChainFeedDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly state: LiveState;
  readonly nowMs: NowMs;
  readonly signal: AbortSignal;
  readonly background: BackgroundWork;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** What keeps the accounts of the live state current: notifications, and reads where they leave off. */
export class ChainFeed {
  readonly #deps: ChainFeedDeps;
  readonly #reads: AccountReads;
  readonly #following: Following;
  #headSlot: bigint | null = null;
  #headHeardAtMs: number;

  constructor(deps: ChainFeedDeps) {
    const { source, state, nowMs, signal, onFailure } = deps;
    this.#deps = deps;
    this.#headHeardAtMs = nowMs();
    this.#reads = new AccountReads({
      source,
      state,
      nowMs,
      signal,
      onFailure: (cause) => onFailure("read accounts", cause),
    });
    this.#following = source.follow({
      onUpdate: (update) => applyUpdate(state, update, nowMs()),
      onFollowed: (addresses) => this.#reads.queue(addresses),
      onGap: () => rereadEverything(state, nowMs()),
      onSlot: (slot) => this.#hearSlot(slot),
    });
    this.#following.add([CLOCK_SYSVAR]);
  }

  /** The newest slot that the node has told of. */
  get headSlot(): bigint | null {
    return this.#headSlot;
  }

  /** When reads last failed and none has worked since; null: they work. */
  get readsFailedAtMs(): number | null {
    return this.#reads.failedAtMs;
  }

  /** Follows and reads what the live state has come to want, and lets go of what it does not. */
  pump(): void {
    const { state } = this.#deps;
    const { wanted, unwanted, rereadSoon } = state;
    if (unwanted.size > 0) this.#following.remove([...unwanted]);
    if (wanted.size > 0) this.#following.add([...wanted].filter((it) => !this.#isStreamed(it)));
    this.#reads.queueFirst(wanted);
    this.#reads.queueOnce(rereadSoon);
    for (const set of [wanted, unwanted, rereadSoon]) set.clear();
    this.#reads.pump();
  }

  /** Queues the reads that are due. */
  sweep(nowMs: number): void {
    const { state, background } = this.#deps;
    const isStreaming = nowMs - this.#headHeardAtMs < SILENT_MS;
    this.#reads.queue(dueRereads(state, nowMs, isStreaming));
    this.#reads.queue(dueConfirmations(state, nowMs));
    if (nowMs - state.times.receivedAtMs < SILENT_MS) return;
    background.runAlone("read the head", () => this.#readHead());
  }

  /**
   * Reads everything behind the token now.
   *
   * @throws AppError chain_unavailable where the node can't be reached in time
   */
  async readToken(token: FollowedToken, signal: AbortSignal): Promise<void> {
    const { state, nowMs } = this.#deps;
    this.pump();
    const accounts = accountsOf(state, token);
    const addresses = Array.from(accounts, ({ address }) => address);
    await this.#reads.readNow(addresses, signal);
    if (state.times.newest === null) await this.#readHead();
    refreshPools(state, nowMs());
  }

  idle(): Promise<void> {
    return this.#reads.idle();
  }

  close(): Promise<void> {
    return this.#following.close();
  }

  async #readHead(): Promise<void> {
    const { source, state, signal, nowMs } = this.#deps;
    const { clock } = await source.readHead(signal);
    recordClock(state.times, clock, nowMs());
  }

  #hearSlot(slot: bigint): void {
    this.#headHeardAtMs = this.#deps.nowMs();
    if (this.#headSlot === null || slot > this.#headSlot) this.#headSlot = slot;
  }

  /** Whether the account comes with its whole program: it needs no subscription of its own. */
  #isStreamed(address: Address): boolean {
    const { state, venues } = this.#deps;
    if (state.stream === null) return false;
    const owner = state.known.get(address)?.owner;
    return venues.some(({ programId }) => programId === owner);
  }
}
