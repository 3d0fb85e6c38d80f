import type { Address } from "#src/units/address.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { ascendingMints, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { allFeesPpm, transfersOf, vaultsOutline } from "../shared/reserve-pool.ts";
import { tickCautions } from "../shared/tick-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, neededArrayStarts, readPoolHeader } from "./decode.ts";
import { feeAtFirstUnit, reachable, spotPrice } from "./depth.ts";
import { openFast } from "./fast.ts";
import {
  IMMUTABLE,
  KNOWN_FEE_TIER_INDEXES,
  UPGRADEABLE,
  WHIRLPOOL,
  type WhirlpoolDeployment,
} from "./layout.ts";
import { directionOf, type WhirlpoolState } from "./pool-state.ts";
import { liquidityShares, withdrawPositions } from "./positions.ts";
import { quoteAscending, quoteExactIn } from "./quote.ts";
import { beginFee, feePpmNow } from "./swap-fee.ts";
import { oracleAddress, tickArrayAddress } from "./tick-arrays.ts";

/** Orca's concentrated liquidity pools. */
export const orcaWhirlpool = venueOf(UPGRADEABLE);
/** The same pools on the deployment whose code can no longer be replaced. */
export const orcaWhirlpoolImmutable = venueOf(IMMUTABLE);

function venueOf(deployment: WhirlpoolDeployment): Venue<WhirlpoolState> {
  const { programId } = deployment;
  return {
    id: deployment.venue,
    family: "other",
    kind: "amm",
    programId,
    search: (mint, pairedWith) => search(deployment, mint, pairedWith),
    accountsNeeded,
    outline: (pool, known) => vaultsOutline(known, readPoolHeader(known.get(pool))),
    shares: liquidityShares,
    decode,
    status,
    writtenAt: (state) => state.writtenAt,
    cautions: (state) => tickCautions(state.isPartlyLoaded, state.tokenA, state.tokenB),
    quoteExactIn,
    quoteAscending,
    spotPrice: (state, inputMint) => spotPrice(state, directionOf(state, inputMint)),
    reachable: (state, inputMint, fallBps) =>
      reachable(state, directionOf(state, inputMint), fallBps),
    transfers,
    feePpm,
    withdrawPositions,
    openFast,
  };
}

function search(
  deployment: WhirlpoolDeployment,
  mint: Address,
  pairedWith: Address | null,
): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  const fields = {
    programId: deployment.programId,
    dataSize: WHIRLPOOL.length,
    discriminator: null,
    mintA: WHIRLPOOL.tokenMintA,
    mintB: WHIRLPOOL.tokenMintB,
  };
  return {
    derived: [],
    configured: () => partners.flatMap((partner) => tierPools(deployment, mint, partner)),
    filters: pairFilters(fields, mint, pairedWith),
  };
}

/** The pools of two mints under each known fee tier; the program orders the mints by their bytes. */
function tierPools(
  { programId, config }: WhirlpoolDeployment,
  mint: Address,
  partner: Address,
): readonly Address[] {
  const [mintA, mintB] = ascendingMints(mint, partner);
  const pair = [{ address: config }, { address: mintA }, { address: mintB }];
  return KNOWN_FEE_TIER_INDEXES.map((index) =>
    findProgramAddress(["whirlpool", ...pair, u16LeSeed(index)], programId),
  );
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return [pool];
  const { programId } = header;
  return [
    pool,
    header.vaultA,
    header.vaultB,
    header.mintA,
    header.mintB,
    ...(header.hasOwnFeeTier ? [oracleAddress({ pool, programId })] : []),
    ...neededArrayStarts(header).map((start) => tickArrayAddress({ pool, programId }, start)),
  ];
}

function status(state: WhirlpoolState, clock: Clock): PoolStatus {
  if (state.tokenA.isStuck || state.tokenB.isStuck) return "paused";
  return clock.unixTimestamp < state.tradeEnableTimestamp ? "not-open-yet" : "open";
}

function transfers(state: WhirlpoolState, inputMint: Address): ChargedTransfers {
  const { tokenA, tokenB } = state;
  const sellsA = directionOf(state, inputMint) === "down";
  return transfersOf(sellsA, tokenA.transferFee, tokenB.transferFee);
}

function feePpm(state: WhirlpoolState, inputMint: Address, clock: Clock): number {
  const side = { venue: orcaWhirlpool, state, inputMint, epoch: clock.epoch };
  const tradePpm = tradeFeePpm(state, directionOf(state, inputMint), clock);
  return allFeesPpm(tradePpm, transfers(state, inputMint), side);
}

function tradeFeePpm(state: WhirlpoolState, direction: Direction, clock: Clock): number {
  const fee = beginFee(state, clock.unixTimestamp);
  if (fee === null || fee === "refused") return state.feeRatePpm;
  return toNumber(feePpmNow(feeAtFirstUnit(fee, state, direction), state.feeRatePpm));
}
