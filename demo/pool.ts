import type { AccountChanges, Ledger, LedgerTransaction, TokenChange } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { decodeTokenAccount } from "#src/venues/shared/token/token-account.ts";
import type { PoolStatus, Venue } from "#src/venues/venue.ts";
import type { MarketProgram, Performed } from "./market-program.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A pool that the demo market keeps alive. Plain data, but for what its story did to it. */
export type DemoPool = {
  readonly program: MarketProgram;
  readonly venue: Venue<unknown>;
  readonly address: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  /** The share of its first liquidity that its story has left in it. */
  storyShare: number;
  isPaused: boolean;
};

/** What USDC is worth here: its base units for a lamport. */
const USDC_UNITS_PER_LAMPORT = 150e6 / 1e9;

/** Quote base units for a lamport. */
export function quoteUnitsPerLamport(quoteMint: Address): number {
  return quoteMint === USDC ? USDC_UNITS_PER_LAMPORT : 1;
}

export type PoolView = {
  readonly status: PoolStatus;
  /** Quote base units per token base unit; null where nothing can be sold. */
  readonly spot: number | null;
  /** Quote base units that sales can take out. */
  readonly reachable: number;
};

/** The pool as its own venue reads it; null where the venue can't. */
export function viewPool(ledger: Ledger, pool: DemoPool): PoolView | null {
  const { venue, address, baseMint } = pool;
  const decoded = venue.decode(address, ledger, baseMint);
  if (decoded.kind !== "pool") return null;
  const spot = venue.spotPrice(decoded.state, baseMint);
  return {
    status: venue.status(decoded.state, ledger.clock),
    spot: spot === null ? null : ratioToNumber(spot.numerator, spot.denominator),
    reachable: toNumber(venue.reachable(decoded.state, baseMint, 10_000)),
  };
}

export type DemoTrade = {
  readonly side: "buy" | "sell";
  /** Units of the mint that goes in. */
  readonly amountIn: bigint;
  readonly user: Address;
};

/** Lets the program swap, and keeps what it leaves behind. False where it refused. */
export function tradeInPool(
  ledger: Ledger,
  pool: DemoPool,
  trade: DemoTrade,
  random: SeededRandom,
): boolean {
  const { program, address, baseMint, quoteMint } = pool;
  const { clock } = ledger;
  const result = program.swap(ledger, {
    pool: address,
    inputMint: trade.side === "buy" ? quoteMint : baseMint,
    outputMint: trade.side === "buy" ? baseMint : quoteMint,
    amountIn: trade.amountIn,
    user: trade.user,
    clock,
  });
  if (result.kind === "refused") return false;
  addPerformed(ledger, pool, result, { feePayer: trade.user, random });
  return true;
}

function addPerformed(
  ledger: Ledger,
  { venue: { programId } }: DemoPool,
  result: Performed,
  { feePayer, random }: { readonly feePayer: Address; readonly random: SeededRandom },
): void {
  const { slot, unixTimestamp } = ledger.clock;
  const tokenAmounts = tokenAmountsOf(ledger, result.changes);
  ledger.apply(result.changes);
  ledger.addTransaction({
    signature: random.signature(),
    slot,
    unixTimestamp,
    feePayer,
    logs: result.logs,
    instruction: {
      programId,
      accounts: result.instructionAccounts,
      data: result.instructionData,
    },
    inner: result.innerInstructionData.map((data) => ({ programId, accounts: [], data })),
    tokenAmounts,
  });
}

/** The token accounts among the changes, before they are stored. */
function tokenAmountsOf(
  ledger: Ledger,
  changes: AccountChanges,
): NonNullable<LedgerTransaction["tokenAmounts"]> {
  const amounts = new Map<Address, TokenChange>();
  for (const [address, account] of changes) {
    const before = decodeTokenAccount(ledger.get(address));
    const after = decodeTokenAccount(account);
    const mint = (before ?? after)?.mint;
    if (mint === undefined) continue;
    amounts.set(address, { mint, before: before?.amount ?? null, after: after?.amount ?? null });
  }
  return amounts;
}

/** Pays out the fees that trades have left in the pool. */
export function sweepPool(ledger: Ledger, pool: DemoPool, random: SeededRandom): void {
  const { program, address, baseMint } = pool;
  for (const bucket of ["creator", "protocol"] as const) {
    const sweep = { baseMint, bucket, clock: ledger.clock };
    const swept = program.sweepFees?.(ledger, address, sweep) ?? null;
    if (swept === null) continue;
    addPerformed(ledger, pool, swept, { feePayer: random.address(), random });
  }
}

/** Takes out that share of the pool's liquidity, or puts it in. False where the program has no such thing. */
export function changePoolLiquidity(
  ledger: Ledger,
  pool: DemoPool,
  shareBps: number,
  random: SeededRandom,
): boolean {
  const changes = pool.program.changeLiquidity(ledger, pool.address, shareBps, ledger.clock);
  if (changes === null) return false;
  applyOutsideTrade(ledger, pool, changes, random);
  return true;
}

/**
 * Stores a change that is not a trade, with a transaction that names the pool and contains no event,
 * so that a replay can see that there was a change between two trades.
 */
export function applyOutsideTrade(
  ledger: Ledger,
  pool: DemoPool,
  changes: AccountChanges,
  random: SeededRandom,
): void {
  const tokenAmounts = tokenAmountsOf(ledger, changes);
  ledger.apply(changes);
  const { programId } = pool.venue;
  const { slot, unixTimestamp } = ledger.clock;
  ledger.addTransaction({
    signature: random.signature(),
    slot,
    unixTimestamp,
    feePayer: random.address(),
    logs: [`Program ${programId} invoke [1]`, `Program ${programId} success`],
    instruction: { programId, accounts: [pool.address], data: new Uint8Array(8) },
    inner: [],
    tokenAmounts,
  });
}

/** The mint that a pool of the demo market is quoted in. */
export function quoteMintOf(quote: "SOL" | "USDC"): Address {
  return quote === "SOL" ? WSOL : USDC;
}
