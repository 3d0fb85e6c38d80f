import { setTimeout as delay } from "node:timers/promises";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { ProgramFilter, Venue } from "#src/venues/venue.ts";
import type { Discovery, VenueFilter } from "./discover-pools.ts";

/** What one call found. */
export type Part = Pick<Discovery, "pools" | "accounts" | "refusals"> & {
  readonly unmodelled?: Discovery["unmodelled"];
  /** Null where nothing was asked. */
  readonly slot: bigint | null;
};

/** The searches of all venues for one mint, as they come in. */
export type Searching = {
  /** By the place of the filter; null: its search goes on. */
  readonly found: readonly (Part | null)[];
  readonly ended: Promise<"searched">;
  /** Resolves once every search was answered; never, if one was refused. */
  readonly whole: Promise<"whole">;
  readonly hasEnded: () => boolean;
  readonly isWhole: () => boolean;
};

export function startSearches(
  source: ChainSource,
  { mint, filters }: { readonly mint: Address; readonly filters: readonly VenueFilter[] },
  signal: AbortSignal | undefined,
): Searching {
  const found: (Part | null)[] = filters.map(() => null);
  const hasEnded = (): boolean => found.every((part) => part !== null);
  const isWhole = (): boolean => found.every((part) => part !== null && part.refusals.length === 0);
  const ended = Promise.all(
    filters.map(async ({ venue, filter }, index) => {
      found[index] = await runFilter(source, { venue, mint, filter }, signal).catch(
        (error: unknown) => refusedPart(venue, error),
      );
    }),
  ).then(() => "searched" as const);
  const whole = new Promise<"whole">((resolve) => {
    void ended.then(() => {
      if (isWhole()) resolve("whole");
    });
  });
  return { found, ended, whole, hasEnded, isWhole };
}

function refusedPart(venue: Venue<unknown>, error: unknown): Part {
  const reason = error instanceof Error ? error.message : String(error);
  return { pools: [], accounts: new Map(), refusals: [`${venue.id}: ${reason}`], slot: null };
}

/** Waits for the searches, but not where a provider serves so few a second that they will not end in time. */
export async function searchesEndIn({ ended, found }: Searching, ms: number): Promise<void> {
  await Promise.race([ended, delay(ms / 3)]);
  const answered = found.filter((part) => part !== null).length;
  if (answered < found.length / 3) return;
  await Promise.race([ended, delay((2 * ms) / 3)]);
}

async function runFilter(
  source: ChainSource,
  query: {
    readonly venue: Venue<unknown>;
    readonly mint: Address;
    readonly filter: ProgramFilter;
  },
  signal: AbortSignal | undefined,
): Promise<Part> {
  const { venue, mint, filter } = query;
  const result = await source.searchAccounts(filter, signal);
  if (result.kind === "refused") {
    const refusals = [`${venue.id}: ${result.reason}`];
    return { pools: [], accounts: new Map(), refusals, slot: null };
  }
  const own = [...result.accounts].filter(([, account]) => isOwnedBy(account, venue));
  return {
    pools: own.map(([address]) => ({ venue, address, mint, isReserved: false })),
    accounts: new Map(own),
    refusals: [],
    slot: result.slot,
  };
}

/** Anyone can send lamports to a derived address; only the program can own the account. */
export function isOwnedBy(account: Account | null | undefined, venue: Venue<unknown>): boolean {
  return account !== null && account !== undefined && account.owner === venue.programId;
}
