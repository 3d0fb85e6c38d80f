import { type Address, address, compareAddressBytes } from "#src/units/address.ts";
import { minBigint, mulDivCeil } from "#src/units/integer.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import { quoteInStretch } from "#src/venues/meteora-dbc/curve.ts";
import { FEE_DENOMINATOR, feeNumerator } from "#src/venues/meteora-dbc/fees.ts";
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from "#src/venues/meteora-dbc/layout.ts";
import { type DbcSwap, isComplete, pointOf, swapExactIn } from "#src/venues/meteora-dbc/quote.ts";
import type { DbcState } from "#src/venues/meteora-dbc/state.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { associatedTokenAddress } from "../associated-token.ts";
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
  configAccount,
  configWithBaseFee,
  curveAccount,
  movedCurve,
  vaultAddress,
} from "./meteora-dbc-accounts.ts";
import { graduate, MIGRATION_FEE_OPTION } from "./meteora-dbc-graduation.ts";
import { launchConfig } from "./meteora-dbc-launch.ts";

const LAUNCHPAD = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const LAUNCH_SUPPLY = 1_000_000_000_000_000n;
const DECIMALS = 6;
const NUMERATOR_PER_PPM = 1_000n;
const NO_FEES = { protocol: 0n, partner: 0n, creator: 0n };

const SWAP_MODE = { exactIn: 0, partialFill: 1 } as const;
const SWAP2 = discriminator("414b3f4ceb5b5b88");
const SWAP_EVENT = discriminator("1b3c15d58aaabb93");
const SWAP2_EVENT = discriminator("bd4233a826507599");
const CURVE_COMPLETE_EVENT = discriminator("e5e756549c864b18");

/** Meteora's bonding curve in the demo market. */
export const meteoraDbcProgram: MarketProgram = {
  venue: "meteora-dbc",
  setup: () => new Map(),
  createPool,
  swap,
  // What a curve holds belongs to it until it graduates.
  changeLiquidity: () => null,
  graduate,
  setFee,
};

/** A launch: the config of its quote mint is made with the first one. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, creator, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const config = launchConfig(quoteMint);
  const at = configAddress(quoteMint);
  const pool = curveAddress(at, baseMint, quoteMint);
  const baseVault = vaultAddress(pool, baseMint);
  const quoteVault = vaultAddress(pool, quoteMint);
  const curve = curveAccount(
    {
      config: at,
      creator,
      baseMint,
      baseVault,
      quoteVault,
      activationPoint: clock.unixTimestamp,
      slot,
    },
    {
      baseReserve: LAUNCH_SUPPLY,
      quoteReserve: 0n,
      baseFees: NO_FEES,
      quoteFees: NO_FEES,
      sqrtPrice: config.sqrtStartPrice,
      isMigrated: false,
      volatility: {
        lastUpdateTimestamp: 0n,
        sqrtPriceReference: config.sqrtStartPrice,
        accumulator: 0n,
        reference: 0n,
      },
    },
  );
  const vault = { owner: DBC_POOL_AUTHORITY, slot };
  const changes = new Map<Address, Account | null>([
    [pool, curve],
    [baseVault, tokenAccount({ ...vault, mint: baseMint, amount: LAUNCH_SUPPLY })],
    [quoteVault, tokenAccount({ ...vault, mint: quoteMint, amount: 0n })],
  ]);
  if (!known.get(at)) {
    const extras = {
      feeClaimer: LAUNCHPAD,
      tokenDecimals: DECIMALS,
      migrationFeePercent: 0,
      migrationFeeOption: MIGRATION_FEE_OPTION,
      slot,
    };
    changes.set(at, configAccount(config, extras));
  }
  if (!known.get(baseMint)) {
    changes.set(baseMint, mintAccount({ supply: LAUNCH_SUPPLY, decimals: DECIMALS, slot }));
  }
  return { pool, changes };
}

/** The demo's launchpad has one config per quote mint; a real one's is a keypair's address. */
function configAddress(quoteMint: Address): Address {
  return findProgramAddress(["demo_config", { address: quoteMint }], DBC_PROGRAM);
}

function curveAddress(config: Address, baseMint: Address, quoteMint: Address): Address {
  const isOrdered = compareAddressBytes(baseMint, quoteMint) > 0;
  const [greater, lesser] = isOrdered ? [baseMint, quoteMint] : [quoteMint, baseMint];
  const seeds = ["pool", { address: config }, { address: greater }, { address: lesser }];
  return findProgramAddress(seeds, DBC_PROGRAM);
}

/** A purchase larger than what is left of the curve takes the rest, as launchpads let it. */
function swap(known: AccountSet, trade: Trade): TradeResult {
  const decoded = meteoraDbc.decode(trade.pool, known);
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  const { state } = decoded;
  const amountIn = minBigint(trade.amountIn, largestInput(state, trade));
  const result = swapExactIn(state, { ...trade, amountIn });
  if (result.kind === "unfillable") return { kind: "refused", reason: result.reason };
  const told = { trade, state, done: result.swap, config: configAddress(state.config.quoteMint) };
  const completion = isComplete(result.swap.after) ? [curveCompleteEvent(told)] : [];
  return {
    kind: "done",
    changes: stateChanges(known, trade, result.swap.after),
    amountOut: result.swap.amountOut,
    instructionAccounts: instructionAccounts(trade, told.config, state),
    instructionData: new FieldWriter()
      .raw(SWAP2)
      .u64(trade.amountIn, 0n)
      .u8(swapMode(told))
      .bytes(),
    ...emitEventCalls(DBC_PROGRAM, "Swap2", [swapEvent(told), swap2Event(told), ...completion]),
  };
}

