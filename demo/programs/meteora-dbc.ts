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
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { emitEventCalls } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, Trade } from "../market-program.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  configAccount,
  curveAccount,
  vaultAddress,
  writeBaseFee,
  writeCurveSwap,
} from "./meteora-dbc-accounts.ts";
import { graduate, MIGRATION_FEE_OPTION } from "./meteora-dbc-graduation.ts";
import { launchConfig } from "./meteora-dbc-launch.ts";
import {
  type CreatePool,
  editStored,
  missingMint,
  NEW_MINT_SUPPLY,
  type SetFee,
  swapWith,
  tokenAmounts,
} from "./pool-program.ts";

const LAUNCHPAD = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const DECIMALS = 6;
const NUMERATOR_PER_PPM = 1_000n;
const NO_FEES = { protocol: 0n, partner: 0n, creator: 0n };

const SWAP_MODE = { exactIn: 0, partialFill: 1 } as const;
const SWAP2 = discriminator("414b3f4ceb5b5b88");
const SWAP_EVENT = discriminator("1b3c15d58aaabb93");
const SWAP2_EVENT = discriminator("bd4233a826507599");
const CURVE_COMPLETE_EVENT = discriminator("e5e756549c864b18");

/** A launch. The first one of a quote mint creates its configuration. */
const createPool: CreatePool = (known, { baseMint, quoteMint, creator, clock }) => {
  const { slot } = clock;
  const launch = launchConfig(quoteMint);
  const config = configAddress(quoteMint);
  const pool = curveAddress(config, baseMint, quoteMint);
  const baseVault = vaultAddress(pool, baseMint);
  const quoteVault = vaultAddress(pool, quoteMint);
  const activationPoint = clock.unixTimestamp;
  const curve = curveAccount(
    { config, creator, baseMint, baseVault, quoteVault, activationPoint, slot },
    {
      baseReserve: NEW_MINT_SUPPLY,
      quoteReserve: 0n,
      baseFees: NO_FEES,
      quoteFees: NO_FEES,
      sqrtPrice: launch.sqrtStartPrice,
      isMigrated: false,
      volatility: {
        lastUpdateTimestamp: 0n,
        sqrtPriceReference: launch.sqrtStartPrice,
        accumulator: 0n,
        reference: 0n,
      },
    },
  );
  const vault = { owner: DBC_POOL_AUTHORITY, slot };
  const extras = {
    feeClaimer: LAUNCHPAD,
    tokenDecimals: DECIMALS,
    migrationFeePercent: 0,
    migrationFeeOption: MIGRATION_FEE_OPTION,
    slot,
  };
  const changes = new Map<Address, Account>([
    [pool, curve],
    [baseVault, tokenAccount({ ...vault, mint: baseMint, amount: NEW_MINT_SUPPLY })],
    [quoteVault, tokenAccount({ ...vault, mint: quoteMint, amount: 0n })],
    ...missingMint(known, baseMint, NEW_MINT_SUPPLY, slot),
  ]);
  if (!known.get(config)) changes.set(config, configAccount(launch, extras));
  return { pool, changes };
};

/** The demo's launchpad has one configuration per quote mint; a real one is at a keypair's address. */
function configAddress(quoteMint: Address): Address {
  return findProgramAddress(["demo_config", { address: quoteMint }], DBC_PROGRAM);
}

function curveAddress(config: Address, baseMint: Address, quoteMint: Address): Address {
  const isOrdered = compareAddressBytes(baseMint, quoteMint) > 0;
  const [greater, lesser] = isOrdered ? [baseMint, quoteMint] : [quoteMint, baseMint];
  const seeds = ["pool", { address: config }, { address: greater }, { address: lesser }];
  return findProgramAddress(seeds, DBC_PROGRAM);
}

