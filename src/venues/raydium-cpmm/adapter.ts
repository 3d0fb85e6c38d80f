import type { Address } from "#src/units/address.ts";
import { maxBigint, minBigint, mulDivCeil } from "#src/units/integer.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import type { ShareOfPool } from "../liquidity-shares.ts";
import { ascendingMints, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import {
  allFeesPpm,
  hookCautions,
  reserveReachable,
  reserveSpotPrice,
  vaultsOutline,
  withdrawBoth,
} from "../shared/reserve-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, PoolSearch, Venue } from "../venue.ts";
import {
  type CpmmState,
  type CpmmToken,
  decode,
  liquidityShares,
  poolAddresses,
} from "./decode.ts";
import {
  AUTHORITY,
  FEE_RATE_DENOMINATOR,
  KNOWN_CONFIGS,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
} from "./layout.ts";
import { creatorFeeIsOnInput, quoteExactIn, reserveOf, statusAt } from "./quote.ts";

const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: POOL_LENGTH,
  discriminator: POOL_DISCRIMINATOR,
  mintA: POOL.token0Mint,
  mintB: POOL.token1Mint,
};

/** Raydium's constant-product program, Token-2022 included. */
export const raydiumCpmm: Venue<CpmmState> = {
  id: "raydium-cpmm",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  vaultAuthority: AUTHORITY,
  search,
  accountsNeeded,
  outline: (pool, known) => vaultsOutline(known, poolAddresses(pool, known)),
  shares: liquidityShares,
  decode,
  status: statusAt,
  cautions: ({ token0, token1 }) => hookCautions(token0, token1),
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  transfers,
  feePpm,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  const standardPools = () =>
    partners.flatMap((partner) =>
      KNOWN_CONFIGS.map((config) => standardPool(config, mint, partner)),
    );
  return {
    derived: [],
    configured: standardPools,
    // LaunchLab's launches go there; so can anyone's pool.
    graduated: { addresses: standardPools, isReserved: false },
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

/** The address of a configuration's standard pool of two mints, in any order. */
export function standardPool(config: Address, mintA: Address, mintB: Address): Address {
  // The program orders a pool's mints by their bytes.
  const [mint0, mint1] = ascendingMints(mintA, mintB);
  return findProgramAddress(
    ["pool", { address: config }, { address: mint0 }, { address: mint1 }],
    PROGRAM_ID,
  );
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  if (found === null) return [pool];
  const needed = [pool, found.config, found.vaultA, found.vaultB];
  if (found.isExtendedA) needed.push(found.mintA);
  if (found.isExtendedB) needed.push(found.mintB);
  return needed;
}

function spotPrice(state: CpmmState, inputMint: Address): Ratio | null {
  const { input, output } = tokensOf(state, inputMint);
  return reserveSpotPrice(reserveOrZero(input), reserveOrZero(output));
}

function reachable(state: CpmmState, inputMint: Address, fallBps: number): bigint {
  const { input, output } = tokensOf(state, inputMint);
  const reserves = { reserveIn: reserveOrZero(input), reserveOut: reserveOrZero(output) };
  return reserveReachable(reserves, fallBps);
}

function withdraw(state: CpmmState, part: ShareOfPool): CpmmState | null {
  return withdrawBoth(state, {
    tokens: [state.token0, state.token1],
    reserveOf,
    part,
    withTokens: (token0, token1) => ({ ...state, token0, token1 }),
  });
}

function transfers(state: CpmmState, inputMint: Address): ChargedTransfers {
  const { input, output } = tokensOf(state, inputMint);
  return { input: input.transferFee, output: output.transferFee };
}

function feePpm(state: CpmmState, inputMint: Address, clock: Clock): number {
  const { tradeFeeRate, creatorFeeRate } = state;
  // A creator's fee on the output is taken from what the trade fee left.
  const creatorRate = creatorFeeIsOnInput(state, inputMint === state.token0.mint)
    ? creatorFeeRate
    : mulDivCeil(
        creatorFeeRate,
        maxBigint(0n, FEE_RATE_DENOMINATOR - tradeFeeRate),
        FEE_RATE_DENOMINATOR,
      );
  const poolPpm = minBigint(tradeFeeRate + creatorRate, FEE_RATE_DENOMINATOR);
  return allFeesPpm(toNumber(poolPpm), transfers(state, inputMint), {
    venue: raydiumCpmm,
    state,
    inputMint,
    epoch: clock.epoch,
  });
}

function tokensOf(state: CpmmState, inputMint: Address) {
  return inputMint === state.token0.mint
    ? { input: state.token0, output: state.token1 }
    : { input: state.token1, output: state.token0 };
}

/** A pool that owes more than it holds sells nothing: to a seller its reserve is zero. */
function reserveOrZero(token: CpmmToken): bigint {
  return nullOnMathError(() => reserveOf(token)) ?? 0n;
}
