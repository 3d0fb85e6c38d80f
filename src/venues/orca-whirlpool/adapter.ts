import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { tokenBalance } from "../token/token-account.ts";
import { transferFeeBps } from "../token/transfer-fee.ts";
import type { Clock, PoolCaution, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { decode, neededArrayStarts, readPoolHeader } from "./decode.ts";
import { reachable, spotPrice } from "./depth.ts";
import { openFast } from "./fast.ts";
import { KNOWN_FEE_TIER_INDEXES, ORCA_CONFIG, PROGRAM_ID, WHIRLPOOL } from "./layout.ts";
import { directionOf, type WhirlpoolState } from "./pool-state.ts";
import { quoteAscending, quoteExactIn } from "./quote.ts";
import { accumulateFee, beginFee, feePpmNow } from "./swap-fee.ts";
import { oracleAddress, tickArrayAddress } from "./tick-arrays.ts";

/** Orca's concentrated liquidity pools. */
export const orcaWhirlpool: Venue<WhirlpoolState> = {
  id: "orca-whirlpool",
  family: "other",
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

/** The program orders a pool's mints by their bytes. */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const others = (pairedWith === null ? [WSOL, ...STABLE_MINTS] : [pairedWith]).filter(
    (other) => other !== mint,
  );
  const configured = () =>
    others.flatMap((other) => {
      const [mintA, mintB] = compareAddressBytes(mint, other) < 0 ? [mint, other] : [other, mint];
      return KNOWN_FEE_TIER_INDEXES.map((index) =>
        findProgramAddress(
          [
            "whirlpool",
            { address: ORCA_CONFIG },
            { address: mintA },
            { address: mintB },
            u16LeSeed(index),
          ],
          PROGRAM_ID,
        ),
      );
    });
  const filter = (own: number, paired: number) => ({
    programId: PROGRAM_ID,
    dataSize: WHIRLPOOL.length,
    memcmp: [
      { offset: own, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: paired, bytes: pairedWith }]),
    ],
  });
  return {
    derived: [],
    configured,
    filters: [
      filter(WHIRLPOOL.tokenMintA, WHIRLPOOL.tokenMintB),
      filter(WHIRLPOOL.tokenMintB, WHIRLPOOL.tokenMintA),
    ],
  };
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
  if (header === null) return null;
  return {
    mintA: header.mintA,
    mintB: header.mintB,
    heldA: tokenBalance(known.get(header.vaultA)),
    heldB: tokenBalance(known.get(header.vaultB)),
  };
}

function status(state: WhirlpoolState, clock: Clock): PoolStatus {
  if (state.hasFrozenVault) return "paused";
  return clock.unixTimestamp < state.tradeEnableTimestamp ? "not-open-yet" : "open";
}

function cautions(state: WhirlpoolState): readonly PoolCaution[] {
  const found: PoolCaution[] = [];
  if (state.isPartlyLoaded) found.push("partly-loaded");
  if (state.tokenA.hasHook || state.tokenB.hasHook) found.push("transfer-hook");
  return found;
}

/** The sum of all rates: a little above what they take together. */
function feePpm(state: WhirlpoolState, _inputMint: Address, clock: Clock): number {
  const transferBps =
    transferFeeBps(state.tokenA.transferFee, clock.epoch) +
    transferFeeBps(state.tokenB.transferFee, clock.epoch);
  return tradeFeePpm(state, clock) + transferBps * 100;
}

function tradeFeePpm(state: WhirlpoolState, clock: Clock): number {
  const fee = beginFee(state, clock.unixTimestamp);
  if (fee === null || fee === "refused") return state.feeRatePpm;
  return toNumber(feePpmNow(accumulateFee(fee), state.feeRatePpm));
}
