import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { decodeBondingCurve, type PumpCurveState } from "#src/venues/pump-curve/decode.ts";
import {
  BONDING_CURVE,
  CURVE_FEE_CONFIG_ADDRESS,
  GLOBAL_ADDRESS,
  PUMP_PROGRAM,
} from "#src/venues/pump-curve/layout.ts";
import { buyParts, type CurveTrade, curveRates, sellParts } from "#src/venues/pump-curve/quote.ts";
import { LAUNCH_SUPPLY } from "#src/venues/shared/pump-fees/fee-config.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
} from "#src/venues/shared/token/associated-token.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, OpenedPool, Trade, TradeResult } from "../market-program.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  type AccountEntry,
  type CreatePool,
  missingMint,
  type SetFee,
  type SweepFees,
  tokenAmounts,
} from "./pool-program.ts";
import { curveAccount, globalAccount, withReserves } from "./pump-curve-accounts.ts";
import { feeConfigAccount, withTotalFee } from "./pump-fee-config-accounts.ts";
import { CURVE_FEE_CONFIG } from "./pump-fee-schedules.ts";
import {
  BUYBACK_BPS,
  buybackOf,
  keptFees,
  NO_FEES,
  sweepBucket,
  totalOf,
  type UnsweptFees,
  unsweptFees,
  withAddedFees,
} from "./pump-unswept-fees.ts";
import { newGraduatedPool } from "./pumpswap.ts";

const UNSWEPT = { creator: BONDING_CURVE.creator_fee, protocol: BONDING_CURVE.protocol_fees };
const AUTHORITY = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const FEE_RECIPIENT = address("62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV");

const LAUNCH = {
  virtualToken: 1_073_000_000_000_000n,
  realToken: 793_100_000_000_000n,
  virtualQuote: { sol: 30_000_000_000n, other: 4_292_000_000n },
} as const;
/** Kept back from the raise when a curve migrates. */
const MIGRATION_FEE_LAMPORTS = 15_000_001n;

const INSTRUCTION = {
  sell: { name: "Sell", event: "sell", data: discriminator("33e685a4017f83ad") },
  sellV2: { name: "SellV2", event: "sell_v2", data: discriminator("5df6823ce7e940b2") },
  buyExactSolIn: {
    name: "BuyExactSolIn",
    event: "buy_exact_sol_in",
    data: discriminator("38fc74089edfcd5f"),
  },
  buyExactQuoteInV2: {
    name: "BuyExactQuoteInV2",
    event: "buy_exact_quote_in_v2",
    data: discriminator("c2ab1c46684d5b2f"),
  },
  sellV3: { name: "SellV3", event: "sell_v3", data: discriminator("1c92de7726c469d5") },
  buyExactQuoteInV3: {
    name: "BuyExactQuoteInV3",
    event: "buy_exact_quote_in_v3",
    data: discriminator("e1f7501ed5b38488"),
  },
} as const;
/** By version: the first knows SOL alone, the third leaves its fees in the curve. */
const SALES = [INSTRUCTION.sell, INSTRUCTION.sellV2, INSTRUCTION.sellV3];
const PURCHASES = [
  INSTRUCTION.buyExactSolIn,
  INSTRUCTION.buyExactQuoteInV2,
  INSTRUCTION.buyExactQuoteInV3,
];
type Instruction = (typeof INSTRUCTION)[keyof typeof INSTRUCTION];

const TRADE_EVENT = discriminator("bddb7fd34ee661ee");
const SWEEP_EVENT = discriminator("742b4dbd117a482b");
const COMPLETE_EVENT = discriminator("5f72619cd42e9808");

function setup({ slot }: Clock): AccountChanges {
  return new Map([
    [GLOBAL_ADDRESS, globalAccount({ authority: AUTHORITY, isCreatorFeeConfigurable: true }, slot)],
    [CURVE_FEE_CONFIG_ADDRESS, feeConfigAccount(CURVE_FEE_CONFIG, slot)],
  ]);
}

