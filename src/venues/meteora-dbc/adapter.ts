import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import { vaultsOutline } from "../shared/reserve-pool.ts";
import type { Clock, PoolOutline, PoolSearch, ProgramFilter, Venue } from "../venue.ts";
import { accountsNeeded, readConfig, readPool } from "./accounts.ts";
import { decodePool } from "./decode.ts";
import { reachableOut, spotOf } from "./depth.ts";
import { feeNumerator } from "./fees.ts";
import { DBC_POOL_AUTHORITY, DBC_PROGRAM, POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";
import { pointOf, quoteExactIn, statusOf } from "./quote.ts";
import type { DbcState } from "./state.ts";

/** Fee numerators are over 10^9; parts per million are over 10^6. */
const NUMERATOR_PER_PPM = 1_000n;
const PPM = 1_000_000;

/** Meteora Dynamic Bonding Curve (README.md in this folder). */
export const meteoraDbc: Venue<DbcState> = {
  id: "meteora-dbc",
  family: "meteora",
  kind: "curve",
  programId: DBC_PROGRAM,
  vaultAuthority: DBC_POOL_AUTHORITY,
  search,
  accountsNeeded,
  outline,
  shares: () => ({ kind: "nobody" }),
  decode: decodePool,
  status: statusOf,
  cautions: (state) => (state.hasTransferHook ? ["transfer-hook"] : []),
  quoteExactIn,
  spotPrice: (state, inputMint) => {
    const isBuy = isBuyOf(state, inputMint);
    return isBuy === null ? null : spotOf(state, isBuy);
  },
  reachable: (state, inputMint, fallBps) => {
    const isBuy = isBuyOf(state, inputMint);
    return isBuy === null ? 0n : reachableOut(state, isBuy, fallBps);
  },
  raised: ({ baseMint, quoteReserve }, mint) => (mint === baseMint ? quoteReserve : null),
  feePpm,
};

function isBuyOf(state: DbcState, inputMint: Address): boolean | null {
  if (inputMint === state.baseMint) return false;
  return inputMint === state.config.quoteMint ? true : null;
}

/**
 * A curve's address is derived from its launchpad's config, which a mint does not contain, so only
 * filters find it. It names its base mint; only the config contains the quote mint.
 */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const bases = pairedWith === null ? [mint] : [mint, pairedWith];
  return { derived: [], configured: () => [], filters: bases.map(baseMintFilter) };
}

function baseMintFilter(mint: Address): ProgramFilter {
  return {
    programId: DBC_PROGRAM,
    dataSize: VIRTUAL_POOL.length,
    memcmp: [{ offset: VIRTUAL_POOL.baseMint, bytes: mint }],
  };
}

/** The pair is known only together with the config; a curve's quote is what it counts as its own. */
function outline(address: Address, known: AccountSet): PoolOutline | null {
  const pool = readPool(known.get(address))?.reader;
  if (pool === undefined) return null;
  const config = readConfig(known.get(pool.address(VIRTUAL_POOL.config)));
  if (config === null) return null;
  return vaultsOutline(known, {
    mintA: pool.address(VIRTUAL_POOL.baseMint),
    mintB: config.address(POOL_CONFIG.quoteMint),
    vaultA: pool.address(VIRTUAL_POOL.baseVault),
    vaultB: pool.address(VIRTUAL_POOL.quoteVault),
  });
}

function feePpm(state: DbcState, inputMint: Address, clock: Clock): number {
  const isBuy = isBuyOf(state, inputMint);
  if (isBuy === null) return 0;
  const ppm = nullOnMathError(() => {
    const numerator = feeNumerator(state.config, state.volatility, {
      point: pointOf(state, clock),
      activationPoint: state.activationPoint,
      isBuy,
      amountIn: 1n,
    });
    return toNumber((numerator + NUMERATOR_PER_PPM - 1n) / NUMERATOR_PER_PPM);
  });
  // The program can't compute its fee and refuses every swap: nothing is left of a first unit.
  return ppm ?? PPM;
}
