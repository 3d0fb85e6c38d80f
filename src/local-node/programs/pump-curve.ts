import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { decodeBondingCurve, type PumpCurveState } from "#src/venues/pump-curve/decode.ts";
import {
  CURVE_FEE_CONFIG_ADDRESS,
  GLOBAL_ADDRESS,
  PUMP_PROGRAM,
} from "#src/venues/pump-curve/layout.ts";
import { buyParts, curveRates, sellParts } from "#src/venues/pump-curve/quote.ts";
import { LAUNCH_SUPPLY } from "#src/venues/pump-fees/fee-config.ts";
import { tokenBalance } from "#src/venues/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { ASSOCIATED_TOKEN_PROGRAM, associatedTokenAddress } from "../associated-token.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
import { curveAccount, globalAccount, withReserves } from "./pump-curve-accounts.ts";
import { feeConfigAccount, withTotalFee } from "./pump-fee-config-accounts.ts";
import { CURVE_FEE_CONFIG } from "./pump-fee-schedules.ts";
import { newGraduatedPool } from "./pumpswap.ts";

const AUTHORITY = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const FEE_RECIPIENT = address("62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV");
const BUYBACK_BPS = 5_000n;

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
} as const;
type Instruction = (typeof INSTRUCTION)[keyof typeof INSTRUCTION];

const TRADE_EVENT = discriminator("bddb7fd34ee661ee");
const COMPLETE_EVENT = discriminator("5f72619cd42e9808");

/** pump.fun's bonding curve in the demo market. */
export const pumpCurveProgram: MarketProgram = {
  venue: "pump-curve",
  setup,
  createPool,
  swap,
  setFee,
  changeLiquidity: () => null,
  graduate: (known, _curve, { baseMint, clock }) => {
    const done = graduate(known, { mint: baseMint, clock });
    return done === null ? null : { venue: "pumpswap", ...done };
  },
};

function setup({ slot }: Clock): AccountChanges {
  return new Map([
    [GLOBAL_ADDRESS, globalAccount({ authority: AUTHORITY, isCreatorFeeConfigurable: true }, slot)],
    [CURVE_FEE_CONFIG_ADDRESS, feeConfigAccount(CURVE_FEE_CONFIG, slot)],
  ]);
}

/** A fresh curve. It starts from the launch parameters, whatever amounts are asked for. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, creator, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const pool = curveAddress(baseMint);
  const changes = new Map<Address, Account | null>();
  if (!known.get(baseMint)) {
    changes.set(baseMint, mintAccount({ supply: LAUNCH_SUPPLY, decimals: 6, slot }));
  }
  changes.set(
    pool,
    curveAccount({
      virtualToken: LAUNCH.virtualToken,
      virtualQuote: quoteMint === WSOL ? LAUNCH.virtualQuote.sol : LAUNCH.virtualQuote.other,
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
    }),
  );
  const coins = { mint: baseMint, owner: pool, amount: LAUNCH_SUPPLY, slot };
  changes.set(associatedTokenAddress(pool, baseMint), tokenAccount(coins));
  if (quoteMint !== WSOL) {
    const raised = { mint: quoteMint, owner: pool, amount: 0n, slot };
    changes.set(associatedTokenAddress(pool, quoteMint), tokenAccount(raised));
  }
  return { pool, changes };
}

/** All curves share one schedule: every tier of it is moved. */
function setFee(
  known: AccountSet,
  _pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(CURVE_FEE_CONFIG_ADDRESS);
  const moved =
    account && withTotalFee(account, "protocolBps", BigInt(Math.round(feePpm / 100)), slot);
  return moved ? new Map([[CURVE_FEE_CONFIG_ADDRESS, moved]]) : null;
}

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
  const instruction = instructionOf(curve.quoteMint === WSOL, isBuy);
  const events = [
    tradeEvent({ trade, state, after, coin, creator: curve.creator, instruction, isBuy }),
    ...(after.isComplete ? [completeEvent(trade, coin)] : []),
  ];
  const data = new FieldWriter().raw(instruction.data).u64(trade.amountIn, 0n);
  return {
    kind: "done",
    changes: movedAccounts({ known, trade, account, state, after, coin }),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, coin, curve.quoteMint),
    instructionData: (isBuy ? data.bool(true) : data).bytes(),
    ...emitEvents(PUMP_PROGRAM, instruction.name, events),
  };
}

