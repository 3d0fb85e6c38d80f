import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
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
import {
  LAUNCHLAB_PROGRAM,
  PLATFORM_CONFIG,
  POOL,
  POOL_STATUS,
  VAULT_AUTHORITY,
} from "#src/venues/raydium-launchlab/layout.ts";
import {
  buyParts,
  type LaunchTrade,
  sellParts,
  totalFeeRate,
} from "#src/venues/raydium-launchlab/quote.ts";
import { RAYDIUM_LOCK_AUTHORITY } from "#src/venues/share-owner.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { edited } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, NewPool, OpenedPool, Trade } from "../market-program.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  type AccountEntry,
  type CreatePool,
  editStored,
  missingMint,
  NEW_MINT_SUPPLY,
  type SetFee,
  swapWith,
  tokenAmounts,
} from "./pool-program.ts";
import {
  launchAccount,
  launchGlobalConfigAccount,
  launchPlatformConfigAccount,
  writeProgress,
  writeTrade,
} from "./raydium-launchlab-accounts.ts";

const PLATFORM = address("FfYek5vEz23cMkWsdJwG2oa6EphsvXSHrGpdALN4g6W1");
const RATES: LaunchFeeRates = { protocol: 2_500n, platform: 10_000n, creator: 500n };

/** A SOL launch as on mainnet; launches in other quotes scale it to their raise. */
const LAUNCH = {
  totalBaseSell: 793_100_000_000_000n,
  virtualBase: 1_073_025_605_596_382n,
  virtualQuote: 30_000_852_951n,
  raise: { sol: 85_000_000_000n, stable: 12_500_000_000n },
} as const;

const SELL_EXACT_IN = discriminator("9527de9bd37c981a");
const BUY_EXACT_IN = discriminator("faea0d7bd59c13ec");
const TRADE_EVENT = discriminator("bddb7fd34ee661ee");

function setup({ slot }: Clock): AccountChanges {
  const platform = { feeRate: RATES.platform, creatorFeeRate: RATES.creator, name: "demo" };
  const config = { kind: "constant-product", index: 0, tradeFeeRate: RATES.protocol } as const;
  return new Map([
    [PLATFORM, launchPlatformConfigAccount(platform, slot)],
    ...[WSOL, ...STABLE_MINTS].map((quoteMint): AccountEntry => {
      const account = launchGlobalConfigAccount({ ...config, quoteMint }, slot);
      return [globalConfigOf(quoteMint), account];
    }),
  ]);
}

function globalConfigOf(quoteMint: Address): Address {
  return globalConfigAddress({ quoteMint, curveType: 0, index: 0 });
}

/** A new launch. It starts from the launch parameters and ignores the requested amounts. */
const createPool: CreatePool = (known, { baseMint, quoteMint, creator, clock }) => {
  const { slot } = clock;
  const pool = launchAddress(baseMint, quoteMint);
  const baseVault = launchVaultAddress(pool, baseMint);
  const quoteVault = launchVaultAddress(pool, quoteMint);
  const isSol = quoteMint === WSOL;
  const raise = isSol ? LAUNCH.raise.sol : LAUNCH.raise.stable;
  const account = launchAccount({
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
    supply: NEW_MINT_SUPPLY,
    totalQuoteFundRaising: raise,
    baseDecimals: 6,
    quoteDecimals: isSol ? 9 : 6,
    migrateType: 1,
    slot,
  });
  const vault = { owner: VAULT_AUTHORITY, slot };
  return {
    pool,
    changes: new Map([
      ...missingMint(known, baseMint, NEW_MINT_SUPPLY, slot),
      [pool, account],
      [baseVault, tokenAccount({ ...vault, mint: baseMint, amount: NEW_MINT_SUPPLY })],
      [quoteVault, tokenAccount({ ...vault, mint: quoteMint, amount: 0n })],
    ]),
  };
};

/** Sets the rate of the platform, which all its launches share. */
const setFee: SetFee = (known, pool, feePpm, clock) => {
  const launch = decodeLaunchPool(known.get(pool));
  const decoded = raydiumLaunchLab.decode(pool, known);
  if (launch === null || decoded.kind === "unusable") return null;
  const { protocol, creator } = decoded.state.feeRates;
  const others = protocol + creator;
  const feeRate = BigInt(feePpm) > others ? BigInt(feePpm) - others : 0n;
  return editStored(known, launch.platformConfig, clock, (writer) =>
    writer.u64(PLATFORM_CONFIG.fee_rate, feeRate),
  );
};

const swap = swapWith({
  venue: raydiumLaunchLab,
  readPool: (pool, known) => decodeLaunchPool(known.get(pool)),
  quote: raydiumLaunchLab.quoteExactIn,
  perform: ({ known, trade, pool, state, quote: { amountOut, after } }) => {
    const isBuy = trade.inputMint === pool.quoteMint;
    const parts = (isBuy ? buyParts : sellParts)(state, trade);
    const done = { known, trade, state, after, parts, fees: splitFee(state, parts.fee), isBuy };
    const instruction = isBuy ? BUY_EXACT_IN : SELL_EXACT_IN;
    return {
      changes: changesOf(pool, done),
      amountOut,
      instructionAccounts: instructionAccounts(trade, pool),
      instructionData: new FieldWriter().raw(instruction).u64(trade.amountIn, 0n, 0n).bytes(),
      ...emitEvents(LAUNCHLAB_PROGRAM, isBuy ? "BuyExactIn" : "SellExactIn", [tradeEvent(done)]),
    };
  },
});

