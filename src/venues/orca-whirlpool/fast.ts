import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../account-set.ts";
import { upperWords, word } from "../fast-bytes.ts";
import type { FastQuoter } from "../fast-quoter.ts";
import type { Direction } from "../shared/curves/direction.ts";
import type { LiquidityTable } from "../shared/curves/liquidity-table.ts";
import { TicksAhead } from "../shared/curves/ticks-ahead.ts";
import { isStopped } from "../shared/token/mint.ts";
import { PlainTransfers } from "../shared/token/plain-transfers.ts";
import type { Clock } from "../venue.ts";
import { readPoolHeader } from "./decode.ts";
import { FastTickArray } from "./fast-tick-array.ts";
import { TICKS_PER_ARRAY, WHIRLPOOL } from "./layout.ts";
import { type PoolOf, tickArrayAddress } from "./tick-arrays.ts";
import { ARRAYS_PER_SWAP, arrayStarts, ticksPerArray } from "./tick-sequence.ts";

const LARGEST_EXACT = 2 ** 53;
/** Every slot of three arrays, and the edge of the last. */
const MOST_STOPS = ARRAYS_PER_SWAP * TICKS_PER_ARRAY + 1;

/** A tick array that a swap uses, and the bytes that it was last read from; null: it does not exist. */
type Used = {
  readonly address: Address;
  readonly ticks: FastTickArray;
  data: Uint8Array | null | undefined;
};

/**
 * Quotes one direction of a pool in doubles: static fee, no transfer fees. Everything else is left to
 * the reference.
 */
