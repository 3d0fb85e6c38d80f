import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { decodeTokenAccount } from "../token/token-account.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
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

export type AmmPoolAddresses = {
  readonly coinVault: Address;
  readonly pcVault: Address;
  readonly coinMint: Address;
  readonly pcMint: Address;
};

function unusable(reason: UnusableReason, detail: string): Decoded<never> {
  return { kind: "unusable", reason, detail };
}

function poolReader(pool: Address, known: AccountSet): ByteReader | null {
  const account = known.get(pool);
  if (account === null || account === undefined || account.owner !== PROGRAM_ID) return null;
  return account.data.length === POOL_LENGTH ? new ByteReader(account.data) : null;
}

/** Vaults and mints of the pool, or null where the account is missing or no AMM v4 pool. */
export function poolAddresses(pool: Address, known: AccountSet): AmmPoolAddresses | null {
  const reader = poolReader(pool, known);
  if (reader === null) return null;
  return {
    coinVault: reader.address(POOL.coinVault),
    pcVault: reader.address(POOL.pcVault),
    coinMint: reader.address(POOL.coinVaultMint),
    pcMint: reader.address(POOL.pcVaultMint),
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
  const account = known.get(pool);
  if (account === null || account === undefined) {
    return unusable("missing-account", `pool ${pool}`);
  }
  const reader = poolReader(pool, known);
  const addresses = poolAddresses(pool, known);
  if (reader === null || addresses === null) return unusable("undecodable", "no AMM v4 pool");
  const statusNumber = reader.u64(POOL.status);
  const status =
    statusNumber < BigInt(STATUSES.length) ? STATUSES[toNumber(statusNumber)] : undefined;
  if (status === undefined) return unusable("unsupported", `status ${statusNumber}`);
  const coin = decodeToken(known, {
    vault: addresses.coinVault,
    mint: addresses.coinMint,
    needTakePnl: reader.u64(POOL.needTakePnlCoin),
  });
  if (coin.kind === "unusable") return coin;
  const pc = decodeToken(known, {
    vault: addresses.pcVault,
    mint: addresses.pcMint,
    needTakePnl: reader.u64(POOL.needTakePnlPc),
  });
  if (pc.kind === "unusable") return pc;
  return {
    kind: "pool",
    state: {
      coin: coin.state,
      pc: pc.state,
      status,
      openTime: reader.u64(POOL.poolOpenTime),
      swapFeeNumerator: reader.u64(POOL.swapFeeNumerator),
      swapFeeDenominator: reader.u64(POOL.swapFeeDenominator),
    },
  };
}

type TokenFields = Pick<AmmToken, "mint" | "needTakePnl"> & { readonly vault: Address };

/** The program unpacks vaults as SPL Token accounts: Token-2022 ones it refuses. */
function decodeToken(known: AccountSet, fields: TokenFields): Decoded<AmmToken> {
  const { vault, mint, needTakePnl } = fields;
  const account = known.get(vault);
  if (account === null || account === undefined) {
    return unusable("missing-account", `vault ${vault}`);
  }
  const decoded = account.owner === TOKEN_PROGRAM ? decodeTokenAccount(account) : null;
  if (decoded === null || decoded.mint !== mint) return unusable("undecodable", `vault ${vault}`);
  return {
    kind: "pool",
    state: { mint, vaultAmount: decoded.amount, needTakePnl, isFrozen: decoded.isFrozen },
  };
}