/** A new curve. It starts from the launch parameters and ignores the requested amounts. */
const createPool: CreatePool = (known, { baseMint, quoteMint, creator, clock }) => {
  const { slot } = clock;
  const pool = curveAddress(baseMint);
  const isSol = quoteMint === WSOL;
  const account = curveAccount({
    virtualToken: LAUNCH.virtualToken,
    virtualQuote: isSol ? LAUNCH.virtualQuote.sol : LAUNCH.virtualQuote.other,
    realToken: LAUNCH.realToken,
    realQuote: 0n,
    isComplete: false,
    creator,
    isMayhem: false,
    quoteMint,
    creatorFeeBps: 0n,
    totalSupply: LAUNCH_SUPPLY,
    isCashback: false,
    slot,
  });
  const vault = (mint: Address, amount: bigint): AccountEntry => [
    associatedTokenAddress(pool, mint),
    tokenAccount({ mint, owner: pool, amount, slot }),
  ];
  return {
    pool,
    changes: new Map([
      ...missingMint(known, baseMint, LAUNCH_SUPPLY, slot),
      [pool, account],
      vault(baseMint, LAUNCH_SUPPLY),
      ...(isSol ? [] : [vault(quoteMint, 0n)]),
    ]),
  };
};

/** Sets every tier of the schedule, which all curves share. */
const setFee: SetFee = (known, _pool, feePpm, { slot }) => {
  const account = known.get(CURVE_FEE_CONFIG_ADDRESS);
  const bps = BigInt(Math.round(feePpm / 100));
  const changed = account && withTotalFee(account, "protocolBps", bps, slot);
  return changed ? new Map([[CURVE_FEE_CONFIG_ADDRESS, changed]]) : null;
};

function swap(known: AccountSet, trade: Trade): TradeResult {
  const account = known.get(trade.pool);
  const curve = decodeBondingCurve(account);
  if (!account || curve === null) return { kind: "refused", reason: "no curve" };
  const isBuy = trade.inputMint === curve.quoteMint;
  const coin = isBuy ? trade.outputMint : trade.inputMint;
  const decoded = pumpCurve.decode(trade.pool, known, coin);
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  const quote = pumpCurve.quoteExactIn(decoded.state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };

  const { state } = decoded;
  const { after } = quote;
  const parts = (isBuy ? buyParts : sellParts)(state, trade.amountIn);
  const instruction = instructionOf(curve.quoteMint === WSOL, isBuy, trade.amountIn);
  const isKept =
    instruction === INSTRUCTION.sellV3 || instruction === INSTRUCTION.buyExactQuoteInV3;
  const kept = isKept ? keptFees(parts) : NO_FEES;
  const unclaimed = unsweptFees(account, UNSWEPT).creator + kept.creator;
  const { creator } = curve;
  const events = [
    tradeEvent({ trade, state, after, coin, creator, instruction, isBuy, parts, unclaimed }),
    ...(after.isComplete ? [completeEvent(trade, coin)] : []),
  ];
  const data = new FieldWriter().raw(instruction.data).u64(trade.amountIn, 0n);
  return {
    kind: "done",
    changes: changesOf({ known, trade, account, state, after, coin, kept }),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, {
      coin,
      quoteMint: curve.quoteMint,
      instruction,
    }),
    instructionData: (isBuy ? data.bool(true) : data).bytes(),
    ...emitEvents(PUMP_PROGRAM, instruction.name, events),
  };
}

/** Traders use each version that knows the quote, as the amount happens to be. */
function instructionOf(isSol: boolean, isBuy: boolean, amountIn: bigint): Instruction {
  const versions = (isBuy ? PURCHASES : SALES).slice(isSol ? 0 : 1);
  const place = toNumber(amountIn % BigInt(versions.length));
  return versions[place] ?? INSTRUCTION.sell;
}

