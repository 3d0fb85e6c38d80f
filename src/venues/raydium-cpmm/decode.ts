import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { decodeMint } from "../token/mint.ts";
import { decodeTokenAccount } from "../token/token-account.ts";
import type { TransferFeeSchedule } from "../token/transfer-fee.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
import {
  CONFIG,
  CONFIG_DISCRIMINATOR,
  CONFIG_LENGTH,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
  STATUS_SWAP_DISABLED,
} from "./layout.ts";

/** One of the pool's two tokens. All amounts are base units. */
export type CpmmToken = {
  readonly mint: Address;
  readonly vaultAmount: bigint;
  /** In the vault, but owed to others. */
  readonly protocolFees: bigint;
  readonly fundFees: bigint;
  readonly creatorFees: bigint;
  readonly transferFee: TransferFeeSchedule | null;
  /** The token program would refuse to move it: vault frozen, mint paused, or a transfer hook. */
  readonly isStuck: boolean;
  readonly hasHook: boolean;
};

/** Which token the creator's fee is taken in. */
export type CreatorFeeOn = "input" | "token0" | "token1";

/** Rates are parts per million. */
export type CpmmState = {
  readonly token0: CpmmToken;
  readonly token1: CpmmToken;
  readonly isSwapDisabled: boolean;
  readonly openTime: bigint;
  readonly tradeFeeRate: bigint;
  readonly protocolFeeRate: bigint;
  readonly fundFeeRate: bigint;
  /** Zero where the pool has no creator fee. */
  readonly creatorFeeRate: bigint;
  readonly creatorFeeOn: CreatorFeeOn;
};

/** The pool account's fields that lead to other accounts, or null where it is no CPMM pool. */
export type CpmmPoolAddresses = {
  readonly config: Address;
  readonly vault0: Address;
  readonly vault1: Address;
  readonly mint0: Address;
  readonly mint1: Address;
  /** Whether the mint is a Token-2022 one, whose extensions bear on the swap. */
  readonly isExtended0: boolean;
  readonly isExtended1: boolean;
};

const CREATOR_FEE_ON: readonly CreatorFeeOn[] = ["input", "token0", "token1"];

function unusable(reason: UnusableReason, detail: string): Decoded<never> {
  return { kind: "unusable", reason, detail };
}

function poolReader(pool: Address, known: AccountSet): ByteReader | null {
  const account = known.get(pool);
  if (account === null || account === undefined || account.owner !== PROGRAM_ID) return null;
  if (account.data.length !== POOL_LENGTH) return null;
  const reader = new ByteReader(account.data);
  return reader.has(0, POOL_DISCRIMINATOR) ? reader : null;
}

/** Where the pool's other accounts are, or null where the account is missing or no CPMM pool. */
export function poolAddresses(pool: Address, known: AccountSet): CpmmPoolAddresses | null {
  const reader = poolReader(pool, known);
  if (reader === null) return null;
  return {
    config: reader.address(POOL.ammConfig),
    vault0: reader.address(POOL.token0Vault),
    vault1: reader.address(POOL.token1Vault),
    mint0: reader.address(POOL.token0Mint),
    mint1: reader.address(POOL.token1Mint),
    isExtended0: reader.address(POOL.token0Program) === TOKEN_2022_PROGRAM,
    isExtended1: reader.address(POOL.token1Program) === TOKEN_2022_PROGRAM,
  };
}

