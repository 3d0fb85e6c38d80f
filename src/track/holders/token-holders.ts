import { type ChainSource, LARGEST_LISTED } from "#src/chain/chain-source.ts";
import type {
  ExclusionReason,
  TokenHolder,
  TokenHolders,
} from "#src/measure/questions/token-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { shareOwnerKind } from "#src/venues/share-owner.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { decodeTokenAccount, tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import { clockOf } from "../pools/chain-clock.ts";
import type { PoolRef } from "../pools/open-pool.ts";
import { divideLock, lockOf } from "./lock-claims.ts";

/** Three calls for a token in this time, whether they succeed or not. */
const MAX_AGE_MS = 60_000;
const READ_TIMEOUT_MS = 9_000;
const MAX_TOKENS_KEPT = 2_000;
const LIMITS = {
  maxActive: 1,
  maxWaiting: 100,
  overloadedMessage: "Too many reads of the chain are waiting; try again in a moment.",
};

/** Addresses of a token's pools and curves, and of their vaults. */
export type PoolAddresses = ReadonlyMap<Address, "pool" | "curve">;

/** The addresses of the pools, and of the vaults that their own accounts name. */
export function poolAddresses(refs: Iterable<PoolRef>, known: AccountSet): PoolAddresses {
  const addresses = new Map<Address, "pool" | "curve">();
  for (const { venue, address, mint } of refs) {
    const kind = venue.kind === "curve" ? "curve" : "pool";
    addresses.set(address, kind);
    const outline = venue.outline(address, known, mint);
    for (const vault of [outline?.vaultA, outline?.vaultB]) {
      if (vault !== undefined) addresses.set(vault, kind);
    }
  }
  return addresses;
}

export type TokenHoldersDeps = {
  readonly source: Pick<ChainSource, "findLargestAccounts" | "readAccounts">;
  readonly clock: WallClock;
  /** Ends all reads. */
  readonly signal: AbortSignal;
};

type AccountsOfHolders = {
  readonly mint: Address;
  readonly listed: readonly Address[];
  /** The mint, the listed accounts, their owners, and the chain's clock. */
  readonly known: AccountSet;
  readonly slot: bigint;
};

type ReadResult = AccountsOfHolders | "refused";

/** The largest holders of tokens: read on request, at most once a minute, with three calls. */
export class TokenHolderReads {
  readonly #deps: TokenHoldersDeps;
  readonly #queue = new TaskQueue(LIMITS);
  readonly #readings = new BoundedMap<Address, { result: ReadResult; atMs: number }>(
    MAX_TOKENS_KEPT,
  );
  readonly #reads = new SingleFlight<Address, ReadResult>();

  constructor(deps: TokenHoldersDeps) {
    this.#deps = deps;
  }

  /** @throws AppError overloaded if too many reads wait */
  async of(mint: Address, pools: PoolAddresses): Promise<TokenHolders> {
    const reading = this.#readings.get(mint);
    const { clock, signal } = this.#deps;
    const isFresh = reading !== undefined && clock.nowMs() - reading.atMs < MAX_AGE_MS;
    const result = isFresh
      ? reading.result
      : await this.#reads.run(mint, async () => {
          const read = await this.#queue.run(() => this.#read(mint), signal);
          this.#readings.set(mint, { result: read, atMs: clock.nowMs() });
          return read;
        });
    if (result === "refused") return { kind: "unknown", reason: "holders-not-read" };
    return sumTokenHolders(result, pools);
  }

  async #read(mint: Address): Promise<ReadResult> {
    const { source } = this.#deps;
    const signal = AbortSignal.any([this.#deps.signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    try {
      const largest = await source.findLargestAccounts(mint, signal);
      if (largest.kind === "refused") return "refused";
      const listed = [...new Set(largest.addresses)].slice(0, LARGEST_LISTED);
      const { accounts, slot } = await source.readAccounts([mint, ...listed], signal);
      const owners = listed.flatMap((address) => tokenAccountOwner(accounts.get(address)) ?? []);
      const read =
        owners.length === 0
          ? null
          : await source.readAccounts([CLOCK_SYSVAR, ...new Set(owners)], signal);
      const known = new Map<Address, Account | null>([...(read?.accounts ?? []), ...accounts]);
      return { mint, listed, known, slot };
    } catch (cause) {
      if (!(cause instanceof AppError) && !signal.aborted) throw cause;
      return "refused";
    }
  }
}

