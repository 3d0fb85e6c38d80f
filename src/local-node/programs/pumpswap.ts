import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { squareRootFloor } from "#src/venues/curves/constant-product.ts";
import { LAUNCH_SUPPLY } from "#src/venues/pump-fees/fee-config.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { poolAddress, poolAuthority } from "#src/venues/pumpswap/addresses.ts";
import { decodePool, type Pool, type PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import {
  GLOBAL_CONFIG_ADDRESS,
  POOL,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "#src/venues/pumpswap/layout.ts";
import { buyParts, poolRates, sellParts } from "#src/venues/pumpswap/quote.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { associatedTokenAddress } from "../associated-token.ts";
import { ByteWriter } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type {
  AccountChanges,
  MarketProgram,
  NewPool,
  ShareTaker,
  Trade,
  TradeResult,
} from "../market-program.ts";
import { issuedShares, movedShares } from "../pool-shares.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";
import { feeConfigAccount, withTotalFee } from "./pump-fee-config-accounts.ts";
import { POOL_FEE_CONFIG } from "./pump-fee-schedules.ts";
import { globalConfigAccount, poolAccount } from "./pumpswap-accounts.ts";

const ADMIN = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const FEE_RECIPIENT = address("62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV");
const BUYBACK_BPS = 5_000n;
/** The share of a raise that is held back for boosts: it counts for the price and is not in the vault. */
const BOOST_BPS = 2_069n;
/** Counted at the opening, and never minted. */
const LOCKED_SHARES = 100n;

const SELL = discriminator("33e685a4017f83ad");
const BUY_EXACT_QUOTE_IN = discriminator("c62e1552b4d9e870");
const SELL_EVENT = discriminator("3e2f370aa503dc2a");
const BUY_EVENT = discriminator("67f4521f2cf57777");

/** PumpSwap in the demo market. */
export const pumpSwapProgram: MarketProgram = {
  venue: "pumpswap",
  setup,
  createPool,
  swap,
  setFee,
  changeLiquidity,
};

function setup({ slot }: Clock): AccountChanges {
  const config = { admin: ADMIN, disableFlags: 0, isCreatorFeeConfigurable: true };
  return new Map([
    [GLOBAL_CONFIG_ADDRESS, globalConfigAccount(config, slot)],
    [POOL_FEE_CONFIG_ADDRESS, feeConfigAccount(POOL_FEE_CONFIG, slot)],
  ]);
}

/** A stranger's pool: flat fees, no creator to pay. */
function createPool(
  known: AccountSet,
  { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock }: NewPool,
): { readonly pool: Address; readonly changes: AccountChanges } {
  const { slot } = clock;
  const opened = openPool({
    creator,
    baseMint,
    quoteMint,
    coinCreator: null,
    virtualQuote: 0n,
    baseAmount,
    quoteAmount,
    takers,
    areSharesBurned: false,
    slot,
  });
  if (known.get(baseMint)) return opened;
  const supply = baseAmount > LAUNCH_SUPPLY ? baseAmount : LAUNCH_SUPPLY;
  return {
    pool: opened.pool,
    changes: new Map(opened.changes).set(baseMint, mintAccount({ supply, decimals: 6, slot })),
  };
}

export type Graduation = {
  readonly coin: Address;
  readonly quoteMint: Address;
  readonly coinCreator: Address | null;
  /** What the curve hands over: coins left, and quote units raised less the migration's fee. */
  readonly coins: bigint;
  readonly raised: bigint;
  readonly slot: bigint;
};

/** The canonical pool of a coin as migration opens it: part of the raise is held back as virtual. */
export function newGraduatedPool(graduation: Graduation): {
  readonly pool: Address;
  readonly changes: AccountChanges;
} {
  const { coin, quoteMint, coinCreator, coins, raised, slot } = graduation;
  const virtualQuote = (raised * BOOST_BPS) / 10_000n;
  return openPool({
    creator: poolAuthority(coin),
    baseMint: coin,
    quoteMint,
    coinCreator,
    virtualQuote,
    baseAmount: coins,
    quoteAmount: raised - virtualQuote,
    takers: undefined,
    areSharesBurned: true,
    slot,
  });
}

type Opening = Pick<Pool, "creator" | "baseMint" | "quoteMint" | "coinCreator" | "virtualQuote"> & {
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  readonly takers: readonly ShareTaker[] | undefined;
  /** As the migration leaves them: the pool counts them, and none is left. */
  readonly areSharesBurned: boolean;
  readonly slot: bigint;
};

function openPool(opening: Opening): { readonly pool: Address; readonly changes: AccountChanges } {
  const { creator, baseMint, quoteMint, baseAmount, quoteAmount, slot } = opening;
  const pool = poolAddress({ index: 0, creator, baseMint, quoteMint });
  const lpMint = findProgramAddress(["pool_lp_mint", { address: pool }], PUMPSWAP_PROGRAM);
  const baseVault = associatedTokenAddress(pool, baseMint);
  const quoteVault = associatedTokenAddress(pool, quoteMint);
  const lpSupply = squareRootFloor(baseAmount * (quoteAmount + opening.virtualQuote));
  const account = poolAccount({
    creator,
    baseMint,
    quoteMint,
    baseVault,
    quoteVault,
    coinCreator: opening.coinCreator,
    isMayhem: false,
    virtualQuote: opening.virtualQuote,
    creatorFeeBps: 0n,
    index: 0,
    lpMint,
    lpSupply,
    isCashback: false,
    slot,
  });
  return {
    pool,
    changes: new Map([
      [pool, account],
      ...issuedShares({
        mint: lpMint,
        minted: opening.areSharesBurned ? 0n : lpSupply - LOCKED_SHARES,
        mintAuthority: pool,
        creator,
        takers: opening.takers,
        slot,
      }),
      [baseVault, tokenAccount({ mint: baseMint, owner: pool, amount: baseAmount, slot })],
      [quoteVault, tokenAccount({ mint: quoteMint, owner: pool, amount: quoteAmount, slot })],
    ]),
  };
}

/** All pools share one schedule: every tier of it is moved. */
function setFee(
  known: AccountSet,
  _pool: Address,
  feePpm: number,
  { slot }: Clock,
): AccountChanges | null {
  const account = known.get(POOL_FEE_CONFIG_ADDRESS);
  const moved = account && withTotalFee(account, "lpBps", BigInt(Math.round(feePpm / 100)), slot);
  return moved ? new Map([[POOL_FEE_CONFIG_ADDRESS, moved]]) : null;
}

function swap(known: AccountSet, trade: Trade): TradeResult {
  const pool = decodePool(known.get(trade.pool));
  const decoded = pumpSwap.decode(trade.pool, known);
  if (pool === null) return { kind: "refused", reason: "no pool" };
  if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
  const { state } = decoded;
  const quote = pumpSwap.quoteExactIn(state, trade);
  if (quote.kind === "unfillable") return { kind: "refused", reason: quote.reason };
  const isBuy = trade.inputMint === pool.quoteMint;
  const told = { trade, pool, state };
  const event = isBuy ? buyEvent(told) : sellEvent(told);
  const instruction = new FieldWriter()
    .raw(isBuy ? BUY_EXACT_QUOTE_IN : SELL)
    .u64(trade.amountIn, 0n);
  return {
    kind: "done",
    changes: vaultChanges(known, pool, quote.after, trade.clock),
    amountOut: quote.amountOut,
    instructionAccounts: instructionAccounts(trade, pool),
    instructionData: (isBuy ? instruction.bool(true) : instruction).bytes(),
    ...emitEvents(PUMPSWAP_PROGRAM, isBuy ? "BuyExactQuoteIn" : "Sell", [event]),
  };
}

/** The accounts up to the vaults; the trader stands for its token accounts. */
function instructionAccounts({ pool: address, user }: Trade, pool: Pool): readonly Address[] {
  const { baseMint, quoteMint, baseVault, quoteVault } = pool;
  const mints = [baseMint, quoteMint];
  return [address, user, GLOBAL_CONFIG_ADDRESS, ...mints, user, user, baseVault, quoteVault];
}

type Reserves = Pick<PumpSwapState, "baseReserve" | "quoteReserve">;

function vaultChanges(
  known: AccountSet,
  pool: Pool,
  reserves: Reserves,
  { slot }: Clock,
): AccountChanges {
  const changes = new Map<Address, Account | null>();
  for (const [address, amount] of [
    [pool.baseVault, reserves.baseReserve],
    [pool.quoteVault, reserves.quoteReserve],
  ] as const) {
    const vault = known.get(address);
    if (vault) changes.set(address, withTokenAmount(vault, amount, slot));
  }
  return changes;
}

/** Pools with a virtual reserve refuse deposits and withdrawals, as the program does (6064). */
function changeLiquidity(
  known: AccountSet,
  address: Address,
  shareBps: number,
  clock: Clock,
): AccountChanges | null {
  const pool = decodePool(known.get(address));
  const decoded = pumpSwap.decode(address, known);
  if (pool === null || decoded.kind === "unusable" || pool.virtualQuote !== 0n) return null;
  const left = (amount: bigint): bigint => (amount * BigInt(10_000 - shareBps)) / 10_000n;
  const { baseReserve, quoteReserve } = decoded.state;
  const reserves = { baseReserve: left(baseReserve), quoteReserve: left(quoteReserve) };
  const changes = vaultChanges(known, pool, reserves, clock);
  const account = known.get(address);
  if (!account) return changes;
  const { slot } = clock;
  const reader = new ByteReader(account.data);
  const moved = movedShares(known, {
    mint: reader.address(POOL.lp_mint),
    owner: pool.creator,
    issued: reader.u64(POOL.lp_supply),
    shareBps,
    slot,
  });
  const { bytes } = new ByteWriter(account.data.slice()).u64(POOL.lp_supply, moved.issued);
  return new Map([...changes, [address, { ...account, data: bytes, slot }], ...moved.changes]);
}

type Told = { readonly trade: Trade; readonly pool: Pool; readonly state: PumpSwapState };

/** SellEvent as the deployment of October 2026 writes it; reserves are the vaults before the trade. */
function sellEvent({ trade, pool, state }: Told): Uint8Array {
  const { gross, lpFee, protocolFee, creatorFee, net } = sellParts(state, trade.amountIn);
  const rates = poolRates(state);
  return new FieldWriter()
    .raw(SELL_EVENT)
    .i64(trade.clock.unixTimestamp)
    .u64(trade.amountIn, 0n, trade.amountIn, 0n, state.baseReserve, state.quoteReserve)
    .u64(gross, rates.lpBps, lpFee, rates.protocolBps, protocolFee, gross - lpFee, net)
    .address(...parties(trade, pool))
    .u64(rates.creatorBps, creatorFee)
    .raw(eventTail(state, protocolFee, pool))
    .bytes();
}

/** BuyEvent of buy_exact_quote_in; here `quote_amount_in` is all that is spent. */
function buyEvent({ trade, pool, state }: Told): Uint8Array {
  const { cost, lpFee, protocolFee, creatorFee, base } = buyParts(state, trade.amountIn);
  const { amountIn } = trade;
  const rates = poolRates(state);
  return new FieldWriter()
    .raw(BUY_EVENT)
    .i64(trade.clock.unixTimestamp)
    .u64(base, amountIn, 0n, amountIn, state.baseReserve, state.quoteReserve)
    .u64(amountIn, rates.lpBps, lpFee, rates.protocolBps, protocolFee, cost + lpFee, cost)
    .address(...parties(trade, pool))
    .u64(rates.creatorBps, creatorFee)
    .bool(true)
    .u64(0n, 0n, 0n)
    .i64(0n)
    .u64(0n)
    .text("buy_exact_quote_in")
    .raw(eventTail(state, protocolFee, pool))
    .bytes();
}

/** Pool, user and creator. The user's wallet stands for its token accounts, FEE_RECIPIENT for its own. */
function parties({ pool: address, user }: Trade, { coinCreator }: Pool): readonly Address[] {
  return [address, user, user, user, FEE_RECIPIENT, FEE_RECIPIENT, coinCreator ?? SYSTEM_PROGRAM];
}

/** Cashback, buyback, virtual reserve, base supply (0 for strangers' pools), holder rewards. */
function eventTail(state: PumpSwapState, protocolFee: bigint, pool: Pool): Uint8Array {
  const isCanonical = pool.coinCreator !== null;
  return new FieldWriter()
    .u64(0n, 0n, BUYBACK_BPS, (protocolFee * BUYBACK_BPS) / 10_000n)
    .i128(state.virtualQuote)
    .bool(state.virtualQuote > 0n)
    .u64(isCanonical ? state.marketCapSupply : 0n, 0n, 0n, 0n)
    .bytes();
}