/** A purchase larger than the rest of the curve takes the rest, as launchpads allow. */
const swap = swapWith({
  venue: meteoraDbc,
  readPool: (pool) => pool,
  quote: (state, trade) => {
    const amountIn = minBigint(trade.amountIn, largestInput(state, trade));
    return swapExactIn(state, { ...trade, amountIn });
  },
  perform: ({ known, trade, state, quote: { swap: done } }) => {
    const swapped = { trade, state, done, config: configAddress(state.config.quoteMint) };
    const completion = isComplete(done.after) ? [curveCompleteEvent(swapped)] : [];
    const events = [swapEvent(swapped), swap2Event(swapped), ...completion];
    return {
      changes: stateChanges(known, trade, done.after),
      amountOut: done.amountOut,
      instructionAccounts: instructionAccounts(trade, swapped.config, state),
      instructionData: new FieldWriter()
        .raw(SWAP2)
        .u64(trade.amountIn, 0n)
        .u8(swapMode(swapped))
        .bytes(),
      ...emitEventCalls(DBC_PROGRAM, events),
    };
  },
});

/** The largest input the curve accepts: for a purchase the rest up to the migration price, with its fee. */
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

function stateChanges(known: AccountSet, { pool, clock }: Trade, after: DbcState) {
  const { slot, unixTimestamp } = clock;
  const finishedAt = isComplete(after) ? unixTimestamp : null;
  const curve = editStored(known, pool, clock, (writer) =>
    writeCurveSwap(writer, after, finishedAt),
  );
  const amounts = [
    [vaultAddress(pool, after.baseMint), after.baseVaultBalance],
    [vaultAddress(pool, after.config.quoteMint), after.quoteVaultBalance],
  ] as const;
  return new Map([...(curve ?? []), ...tokenAmounts(known, amounts, slot)]);
}

/** In the order of swap2; the program's address replaces the missing referral account. */
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

/** Sets the fee of the configuration, which all curves of this quote mint share. */
const setFee: SetFee = (known, pool, feePpm, clock) => {
  const decoded = meteoraDbc.decode(pool, known);
  if (decoded.kind === "unusable") return null;
  const { baseFee, quoteMint } = decoded.state.config;
  const cliffNumerator = BigInt(feePpm) * NUMERATOR_PER_PPM;
  return editStored(known, configAddress(quoteMint), clock, (writer) =>
    writeBaseFee(writer, { ...baseFee, cliffNumerator }),
  );
};

type CurveSwap = {
  readonly trade: Trade;
  readonly config: Address;
  readonly state: DbcState;
  readonly done: DbcSwap;
};

function swapMode({ trade, done }: CurveSwap): number {
  return done.amountIn < trade.amountIn ? SWAP_MODE.partialFill : SWAP_MODE.exactIn;
}

/** EvtSwap, the older event of the same swap. */
function swapEvent({ trade, config, done }: CurveSwap): Uint8Array {
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

function swap2Event(swapped: CurveSwap): Uint8Array {
  const { trade, config, done } = swapped;
  const { quoteReserve } = done.after;
  const { migrationQuoteThreshold } = done.after.config;
  return new FieldWriter()
    .raw(SWAP2_EVENT)
    .address(trade.pool, config)
    .u8(done.isBuy ? 1 : 0)
    .bool(false)
    .u64(trade.amountIn, 0n)
    .u8(swapMode(swapped))
    .u64(done.amountIn, done.curveIn, trade.amountIn - done.amountIn, done.amountOut)
    .u128(done.after.sqrtPrice)
    .u64(done.tradingFee, done.protocolFee, 0n)
    .u64(quoteReserve, migrationQuoteThreshold, trade.clock.unixTimestamp)
    .bytes();
}

function curveCompleteEvent({ trade, config, done }: CurveSwap): Uint8Array {
  return new FieldWriter()
    .raw(CURVE_COMPLETE_EVENT)
    .address(trade.pool, config)
    .u64(done.after.baseReserve, done.after.quoteReserve)
    .bytes();
}

/** Meteora's bonding curve in the demo market. */
export const meteoraDbcProgram: MarketProgram = {
  venue: "meteora-dbc",
  setup: () => new Map(),
  createPool,
  swap,
  // A curve's liquidity belongs to the curve until it graduates.
  changeLiquidity: () => null,
  graduate,
  setFee,
};
