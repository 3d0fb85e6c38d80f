import { setTimeout as delay } from "node:timers/promises";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import type { ProgramFilter, Venue } from "#src/venues/venue.ts";
import type { Discovery, VenueFilter } from "./discover-pools.ts";

/** What one call found. */
export type Part = Pick<Discovery, "pools" | "accounts" | "refusals"> & {
  readonly unmodelled?: Discovery["unmodelled"];
  /** Null where nothing was asked. */
  readonly slot: bigint | null;
};

/** The searches of all venues for one mint, with the results so far. */
export type Searching = {
  /** Results by the position of the filter; null: its search is running or has not begun. */
  readonly found: readonly (Part | null)[];
  readonly ended: Promise<"searched">;
  /** Resolves once every search was answered; never, if one was refused. */
  readonly whole: Promise<"whole">;
  readonly hasEnded: () => boolean;
  readonly isWhole: () => boolean;
  /**
   * Begins the searches that have not begun: of all venues, or only of `venues`, if an answer waits for
   * these. Resolves when they have ended.
   */
  readonly begin: (venues?: ReadonlySet<Venue<unknown>>) => Promise<"searched">;
};

/** Prepares the searches: none is sent before `begin`. */
export function prepareSearches(
  source: ChainSource,
  { mint, filters }: { readonly mint: Address; readonly filters: readonly VenueFilter[] },
  signal: AbortSignal | undefined,
): Searching {
  const found: (Part | null)[] = filters.map(() => null);
  const ends = filters.map(() => Promise.withResolvers<void>());
  const begun = new Set<number>();
  const hasEnded = (): boolean => found.every((part) => part !== null);
  const isWhole = (): boolean => found.every((part) => part !== null && part.refusals.length === 0);
  const run = async (
    index: number,
    { venue, filter }: VenueFilter,
    search: ChainSource["searchAccounts"],
  ): Promise<void> => {
    found[index] = await runFilter(search, { venue, mint, filter }, signal).catch(
      (error: unknown) =>
        refusedPart(venue, error instanceof Error ? error.message : String(error)),
    );
    ends[index]?.resolve();
  };
  const begin = async (venues?: ReadonlySet<Venue<unknown>>): Promise<"searched"> => {
    const { searchSoon = source.searchAccounts } = source;
    const search = venues === undefined ? source.searchAccounts : searchSoon;
    const wanted = [...filters.entries()].filter(
      ([, { venue }]) => venues === undefined || venues.has(venue),
    );
    for (const [index, filter] of wanted) {
      if (begun.has(index)) continue;
      begun.add(index);
      void run(index, filter, search.bind(source));
    }
    await Promise.all(wanted.flatMap(([index]) => ends[index]?.promise ?? []));
    return "searched";
  };
  const ended = Promise.all(ends.map(({ promise }) => promise)).then(() => "searched" as const);
  const whole = new Promise<"whole">((resolve) => {
    void ended.then(() => {
      if (isWhole()) resolve("whole");
    });
  });
  return { found, ended, whole, hasEnded, isWhole, begin };
}

function refusedPart(venue: Venue<unknown>, reason: string): Part {
  return { pools: [], accounts: new Map(), refusals: [`${venue.id}: ${reason}`], slot: null };
}

/** Waits for the searches, but not where a provider serves so few a second that they will not end in time. */
export async function searchesEndIn({ ended, found }: Searching, ms: number): Promise<void> {
  await Promise.race([ended, delay(ms / 3)]);
  const answered = found.filter((part) => part !== null).length;
  if (answered < found.length / 3) return;
  await Promise.race([ended, delay((2 * ms) / 3)]);
}

/** Waits for all searches, but no longer than this. @throws the signal's reason */
export async function endsWithin(
  { ended }: Searching,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const waiting = new AbortController();
  const signals = signal === undefined ? [waiting.signal] : [waiting.signal, signal];
  const late = delay(ms, undefined, { signal: AbortSignal.any(signals) });
  await Promise.race([ended, late]).finally(() => waiting.abort());
  late.catch(() => undefined);
}

async function runFilter(
  search: ChainSource["searchAccounts"],
  query: {
    readonly venue: Venue<unknown>;
    readonly mint: Address;
    readonly filter: ProgramFilter;
  },
  signal: AbortSignal | undefined,
): Promise<Part> {
  const { venue, mint, filter } = query;
  const result = await search(filter, signal);
  if (result.kind === "refused") return refusedPart(venue, result.reason);
  const own = [...result.accounts].filter(([, account]) => account.owner === venue.programId);
  return {
    pools: own.map(([address]) => ({ venue, address, mint, isReserved: false })),
    accounts: new Map(own),
    refusals: [],
    slot: result.slot,
  };
}

export function hasPool(parts: readonly (Part | null)[]): boolean {
  return parts.some((part) => part !== null && part.pools.length > 0);
}

/** 0 if no query was answered. */
export function lowestSlot(parts: readonly Part[]): bigint {
  const slots = parts.flatMap(({ slot }) => (slot === null ? [] : [slot]));
  return slots.reduce(minBigint, slots[0] ?? 0n);
}
