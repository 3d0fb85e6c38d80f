import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
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
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock } from "#src/venues/venue.ts";
import { emitEvents } from "../anchor-event.ts";
import { edited } from "../byte-writer.ts";
import { FieldWriter } from "../field-writer.ts";
import type { MarketProgram, OpenedPool, ShareTaker, Trade } from "../market-program.ts";
import { issuedShares } from "../pool-shares.ts";
import { tokenAccount } from "../token-accounts.ts";
import {
  type ChangeLiquidity,
  type CreatePool,
  missingMint,
  type SetFee,
  type SweepFees,
  swapWith,
  tokenAmounts,
  withMovedShares,
  withoutShare,
} from "./pool-program.ts";
import { feeConfigAccount, withTotalFee } from "./pump-fee-config-accounts.ts";
import { POOL_FEE_CONFIG } from "./pump-fee-schedules.ts";
import {
  BUYBACK_BPS,
  buybackOf,
  keptFees,
  NO_FEES,
  sweepBucket,
  totalOf,
  type UnsweptFees,
  withAddedFees,
} from "./pump-unswept-fees.ts";
import { globalConfigAccount, poolAccount } from "./pumpswap-accounts.ts";

const ADMIN = address("FFWtrEQ4B4PKQoVuHYzZq8FabGkVatYzDpEVHsK5rrhF");
const FEE_RECIPIENT = address("62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV");
const UNSWEPT = { creator: POOL.creator_fees, protocol: POOL.protocol_fees };
/** The share of a raise that is reserved for boosts: part of the price, but not in the vault. */
const BOOST_BPS = 2_069n;
/** Counted at the opening, and never minted. */
const LOCKED_SHARES = 100n;

/** The first version pays its fees out; the second leaves them in the pool. */
const SALES = [
  { name: "Sell", event: "sell", data: discriminator("33e685a4017f83ad") },
  { name: "SellV2", event: "sell_v2", data: discriminator("5df6823ce7e940b2") },
] as const;
const PURCHASES = [
  {
    name: "BuyExactQuoteIn",
    event: "buy_exact_quote_in",
    data: discriminator("c62e1552b4d9e870"),
  },
  {
    name: "BuyExactQuoteInV2",
    event: "buy_exact_quote_in_v2",
    data: discriminator("c2ab1c46684d5b2f"),
  },
] as const;
const SWEEP_EVENT = discriminator("82a42461e48287a5");
const SELL_EVENT = discriminator("3e2f370aa503dc2a");
const BUY_EVENT = discriminator("67f4521f2cf57777");

function setup({ slot }: Clock): AccountChanges {
  const config = { admin: ADMIN, disableFlags: 0, isCreatorFeeConfigurable: true };
  return new Map([
    [GLOBAL_CONFIG_ADDRESS, globalConfigAccount(config, slot)],
    [POOL_FEE_CONFIG_ADDRESS, feeConfigAccount(POOL_FEE_CONFIG, slot)],
  ]);
}

/** A pool that anyone may create: flat fees, no coin creator to pay. */
const createPool: CreatePool = (known, opening) => {
  const { baseMint, quoteMint, baseAmount, quoteAmount, creator, takers, clock } = opening;
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
  const minted = missingMint(known, baseMint, baseAmount, slot);
  return { pool: opened.pool, changes: new Map([...opened.changes, ...minted]) };
};

export type GraduatedPool = {
  readonly coin: Address;
  readonly quoteMint: Address;
  readonly coinCreator: Address | null;
  /** Coins left in the curve, and quote units raised less the migration's fee. */
  readonly coins: bigint;
  readonly raised: bigint;
  readonly slot: bigint;
};

