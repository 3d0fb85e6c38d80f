import type { ChainSource, Following } from "#src/chain/chain-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Address } from "#src/units/address.ts";

const TICK_EVERY_MS = 30_000;
/** How often deployments are read while notifications arrive, since one may be missed. */
const CHECK_FOLLOWED_EVERY_MS = 10 * 60_000;
/** After this time without a slot, notifications count as interrupted. */
const SILENT_MS = 15_000;
/** For this time after a notification each tick reads, because the node that answers a read may be behind. */
const UNSETTLED_MS = 2 * 60_000;

export type DeploymentWatchDeps = {
  readonly source: Pick<ChainSource, "follow">;
  /** The accounts that a deployment changes. */
  readonly addresses: readonly Address[];
  /** Reads the deployments. Never throws. */
  readonly check: () => Promise<void>;
  /** Whether the last read gave a state for each program. */
  readonly isKnown: () => boolean;
  readonly clock: WallClock;
};

/**
 * Reads deployments when one of their accounts changes. A provider bills each read: reads are repeated every
 * 30 seconds only until all accounts are followed, while slots are missing or a program's state is unknown,
 * and for two minutes after a notification; otherwise every ten minutes. A source confirms an account once, and not
 * again after a reconnect: if the account is refused then, only the check every ten minutes reads a change.
 */
export class DeploymentWatch {
  readonly #deps: DeploymentWatchDeps;
  readonly #poller: Poller;
  readonly #followed = new Set<Address>();
  #following: Following | null = null;
  #slotAtMs = Number.NEGATIVE_INFINITY;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #noticedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: DeploymentWatchDeps) {
    this.#deps = deps;
    this.#poller = new Poller({
      run: () => this.tick(),
      everyMs: TICK_EVERY_MS,
      failures: null,
    });
  }

  /** Reads now, and from then on until `close`. */
  start(): void {
    const { source, addresses, clock } = this.#deps;
    this.#following = source.follow({
      onUpdate: () => this.#noticed(),
      onGap: () => this.#noticed(),
      onFollowed: (confirmed) => {
        for (const address of confirmed) this.#followed.add(address);
        if (this.#isFollowed) this.#check();
      },
      onSlot: () => {
        this.#slotAtMs = clock.nowMs();
      },
    });
    this.#following.add(addresses);
    this.#check();
    this.#poller.start();
  }

  /** Reads if that is due. Tests call it directly. */
  tick(): void {
    const { clock, isKnown } = this.#deps;
    const nowMs = clock.nowMs();
    const isNotified =
      this.#isFollowed &&
      isKnown() &&
      nowMs - this.#slotAtMs < SILENT_MS &&
      nowMs - this.#noticedAtMs >= UNSETTLED_MS;
    if (!isNotified || nowMs - this.#checkedAtMs >= CHECK_FOLLOWED_EVERY_MS) this.#check();
  }

  async close(): Promise<void> {
    await this.#poller.close();
    await this.#following?.close();
  }

  get #isFollowed(): boolean {
    return this.#followed.size === this.#deps.addresses.length;
  }

  #noticed(): void {
    this.#noticedAtMs = this.#deps.clock.nowMs();
    this.#check();
  }

  #check(): void {
    this.#checkedAtMs = this.#deps.clock.nowMs();
    void this.#deps.check();
  }
}
