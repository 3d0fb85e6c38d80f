import type { MarketProgram, Performed } from "#demo/market-program.ts";
import { demoMintAccounts } from "#demo/mint.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { newGraduatedPool } from "#demo/programs/pumpswap.ts";
import type { SeededRandom } from "#demo/seeded-random.ts";
import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import type { Clock, Venue, VenueId } from "#src/venues/venue.ts";

/** A token of the chain with its one pool; a graduation gives it another. */
export type ChainToken = {
  /** The place in which it was created. */
  readonly number: number;
  readonly mint: Address;
  readonly creator: Address;
  program: MarketProgram;
  venue: Venue<unknown>;
  pool: Address;
  /** Lamports that its trades are sized by. */
  readonly depthLamports: number;
  /** Base units that trades have bought so far: only these are sold. */
  bought: bigint;
  /** Nothing trades it any more. */
  isDead: boolean;
};

export type Opened = { readonly token: ChainToken; readonly changes: AccountChanges };

const SUPPLY = 1_000_000_000_000_000n;
const LAMPORTS = Number(LAMPORTS_PER_SOL);
/** Median depth of a pool, in SOL, and the deviation of its logarithm. */
const DEPTH = { medianSol: 40, deviation: 1.1 };
/** A curve's trades are sized as by a pool of this depth. */
const CURVE_DEPTH_SOL = 100;
/** Of PumpSwap's pools, those that a curve graduated to. */
const GRADUATED_SHARE = 0.9;
/** What a curve raises until it graduates, without fees. */
const RAISED_LAMPORTS = 85n * LAMPORTS_PER_SOL;
/** Coins that a curve leaves for its pool. */
const GRADUATED_COINS = 206_900_000_000_000n;

export function programOf(id: VenueId): {
  readonly program: MarketProgram;
  readonly venue: Venue<unknown>;
} {
  const program = MARKET_PROGRAMS.find(({ venue }) => venue === id);
  const venue = VENUES.find((candidate) => candidate.id === id);
  if (program === undefined || venue === undefined) throw new RangeError(`${id} can't be played`);
  return { program, venue };
}

/** Makes a token with its pool. A curve begins unsold. */
export function openToken(
  id: VenueId,
  known: AccountSet,
  {
    random,
    creator,
    clock,
    number,
  }: {
    readonly random: SeededRandom;
    readonly creator: Address;
    readonly clock: Clock;
    readonly number: number;
  },
): Opened {
  const { program, venue } = programOf(id);
  const mint = random.address();
  const { slot } = clock;
  const minted = demoMintAccounts({
    ...{ kind: "classic", mint, transferFeeBps: 0, slot },
    ...{ name: `Token ${number}`, symbol: `T${number}` },
  });
  const isCurve = venue.kind === "curve";
  const depthSol = isCurve
    ? CURVE_DEPTH_SOL
    : DEPTH.medianSol * Math.exp(DEPTH.deviation * random.normal());
  const quoteAmount = BigInt(Math.floor(depthSol * LAMPORTS));
  const withMint: AccountSet = { get: (address) => minted.get(address) ?? known.get(address) };
  const isGraduated = id === "pumpswap" && random.uniform() < GRADUATED_SHARE;
  const { pool, changes } = isGraduated
    ? newGraduatedPool({
        ...{ coin: mint, quoteMint: WSOL, coinCreator: creator, slot },
        ...{ coins: GRADUATED_COINS, raised: RAISED_LAMPORTS },
      })
    : program.createPool(withMint, {
        ...{ baseMint: mint, quoteMint: WSOL, quoteAmount, creator, clock },
        baseAmount: (SUPPLY * BigInt(Math.floor(20 + 70 * random.uniform()))) / 100n,
        freshAddress: random.address,
      });
  const depthLamports = isGraduated ? Number(RAISED_LAMPORTS) : depthSol * LAMPORTS;
  const token = {
    ...{ number, mint, creator, program, venue, pool, depthLamports },
    ...{ bought: 0n, isDead: false },
  };
  return { token, changes: new Map([...minted, ...changes]) };
}

export type SwapDone = Performed & { readonly isBuy: boolean };

/** A buy for so many lamports; null: the program refuses it. */
export function buy(
  known: AccountSet,
  token: ChainToken,
  {
    lamports,
    user,
    clock,
  }: { readonly lamports: number; readonly user: Address; readonly clock: Clock },
): SwapDone | null {
  const { mint, pool, program } = token;
  const amountIn = BigInt(Math.max(1, Math.floor(lamports)));
  const result = program.swap(known, {
    ...{ pool, inputMint: WSOL, outputMint: mint, amountIn, user, clock },
  });
  if (result.kind === "refused") return null;
  token.bought += result.amountOut;
  return { ...result, isBuy: true };
}

/** Sells that share of what was bought before; null: nothing was, or the program refuses it. */
export function sell(
  known: AccountSet,
  token: ChainToken,
  { share, user, clock }: { readonly share: number; readonly user: Address; readonly clock: Clock },
): SwapDone | null {
  const { mint, pool, program } = token;
  const amountIn = (token.bought * BigInt(Math.floor(share * 1_000))) / 1_000n;
  if (amountIn <= 0n) return null;
  const result = program.swap(known, {
    ...{ pool, inputMint: mint, outputMint: WSOL, amountIn, user, clock },
  });
  if (result.kind === "refused") return null;
  token.bought -= amountIn;
  return { ...result, isBuy: false };
}
