import type { Address } from "#src/units/address.ts";
import { divCeil, minBigint, U64_MAX } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import type { PoolCaution, PoolOutline, Venue } from "../venue.ts";
import { constantProductReachable } from "./curves/constant-product.ts";
import { nullOnMathError } from "./refusals.ts";
import { isStopped, loadedMint } from "./token/mint.ts";
import { tokenBalance } from "./token/token-account.ts";
import {
  type ChargedTransfers,
  feeAt,
  type TransferFee,
  type TransferFeeSchedule,
} from "./token/transfer-fee.ts";

const PPM_PER_BPS = 100;
const PPM = 1_000_000;
export const SMALL_FALL_BPS = 100;

export type PairVaults = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
};

/** The pair and its vaults' balances; null where the pair is unreadable. */
export function vaultsOutline(known: AccountSet, pair: PairVaults | null): PoolOutline | null {
  if (pair === null) return null;
  const { mintA, mintB, vaultA, vaultB } = pair;
  return {
    mintA,
    mintB,
    heldA: tokenBalance(known.get(vaultA)),
    heldB: tokenBalance(known.get(vaultB)),
    vaultA,
    vaultB,
  };
}

/** Price of a constant product, output per input; null where the pool can pay no unit. */
export function reserveSpotPrice(reserveIn: bigint, reserveOut: bigint): Ratio | null {
  // A reserve of one unit never pays a whole unit.
  if (reserveIn === 0n || reserveOut < 2n) return null;
  return { numerator: reserveOut, denominator: reserveIn };
}

/** Output that a constant product pays until its price has fallen by `fallBps`. */
export function reserveReachable(
  { reserveIn, reserveOut }: { readonly reserveIn: bigint; readonly reserveOut: bigint },
  fallBps: number,
): bigint {
  return reserveIn === 0n ? 0n : constantProductReachable(reserveOut, fallBps);
}

/** A fee of `numerator / denominator` in parts per million, rounded up; 0 where there is none. */
export function fractionPpm(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) return 0;
  const whole = BigInt(PPM);
  return toNumber(minBigint(divCeil(numerator * whole, denominator), whole));
}

/** Whether a mint is a Token-2022 one, whose extensions change or stop transfers. */
export function isExtendedMint(tokenProgram: Address): boolean {
  return tokenProgram === TOKEN_2022_PROGRAM;
}

/** How a pool's token moves. */
export type TokenTransfer = {
  readonly transferFee: TransferFeeSchedule | null;
  /** The token program would refuse to move it: vault frozen, mint paused, or a transfer hook. */
  readonly isStuck: boolean;
  readonly hasHook: boolean;
};

/**
 * Transfer rules of a vault's token; the mint is read only where it is a Token-2022 one.
 *
 * @throws UnusableError where that mint is missing or undecodable
 */
export function readTransfer(
  known: AccountSet,
  token: { readonly mint: Address; readonly isExtended: boolean; readonly isFrozen: boolean },
): TokenTransfer {
  const { isExtended, isFrozen } = token;
  if (!isExtended) return { transferFee: null, isStuck: isFrozen, hasHook: false };
  const mint = loadedMint(known, token.mint);
  const hasHook = mint.transferHook !== null;
  const isStuck = isFrozen || hasHook || isStopped(mint);
  return { transferFee: mint.transferFee, isStuck, hasHook };
}

export function hookCautions(
  a: { readonly hasHook: boolean },
  b: { readonly hasHook: boolean },
): readonly PoolCaution[] {
  return a.hasHook || b.hasHook ? ["transfer-hook"] : [];
}

const NO_TRANSFERS: ChargedTransfers = { input: null, output: null };

/** The transfer fees of a sale of a pair's first token, or of its second. */
export function transfersOf(
  sellsFirst: boolean,
  first: TransferFeeSchedule | null,
  second: TransferFeeSchedule | null,
): ChargedTransfers {
  if (first === null && second === null) return NO_TRANSFERS;
  return sellsFirst ? { input: first, output: second } : { input: second, output: first };
}

/** One direction of a pool. */
export type SoldSide<State> = {
  readonly venue: Pick<Venue<State>, "spotPrice" | "reachable">;
  readonly state: State;
  readonly inputMint: Address;
  readonly epoch: bigint;
};

