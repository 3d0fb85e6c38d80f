import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import type { PairVaults } from "../shared/reserve-pool.ts";
import { loadedVault } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import { type AmmStatus, POOL, POOL_LENGTH, PROGRAM_ID, STATUSES } from "./layout.ts";

/** One of the pool's two tokens; amounts are base units. */
export type AmmToken = {
  readonly mint: Address;
  readonly vaultAmount: bigint;
  /** The protocol's share of past fees: in the vault, not yet taken out. */
  readonly needTakePnl: bigint;
  readonly isFrozen: boolean;
};

/** Swaps pay `swapFeeNumerator / swapFeeDenominator` of the input; mostly 25 / 10,000. */
export type AmmState = {
  readonly coin: AmmToken;
  readonly pc: AmmToken;
  readonly status: AmmStatus;
  readonly openTime: bigint;
  readonly swapFeeNumerator: bigint;
  readonly swapFeeDenominator: bigint;
};

const POOL_KIND = { programId: PROGRAM_ID, length: POOL_LENGTH } as const;

function poolReader(pool: Address, known: AccountSet): ByteReader | null {
  return readOwn(known.get(pool), POOL_KIND);
}

/** Vaults and mints of the pool, or null where the account is missing or no AMM v4 pool. */
export function poolAddresses(pool: Address, known: AccountSet): PairVaults | null {
  const reader = poolReader(pool, known);
  return reader === null ? null : addressesIn(reader);
}

/** A: the coin, B: the pc. */
function addressesIn(reader: ByteReader): PairVaults {
  return {
    vaultA: reader.address(POOL.coinVault),
    vaultB: reader.address(POOL.pcVault),
    mintA: reader.address(POOL.coinVaultMint),
    mintB: reader.address(POOL.pcVaultMint),
  };
}

/** The pool's own count of its shares: tokens burned by their holders stay in it. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const reader = poolReader(pool, known);
  if (reader === null) return null;
  return {
    kind: "fungible",
    mint: reader.address(POOL.lpMint),
    issued: reader.u64(POOL.lpAmount),
  };
}

/** Pool and both vaults: since July 2026 the program reads nothing of the order book. */
export function decode(pool: Address, known: AccountSet): Decoded<AmmState> {
  return decodedOrUnusable(() => readState(pool, known));
}

function readState(pool: Address, known: AccountSet): AmmState {
  const reader = decodable(readOwn(loaded(known, pool, "pool"), POOL_KIND), "not an AMM v4 pool");
  const addresses = addressesIn(reader);
  const statusNumber = reader.u64(POOL.status);
  const status =
    statusNumber < BigInt(STATUSES.length) ? STATUSES[toNumber(statusNumber)] : undefined;
  if (status === undefined) throw new UnusableError("unsupported", `status ${statusNumber}`);
  return {
    coin: readToken(known, {
      vault: addresses.vaultA,
      mint: addresses.mintA,
      needTakePnl: reader.u64(POOL.needTakePnlCoin),
    }),
    pc: readToken(known, {
      vault: addresses.vaultB,
      mint: addresses.mintB,
      needTakePnl: reader.u64(POOL.needTakePnlPc),
    }),
    status,
    openTime: reader.u64(POOL.poolOpenTime),
    swapFeeNumerator: reader.u64(POOL.swapFeeNumerator),
    swapFeeDenominator: reader.u64(POOL.swapFeeDenominator),
  };
}

type TokenFields = Pick<AmmToken, "mint" | "needTakePnl"> & { readonly vault: Address };

/** The program unpacks vaults as SPL Token accounts: Token-2022 ones it refuses. */
function readToken(
  known: AccountSet,
  { vault: address, mint, needTakePnl }: TokenFields,
): AmmToken {
  const vault = loadedVault(known, address, mint);
  if (known.get(address)?.owner !== TOKEN_PROGRAM) {
    throw new UnusableError("undecodable", `vault ${address} is not an SPL Token account`);
  }
  return { mint, vaultAmount: vault.amount, needTakePnl, isFrozen: vault.isFrozen };
}
