import type { Address } from "#src/units/address.ts";
import { minBigint, mulDivFloor } from "#src/units/integer.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type {
  LiquidityShares,
  PositionShare,
  ShareOfPool,
  VestingAccounts,
} from "../liquidity-shares.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import type { ChainMoment, Vesting } from "../shared/vesting.ts";
import { amountA, amountB } from "./curve.ts";
import { type DammToken, type DammV2State, poolAddresses } from "./decode.ts";
import {
  INNER_VESTING,
  POOL,
  POSITION,
  POSITION_DISCRIMINATOR,
  POSITION_LENGTH,
  PROGRAM_ID,
  VESTING,
  VESTING_DISCRIMINATOR,
  VESTING_LENGTH,
} from "./layout.ts";

type Counts = ChainMoment["counts"];

/** All positions of a pool span its whole range: each is a part of the pool's liquidity. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const account = known.get(pool);
  if (!account || poolAddresses(pool, known) === null) return null;
  const reader = new ByteReader(account.data);
  const counts = reader.u8(POOL.activationType) === 0 ? "slots" : "seconds";
  return {
    kind: "positions",
    issued: reader.u128(POOL.liquidity),
    filter: {
      programId: PROGRAM_ID,
      dataSize: POSITION_LENGTH,
      memcmp: [
        { offset: 0, bytes: POSITION_DISCRIMINATOR },
        { offset: POSITION.pool, bytes: pool },
      ],
    },
    decode: (position) => decodePosition(position, counts),
    accountsOf: ({ token }) => ({
      holder: positionTokenAccount(token),
      vestingAccounts: vestingAccounts(positionAddress(token), counts),
    }),
  };
}

function decodePosition(account: Account, counts: Counts): PositionShare | null {
  const reader = new ByteReader(account.data);
  if (account.owner !== PROGRAM_ID || reader.length !== POSITION_LENGTH) return null;
  if (!reader.has(0, POSITION_DISCRIMINATOR)) return null;
  const token = reader.address(POSITION.nftMint);
  const ownVesting = readVesting(reader, POSITION.innerVesting, counts);
  return {
    token,
    unlocked: reader.u128(POSITION.unlockedLiquidity),
    vesting: reader.u128(POSITION.vestedLiquidity),
    ownVesting: ownVesting.total === 0n ? null : ownVesting,
    locked: reader.u128(POSITION.permanentLockedLiquidity),
  };
}

function vestingAccounts(position: Address, counts: Counts): VestingAccounts {
  return {
    locker: "meteora-damm-v2",
    filter: {
      programId: PROGRAM_ID,
      dataSize: VESTING_LENGTH,
      memcmp: [
        { offset: 0, bytes: VESTING_DISCRIMINATOR },
        { offset: VESTING.position, bytes: position },
      ],
    },
    decode(account) {
      const reader = new ByteReader(account.data);
      if (account.owner !== PROGRAM_ID || reader.length !== VESTING_LENGTH) return null;
      if (!reader.has(0, VESTING_DISCRIMINATOR)) return null;
      if (reader.address(VESTING.position) !== position) return null;
      return readVesting(reader, VESTING.innerVesting, counts);
    },
  };
}

/** `get_max_unlocked_liquidity`: a cliff, then equal periods, in slots or seconds as the pool counts. */
function readVesting(reader: ByteReader, offset: number, counts: Counts): Vesting {
  const cliffAmount = reader.u128(offset + INNER_VESTING.cliffUnlockLiquidity);
  const perPeriod = reader.u128(offset + INNER_VESTING.liquidityPerPeriod);
  const periods = BigInt(reader.u16(offset + INNER_VESTING.numberOfPeriod));
  return {
    counts,
    cliffAt: reader.u64(offset + INNER_VESTING.cliffPoint),
    cliffAmount,
    period: reader.u64(offset + INNER_VESTING.periodFrequency),
    perPeriod,
    total: cliffAmount + perPeriod * periods,
    endsAt: null,
    released: reader.u128(offset + INNER_VESTING.totalReleasedLiquidity),
  };
}

export function positionAddress(token: Address): Address {
  return findProgramAddress(["position", { address: token }], PROGRAM_ID);
}

/** Where the program puts a position's token; it can be moved to another account. */
export function positionTokenAccount(token: Address): Address {
  return findProgramAddress(["position_nft_account", { address: token }], PROGRAM_ID);
}

/**
 * The pool without that part of its liquidity (`remove_liquidity`): both amounts rounded down, of a
 * compounding pool in proportion to the counted reserves, else over the price range.
 */
export function withdraw(state: DammV2State, { shares, issued }: ShareOfPool): DammV2State | null {
  const { liquidity, sqrtPrice, sqrtMinPrice, sqrtMaxPrice, tokenA, tokenB } = state;
  return nullOnMathError(() => {
    const delta = minBigint(mulDivFloor(liquidity, shares, issued), liquidity);
    if (delta === 0n) return state;
    const isCompounding = state.collectFeeMode === "compounding";
    const paidA = isCompounding
      ? mulDivFloor(tokenA.reserve, delta, liquidity)
      : amountA(delta, sqrtPrice, sqrtMaxPrice, "down");
    const paidB = isCompounding
      ? mulDivFloor(tokenB.reserve, delta, liquidity)
      : amountB(delta, sqrtMinPrice, sqrtPrice, "down");
    const leftA = tokenLeft(tokenA, paidA);
    const leftB = tokenLeft(tokenB, paidB);
    if (leftA === null || leftB === null) return null;
    return { ...state, liquidity: liquidity - delta, tokenA: leftA, tokenB: leftB };
  });
}

/** Null where the program would fail: it counts less than it would pay, or holds less. */
function tokenLeft(token: DammToken, paid: bigint): DammToken | null {
  const { reserve, vaultAmount } = token;
  if (paid > reserve || (vaultAmount !== null && paid > vaultAmount)) return null;
  const left = vaultAmount === null ? null : vaultAmount - paid;
  return { ...token, reserve: reserve - paid, vaultAmount: left };
}
