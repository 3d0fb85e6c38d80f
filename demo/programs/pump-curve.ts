import type { AccountChanges } from "#src/node/ledger.ts";
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
  tokenAmounts,
} from "./pool-program.ts";
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
  const instruction = instructionOf(curve.quoteMint === WSOL, isBuy);
  const events = [
    tradeEvent({ trade, state, after, coin, creator: curve.creator, instruction, isBuy }),
    ...(after.isComplete ? [completeEvent(trade, coin)] : []),
  ];
  const data = new FieldWriter().raw(instruction.data).u64(trade.amountIn, 0n);
  return {
    kind: "done",
    changes: changesOf({ known, trade, account, state, after, coin }),
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

/** The accounts up to the trader; its address replaces its token account. Later accounts are not part of the trade. */
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

type DoneSwap = {
  readonly known: AccountSet;
  readonly trade: Trade;
  readonly account: Account;
  readonly state: PumpCurveState;
  readonly after: PumpCurveState;
  readonly coin: Address;
};

/** SOL is in the curve account itself, any other quote in its associated token account. */
function changesOf({ known, trade, account, state, after, coin }: DoneSwap): AccountChanges {
  const { slot } = trade.clock;
  const raised = after.realQuote - state.realQuote;
  const curve = withReserves(account, after, slot);
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
  const vaults = quoteMint === WSOL ? [mint] : [mint, quoteMint];
  const amounts = vaults.map((held) => [associatedTokenAddress(address, held), 0n] as const);
  return {
    pool,
    changes: new Map([
      ...opened,
      [address, { ...emptied, lamports }],
      ...tokenAmounts(known, amounts, slot),
    ]),
  };
}

/** pump.fun's bonding curve in the demo market. */
export const pumpCurveProgram: MarketProgram = {
  venue: "pump-curve",
  setup,
  createPool,
  swap,
  setFee,
  changeLiquidity: () => null,
  graduate: (known, _curve, { baseMint, clock }) => {
    const opened = graduate(known, { mint: baseMint, clock });
    return opened === null ? null : { venue: "pumpswap", ...opened };
  },
};