function instructionOf(isSol: boolean, isBuy: boolean): Instruction {
  if (isBuy) return isSol ? INSTRUCTION.buyExactSolIn : INSTRUCTION.buyExactQuoteInV2;
  return isSol ? INSTRUCTION.sell : INSTRUCTION.sellV2;
}

/** The accounts up to the trader, which is its own token account here; those behind say nothing of the trade. */
function instructionAccounts(
  { pool, user }: Trade,
  coin: Address,
  quoteMint: Address,
): readonly Address[] {
  const coins = associatedTokenAddress(pool, coin);
  if (quoteMint === WSOL) return [GLOBAL_ADDRESS, FEE_RECIPIENT, coin, pool, coins, user, user];
  return [
    GLOBAL_ADDRESS,
    coin,
    quoteMint,
    TOKEN_PROGRAM,
    TOKEN_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    FEE_RECIPIENT,
    FEE_RECIPIENT,
    FEE_RECIPIENT,
    FEE_RECIPIENT,
    pool,
    coins,
    associatedTokenAddress(pool, quoteMint),
    user,
  ];
}

type Move = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly state: PumpCurveState;
  readonly after: PumpCurveState;
  readonly coin: Address;
};

/** SOL lies on the curve account itself, any other quote in its associated token account. */
function movedAccounts({ known, trade, account, state, after, coin }: Move): AccountChanges {
  const { slot } = trade.clock;
  const raised = after.realQuote - state.realQuote;
  const curve = withReserves(account, after, slot);
  const isSol = state.quoteMint === WSOL;
  const changes = new Map<Address, Account | null>([
    [trade.pool, isSol ? { ...curve, lamports: account.lamports + raised } : curve],
  ]);
  const moved: readonly (readonly [Address, bigint])[] = [
    [coin, after.realToken - state.realToken],
    ...(isSol ? [] : [[state.quoteMint, raised] as const]),
  ];
  for (const [mint, change] of moved) {
    const address = associatedTokenAddress(trade.pool, mint);
    const vault = known.get(address);
    const held = tokenBalance(vault);
    if (vault && held !== null) changes.set(address, withTokenAmount(vault, held + change, slot));
  }
  return changes;
}

type TradeEvent = {
  readonly trade: Trade;
  readonly state: PumpCurveState;
  readonly after: PumpCurveState;
  readonly coin: Address;
  readonly creator: Address | null;
  readonly instruction: Instruction;
  readonly isBuy: boolean;
};

/** TradeEvent as the deployment of 2 October 2026 writes it; reserves are those after the trade. */
function tradeEvent({ trade, state, after, coin, creator, instruction, isBuy }: TradeEvent) {
  const parts = (isBuy ? buyParts : sellParts)(state, trade.amountIn);
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
    .u64(0n, 0n, BUYBACK_BPS, (protocolFee * BUYBACK_BPS) / 10_000n)
    .u32(0)
    .address(isSol ? SYSTEM_PROGRAM : state.quoteMint)
    .u64(gross, after.virtualQuote, after.realQuote)
    .u64(0n, 0n, 0n)
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
 * Moves a full curve's coins and raise into its canonical PumpSwap pool, and zeroes the curve, as
 * `migrate` does; null where the curve is not full, or has moved already.
 */
export function graduate(
  known: AccountSet,
  { mint, clock }: { readonly mint: Address; readonly clock: Clock },
): { readonly pool: Address; readonly changes: AccountChanges } | null {
  const address = curveAddress(mint);
  const account = known.get(address);
  const curve = decodeBondingCurve(account);
  if (!account || !curve?.isComplete || curve.virtualToken === 0n) return null;
  const { slot } = clock;
  const { quoteMint, realQuote, creator } = curve;
  const vaultAddress = associatedTokenAddress(address, mint);
  const vault = known.get(vaultAddress);
  const coins = tokenBalance(vault);
  if (!vault || coins === null) return null;
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
  const changes = new Map(opened);
  const lamports = quoteMint === WSOL ? account.lamports - realQuote : account.lamports;
  changes.set(address, { ...emptied, lamports });
  changes.set(vaultAddress, withTokenAmount(vault, 0n, slot));
  if (quoteMint !== WSOL) {
    const raiseAddress = associatedTokenAddress(address, quoteMint);
    const raise = known.get(raiseAddress);
    if (raise) changes.set(raiseAddress, withTokenAmount(raise, 0n, slot));
  }
  return { pool, changes };
}
