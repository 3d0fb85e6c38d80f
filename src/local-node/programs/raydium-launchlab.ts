import { type Address, address } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import {
  globalConfigAddress,
  launchAddress,
  launchVaultAddress,
} from "#src/venues/raydium-launchlab/addresses.ts";
import {
  decodeLaunchPool,
  type LaunchFeeRates,
  type LaunchLabState,
  type LaunchPool,
} from "#src/venues/raydium-launchlab/decode.ts";
import { LAUNCHLAB_PROGRAM, POOL, POOL_STATUS } from "#src/venues/raydium-launchlab/layout.ts";
import {
  buyParts,
  type LaunchTrade,
  sellParts,
  totalFeeRate,
} from "#src/venues/raydium-launchlab/quote.ts";
import { RAYDIUM_LOCK_AUTHORITY } from "#src/venues/share-owner.ts";
import { tokenBalance } from "#src/venues/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
import {
  launchAccount,
  launchGlobalConfigAccount,
  launchPlatformConfigAccount,
  withPlatformRate,
  withProgress,
} from "./raydium-launchlab-accounts.ts";

const PLATFORM = address("FfYek5vEz23cMkWsdJwG2oa6EphsvXSHrGpdALN4g6W1");
/** Owns every vault. */
const AUTHORITY = address("WLHv2UAZm6z4KyaaELi5pjdbJh6RESMva1Rnn8pJVVh");
const RATES: LaunchFeeRates = { protocol: 2_500n, platform: 10_000n, creator: 500n };

/** A SOL launch as mainnet has them; other quotes start from the same shape, scaled to their raise. */
const LAUNCH = {
  supply: 1_000_000_000_000_000n,
  totalBaseSell: 793_100_000_000_000n,
  virtualBase: 1_073_025_605_596_382n,
  virtualQuote: 30_000_852_951n,
  raise: { sol: 85_000_000_000n, stable: 12_500_000_000n },
} as const;

const SELL_EXACT_IN = discriminator("9527de9bd37c981a");
const BUY_EXACT_IN = discriminator("faea0d7bd59c13ec");
const TRADE_EVENT = discriminator("bddb7fd34ee661ee");

/** Raydium's launchpad in the demo market; its launches are constant-product curves. */
export const raydiumLaunchLabProgram: MarketProgram = {
  venue: "raydium-launchlab",
  setup,
  createPool,
  swap,
  setFee,
  changeLiquidity: () => null,
  graduate: (known, pool, { clock, freshAddress, program }) => {
    const target = program("raydium-cpmm");
    if (target === null) return null;
    const done = graduateLaunch(known, { pool, clock, freshAddress }, target);
    return done === null ? null : { venue: "raydium-cpmm", ...done };
  },
};

function setup({ slot }: Clock): AccountChanges {
  const platform = { feeRate: RATES.platform, creatorFeeRate: RATES.creator, name: "demo" };
  const changes = new Map<Address, Account | null>([
    [PLATFORM, launchPlatformConfigAccount(platform, slot)],
  ]);
  for (const quoteMint of [WSOL, ...STABLE_MINTS]) {
    const config = { kind: "constant-product", index: 0, tradeFeeRate: RATES.protocol } as const;
    changes.set(
      globalConfigOf(quoteMint),
      launchGlobalConfigAccount({ ...config, quoteMint }, slot),
    );
  }
  return changes;
}

function globalConfigOf(quoteMint: Address): Address {
  return globalConfigAddress({ quoteMint, curveType: 0, index: 0 });
}