/** What the curve can still take in: for a purchase the rest up to the migration price, with its fee. */
function largestInput(state: DbcState, { inputMint, amountIn, clock }: Trade): bigint {
  const { config, activationPoint } = state;
  if (inputMint === state.baseMint) return amountIn;
  let room = 0n;
  let lower = state.sqrtPrice;
  for (const { sqrtPrice, liquidity } of config.curve) {
    const upper = minBigint(sqrtPrice, config.migrationSqrtPrice);
    if (upper <= lower) continue;
    room += quoteInStretch({ lower, upper, liquidity }, "up");
    lower = upper;
  }
  const query = { point: pointOf(state, clock), activationPoint, isBuy: true, amountIn };
  const numerator = feeNumerator(config, state.volatility, query);
  return mulDivCeil(room, FEE_DENOMINATOR, FEE_DENOMINATOR - numerator);
}

function stateChanges(known: AccountSet, { pool, clock }: Trade, after: DbcState): AccountChanges {
  const { slot, unixTimestamp } = clock;
  const changes = new Map<Address, Account | null>();
  const curve = known.get(pool);
  const finishedAt = isComplete(after) ? unixTimestamp : null;
  if (curve) changes.set(pool, movedCurve(curve, after, { slot, finishedAt }));
  for (const [mint, amount] of [
    [after.baseMint, after.baseVaultBalance],
    [after.config.quoteMint, after.quoteVaultBalance],
  ] as const) {
    const at = vaultAddress(pool, mint);
    const vault = known.get(at);
    if (vault && amount !== null) changes.set(at, withTokenAmount(vault, amount, slot));
  }
  return changes;
}

/** In the order of swap2; the referral account that is left out is the program itself. */
function instructionAccounts(
  { pool, user, inputMint, outputMint }: Trade,
  config: Address,
  { baseMint, config: { quoteMint } }: DbcState,
): readonly Address[] {
  return [
    DBC_POOL_AUTHORITY,
    config,
    pool,
    associatedTokenAddress(user, inputMint),
    associatedTokenAddress(user, outputMint),
    vaultAddress(pool, baseMint),
    vaultAddress(pool, quoteMint),
    baseMint,
    quoteMint,
    user,
    TOKEN_PROGRAM,
    TOKEN_PROGRAM,
    DBC_PROGRAM,
    findProgramAddress(["__event_authority"], DBC_PROGRAM),
    DBC_PROGRAM,
  ];
}

/** Sets the fee on the config that all curves of this quote mint share. */
function setFee(
  known: AccountSet,
  pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const decoded = meteoraDbc.decode(pool, known);
  if (decoded.kind === "unusable") return null;
  const { baseFee, quoteMint } = decoded.state.config;
  const at = configAddress(quoteMint);
  const config = known.get(at);
  if (!config) return null;
  const cliffNumerator = BigInt(feePpm) * NUMERATOR_PER_PPM;
  return new Map([[at, configWithBaseFee(config, { ...baseFee, cliffNumerator }, slot)]]);
}

type Told = {
  readonly trade: Trade;
  readonly config: Address;
  readonly state: DbcState;
  readonly done: DbcSwap;
};

function swapMode({ trade, done }: Told): number {
  return done.amountIn < trade.amountIn ? SWAP_MODE.partialFill : SWAP_MODE.exactIn;
}

/** EvtSwap, the older event of the same swap. */
function swapEvent({ trade, config, done }: Told): Uint8Array {
  return new FieldWriter()
    .raw(SWAP_EVENT)
    .address(trade.pool, config)
    .u8(done.isBuy ? 1 : 0)
    .bool(false)
    .u64(trade.amountIn, 0n, done.curveIn, done.amountOut)
    .u128(done.after.sqrtPrice)
    .u64(done.tradingFee, done.protocolFee, 0n, done.amountIn, trade.clock.unixTimestamp)
    .bytes();
}

function swap2Event(told: Told): Uint8Array {
  const { trade, config, done } = told;
  const { quoteReserve } = done.after;
  const { migrationQuoteThreshold } = done.after.config;
  return new FieldWriter()
    .raw(SWAP2_EVENT)
    .address(trade.pool, config)
    .u8(done.isBuy ? 1 : 0)
    .bool(false)
    .u64(trade.amountIn, 0n)
    .u8(swapMode(told))
    .u64(done.amountIn, done.curveIn, trade.amountIn - done.amountIn, done.amountOut)
    .u128(done.after.sqrtPrice)
    .u64(done.tradingFee, done.protocolFee, 0n)
    .u64(quoteReserve, migrationQuoteThreshold, trade.clock.unixTimestamp)
    .bytes();
}

function curveCompleteEvent({ trade, config, done }: Told): Uint8Array {
  return new FieldWriter()
    .raw(CURVE_COMPLETE_EVENT)
    .address(trade.pool, config)
    .u64(done.after.baseReserve, done.after.quoteReserve)
    .bytes();
}