/** The pool's own count of its shares: tokens burned by their holders stay in it. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const reader = poolReader(pool, known);
  if (reader === null) return null;
  return {
    kind: "fungible",
    mint: reader.address(POOL.lpMint),
    issued: reader.u64(POOL.lpSupply),
  };
}

/** Pool, configuration, both vaults, and the mint of each Token-2022 token. */
export function decode(pool: Address, known: AccountSet): Decoded<CpmmState> {
  const account = known.get(pool);
  if (account === null || account === undefined) {
    return unusable("missing-account", `pool ${pool}`);
  }
  const reader = poolReader(pool, known);
  const addresses = poolAddresses(pool, known);
  if (reader === null || addresses === null) return unusable("undecodable", "no CPMM pool");
  for (const program of [reader.address(POOL.token0Program), reader.address(POOL.token1Program)]) {
    if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
      return unusable("undecodable", `token program ${program}`);
    }
  }
  const creatorFeeOn = CREATOR_FEE_ON[reader.u8(POOL.creatorFeeOn)];
  if (creatorFeeOn === undefined) {
    return unusable("unsupported", `creator fee mode ${reader.u8(POOL.creatorFeeOn)}`);
  }
  const config = decodeConfig(addresses.config, known);
  if (config.kind === "unusable") return config;
  const token0 = decodeToken(known, {
    vault: addresses.vault0,
    mint: addresses.mint0,
    isExtended: addresses.isExtended0,
    protocolFees: reader.u64(POOL.protocolFeesToken0),
    fundFees: reader.u64(POOL.fundFeesToken0),
    creatorFees: reader.u64(POOL.creatorFeesToken0),
  });
  if (token0.kind === "unusable") return token0;
  const token1 = decodeToken(known, {
    vault: addresses.vault1,
    mint: addresses.mint1,
    isExtended: addresses.isExtended1,
    protocolFees: reader.u64(POOL.protocolFeesToken1),
    fundFees: reader.u64(POOL.fundFeesToken1),
    creatorFees: reader.u64(POOL.creatorFeesToken1),
  });
  if (token1.kind === "unusable") return token1;
  return {
    kind: "pool",
    state: {
      token0: token0.state,
      token1: token1.state,
      isSwapDisabled: (reader.u8(POOL.status) & STATUS_SWAP_DISABLED) !== 0,
      openTime: reader.u64(POOL.openTime),
      tradeFeeRate: config.state.tradeFeeRate,
      protocolFeeRate: config.state.protocolFeeRate,
      fundFeeRate: config.state.fundFeeRate,
      creatorFeeRate: reader.bool(POOL.enableCreatorFee) ? config.state.creatorFeeRate : 0n,
      creatorFeeOn,
    },
  };
}

type Rates = Pick<CpmmState, "tradeFeeRate" | "protocolFeeRate" | "fundFeeRate" | "creatorFeeRate">;

function decodeConfig(config: Address, known: AccountSet): Decoded<Rates> {
  const account = known.get(config);
  if (account === null || account === undefined) {
    return unusable("missing-account", `config ${config}`);
  }
  const reader = new ByteReader(account.data);
  if (
    account.owner !== PROGRAM_ID ||
    reader.length !== CONFIG_LENGTH ||
    !reader.has(0, CONFIG_DISCRIMINATOR)
  ) {
    return unusable("undecodable", `config ${config}`);
  }
  return {
    kind: "pool",
    state: {
      tradeFeeRate: reader.u64(CONFIG.tradeFeeRate),
      protocolFeeRate: reader.u64(CONFIG.protocolFeeRate),
      fundFeeRate: reader.u64(CONFIG.fundFeeRate),
      creatorFeeRate: reader.u64(CONFIG.creatorFeeRate),
    },
  };
}

type TokenFields = Pick<CpmmToken, "mint" | "protocolFees" | "fundFees" | "creatorFees"> & {
  readonly vault: Address;
  readonly isExtended: boolean;
};

function decodeToken(known: AccountSet, fields: TokenFields): Decoded<CpmmToken> {
  const { vault, mint, isExtended, protocolFees, fundFees, creatorFees } = fields;
  const vaultAccount = known.get(vault);
  if (vaultAccount === null || vaultAccount === undefined) {
    return unusable("missing-account", `vault ${vault}`);
  }
  const decodedVault = decodeTokenAccount(vaultAccount);
  if (decodedVault === null || decodedVault.mint !== mint) {
    return unusable("undecodable", `vault ${vault}`);
  }
  if (!isExtended) {
    return {
      kind: "pool",
      state: {
        mint,
        vaultAmount: decodedVault.amount,
        protocolFees,
        fundFees,
        creatorFees,
        transferFee: null,
        isStuck: decodedVault.isFrozen,
        hasHook: false,
      },
    };
  }
  const mintAccount = known.get(mint);
  if (mintAccount === null || mintAccount === undefined) {
    return unusable("missing-account", `mint ${mint}`);
  }
  const decodedMint = decodeMint(mintAccount);
  if (decodedMint === null) return unusable("undecodable", `mint ${mint}`);
  const hasHook = decodedMint.transferHook !== null;
  return {
    kind: "pool",
    state: {
      mint,
      vaultAmount: decodedVault.amount,
      protocolFees,
      fundFees,
      creatorFees,
      transferFee: decodedMint.transferFee,
      isStuck:
        decodedVault.isFrozen ||
        hasHook ||
        decodedMint.isNonTransferable ||
        decodedMint.pausable?.isPaused === true,
      hasHook,
    },
  };
}
