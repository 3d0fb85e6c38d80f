import type { AccountChanges } from "#src/node/ledger.ts";
import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";
import { type ByteWriter, edited } from "../byte-writer.ts";
import type { MarketProgram, NewPool, Trade, TradeResult } from "../market-program.ts";
import { movedShares } from "../pool-shares.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "../token-accounts.ts";

/** The operations of a market program, so that each can be written as a typed constant. */
export type CreatePool = MarketProgram["createPool"];
export type ChangeLiquidity = MarketProgram["changeLiquidity"];
export type SetFee = NonNullable<MarketProgram["setFee"]>;
export type SweepFees = NonNullable<MarketProgram["sweepFees"]>;
export type SetPaused = NonNullable<MarketProgram["setPaused"]>;

export type AccountEntry = readonly [Address, Account];

/** What a trade or a change of liquidity makes of a pool. */
export type PoolUpdate<Addresses, State> = {
  readonly pool: Address;
  readonly addresses: Addresses;
  readonly state: State;
  readonly clock: Clock;
};

/** The supply of a mint that a pool creates: a thousand million whole tokens of six decimals. */
export const NEW_MINT_SUPPLY = 1_000_000_000_000_000n;
const NEW_MINT_DECIMALS = 6;
/** The decimals of SOL, and of each mint that the node does not hold. */
const DEFAULT_DECIMALS = 9;
const WHOLE_BPS = 10_000n;

/** Decimals and token program of a mint, or the usual ones if its account is missing. */
export function tradedMint(known: AccountSet, mint: Address) {
  const account = known.get(mint);
  return {
    decimals: decodeMint(account)?.decimals ?? DEFAULT_DECIMALS,
    program: account?.owner ?? TOKEN_PROGRAM,
  };
}

/** The mint account that a new pool creates if its base token has none yet. */
export function missingMint(
  known: AccountSet,
  mint: Address,
  amount: bigint,
  slot: bigint,
): readonly AccountEntry[] {
  if (known.get(mint)) return [];
  const supply = amount > NEW_MINT_SUPPLY ? amount : NEW_MINT_SUPPLY;
  return [[mint, mintAccount({ supply, decimals: NEW_MINT_DECIMALS, slot })]];
}

export type PoolSide = { readonly mint: Address; readonly amount: bigint };

/** The two deposits of a new pool, ordered by the bytes of their mints. */
export function sortedSides(pool: NewPool): readonly [PoolSide, PoolSide] {
  const base = { mint: pool.baseMint, amount: pool.baseAmount };
  const quote = { mint: pool.quoteMint, amount: pool.quoteAmount };
  return compareAddressBytes(base.mint, quote.mint) < 0 ? [base, quote] : [quote, base];
}

/** A new pool's vaults, each under the token program of its mint. */
export function newVaults(
  known: AccountSet,
  vaults: readonly (PoolSide & { readonly vault: Address })[],
  owner: Address,
  slot: bigint,
): readonly AccountEntry[] {
  return vaults.map(({ vault, mint, amount }) => {
    const { program } = tradedMint(known, mint);
    return [vault, tokenAccount({ mint, owner, amount, program, slot })];
  });
}

/** `edited` for a stored account; null if there is none. */
export function editStored(
  known: AccountSet,
  address: Address,
  { slot }: Clock,
  edit: (writer: ByteWriter) => unknown,
): AccountChanges | null {
  const account = known.get(address);
  return account ? new Map([[address, edited(account, slot, edit)]]) : null;
}

/** Token accounts of `known` with other amounts, without those that are missing or unknown. */
export function tokenAmounts(
  known: AccountSet,
  amounts: readonly (readonly [Address, bigint | null])[],
  slot: bigint,
): readonly AccountEntry[] {
  return amounts.flatMap(([address, amount]) => {
    const account = known.get(address);
    return account && amount !== null
      ? [[address, withTokenAmount(account, amount, slot)] as const]
      : [];
  });
}

/** The vaults without `shareBps` of what they hold; a negative share adds. */
export function vaultsWithoutShare(
  known: AccountSet,
  vaults: readonly Address[],
  shareBps: number,
  slot: bigint,
): readonly AccountEntry[] {
  const amounts = vaults.map((vault) => {
    const held = tokenBalance(known.get(vault));
    return [vault, held === null ? null : withoutShare(held, shareBps)] as const;
  });
  return tokenAmounts(known, amounts, slot);
}

/** The rest of an amount after `shareBps` of it is taken, rounded down. */
export function withoutShare(amount: bigint, shareBps: number): bigint {
  return (amount * BigInt(10_000 - shareBps)) / WHOLE_BPS;
}

export type ShareFields = {
  readonly mint: number;
  readonly owner: number;
  readonly supply: number;
};

/**
 * Adds to a change of liquidity what it does to the pool's shares: the owner's are burned or minted,
 * and the pool account counts the new supply. `fields` are offsets in the pool account.
 */
export function withMovedShares(
  known: AccountSet,
  changes: AccountChanges,
  pool: Address,
  moved: { readonly fields: ShareFields; readonly shareBps: number; readonly slot: bigint },
): AccountChanges {
  const account = changes.get(pool) ?? known.get(pool);
  if (!account) return changes;
  const { fields, shareBps, slot } = moved;
  const reader = new ByteReader(account.data);
  const shares = movedShares(known, {
    mint: reader.address(fields.mint),
    owner: reader.address(fields.owner),
    issued: reader.u64(fields.supply),
    shareBps,
    slot,
  });
  const counted = edited(account, slot, (writer) => writer.u64(fields.supply, shares.issued));
  return new Map([...changes, [pool, counted], ...shares.changes]);
}

type Done = Extract<TradeResult, { readonly kind: "done" }>;
type SwapQuote =
  | { readonly kind: "filled" }
  | { readonly kind: "unfillable"; readonly reason: string };

type SwapSteps<State, Pool, Quote extends SwapQuote> = {
  readonly venue: Venue<State>;
  /** What the swap needs of the pool besides its state; null if the pool is not of this program. */
  readonly readPool: (pool: Address, known: AccountSet) => Pool | null;
  readonly quote: (state: State, trade: Trade) => Quote;
  /** Called with a filled quote, and the state before the swap. */
  readonly perform: (swap: {
    readonly known: AccountSet;
    readonly trade: Trade;
    readonly pool: Pool;
    readonly state: State;
    readonly quote: Extract<Quote, { readonly kind: "filled" }>;
  }) => Omit<Done, "kind">;
};

/** A program's swap: refused where the pool can't be decoded or the venue's own quote refuses it. */
export function swapWith<State, Pool, Quote extends SwapQuote>(
  steps: SwapSteps<State, Pool, Quote>,
): MarketProgram["swap"] {
  return (known, trade) => {
    const decoded = steps.venue.decode(trade.pool, known);
    if (decoded.kind === "unusable") return { kind: "refused", reason: decoded.detail };
    const pool = steps.readPool(trade.pool, known);
    if (pool === null) return { kind: "refused", reason: "no pool" };
    const { state } = decoded;
    const quote = steps.quote(state, trade);
    if (isFilled(quote)) {
      return { kind: "done", ...steps.perform({ known, trade, pool, state, quote }) };
    }
    return { kind: "refused", reason: quote.kind === "unfillable" ? quote.reason : "unfillable" };
  };
}

function isFilled<Quote extends SwapQuote>(
  quote: Quote,
): quote is Extract<Quote, { readonly kind: "filled" }> {
  return quote.kind === "filled";
}