/** A fresh launch. It starts from the launch parameters, whatever amounts are asked for. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, creator, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const pool = launchAddress(baseMint, quoteMint);
  const baseVault = launchVaultAddress(pool, baseMint);
  const quoteVault = launchVaultAddress(pool, quoteMint);
  const isSol = quoteMint === WSOL;
  const raise = isSol ? LAUNCH.raise.sol : LAUNCH.raise.stable;
  const changes = new Map<Address, Account | null>();
  if (!known.get(baseMint)) {
    changes.set(baseMint, mintAccount({ supply: LAUNCH.supply, decimals: 6, slot }));
  }
  changes.set(
    pool,
    launchAccount({
      status: POOL_STATUS.funding,
      totalBaseSell: LAUNCH.totalBaseSell,
      virtualBase: LAUNCH.virtualBase,
      virtualQuote: (LAUNCH.virtualQuote * raise) / LAUNCH.raise.sol,
      realBase: 0n,
      realQuote: 0n,
      globalConfig: globalConfigOf(quoteMint),
      platformConfig: PLATFORM,
      baseMint,
      quoteMint,
      isBaseToken2022: false,
      isQuoteToken2022: false,
      baseVault,
      quoteVault,
      creator,
      supply: LAUNCH.supply,
      totalQuoteFundRaising: raise,
      baseDecimals: 6,
      quoteDecimals: isSol ? 9 : 6,
      migrateType: 1,
      slot,
    }),
  );
  const coins = { mint: baseMint, owner: AUTHORITY, amount: LAUNCH.supply, slot };
  changes.set(baseVault, tokenAccount(coins));
  changes.set(quoteVault, tokenAccount({ mint: quoteMint, owner: AUTHORITY, amount: 0n, slot }));
  return { pool, changes };
}

/** All launches of a platform share its rate. */
function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const launch = decodeLaunchPool(known.get(pool));
  const decoded = raydiumLaunchLab.decode(pool, known);
  const platform = launch && known.get(launch.platformConfig);
  if (!platform || launch === null || decoded.kind === "unusable") return null;
  const { protocol, creator } = decoded.state.feeRates;
  const others = protocol + creator;
  const feeRate = BigInt(feePpm) > others ? BigInt(feePpm) - others : 0n;
  return new Map([[launch.platformConfig, withPlatformRate(platform, feeRate, slot)]]);
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const account = known.get(trade.pool);
  const pool = decodeLaunchPool(account);
  const decoded = raydiumLaunchLab.decode(trade.pool, known);
  if (!account || pool === null) return { kind: "refused", reason: "no launch" };
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  const { state } = decoded;
  const quote = raydiumLaunchLab.quoteExactIn(state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };

  const isBuy = trade.inputMint === pool.quoteMint;
  const parts = (isBuy ? buyParts : sellParts)(state, trade);
  const fees = splitFee(state, parts.fee);
  const moved = { known, trade, account, isBuy, parts, fees, after: quote.after };
  const event = tradeEvent({ trade, state, after: quote.after, parts, fees, isBuy });
  const instruction = isBuy ? BUY_EXACT_IN : SELL_EXACT_IN;
  return {
    kind: "done",
    changes: movedAccounts(pool, moved),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, pool),
    instructionData: new FieldWriter().raw(instruction).u64(trade.amountIn, 0n, 0n).bytes(),
    ...emitEvents(LAUNCHLAB_PROGRAM, isBuy ? "BuyExactIn" : "SellExactIn", [event]),
  };
}

/** The accounts up to the mints; the trader stands for its token accounts. */
function instructionAccounts({ pool: address, user }: Trade, pool: LaunchPool): readonly Address[] {
  const { globalConfig, platformConfig } = pool;
  const vaults = [pool.baseVault, pool.quoteVault];
  const mints = [pool.baseMint, pool.quoteMint];
  return [user, AUTHORITY, globalConfig, platformConfig, address, user, user, ...vaults, ...mints];
}

/** Platform and creator get their shares rounded down, the protocol the rest. */
function splitFee(state: LaunchLabState, fee: bigint): LaunchFeeRates {
  const rate = totalFeeRate(state);
  const share = (own: bigint): bigint => (rate === 0n ? 0n : (fee * own) / rate);
  const platform = share(state.feeRates.platform);
  const creator = share(state.feeRates.creator);
  return { protocol: fee - platform - creator, platform, creator };
}

type Move = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly isBuy: boolean;
  readonly parts: LaunchTrade;
  readonly fees: LaunchFeeRates;
  readonly after: LaunchLabState;
};

