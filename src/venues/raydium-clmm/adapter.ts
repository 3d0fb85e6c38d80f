import { type Address, bytesOf } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { DIRECTIONS } from "../shared/curves/direction.ts";
import { ascendingMints, pairFilters, partnersOf } from "../shared/pool-search.ts";
import { allFeesPpm, transfersOf, vaultsOutline } from "../shared/reserve-pool.ts";
import { tickCautions } from "../shared/tick-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, readPoolHeader } from "./decode.ts";
import { feeAtFirstUnit, reachable, spotPrice } from "./depth.ts";
import { openFast } from "./fast.ts";
import { KNOWN_CONFIGS, POOL_STATE, PROGRAM_ID } from "./layout.ts";
import { type ClmmState, directionOf, isTransferBlocked } from "./pool-state.ts";
import { liquidityShares, withdrawPositions } from "./positions.ts";
import { quoteAscending, quoteExactIn } from "./quote.ts";
import { beginVolatility, feePpmNow } from "./swap-volatility.ts";
import {
  bitmapExtensionAddress,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "./tick-arrays.ts";

const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: POOL_STATE.length,
  discriminator: null,
  mintA: POOL_STATE.tokenMint0,
  mintB: POOL_STATE.tokenMint1,
};

/** Raydium's concentrated liquidity pools. */
export const raydiumClmm: Venue<ClmmState> = {
  id: "raydium-clmm",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode,
  writtenAt: (state) => state.writtenAt,
  status,
  cautions: (state) => tickCautions(state.isPartlyLoaded, state.token0, state.token1),
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

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith);
  return {
    derived: [],
    configured: () => partners.flatMap((partner) => configuredPools(mint, partner)),
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

function configuredPools(mint: Address, partner: Address): readonly Address[] {
  const pair = ascendingMints(mint, partner).map((address) => ({ address }));
  return KNOWN_CONFIGS.map((config) =>
    findProgramAddress(["pool", { address: config }, ...pair], PROGRAM_ID),
  );
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return [pool];
  const extensionAddress = hasBitmapExtension(header.tickSpacing)
    ? bitmapExtensionAddress(pool)
    : null;
  const account = extensionAddress === null ? null : known.get(extensionAddress);
  const extension =
    account === null || account === undefined ? null : readBitmapExtension(account, bytesOf(pool));
  const bitmaps = { pool: header.reader, extension, tickSpacing: header.tickSpacing };
  const starts = new Set(
    DIRECTIONS.flatMap((direction) => markedArrays(bitmaps, header.tickCurrent, direction)),
  );
  return [
    pool,
    header.ammConfig,
    header.vault0,
    header.vault1,
    header.mint0,
    header.mint1,
    ...(extensionAddress === null ? [] : [extensionAddress]),
    ...[...starts].map((start) => tickArrayAddress(pool, start)),
  ];
}

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return null;
  const { mint0, mint1, vault0, vault1 } = header;
  return vaultsOutline(known, { mintA: mint0, mintB: mint1, vaultA: vault0, vaultB: vault1 });
}

function status(state: ClmmState, clock: Clock): PoolStatus {
  if (state.isSwapDisabled || isTransferBlocked(state)) return "paused";
  return clock.unixTimestamp <= state.openTime ? "not-open-yet" : "open";
}

function transfers(state: ClmmState, inputMint: Address): ChargedTransfers {
  const { token0, token1 } = state;
  const sellsToken0 = directionOf(state, inputMint) === "down";
  return transfersOf(sellsToken0, token0.transferFee, token1.transferFee);
}

/** The sum of all rates: a little above what they take together. */
function feePpm(state: ClmmState, inputMint: Address, clock: Clock): number {
  const direction = directionOf(state, inputMint);
  const volatility = beginVolatility(state, clock.unixTimestamp);
  const tradeFeePpm =
    volatility === null
      ? state.tradeFeePpm
      : toNumber(feePpmNow(feeAtFirstUnit(volatility, state, direction), state.tradeFeePpm));
  const side = { venue: raydiumClmm, state, inputMint, epoch: clock.epoch };
  return allFeesPpm(tradeFeePpm, transfers(state, inputMint), side);
}
