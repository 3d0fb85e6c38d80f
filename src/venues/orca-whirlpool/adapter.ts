import type { Address } from "#src/units/address.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { ascendingMints, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { allFeesPpm, vaultsOutline } from "../shared/reserve-pool.ts";
import { tickCautions } from "../shared/tick-pool.ts";
import type { Clock, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, neededArrayStarts, readPoolHeader } from "./decode.ts";
import { reachable, spotPrice } from "./depth.ts";
import { openFast } from "./fast.ts";
import { KNOWN_FEE_TIER_INDEXES, ORCA_CONFIG, PROGRAM_ID, WHIRLPOOL } from "./layout.ts";
import { directionOf, type WhirlpoolState } from "./pool-state.ts";
import { liquidityShares, withdrawPositions } from "./positions.ts";
import { quoteAscending, quoteExactIn } from "./quote.ts";
import { accumulateFee, beginFee, feePpmNow } from "./swap-fee.ts";
import { oracleAddress, tickArrayAddress } from "./tick-arrays.ts";

const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: WHIRLPOOL.length,
  discriminator: null,
  mintA: WHIRLPOOL.tokenMintA,
  mintB: WHIRLPOOL.tokenMintB,
};

/** Orca's concentrated liquidity pools. */
export const orcaWhirlpool: Venue<WhirlpoolState> = {
  id: "orca-whirlpool",
  family: "other",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode,
  status,
  cautions: (state) => tickCautions(state.isPartlyLoaded, state.tokenA, state.tokenB),
  quoteExactIn,
  quoteAscending,
  spotPrice: (state, inputMint) => spotPrice(state, directionOf(state, inputMint)),
  reachable: (state, inputMint, fallBps) =>
    reachable(state, directionOf(state, inputMint), fallBps),
  feePpm,
  withdrawPositions,
  openFast,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  return {
    derived: [],
    configured: () => partners.flatMap((partner) => tierPools(mint, partner)),
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

/** The pools of two mints under each known fee tier; the program orders the mints by their bytes. */
function tierPools(mint: Address, partner: Address): readonly Address[] {
  const [mintA, mintB] = ascendingMints(mint, partner);
  const pair = [{ address: ORCA_CONFIG }, { address: mintA }, { address: mintB }];
  return KNOWN_FEE_TIER_INDEXES.map((index) =>
    findProgramAddress(["whirlpool", ...pair, u16LeSeed(index)], PROGRAM_ID),
  );
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return [pool];
  return [
    pool,
    header.vaultA,
    header.vaultB,
    header.mintA,
    header.mintB,
    ...(header.hasOwnFeeTier ? [oracleAddress(pool)] : []),
    ...neededArrayStarts(header).map((start) => tickArrayAddress(pool, start)),
  ];
}

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const header = readPoolHeader(known.get(pool));
  return header === null ? null : vaultsOutline(known, header);
}

function status(state: WhirlpoolState, clock: Clock): PoolStatus {
  if (state.hasFrozenVault) return "paused";
  return clock.unixTimestamp < state.tradeEnableTimestamp ? "not-open-yet" : "open";
}

function feePpm(state: WhirlpoolState, _inputMint: Address, clock: Clock): number {
  const transfers = [state.tokenA.transferFee, state.tokenB.transferFee];
  return allFeesPpm(tradeFeePpm(state, clock), transfers, clock.epoch);
}

function tradeFeePpm(state: WhirlpoolState, clock: Clock): number {
  const fee = beginFee(state, clock.unixTimestamp);
  if (fee === null || fee === "refused") return state.feeRatePpm;
  return toNumber(feePpmNow(accumulateFee(fee), state.feeRatePpm));
}
