import type { AccountsRead, ChainSource } from "#src/chain/chain-source.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";

/** Accounts that only a sale's instruction names, such as a pool's price history, are read again after this. */
const KEEP_MS = 300_000;
const MAX_KEPT = 20_000;
/** Larger accounts are not kept: all that are kept fit into 160 MB at worst. */
const MAX_KEPT_BYTES = 8_192;

type KeptAccount = { readonly account: Account | null; readonly readAtMs: number };

/**
 * Reads accounts that a sale names and a quote does not need. What it pays does not depend on how new they
 * are; providers bill each read, and an executed answer would cause one.
 */
export class KeptAccounts {
  readonly #chain: Pick<ChainSource, "readAccounts">;
  readonly #clock: WallClock;
  readonly #kept = new BoundedMap<Address, KeptAccount>(MAX_KEPT);

  constructor(chain: Pick<ChainSource, "readAccounts">, clock: WallClock) {
    this.#chain = chain;
    this.#clock = clock;
  }

  /** Fails as the reads of a ChainSource do. */
  async readAccounts(
    addresses: readonly Address[],
    signal?: AbortSignal,
  ): Promise<Pick<AccountsRead, "accounts">> {
    const nowMs = this.#clock.nowMs();
    const accounts = new Map<Address, Account | null>();
    for (const address of addresses) {
      const kept = this.#kept.get(address);
      if (kept !== undefined && nowMs - kept.readAtMs < KEEP_MS)
        accounts.set(address, kept.account);
    }
    const missing = addresses.filter((address) => !accounts.has(address));
    if (missing.length === 0) return { accounts };
    const read = await this.#chain.readAccounts(missing, signal);
    for (const [address, account] of read.accounts) {
      accounts.set(address, account);
      if ((account?.data.length ?? 0) > MAX_KEPT_BYTES) continue;
      this.#kept.set(address, { account, readAtMs: nowMs });
    }
    return { accounts };
  }
}