/** The accounts up to the trader; its address replaces its token account. Later accounts are not part of the trade. */
function instructionAccounts(
  { pool, user }: Trade,
  of: { readonly coin: Address; readonly quoteMint: Address; readonly instruction: Instruction },
): readonly Address[] {
  const { coin, quoteMint, instruction } = of;
  const coins = associatedTokenAddress(pool, coin);
  if (instruction === INSTRUCTION.sell || instruction === INSTRUCTION.buyExactSolIn) {
    return [GLOBAL_ADDRESS, FEE_RECIPIENT, coin, pool, coins, user, user];
  }
  const isSecond = instruction.event.endsWith("_v2");
  return [
    ...[GLOBAL_ADDRESS, coin, quoteMint, TOKEN_PROGRAM, TOKEN_PROGRAM],
    ...(isSecond ? [ASSOCIATED_TOKEN_PROGRAM, ...Array(4).fill(FEE_RECIPIENT)] : []),
    ...[pool, coins, associatedTokenAddress(pool, quoteMint), user],
  ];
}

type DoneSwap = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly state: PumpCurveState;
  readonly after: PumpCurveState;
  readonly coin: Address;
  readonly kept: UnsweptFees;
};

/** SOL is in the curve account itself, any other quote in its associated token account. */
function changesOf({ known, trade, account, state, after, coin, kept }: DoneSwap): AccountChanges {
  const { slot } = trade.clock;
  const raised = after.realQuote - state.realQuote + totalOf(kept);
  const curve = withAddedFees(withReserves(account, after, slot), UNSWEPT, kept);
  const isSol = state.quoteMint === WSOL;
  const added: readonly (readonly [Address, bigint])[] = [
    [coin, after.realToken - state.realToken],
    ...(isSol ? [] : [[state.quoteMint, raised] as const]),
  ];
  const amounts = added.map(([mint, amount]) => {
    const vault = associatedTokenAddress(trade.pool, mint);
    const held = tokenBalance(known.get(vault));
    return [vault, held === null ? null : held + amount] as const;
  });
  return new Map([
    [trade.pool, isSol ? { ...curve, lamports: account.lamports + raised } : curve],
    ...tokenAmounts(known, amounts, slot),
  ]);
}

type TradeEvent = {
  readonly trade: Trade;
  readonly state: PumpCurveState;
  readonly after: PumpCurveState;
  readonly coin: Address;
  readonly creator: Address | null;
  readonly instruction: Instruction;
  readonly isBuy: boolean;
  readonly parts: CurveTrade;
  /** The creator's fees in the curve after it. */
  readonly unclaimed: bigint;
};

/** TradeEvent as the deployment of 8 October 2026 writes it; reserves are those after the trade. */
function tradeEvent(event: TradeEvent) {
  const { trade, state, after, coin, creator, instruction, isBuy, parts, unclaimed } = event;
  const { gross, protocolFee, creatorFee, tokens } = parts;
  const rates = curveRates(state);
  const isSol = state.quoteMint === WSOL;
  const sol = (value: bigint): bigint => (isSol ? value : 0n);
  return new FieldWriter()
    .raw(TRADE_EVENT)
    .address(coin)
    .u64(sol(gross), tokens)
    .bool(isBuy)
    .address(trade.user)
    .i64(trade.clock.unixTimestamp)
    .u64(sol(after.virtualQuote), after.virtualToken, sol(after.realQuote), after.realToken)
    .address(FEE_RECIPIENT)
    .u64(rates.protocolBps, protocolFee)
    .address(creator ?? SYSTEM_PROGRAM)
    .u64(rates.creatorBps, creatorFee)
    .bool(isBuy)
    .u64(0n, 0n, 0n)
    .i64(0n)
    .text(instruction.event)
    .bool(state.isMayhem)
    .u64(0n, 0n, BUYBACK_BPS, buybackOf(protocolFee))
    .u32(0)
    .address(isSol ? SYSTEM_PROGRAM : state.quoteMint)
    .u64(gross, after.virtualQuote, after.realQuote)
    .u64(0n, 0n, unclaimed, 0n)
    .bytes();
}