/**
 * A pool's fee and the transfer fees together, in parts per million, rounded up: each is taken from what the one
 * before left. A transfer fee with a maximum counts with its share of a sale that lowers the price by 1 %: it may
 * take all of a first unit, and next to nothing of what anyone sells.
 */
export function allFeesPpm<State>(
  poolPpm: number,
  transfers: ChargedTransfers,
  side: SoldSide<State>,
): number {
  const charged = chargedBy(transfers, side);
  return PPM - charged.reduce(leftAfter, Math.max(0, PPM - poolPpm));
}

/**
 * What transfer fees with a maximum take of the same sale. With less depth the sale is smaller, and they take more
 * of it, although no fee was raised: their terms show that.
 */
export type CappedFee = {
  /** Parts per million of what the other fees leave. */
  readonly ppm: number;
  readonly terms: string;
};

/** Null where no transfer fee has a maximum. */
export function cappedFeeOf<State>(
  transfers: ChargedTransfers,
  side: SoldSide<State>,
): CappedFee | null {
  const capped = chargedBy(transfers, side).filter(({ fee }) => fee.maximum < U64_MAX);
  if (capped.length === 0) return null;
  const terms = capped.map(({ on, fee: { feeBps, maximum } }) => `${on} ${feeBps}/${maximum}`);
  return { ppm: PPM - capped.reduce(leftAfter, PPM), terms: terms.join(", ") };
}

type Charged = {
  readonly on: keyof ChargedTransfers;
  readonly fee: TransferFee;
  readonly ppm: number;
};

const NO_CHARGES: readonly Charged[] = [];

function chargedBy<State>(
  transfers: ChargedTransfers,
  { venue, state, inputMint, epoch }: SoldSide<State>,
): readonly Charged[] {
  if (transfers.input === null && transfers.output === null) return NO_CHARGES;
  return (["input", "output"] as const).flatMap((on) => {
    const schedule = transfers[on];
    const fee = schedule === null ? null : feeAt(schedule, epoch);
    if (fee === null || fee.feeBps === 0) return [];
    const paid = fee.maximum >= U64_MAX ? 0n : venue.reachable(state, inputMint, SMALL_FALL_BPS);
    const amount = on === "output" ? paid : soldFor(paid, venue.spotPrice(state, inputMint));
    return { on, fee, ppm: Math.min(fee.feeBps * PPM_PER_BPS, mostPpm(fee.maximum, amount)) };
  });
}

function leftAfter(left: number, { ppm }: Charged): number {
  return Math.floor((left * Math.max(0, PPM - ppm)) / PPM);
}

/** What a sale hands in that lowers the price by so much, before all fees and at the spot, rounded down; base units. */
export function saleOfFall<State>(
  { venue, state, inputMint }: Omit<SoldSide<State>, "epoch">,
  fallBps: number,
): bigint {
  const paid = venue.reachable(state, inputMint, fallBps);
  return soldFor(paid, venue.spotPrice(state, inputMint));
}

/** What is sold for `paid` at a spot, rounded down. */
function soldFor(paid: bigint, spot: Ratio | null): bigint {
  return spot === null ? 0n : (paid * spot.denominator) / spot.numerator;
}

function mostPpm(maximum: bigint, amount: bigint): number {
  return amount === 0n
    ? PPM
    : toNumber(minBigint(divCeil(maximum * BigInt(PPM), amount), BigInt(PPM)));
}

/**
 * The pool after the holder of `part` took out its share of both reserves, rounded down; the same
 * state where either side pays nothing, which the programs refuse. Null where a reserve can't be
 * computed.
 */
export function withdrawBoth<State, Token extends { readonly vaultAmount: bigint }>(
  state: State,
  pool: {
    readonly tokens: readonly [Token, Token];
    readonly reserveOf: (token: Token) => bigint;
    readonly part: ShareOfPool;
    readonly withTokens: (tokenA: Token, tokenB: Token) => State;
  },
): State | null {
  const { tokens, reserveOf, part, withTokens } = pool;
  const [tokenA, tokenB] = tokens;
  return nullOnMathError(() => {
    const paidA = paidForShares(reserveOf(tokenA), part);
    const paidB = paidForShares(reserveOf(tokenB), part);
    if (paidA === 0n || paidB === 0n) return state;
    const left = (token: Token, paid: bigint): Token => ({
      ...token,
      vaultAmount: token.vaultAmount - paid,
    });
    return withTokens(left(tokenA, paidA), left(tokenB, paidB));
  });
}