/**
 * Who may sell the token, from accounts read at one slot. If the amounts do not add up, the holders are
 * unknown. Pure.
 */
function sumTokenHolders(
  { mint, listed, known, slot }: AccountsOfHolders,
  pools: PoolAddresses,
): TokenHolders {
  const supply = decodeMint(known.get(mint))?.supply ?? null;
  if (supply === null) return { kind: "unknown", reason: "holders-not-read" };
  const sellers = new Map<Address, bigint>();
  const excluded: (TokenHolder & { readonly reason: ExclusionReason })[] = [];
  const inLocks = new Map<Address, bigint>();
  const locks = { known, clock: clockOf(known), found: new Map<Address, never>() };
  let unlisted = supply;
  for (const address of listed) {
    const account = known.get(address);
    if (account === undefined) return { kind: "unknown", reason: "holders-not-read" };
    if (account === null) continue;
    const held = decodeTokenAccount(account);
    const owner = tokenAccountOwner(account);
    if (held?.mint !== mint || owner === null) return notAddingUp();
    const { amount: baseUnits } = held;
    unlisted -= baseUnits;
    if (baseUnits === 0n) continue;
    if (!held.isFrozen && lockOf(owner, locks) !== null) {
      inLocks.set(owner, (inLocks.get(owner) ?? 0n) + baseUnits);
      continue;
    }
    const reason = held.isFrozen ? "frozen" : exclusionOf({ address, owner, known, pools });
    if (reason === null) sellers.set(owner, (sellers.get(owner) ?? 0n) + baseUnits);
    else excluded.push({ owner, baseUnits, reason });
  }
  for (const [owner, amount] of inLocks) {
    const lock = lockOf(owner, locks);
    if (lock === null) continue;
    const { free, locked } = divideLock(lock, { owner, mint, amount }, locks.clock);
    if (locked?.terms.kind === "dated") {
      excluded.push({ owner, baseUnits: locked.amount, reason: "locker" });
    }
    for (const { owner: taker, amount: baseUnits } of free) {
      if (baseUnits === 0n) continue;
      const reason = exclusionOf({ address: taker, owner: taker, known, pools });
      if (reason === null) sellers.set(taker, (sellers.get(taker) ?? 0n) + baseUnits);
      else excluded.push({ owner: taker, baseUnits, reason });
    }
  }
  const isAllListed = listed.length < LARGEST_LISTED;
  if (unlisted < 0n || (isAllListed && unlisted > 0n)) return notAddingUp();
  const largestFirst = Array.from(sellers, ([owner, baseUnits]) => ({ owner, baseUnits })).toSorted(
    (a, b) => compareBigints(b.baseUnits, a.baseUnits),
  );
  return { kind: "known", supply, sellers: largestFirst, excluded, unlisted, slot };
}

type HeldBy = {
  readonly address: Address;
  readonly owner: Address;
  readonly known: AccountSet;
  readonly pools: PoolAddresses;
};

/** A wallet is never excluded, whatever a pool names as its own. */
function exclusionOf({ address, owner, known, pools }: HeldBy): ExclusionReason | null {
  const kind = shareOwnerKind(owner, known.get(owner));
  switch (kind) {
    case "wallet":
      return null;
    case "burned":
      return "burned";
    case "locked":
      return "locker";
    case "program":
      return pools.get(owner) ?? pools.get(address) ?? "program";
  }
}

function notAddingUp(): TokenHolders {
  return { kind: "unknown", reason: "holders-do-not-add-up" };
}
