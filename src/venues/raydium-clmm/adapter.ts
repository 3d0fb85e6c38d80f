import type { Address } from "#src/units/address.ts";
import { address, addressBytes } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "../account-set.ts";
import { tokenBalance } from "../token/token-account.ts";
import type { Clock, PoolCaution, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, readPoolHeader } from "./decode.ts";
import { reachable, spotPrice } from "./depth.ts";
import { POOL_STATE, PROGRAM_ID } from "./layout.ts";
import type { ClmmState } from "./pool-state.ts";
import { quoteExactIn } from "./quote.ts";
import { accumulate, beginVolatility, feePpmNow } from "./swap-volatility.ts";
import {
  bitmapExtensionAddress,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "./tick-arrays.ts";

/** Configurations under which pools stand at derived addresses; further ones exist. */
const KNOWN_CONFIGS = [
  "4BLNHtVe942GSs4teSZqGX24xwKNkqU7bGgNn3iUiUpw",
  "E64NGkDLLCdQ2yFNPcavaKptrEgmiQaNykUuLC1Qgwyp",
  "HfERMT5DRA6C1TAqecrJQFpmkf3wsWTMncqnj3RDg5aw",
  "A1BBtTYJd4i3xU8D6Tc2FzU6ZN4oXZWXKZnCxwbHXr8x",
  "9iFER3bpjf1PTTCQCfTRu17EJgvsxo9pVyA9QWwEuX4x",
  "3XCQJQryqpDvvZBfGxR7CLAw5dpGJ9aa7kt1jRLdyxuZ",
  "3h2e43PunVA5K34vwKCLHWhZF4aZpyaC9RmxvshGAQpL",
  "Gex2NJRS3jVLPfbzSFM5d5DRsNoL5ynnwT1TXoDEhanz",
].map(address);

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const others = (pairedWith === null ? [WSOL, ...STABLE_MINTS] : [pairedWith]).filter(
    (other) => other !== mint,
  );
  const derived = others.flatMap((other) => {
    const [mint0, mint1] = inByteOrder(mint, other);
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
    derived,
    filters: [
      filter(POOL_STATE.tokenMint0, POOL_STATE.tokenMint1),
      filter(POOL_STATE.tokenMint1, POOL_STATE.tokenMint0),
    ],
  };
}

function inByteOrder(a: Address, b: Address): readonly [Address, Address] {
  const bytesA = addressBytes(a) ?? new Uint8Array();
  const bytesB = addressBytes(b) ?? new Uint8Array();
  const at = bytesA.findIndex((byte, index) => byte !== bytesB[index]);
  return (bytesA[at] ?? 0) < (bytesB[at] ?? 0) ? [a, b] : [b, a];
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return [pool];
  const extensionAddress = hasBitmapExtension(header.tickSpacing)
    ? bitmapExtensionAddress(pool)
    : null;
  const account = extensionAddress === null ? null : known.get(extensionAddress);
  const extension =
    account === null || account === undefined ? null : readBitmapExtension(account, pool);
  const bitmaps = { pool: header.reader, extension, tickSpacing: header.tickSpacing };
  const starts = new Set(
    [true, false].flatMap((zeroForOne) => markedArrays(bitmaps, header.tickCurrent, zeroForOne)),
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
  if (state.isSwapDisabled || state.hasFrozenVault) return "paused";
  return clock.unixTimestamp <= state.openTime ? "not-open-yet" : "open";
}

function cautions(_state: ClmmState): readonly PoolCaution[] {
  return [];
}

function feePpm(state: ClmmState, _inputMint: Address, clock: Clock): number {
  const volatility = beginVolatility(state, clock.unixTimestamp);
  if (volatility === null) return state.tradeFeePpm;
  return Number(feePpmNow(accumulate(volatility), state.tradeFeePpm));
}

/** Raydium's concentrated liquidity pools. */
export const raydiumClmm: Venue<ClmmState> = {
  id: "raydium-clmm",
  family: "raydium",
  kind: "amm",
  programId: PROGRAM_ID,
  search,
  accountsNeeded,
  outline,
  decode,
  status,
  cautions,
  quoteExactIn,
  spotPrice: (state, inputMint) => spotPrice(state, inputMint === state.token0.mint),
  reachable: (state, inputMint, fallBps) =>
    reachable(state, inputMint === state.token0.mint, fallBps),
  feePpm,
};
