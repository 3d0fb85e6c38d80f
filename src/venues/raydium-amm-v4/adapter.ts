import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "../account-set.ts";
import type { ShareOfPool } from "../liquidity-shares.ts";
import { pairFilters } from "../shared/pool-search.ts";
import {
  fractionPpm,
  reserveReachable,
  reserveSpotPrice,
  vaultsOutline,
  withdrawBoth,
} from "../shared/reserve-pool.ts";
import type { PoolSearch, Venue } from "../venue.ts";
import { type AmmState, type AmmToken, decode, liquidityShares, poolAddresses } from "./decode.ts";
import { AUTHORITY, POOL, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";
import { quoteExactIn, reserveOf, statusAt } from "./quote.ts";

const PAIR_FIELDS = {
  programId: PROGRAM_ID,
  dataSize: POOL_LENGTH,
  discriminator: null,
  mintA: POOL.coinVaultMint,
  mintB: POOL.pcVaultMint,
};

/** Raydium's oldest program: constant product, SPL Token only. */
export const raydiumAmmV4: Venue<AmmState> = {
  id: "raydium-amm-v4",
  family: "raydium",
  inputRoundings: 1,
  kind: "amm",
  programId: PROGRAM_ID,
  vaultAuthority: AUTHORITY,
  search,
  accountsNeeded,
  outline: (pool, known) => vaultsOutline(known, poolAddresses(pool, known)),
  shares: liquidityShares,
  decode,
  status: statusAt,
  cautions: () => [],
  quoteExactIn,
  spotPrice,
  reachable: (state, inputMint, fallBps) => reserveReachable(reservesOf(state, inputMint), fallBps),
  withdraw,
  feePpm: (state) => fractionPpm(state.swapFeeNumerator, state.swapFeeDenominator),
};

/** Pool addresses come from an order book's market, so nothing can be derived from the mints. */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  return {
    derived: [],
    configured: () => [],
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const found = poolAddresses(pool, known);
  return found === null ? [pool] : [pool, found.vaultA, found.vaultB];
}

function spotPrice(state: AmmState, inputMint: Address): Ratio | null {
  const { reserveIn, reserveOut } = reservesOf(state, inputMint);
  return reserveSpotPrice(reserveIn, reserveOut);
}

/** One share has to stay: the program refuses to be left with none, so a sole holder takes all but one. */
function withdraw(state: AmmState, { shares, issued }: ShareOfPool): AmmState | null {
  const part = { shares: minBigint(shares, issued - 1n), issued };
  return withdrawBoth(state, {
    tokens: [state.coin, state.pc],
    reserveOf,
    part,
    withTokens: (coin, pc) => ({ ...state, coin, pc }),
  });
}

function reservesOf(state: AmmState, inputMint: Address) {
  const isCoinIn = inputMint === state.coin.mint;
  return {
    reserveIn: reserveOrZero(isCoinIn ? state.coin : state.pc),
    reserveOut: reserveOrZero(isCoinIn ? state.pc : state.coin),
  };
}

/** A pool that owes more than it holds sells nothing: to a seller its reserve is zero. */
function reserveOrZero(token: AmmToken): bigint {
  return token.vaultAmount > token.needTakePnl ? token.vaultAmount - token.needTakePnl : 0n;
}