/** The accounts up to the mints; the trader's address replaces its token accounts. */
function instructionAccounts({ pool: address, user }: Trade, pool: LaunchPool): readonly Address[] {
  const { globalConfig, platformConfig } = pool;
  const vaults = [pool.baseVault, pool.quoteVault];
  const mints = [pool.baseMint, pool.quoteMint];
  return [
    user,
    VAULT_AUTHORITY,
    globalConfig,
    platformConfig,
    address,
    user,
    user,
    ...vaults,
    ...mints,
  ];
}

/** Platform and creator get their shares rounded down, the protocol the rest. */
function splitFee(state: LaunchLabState, fee: bigint): LaunchFeeRates {
  const rate = totalFeeRate(state);
  const share = (own: bigint): bigint => (rate === 0n ? 0n : (fee * own) / rate);
  const platform = share(state.feeRates.platform);
  const creator = share(state.feeRates.creator);
  return { protocol: fee - platform - creator, platform, creator };
}

type DoneSwap = {
  readonly known: AccountSet;
  readonly trade: Trade;
  /** Before the swap. */
  readonly state: LaunchLabState;
  readonly after: LaunchLabState;
  readonly parts: LaunchTrade;
  readonly fees: LaunchFeeRates;
  readonly isBuy: boolean;
};

/** The creator's fee is paid at once; the other fees stay in the quote vault until they are claimed. */
function changesOf(pool: LaunchPool, swapped: DoneSwap): AccountChanges {
  const { known, trade, isBuy, parts, fees, after } = swapped;
  const { slot } = trade.clock;
  const progress = {
    status: statusOf(after),
    realBase: after.realBase,
    realQuote: after.realQuote,
  };
  const account = editStored(known, trade.pool, trade.clock, (writer) =>
    writeTrade(writer, progress, fees),
  );
  const sign = isBuy ? 1n : -1n;
  const kept = fees.protocol + fees.platform;
  return new Map([
    ...(account ?? []),
    ...addToVaults(
      known,
      [
        [pool.baseVault, -sign * parts.base],
        [pool.quoteVault, sign * parts.quote + kept],
      ],
      slot,
    ),
  ]);
}

function statusOf(state: LaunchLabState): number {
  return state.status === "waiting" ? POOL_STATUS.waiting : POOL_STATUS.funding;
}

function addToVaults(
  known: AccountSet,
  added: readonly (readonly [Address, bigint])[],
  slot: bigint,
): readonly AccountEntry[] {
  const amounts = added.map(([vault, amount]) => {
    const held = tokenBalance(known.get(vault));
    return [vault, held === null ? null : held + amount] as const;
  });
  return tokenAmounts(known, amounts, slot);
}

/** TradeEvent of 139 bytes and discriminator; amounts are what the trader pays and receives. */
function tradeEvent({ trade, state, after, parts, fees, isBuy }: DoneSwap): Uint8Array {
  const { base, quote, fee } = parts;
  const [amountIn, amountOut] = isBuy ? [quote + fee, base] : [base, quote - fee];
  return new FieldWriter()
    .raw(TRADE_EVENT)
    .address(trade.pool)
    .u64(state.totalBaseSell, state.virtualBase, state.virtualQuote)
    .u64(state.realBase, state.realQuote, after.realBase, after.realQuote)
    .u64(amountIn, amountOut, fees.protocol, fees.platform, fees.creator, 0n)
    .u8(isBuy ? 0 : 1)
    .u8(statusOf(after))
    .bool(true)
    .bytes();
}

/**
 * Moves a complete launch into a pool of `target` (Raydium CPMM), as the migration does: the coins
 * that were never for sale, and the raise less the fees owed. Null if the launch is not complete.
 */
export function graduateLaunch(
  known: AccountSet,
  launch: Pick<NewPool, "clock" | "freshAddress"> & { readonly pool: Address },
  target: MarketProgram,
): OpenedPool | null {
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
    // Most platforms lock all shares.
    takers: [{ owner: RAYDIUM_LOCK_AUTHORITY, bps: 10_000 }],
    clock,
    freshAddress,
  });
  const { slot } = clock;
  const progress = { status: POOL_STATUS.migrated, realBase, realQuote };
  const migrated = edited(account, slot, (writer) => writeProgress(writer, progress));
  return {
    pool: opened.pool,
    changes: new Map([
      ...opened.changes,
      [launch.pool, migrated],
      ...addToVaults(
        known,
        [
          [pool.baseVault, -coins],
          [pool.quoteVault, -realQuote],
        ],
        slot,
      ),
    ]),
  };
}

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
    const opened = graduateLaunch(known, { pool, clock, freshAddress }, target);
    return opened === null ? null : { venue: "raydium-cpmm", ...opened };
  },
};