export function openFast(pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null {
  const header = readPoolHeader(known.get(pool));
  if (header === null || header.hasOwnFeeTier) return null;
  const { programId } = header;
  const direction = inputMint === header.mintA ? "down" : "up";
  const quoter = new WhirlpoolFastQuoter({ pool, programId }, direction);
  return quoter.refresh(known) ? quoter : null;
}

class WhirlpoolFastQuoter implements FastQuoter {
  readonly #ahead: TicksAhead;
  readonly #pool: Address;
  readonly #programId: Address;
  readonly #direction: Direction;
  readonly #falls: boolean;

  /** Null before the first refresh; the pool's vaults and mints stay the same while it lives. */
  #transfers: PlainTransfers | null = null;
  #tickSpacing = 0;

  /** Bytes that were read last, to detect changes. */
  #poolData: Uint8Array | null = null;
  #arrays: readonly Used[] = [];
  #isTableMade = false;

  /** Current ticks from the first to below the second use the same arrays. */
  #sameArraysFrom = 0;
  #sameArraysTo = 0;
  #feePpm = 0;

  constructor({ pool, programId }: PoolOf, direction: Direction) {
    this.#pool = pool;
    this.#programId = programId;
    this.#direction = direction;
    this.#falls = direction === "down";
    this.#ahead = new TicksAhead({ capacity: MOST_STOPS, direction, refusesNothing: false });
  }

  get table(): LiquidityTable {
    return this.#ahead.table;
  }

  refresh(known: AccountSet): boolean {
    const account = known.get(this.#pool);
    if (account === null || account === undefined) return false;
    const { data } = account;
    let isTableStale = !this.#isTableMade;
    if (data !== this.#poolData) {
      if (account.owner !== this.#programId || data.length !== WHIRLPOOL.length) return false;
      if (this.#transfers === null && !this.#locate(known)) return false;
      const feeBefore = this.#feePpm;
      if (!this.#readPool(data)) return this.#forget();
      if (this.#feePpm !== feeBefore) isTableStale = true;
      this.#poolData = data;
    }
    this.table.heldOut = this.#transfers?.heldOut(known) ?? Number.NaN;
    if (Number.isNaN(this.table.heldOut)) return this.#forget();
    const { tickCurrent } = this.#ahead;
    if (tickCurrent < this.#sameArraysFrom || tickCurrent >= this.#sameArraysTo) {
      this.#findArrays();
      isTableStale = true;
    }
    for (const array of this.#arrays) {
      const found = known.get(array.address);
      const bytes = found === undefined || found === null ? found : found.data;
      if (bytes === array.data) continue;
      if (bytes !== undefined && !array.ticks.read(bytes)) return this.#forget();
      isTableStale ||= bytes === undefined || array.data === undefined || array.ticks.isChanged;
      array.data = bytes;
    }
    return (!isTableStale && this.#ahead.place()) || this.#rebuild() || this.#forget();
  }

  quoteAscending(amountsIn: Float64Array, amountsOut: Float64Array, _clock: Clock): void {
    this.table.quoteAscending(amountsIn, amountsOut);
  }

  /** Nothing that was read counts any more: the next refresh reads all of it again. */
  #forget(): false {
    this.#poolData = null;
    this.#isTableMade = false;
    return false;
  }

  #locate(known: AccountSet): boolean {
    const header = readPoolHeader(known.get(this.#pool));
    if (header === null) return false;
    const tokenA = { vault: header.vaultA, mint: header.mintA };
    const tokenB = { vault: header.vaultB, mint: header.mintB };
    const [input, output] = this.#falls ? [tokenA, tokenB] : [tokenB, tokenA];
    this.#transfers = new PlainTransfers(
      input,
      output,
      (mint) => mint.transferFee === null && !isStopped(mint),
    );
    this.#tickSpacing = header.tickSpacing;
    return true;
  }

  #readPool(data: Uint8Array): boolean {
    this.#feePpm = word(data, WHIRLPOOL.feeRate) & 0xffff;
    this.#ahead.tickCurrent = word(data, WHIRLPOOL.tickCurrentIndex) | 0;
    const { standing } = this.#ahead;
    standing.liquidityLow = word(data, WHIRLPOOL.liquidity);
    standing.liquidityHigh = upperWords(data, WHIRLPOOL.liquidity);
    standing.priceLow = word(data, WHIRLPOOL.sqrtPrice);
    standing.priceHigh = upperWords(data, WHIRLPOOL.sqrtPrice);
    return standing.liquidityHigh < LARGEST_EXACT && standing.priceHigh < LARGEST_EXACT;
  }

  /** The arrays around the price; those of before keep what was read from them. */
  #findArrays(): void {
    const spacing = this.#tickSpacing;
    const before = this.#arrays;
    this.#arrays = arrayStarts(this.#ahead.tickCurrent, spacing, this.#direction).map(
      (start) =>
        before.find(({ ticks }) => ticks.start === start) ?? {
          address: tickArrayAddress({ pool: this.#pool, programId: this.#programId }, start),
          ticks: new FastTickArray(start, spacing, this.#direction),
          data: undefined,
        },
    );
    const first = this.#arrays[0]?.ticks.start ?? this.#ahead.tickCurrent;
    // Selling token B from an array's last slot already begins with the next array.
    this.#sameArraysFrom = this.#falls ? first : first - spacing;
    this.#sameArraysTo = this.#sameArraysFrom + ticksPerArray(spacing);
  }

  #rebuild(): boolean {
    this.#gatherStops();
    this.#isTableMade = true;
    return this.#ahead.build(this.#feePpm);
  }

  /** Stops ahead of the price as `stopsAhead` finds them: up to an array that was not loaded. */
  #gatherStops(): void {
    const ahead = this.#ahead;
    ahead.begin(this.#falls ? this.#sameArraysTo : this.#sameArraysFrom);
    let last: FastTickArray | null = null;
    for (const { ticks, data } of this.#arrays) {
      if (data === undefined || !ahead.gather(ticks)) return;
      last = ticks;
    }
    if (last === null) return;
    const outermost = (TICKS_PER_ARRAY - 1) * this.#tickSpacing;
    const lastSlot = this.#falls ? last.start : last.start + outermost;
    // Crossing the last slot leaves the arrays; no edge is left to stop at.
    if (ahead.lastTick !== lastSlot) ahead.add(last.edgeStop());
  }
}
