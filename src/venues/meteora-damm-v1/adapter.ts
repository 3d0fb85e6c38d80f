import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import { findProgramAddress, i64LeSeed } from "#src/units/program-address.ts";
import type { AccountSet } from "../account-set.ts";
import { ascendingMints, moneyRank, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { fractionPpm } from "../shared/reserve-pool.ts";
import type { Clock, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import {
  type DammV1State,
  decode,
  liquidityShares,
  poolAddresses,
  shareHeld,
  vaultAddresses,
} from "./decode.ts";
import { reachable, spotPrice } from "./depth.ts";
import { GRADUATION_CONFIGS, POOL, POOL_DISCRIMINATOR, PROGRAM_ID } from "./layout.ts";
import { quoteExactIn, statusAt } from "./quote.ts";
import { withdraw } from "./withdraw.ts";

/** The first trade fees, in basis points, of each curve's tag; the usual one is not a seed. */
const FEE_SEEDS: readonly (readonly [tag: number, feeBps: bigint | null])[] = [
  [0, null],
  [0, 100n],
  [0, 400n],
  [0, 600n],
  [1, null],
  [1, 4n],
  [1, 10n],
  [1, 100n],
];

const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: null,
  discriminator: POOL_DISCRIMINATOR,
  mintA: POOL.tokenAMint,
  mintB: POOL.tokenBMint,
};

/** Meteora's first program: constant product and stable pools over shared, lending vaults. */
export const meteoraDammV1: Venue<DammV1State> = {
  id: "meteora-damm-v1",
  family: "meteora",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode,
  status,
  // Both vaults' profit is released from their last reports on.
  writtenAt: ({ a, b }) => maxBigint(a.lastReport, b.lastReport),
  cautions: () => [],
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  // The protocol's fee is a part of the trade fee.
  feePpm: (state) => fractionPpm(state.tradeFeeNumerator, state.tradeFeeDenominator),
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  return {
    derived: [],
    configured: () => partners.flatMap((partner) => configuredPools(mint, partner)),
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

function configuredPools(mint: Address, partner: Address): readonly Address[] {
  const pair = pairSeeds(mint, partner);
  return [
    ...GRADUATION_CONFIGS.map((config) => configuredPool(config, mint, partner)),
    findProgramAddress(["pool", ...pair], PROGRAM_ID),
    ...FEE_SEEDS.map(([tag, feeBps]) =>
      findProgramAddress(
        [Uint8Array.of(tag), ...pair, ...(feeBps === null ? [] : [i64LeSeed(feeBps)])],
        PROGRAM_ID,
      ),
    ),
  ];
}

/** The pool of two mints under a configuration; the seeds name the greater mint first. */
export function configuredPool(config: Address, mintA: Address, mintB: Address): Address {
  return findProgramAddress([...pairSeeds(mintA, mintB), { address: config }], PROGRAM_ID);
}

function pairSeeds(mintA: Address, mintB: Address) {
  const [lesser, greater] = ascendingMints(mintA, mintB);
  return [{ address: greater }, { address: lesser }];
}

/** A vault that is switched off takes nothing in: where it is the one of what holders sell, no sale passes. */
function status(state: DammV1State, clock: Clock): PoolStatus {
  const { a, b } = state;
  const sold = moneyRank(a.mint) > moneyRank(b.mint) ? b : a;
  const isShut = !sold.takesDeposits && moneyRank(a.mint) !== moneyRank(b.mint);
  const found = statusAt(state, clock);
  return found === "open" && isShut ? "paused" : found;
}

/** The vaults must be loaded before their share mints and token accounts are known. */
function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  if (found === null) return [pool];
  const needed = [pool, found.vaultA, found.vaultB, found.poolLpA, found.poolLpB];
  if (found.stake !== null) needed.push(found.stake);
  for (const vault of [found.vaultA, found.vaultB]) {
    const behind = vaultAddresses(vault, known);
    if (behind !== null) needed.push(behind.tokenVault, behind.lpMint);
  }
  return needed;
}

/** The pool's own shares of the vaults: what other pools keep there is not its. */
function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const found = poolAddresses(pool, known);
  if (found === null) return null;
  return {
    mintA: found.mintA,
    mintB: found.mintB,
    heldA: shareHeld(found.vaultA, found.poolLpA, known),
    heldB: shareHeld(found.vaultB, found.poolLpB, known),
  };
}
