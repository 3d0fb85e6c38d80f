import type { MarketProgram, TradeResult } from "#demo/market-program.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { seededRandom } from "#demo/seeded-random.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import type {
  AccountUpdate,
  ObservedInstruction,
  ObservedTransaction,
} from "#src/chain/chain-source.ts";
import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";

/** Shares by venue. */
export type VenueMix = readonly (readonly [VenueId, number])[];

/** Shares of swaps by venue: the mixed stream of the performance study, section 5. */
const MIX: VenueMix = [
  ["pumpswap", 45],
  ["pump-curve", 20],
  ["raydium-cpmm", 10],
  ["meteora-dlmm", 10],
  ["meteora-damm-v2", 10],
  ["raydium-clmm", 5],
];

const START: Clock = { slot: 450_000_000n, unixTimestamp: 1_790_000_000n, epoch: 1_041n };
const BASE = 400_000_000_000_000n;
const QUOTE = 150n * LAMPORTS_PER_SOL;

export type StreamToken = {
  readonly mint: Address;
  readonly venue: VenueId;
  readonly pool: Address;
};

export type Swap = {
  readonly venue: VenueId;
  readonly pool: Address;
  readonly updates: readonly AccountUpdate[];
  readonly transaction: ObservedTransaction;
};

export type UpdateStream = {
  readonly clock: Clock;
  /** Every account before the first swap. */
  readonly accounts: ReadonlyMap<Address, Account>;
  readonly tokens: readonly StreamToken[];
  /** What each swap changed, in order. */
  readonly swaps: readonly Swap[];
  /** Venues of the mix that can't be played yet; their share goes to the others. */
  readonly missing: readonly VenueId[];
};

/**
 * A market of one-pool tokens on the mix's venues and a run of swaps on it, as the programs themselves
 * would write the accounts. A tenth of the tokens gets most of the swaps, as on the chain.
 */
export function buildStream(options: {
  readonly tokens: number;
  readonly swaps: number;
  readonly seed: number;
  readonly mix?: VenueMix;
}): UpdateStream {
  const random = seededRandom(options.seed);
  const accounts = new Map<Address, Account>();
  const known = { get: (address: Address) => accounts.get(address) ?? null };
  const apply = (changes: AccountChanges): void => {
    for (const [address, account] of changes) {
      if (account === null) accounts.delete(address);
      else accounts.set(address, account);
    }
  };
  const creator = random.address();
  const { played, missing } = playedVenues(options.mix ?? MIX);
  apply(new Map([[WSOL, mintAccount({ supply: 0n, decimals: 9, slot: START.slot })]]));
  for (const { program } of played) apply(program.setup(START));

  const pools = Array.from({ length: options.tokens }, (_, index) => {
    const program = programAt(played, (index + 0.5) / options.tokens);
    const baseMint = random.address();
    const created = program.createPool(known, {
      baseMint,
      quoteMint: WSOL,
      baseAmount: BASE,
      quoteAmount: QUOTE,
      creator,
      clock: START,
      freshAddress: () => random.address(),
    });
    apply(created.changes);
    return { mint: baseMint, venue: program.venue, pool: created.pool, program };
  });
  const before = new Map(accounts);
  const swaps: Swap[] = [];
  while (swaps.length < options.swaps) {
    const rank = Math.floor(random.uniform() ** 3 * pools.length);
    const pool = pools[(rank * 7_919) % pools.length];
    if (pool === undefined) break;
    const clock = { ...START, slot: START.slot + 1n };
    const isSale = random.uniform() < 0.5 && pool.venue !== "pump-curve";
    const result = pool.program.swap(known, {
      pool: pool.pool,
      inputMint: isSale ? pool.mint : WSOL,
      outputMint: isSale ? WSOL : pool.mint,
      amountIn: isSale ? BASE / 20_000n : LAMPORTS_PER_SOL / 50n,
      user: creator,
      clock,
    });
    if (result.kind === "refused") continue;
    apply(result.changes);
    const { slot } = clock;
    const updates = [...result.changes].map(([address, account]) => ({ address, account, slot }));
    const signature = `swap ${swaps.length}`;
    const { logs } = result;
    const instructions = instructionsOf(pool.venue, result);
    const transaction = { signature, slot, logs, instructions };
    swaps.push({ venue: pool.venue, pool: pool.pool, updates, transaction });
  }
  return { clock: START, accounts: before, tokens: pools, swaps, missing };
}

function instructionsOf(
  venue: VenueId,
  done: Extract<TradeResult, { readonly kind: "done" }>,
): readonly ObservedInstruction[] {
  const programId = VENUES.find(({ id }) => id === venue)?.programId;
  if (programId === undefined) throw new RangeError(`no venue ${venue}`);
  const { instructionAccounts: accounts, instructionData: data, innerInstructionData } = done;
  return [
    { programId, accounts, data },
    ...innerInstructionData.map((inner) => ({ programId, accounts: [], data: inner })),
  ];
}

type Played = { readonly program: MarketProgram; readonly share: number };

function playedVenues(mix: VenueMix): {
  readonly played: readonly Played[];
  readonly missing: VenueId[];
} {
  const missing: VenueId[] = [];
  const played: Played[] = [];
  for (const [venue, share] of mix) {
    const program = MARKET_PROGRAMS.find((candidate) => candidate.venue === venue);
    if (program === undefined) missing.push(venue);
    else played.push({ program, share });
  }
  return { played, missing };
}

function programAt(played: readonly Played[], place: number): MarketProgram {
  const total = played.reduce((sum, { share }) => sum + share, 0);
  let left = place * total;
  for (const { program, share } of played) {
    left -= share;
    if (left <= 0) return program;
  }
  throw new RangeError("the mix has no venue that can be played");
}
