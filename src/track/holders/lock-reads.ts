import type { ChainSource, SearchResult } from "#src/chain/chain-source.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { LockAccount } from "#src/venues/lockers/lock-terms.ts";
import { contractOf, decodeContract } from "#src/venues/lockers/streamflow.ts";
import { tokenAccountOwner } from "#src/venues/shared/token/token-account.ts";
import type { Vesting } from "#src/venues/shared/vesting.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { clockOf } from "../pools/chain-clock.ts";
import type { LocksRead } from "./lock-claims.ts";
import { type LargePosition, vestsElsewhere } from "./sum-positions.ts";

/** Maximum number of searches for locks per pool and kind; the largest holdings are searched. */
const MAX_SEARCHES = 4;
/** Maximum number of vestings of a position that are read; only its owner can create more. */
const MAX_VESTINGS = 100;
/**
 * Time limit for the searches of one pool and kind, which run in parallel. A timeout does not make the
 * pool's holders unknown, because anyone could send shares to a locker whose search is slow.
 */
const SEARCH_TIMEOUT_MS = 3_000;

type Source = Pick<ChainSource, "searchAccounts" | "readAccounts">;

/**
 * Reads the owners of these token accounts, with the chain's clock at the same slot, and searches the locks
 * that hold them. `others` are owners without a token account. The largest must come first.
 */
export async function readOwners(
  source: Source,
  { accounts, tokenAccounts, others = [] }: TokenAccounts,
  signal: AbortSignal,
): Promise<LocksRead> {
  const owners = tokenAccounts.flatMap((address) => tokenAccountOwner(accounts.get(address)) ?? []);
  if (owners.length + others.length === 0)
    return { known: accounts, clock: null, found: new Map() };
  const read = await source.readAccounts([CLOCK_SYSVAR, ...owners, ...others], signal);
  const known = new Map([...read.accounts, ...accounts]);
  // Each token account of Streamflow is its own owner; other accounts rarely are.
  const ownOwners = tokenAccounts.filter(
    (address) => tokenAccountOwner(accounts.get(address)) === address,
  );
  const search = lockSearch(source, signal);
  const searched = await Promise.all(
    ownOwners
      .slice(0, MAX_SEARCHES)
      .map(async (escrow) => [escrow, await searchContract(search, escrow)] as const),
  );
  const found = new Map<Address, LockAccount>();
  for (const [escrow, contract] of searched) if (contract !== null) found.set(escrow, contract);
  return { known, clock: clockOf(known), found };
}

export type TokenAccounts = {
  readonly accounts: ReadonlyMap<Address, Account | null>;
  readonly tokenAccounts: readonly Address[];
  readonly others?: readonly Address[];
};

type LockSearch = (filter: ProgramFilter) => Promise<SearchResult>;

/** Searches with a common deadline; a search that fails, or does not end in time, counts as refused. */
function lockSearch(source: Source, signal: AbortSignal): LockSearch {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_TIMEOUT_MS)]);
  return async (filter) => {
    try {
      return await source.searchAccounts(filter, deadline);
    } catch (cause) {
      if (!(cause instanceof AppError) && !deadline.aborted) throw cause;
      return { kind: "refused", reason: "The search for locks failed or did not end in time." };
    }
  };
}

/** Null if no contract keeps its tokens in this account. */
async function searchContract(search: LockSearch, escrow: Address): Promise<LockAccount | null> {
  const searched = await search(contractOf(escrow));
  if (searched.kind === "refused") return { locker: "streamflow", terms: "not-read" };
  for (const [metadata, account] of searched.accounts) {
    const terms = decodeContract(metadata, account, escrow);
    if (terms !== null) return { locker: "streamflow", terms };
  }
  return searched.accounts.size === 0 ? null : { locker: "streamflow", terms: "undecodable" };
}

/** The vestings in separate accounts, for the first positions that have any; absent if not read. */
export async function readVestings(
  source: Source,
  positions: readonly LargePosition[],
  signal: AbortSignal,
): Promise<ReadonlyMap<LargePosition, readonly Vesting[]>> {
  const vestings = new Map<LargePosition, readonly Vesting[]>();
  const vesting = positions.filter((position) => vestsElsewhere(position) > 0n);
  const search = lockSearch(source, signal);
  await Promise.all(
    vesting.slice(0, MAX_SEARCHES).map(async (position) => {
      const { filter, decode } = position.vestingAccounts;
      const searched = await search(filter);
      if (searched.kind === "refused" || searched.accounts.size > MAX_VESTINGS) return;
      const all = Array.from(searched.accounts.values(), decode);
      vestings.set(
        position,
        all.filter((each) => each !== null),
      );
    }),
  );
  return vestings;
}