/** The creator's fee leaves at once; the others stay in the quote vault until they are claimed. */
function movedAccounts(pool: LaunchPool, move: Move): AccountChanges {
  const { known, trade, account, isBuy, parts, fees, after } = move;
  const { slot } = trade.clock;
  const status = after.status === "waiting" ? POOL_STATUS.waiting : POOL_STATUS.funding;
  const progress = { status, realBase: after.realBase, realQuote: after.realQuote };
  const changes = new Map<Address, Account | null>([
    [trade.pool, withProgress(account, progress, fees, slot)],
  ]);
  const kept = fees.protocol + fees.platform;
  addToVault({ known, at: pool.baseVault, slot, changes }, (held) =>
    isBuy ? held - parts.base : held + parts.base,
  );
  addToVault({ known, at: pool.quoteVault, slot, changes }, (held) =>
    isBuy ? held + parts.quote + kept : held - parts.quote + kept,
  );
  return changes;
}

type Vault = {
  readonly known: AccountSet;
  readonly at: Address;
  readonly slot: bigint;
  readonly changes: Map<Address, Account | null>;
};

function addToVault({ known, at, slot, changes }: Vault, next: (held: bigint) => bigint): void {
  const vault = known.get(at);
  const held = tokenBalance(vault);
  if (vault && held !== null) changes.set(at, withTokenAmount(vault, next(held), slot));
}

type Told = {
  readonly trade: Trade;
  readonly state: LaunchLabState;
  readonly after: LaunchLabState;
  readonly parts: LaunchTrade;
  readonly fees: LaunchFeeRates;
  readonly isBuy: boolean;
};

/** TradeEvent of 139 bytes and discriminator; amounts are what the trader hands over and gets. */
function tradeEvent({ trade, state, after, parts, fees, isBuy }: Told): Uint8Array {
  const { base, quote, fee } = parts;
  const [amountIn, amountOut] = isBuy ? [quote + fee, base] : [base, quote - fee];
  return new FieldWriter()
    .raw(TRADE_EVENT)
    .address(trade.pool)
    .u64(state.totalBaseSell, state.virtualBase, state.virtualQuote)
    .u64(state.realBase, state.realQuote, after.realBase, after.realQuote)
    .u64(amountIn, amountOut, fees.protocol, fees.platform, fees.creator, 0n)
    .u8(isBuy ? 0 : 1)
    .u8(after.status === "waiting" ? POOL_STATUS.waiting : POOL_STATUS.funding)
    .bool(true)
    .bytes();
}

/**
 * Moves a full launch into a pool of `target` (Raydium CPMM), as the migration does: the coins that
 * were never for sale and the raise, less what is owed for fees; null where it is not full.
 */
export function graduateLaunch(
  known: AccountSet,
  launch: Pick<NewPool, "clock" | "freshAddress"> & { readonly pool: Address },
  target: MarketProgram,
): { readonly pool: Address; readonly changes: AccountChanges } | null {
  const account = known.get(launch.pool);
  const pool = decodeLaunchPool(account);
  if (!account || pool?.status !== POOL_STATUS.waiting) return null;
  const { clock, freshAddress } = launch;
  const { baseMint, quoteMint, realBase, realQuote } = pool;
  const reader = new ByteReader(account.data);
  const coins = reader.u64(POOL.supply) - realBase;
  const opened = target.createPool(known, {
    baseMint,
    quoteMint,
    baseAmount: coins,
    quoteAmount: realQuote,
    creator: reader.address(POOL.creator),
    // Most platforms have the whole of it locked.
    takers: [{ owner: RAYDIUM_LOCK_AUTHORITY, bps: 10_000 }],
    clock,
    freshAddress,
  });
  const { slot } = clock;
  const changes = new Map(opened.changes);
  const progress = { status: POOL_STATUS.migrated, realBase, realQuote };
  changes.set(launch.pool, withProgress(account, progress, { protocol: 0n, platform: 0n }, slot));
  const vaults = { known, slot, changes };
  addToVault({ ...vaults, at: pool.baseVault }, (held) => held - coins);
  addToVault({ ...vaults, at: pool.quoteVault }, (held) => held - realQuote);
  return { pool: opened.pool, changes };
}
