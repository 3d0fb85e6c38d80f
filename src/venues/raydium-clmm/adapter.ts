import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { DIRECTIONS } from "../curves/direction.ts";
import { tokenBalance } from "../token/token-account.ts";
import { transferFeeBps } from "../token/transfer-fee.ts";
import type { Clock, PoolCaution, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, readPoolHeader } from "./decode.ts";
import { reachable, spotPrice } from "./depth.ts";
import { openFast } from "./fast.ts";
import { KNOWN_CONFIGS, POOL_STATE, PROGRAM_ID } from "./layout.ts";
import { type ClmmState, directionOf, isTransferBlocked } from "./pool-state.ts";
import { quoteAscending, quoteExactIn } from "./quote.ts";
import { accumulate, beginVolatility, feePpmNow } from "./swap-volatility.ts";
import {
  bitmapExtensionAddress,
  bytesOf,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "./tick-arrays.ts";

/** Raydium's concentrated liquidity pools. */
export const raydiumClmm: Venue<ClmmState> = {
  id: "raydium-clmm",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  shares: () => ({ kind: "unread-positions" }),
  decode,
  status,
  cautions,
  quoteExactIn,
  quoteAscending,
  spotPrice: (state, inputMint) => spotPrice(state, directionOf(state, inputMint)),
  reachable: (state, inputMint, fallBps) =>
    reachable(state, directionOf(state, inputMint), fallBps),
  feePpm,
  openFast,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const others = (pairedWith === null ? [WSOL, ...STABLE_MINTS] : [pairedWith]).filter(
    (other) => other !== mint,
  );
  const configured = () =>
    others.flatMap((other) => {
      const [mint0, mint1] = compareAddressBytes(mint, other) < 0 ? [mint, other] : [other, mint];
      return KNOWN_CONFIGS.map((config) =>
        findProgramAddress(
          ["pool", { address: config }, { address: mint0 }, { address: mint1 }],
          PROGRAM_ID,
        ),
      );
    });
  const filter = (own: number, paired: number) => ({
    programId: PROGRAM_ID,
    dataSize: POOL_STATE.length,
    memcmp: [
      { offset: own, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: paired, bytes: pairedWith }]),
    ],
  });
  return {
    derived: [],
    configured,
    filters: [
      filter(POOL_STATE.tokenMint0, POOL_STATE.tokenMint1),
      filter(POOL_STATE.tokenMint1, POOL_STATE.tokenMint0),
    ],
  };
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
  return {
    mintA: header.mint0,
    mintB: header.mint1,
    heldA: tokenBalance(known.get(header.vault0)),
    heldB: tokenBalance(known.get(header.vault1)),
  };
}

function status(state: ClmmState, clock: Clock): PoolStatus {
  if (state.isSwapDisabled || isTransferBlocked(state)) return "paused";
  return clock.unixTimestamp <= state.openTime ? "not-open-yet" : "open";
}

function cautions(state: ClmmState): readonly PoolCaution[] {
  const found: PoolCaution[] = [];
  if (state.isPartlyLoaded) found.push("partly-loaded");
  if (state.token0.hasHook || state.token1.hasHook) found.push("transfer-hook");
  return found;
}

/** The sum of all rates: a little above what they take together. */
function feePpm(state: ClmmState, _inputMint: Address, clock: Clock): number {
  const volatility = beginVolatility(state, clock.unixTimestamp);
  const tradeFeePpm =
    volatility === null
      ? state.tradeFeePpm
      : toNumber(feePpmNow(accumulate(volatility), state.tradeFeePpm));
  const transferBps =
    transferFeeBps(state.token0.transferFee, clock.epoch) +
    transferFeeBps(state.token1.transferFee, clock.epoch);
  return tradeFeePpm + transferBps * 100;
}