function completeEvent(trade: Trade, coin: Address): Uint8Array {
  return new FieldWriter()
    .raw(COMPLETE_EVENT)
    .address(trade.user, coin, trade.pool)
    .i64(trade.clock.unixTimestamp)
    .bytes();
}

/**
 * Moves the coins and the raise of a complete curve into its canonical PumpSwap pool and sets the
 * curve to zero, as `migrate` does. Null if the curve is not complete or has migrated.
 */
export function graduate(
  known: AccountSet,
  { mint, clock }: { readonly mint: Address; readonly clock: Clock },
): OpenedPool | null {
  const address = curveAddress(mint);
  const account = known.get(address);
  const curve = decodeBondingCurve(account);
  if (!account || !curve?.isComplete || curve.virtualToken === 0n) return null;
  const { slot } = clock;
  const { quoteMint, realQuote, creator } = curve;
  const coins = tokenBalance(known.get(associatedTokenAddress(address, mint)));
  if (coins === null) return null;
  const fee = quoteMint === WSOL ? MIGRATION_FEE_LAMPORTS : 0n;
  const { pool, changes: opened } = newGraduatedPool({
    coin: mint,
    quoteMint,
    coinCreator: creator,
    coins,
    raised: realQuote - fee,
    slot,
  });
  const emptied = withReserves(
    account,
    { virtualToken: 0n, virtualQuote: 0n, realToken: 0n, realQuote: 0n, isComplete: true },
    slot,
  );
  const lamports = quoteMint === WSOL ? account.lamports - realQuote : account.lamports;
  // What was not yet swept stays in the curve.
  const unswept = totalOf(unsweptFees(account, UNSWEPT));
  const vaults = quoteMint === WSOL ? [mint] : [mint, quoteMint];
  const amounts = vaults.map(
    (held) => [associatedTokenAddress(address, held), held === mint ? 0n : unswept] as const,
  );
  return {
    pool,
    changes: new Map([
      ...opened,
      [address, { ...emptied, lamports }],
      ...tokenAmounts(known, amounts, slot),
    ]),
  };
}

const sweepFees: SweepFees = (known, address, { baseMint, clock, bucket }) => {
  const account = known.get(address);
  const curve = decodeBondingCurve(account);
  if (!account || curve === null) return null;
  const { slot, unixTimestamp } = clock;
  const { quoteMint } = curve;
  const isSol = quoteMint === WSOL;
  const vault = associatedTokenAddress(address, quoteMint);
  const held = tokenBalance(known.get(vault)) ?? 0n;
  const parties = [baseMint, address, quoteMint, FEE_RECIPIENT];
  return sweepBucket({
    ...{ programId: PUMP_PROGRAM, account, fields: UNSWEPT, bucket, slot },
    event: new FieldWriter()
      .raw(SWEEP_EVENT)
      .i64(unixTimestamp)
      .address(...parties),
    accounts: [FEE_RECIPIENT, GLOBAL_ADDRESS, ...parties, vault],
    changes: (swept, amount) =>
      new Map([
        [address, isSol ? { ...swept, lamports: swept.lamports - amount } : swept],
        ...(isSol ? [] : tokenAmounts(known, [[vault, held - amount]], slot)),
      ]),
  });
};

/** pump.fun's bonding curve in the demo market. */
export const pumpCurveProgram: MarketProgram = {
  venue: "pump-curve",
  setup,
  createPool,
  swap,
  setFee,
  changeLiquidity: () => null,
  sweepFees,
  graduate: (known, _curve, { baseMint, clock }) => {
    const opened = graduate(known, { mint: baseMint, clock });
    return opened === null ? null : { venue: "pumpswap", ...opened };
  },
};