/** The canonical pool of a coin as migration creates it: part of the raise is a virtual reserve. */
export function newGraduatedPool(graduation: GraduatedPool): OpenedPool {
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

type PoolOpening = Pick<
  Pool,
  "creator" | "baseMint" | "quoteMint" | "coinCreator" | "virtualQuote"
> & {
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  readonly takers: readonly ShareTaker[] | undefined;
  /** As after a migration: the pool counts the shares, and none exists. */
  readonly areSharesBurned: boolean;
  readonly slot: bigint;
};

function openPool(opening: PoolOpening): OpenedPool {
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
    protocolFees: 0n,
    creatorFees: 0n,
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

/** Sets every tier of the schedule, which all pools share. */
const setFee: SetFee = (known, _pool, feePpm, { slot }) => {
  const account = known.get(POOL_FEE_CONFIG_ADDRESS);
  const changed = account && withTotalFee(account, "lpBps", BigInt(Math.round(feePpm / 100)), slot);
  return changed ? new Map([[POOL_FEE_CONFIG_ADDRESS, changed]]) : null;
};

const swap = swapWith({
  venue: pumpSwap,
  readPool: (pool, known) => decodePool(known.get(pool)),
  quote: pumpSwap.quoteExactIn,
  perform: ({ known, trade, pool, state, quote }) => {
    const isBuy = trade.inputMint === pool.quoteMint;
    // Both versions trade in the pools of launched coins, as the amount happens to be.
    const version = state.isLaunched && trade.amountIn % 2n === 1n ? 1 : 0;
    const instruction = (isBuy ? PURCHASES : SALES)[version];
    const parts = (isBuy ? buyParts : sellParts)(state, trade.amountIn);
    const kept = version === 1 ? keptFees(parts) : NO_FEES;
    const swapped = { trade, pool, state, unclaimed: pool.creatorFees + kept.creator };
    const event = isBuy ? buyEvent(swapped, instruction.event) : sellEvent(swapped);
    const data = new FieldWriter().raw(instruction.data).u64(trade.amountIn, 0n);
    const { after } = quote;
    const reserves = { ...after, quoteReserve: after.quoteReserve + totalOf(kept) };
    return {
      changes: new Map([
        ...vaultChanges(known, pool, reserves, trade.clock),
        ...(version === 1 ? withKept(known, trade, kept) : []),
      ]),
      amountOut: quote.amountOut,
      instructionAccounts: instructionAccounts(trade, pool),
      instructionData: (isBuy && version === 0 ? data.bool(true) : data).bytes(),
      ...emitEvents(PUMPSWAP_PROGRAM, instruction.name, [event]),
    };
  },
});

/** The pool's account counts what it keeps, and takes it off the virtual reserve: the price stays. */
function withKept(known: AccountSet, { pool, clock }: Trade, kept: UnsweptFees) {
  const account = known.get(pool);
  if (!account) return [];
  const counted = withAddedFees({ ...account, slot: clock.slot }, UNSWEPT, kept);
  return [[pool, withVirtualQuote(counted, -totalOf(kept))] as const];
}

function withVirtualQuote(account: Account, added: bigint): Account {
  const virtualQuote = (decodePool(account)?.virtualQuote ?? 0n) + added;
  return edited(account, account.slot, (writer) =>
    writer.u128(POOL.virtual_quote_reserves, BigInt.asUintN(128, virtualQuote)),
  );
}

const sweepFees: SweepFees = (known, address, { clock, bucket }) => {
  const account = known.get(address);
  const pool = decodePool(account);
  if (!account || pool === null) return null;
  const { slot, unixTimestamp } = clock;
  const { baseMint, quoteMint, quoteVault } = pool;
  const held = tokenBalance(known.get(quoteVault)) ?? 0n;
  const parties = [address, baseMint, quoteMint, FEE_RECIPIENT, FEE_RECIPIENT];
  return sweepBucket({
    ...{ programId: PUMPSWAP_PROGRAM, account, fields: UNSWEPT, bucket, slot },
    event: new FieldWriter()
      .raw(SWEEP_EVENT)
      .i64(unixTimestamp)
      .address(...parties),
    accounts: [FEE_RECIPIENT, GLOBAL_CONFIG_ADDRESS, address, quoteMint, quoteVault],
    changes: (swept, amount) =>
      new Map([
        [address, withVirtualQuote(swept, amount)],
        ...tokenAmounts(known, [[quoteVault, held - amount]], slot),
      ]),
  });
};

/** The accounts up to the vaults; the trader's address replaces its token accounts. */
function instructionAccounts({ pool: address, user }: Trade, pool: Pool): readonly Address[] {
  const { baseMint, quoteMint, baseVault, quoteVault } = pool;
  const mints = [baseMint, quoteMint];
  return [address, user, GLOBAL_CONFIG_ADDRESS, ...mints, user, user, baseVault, quoteVault];
}

type Reserves = Pick<PumpSwapState, "baseReserve" | "quoteReserve">;

function vaultChanges(known: AccountSet, pool: Pool, reserves: Reserves, { slot }: Clock) {
  const { baseReserve, quoteReserve } = reserves;
  const amounts = [
    [pool.baseVault, baseReserve],
    [pool.quoteVault, quoteReserve],
  ] as const;
  return tokenAmounts(known, amounts, slot);
}

const SHARE_FIELDS = { mint: POOL.lp_mint, owner: POOL.creator, supply: POOL.lp_supply };

/** Pools with a virtual reserve refuse deposits and withdrawals, as the program does (6064). */
const changeLiquidity: ChangeLiquidity = (known, address, shareBps, clock) => {
  const pool = decodePool(known.get(address));
  const decoded = pumpSwap.decode(address, known);
  if (pool === null || decoded.kind === "unusable" || pool.virtualQuote !== 0n) return null;
  const { baseReserve, quoteReserve } = decoded.state;
  const reserves = {
    baseReserve: withoutShare(baseReserve, shareBps),
    quoteReserve: withoutShare(quoteReserve, shareBps),
  };
  const changes = new Map(vaultChanges(known, pool, reserves, clock));
  const moved = { fields: SHARE_FIELDS, shareBps, slot: clock.slot };
  return withMovedShares(known, changes, address, moved);
};

type PoolSwap = {
  readonly trade: Trade;
  readonly pool: Pool;
  readonly state: PumpSwapState;
  /** The creator's fees in the pool after it. */
  readonly unclaimed: bigint;
};

/** SellEvent as the deployment of October 2026 writes it; reserves are the vaults before the trade. */
function sellEvent(swapped: PoolSwap): Uint8Array {
  const { trade, pool, state } = swapped;
  const { gross, lpFee, protocolFee, creatorFee, net } = sellParts(state, trade.amountIn);
  const rates = poolRates(state);
  return new FieldWriter()
    .raw(SELL_EVENT)
    .i64(trade.clock.unixTimestamp)
    .u64(trade.amountIn, 0n, trade.amountIn, 0n, state.baseReserve, state.quoteReserve)
    .u64(gross, rates.lpBps, lpFee, rates.protocolBps, protocolFee, gross - lpFee, net)
    .address(...parties(trade, pool))
    .u64(rates.creatorBps, creatorFee)
    .raw(eventTail(swapped, protocolFee))
    .bytes();
}

/** BuyEvent of buy_exact_quote_in and its v2; `quote_amount_in` is the whole input here. */
function buyEvent(swapped: PoolSwap, name: string): Uint8Array {
  const { trade, pool, state } = swapped;
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
    .text(name)
    .raw(eventTail(swapped, protocolFee))
    .bytes();
}

/** Pool, user and creator; the wallets of user and fee recipient replace their token accounts. */
function parties({ pool: address, user }: Trade, { coinCreator }: Pool): readonly Address[] {
  return [address, user, user, user, FEE_RECIPIENT, FEE_RECIPIENT, coinCreator ?? SYSTEM_PROGRAM];
}

/** Cashback, buyback, virtual reserve, base supply (0 unless canonical), holder rewards, transfer fee. */
function eventTail({ pool, state, unclaimed }: PoolSwap, protocolFee: bigint): Uint8Array {
  const supply = pool.coinCreator === null ? 0n : state.marketCapSupply;
  return new FieldWriter()
    .u64(0n, 0n, BUYBACK_BPS, buybackOf(protocolFee))
    .i128(state.virtualQuote)
    .bool(state.virtualQuote + state.unsweptFees > 0n)
    .u64(supply, 0n, 0n, unclaimed, 0n)
    .bytes();
}

/** PumpSwap in the demo market. */
export const pumpSwapProgram: MarketProgram = {
  venue: "pumpswap",
  setup,
  createPool,
  swap,
  sweepFees,
  setFee,
  changeLiquidity,
};
