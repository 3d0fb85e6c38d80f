import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../account-set.ts";
import { u64AsDouble, upperWords, word } from "../fast-bytes.ts";
import type { FastQuoter } from "../fast-quoter.ts";
import type { Direction } from "../shared/curves/direction.ts";
import { LiquidityTable, type Standing } from "../shared/curves/liquidity-table.ts";
import { decodeMint, isStopped } from "../shared/token/mint.ts";
import type { Clock } from "../venue.ts";
import { readPoolHeader } from "./decode.ts";
import { FastTickArray } from "./fast-tick-array.ts";
import { TICKS_PER_ARRAY, WHIRLPOOL } from "./layout.ts";
import { type PoolOf, tickArrayAddress } from "./tick-arrays.ts";
import { ARRAYS_PER_SWAP, arrayStarts, ticksPerArray } from "./tick-sequence.ts";

const LARGEST_EXACT = 2 ** 53;
/** Every slot of three arrays, and the edge of the last. */
const MOST_STOPS = ARRAYS_PER_SWAP * TICKS_PER_ARRAY + 1;
const TOKEN_AMOUNT = 64;
const TOKEN_STATE = 108;
const TOKEN_FROZEN = 2;

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

export class WhirlpoolFastQuoter implements FastQuoter {
  readonly table: LiquidityTable;
  readonly #pool: Address;
  readonly #programId: Address;
  readonly #direction: Direction;
  readonly #falls: boolean;
  readonly #stopTicks = new Int32Array(MOST_STOPS);
  readonly #standing: Standing = { priceHigh: 0, priceLow: 0, liquidityHigh: 0, liquidityLow: 0 };

  /** Addresses that lead nowhere else while the pool lives; empty before the first refresh. */
  #vaults: readonly Address[] = [];
  #mints: readonly Address[] = [];
  #tickSpacing = 0;

  /** Bytes that were read last, to detect changes. */
  #poolData: Uint8Array | null = null;
  readonly #mintData: (Uint8Array | null)[] = [null, null];
  #arrays: readonly Used[] = [];
  #isTableMade = false;

  #tickCurrent = 0;
  /** Current ticks from the first to below the second use the same arrays. */
  #sameArraysFrom = 0;
  #sameArraysTo = 0;
  #feePpm = 0;
  /** The stop ahead of the price. */
  #at = 0;
  /** The table holds while the current tick stays on this side of it. */
  #originTick = 0;
  #endsKnown = true;

  constructor({ pool, programId }: PoolOf, direction: Direction) {
    this.#pool = pool;
    this.#programId = programId;
    this.#direction = direction;
    this.#falls = direction === "down";
    this.table = new LiquidityTable({ capacity: MOST_STOPS, direction, refusesNothing: false });
  }

  refresh(known: AccountSet): boolean {
    const account = known.get(this.#pool);
    if (account === null || account === undefined) return false;
    const { data } = account;
    let isTableStale = !this.#isTableMade;
    if (data !== this.#poolData) {
      if (account.owner !== this.#programId || data.length !== WHIRLPOOL.length) return false;
      if (this.#vaults.length === 0 && !this.#locate(known)) return false;
      const feeBefore = this.#feePpm;
      if (!this.#readPool(data)) return this.#forget();
      if (this.#feePpm !== feeBefore) isTableStale = true;
      this.#poolData = data;
    }
    if (!this.#isTransferPlain(known)) return this.#forget();
    if (this.#tickCurrent < this.#sameArraysFrom || this.#tickCurrent >= this.#sameArraysTo) {
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
    return (!isTableStale && this.#place()) || this.#rebuild() || this.#forget();
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
    this.#vaults = [header.vaultA, header.vaultB];
    this.#mints = [header.mintA, header.mintB];
    this.#tickSpacing = header.tickSpacing;
    return true;
  }

  #readPool(data: Uint8Array): boolean {
    this.#feePpm = word(data, WHIRLPOOL.feeRate) & 0xffff;
    this.#tickCurrent = word(data, WHIRLPOOL.tickCurrentIndex) | 0;
    const standing = this.#standing;
    standing.liquidityLow = word(data, WHIRLPOOL.liquidity);
    standing.liquidityHigh = upperWords(data, WHIRLPOOL.liquidity);
    standing.priceLow = word(data, WHIRLPOOL.sqrtPrice);
    standing.priceHigh = upperWords(data, WHIRLPOOL.sqrtPrice);
    return standing.liquidityHigh < LARGEST_EXACT && standing.priceHigh < LARGEST_EXACT;
  }

  /** Whether no transfer is taxed or frozen; and what the output vault holds. */
  #isTransferPlain(known: AccountSet): boolean {
    for (let side = 0; side < 2; side++) {
      const vault = known.get(this.#vaults[side] ?? this.#pool);
      if (vault === null || vault === undefined) return false;
      if (vault.data[TOKEN_STATE] === TOKEN_FROZEN) return false;
      const isOutput = side === (this.#falls ? 1 : 0);
      if (isOutput) this.table.heldOut = u64AsDouble(vault.data, TOKEN_AMOUNT);
      const mint = known.get(this.#mints[side] ?? this.#pool);
      if (mint?.data === this.#mintData[side]) continue;
      const decoded = decodeMint(mint);
      if (decoded === null || decoded.transferFee !== null || isStopped(decoded)) return false;
      this.#mintData[side] = mint?.data ?? null;
    }
    return true;
  }

  /** The arrays around the price; those of before keep what was read from them. */
  #findArrays(): void {
    const spacing = this.#tickSpacing;
    const before = this.#arrays;
    this.#arrays = arrayStarts(this.#tickCurrent, spacing, this.#direction).map(
      (start) =>
        before.find(({ ticks }) => ticks.start === start) ?? {
          address: tickArrayAddress({ pool: this.#pool, programId: this.#programId }, start),
          ticks: new FastTickArray(start, spacing, this.#direction),
          data: undefined,
        },
    );
    const first = this.#arrays[0]?.ticks.start ?? this.#tickCurrent;
    // Selling token B from an array's last slot already begins with the next array.
    this.#sameArraysFrom = this.#falls ? first : first - spacing;
    this.#sameArraysTo = this.#sameArraysFrom + ticksPerArray(spacing);
  }

  /** Moves the price within the table. False where it has left it. */
  #place(): boolean {
    const tick = this.#tickCurrent;
    if (this.#falls ? tick >= this.#originTick : tick < this.#originTick) return false;
    const { count } = this.table.stops;
    let at = this.#at;
    if (this.#falls) {
      while (at < count && (this.#stopTicks[at] ?? 0) > tick) at++;
      while (at > 0 && (this.#stopTicks[at - 1] ?? 0) <= tick) at--;
    } else {
      while (at < count && (this.#stopTicks[at] ?? 0) <= tick) at++;
      while (at > 0 && (this.#stopTicks[at - 1] ?? 0) > tick) at--;
    }
    this.#at = at;
    return this.table.place(at, this.#standing);
  }

  #rebuild(): boolean {
    this.#gatherStops();
    this.#isTableMade = true;
    this.table.build({
      standing: this.#standing,
      feePpm: this.#feePpm,
      endsKnown: this.#endsKnown,
    });
    this.#at = 0;
    return this.#place();
  }

  /** Stops ahead of the price as `stopsAhead` finds them: up to an array that that was not loaded. */
  #gatherStops(): void {
    this.table.stops.count = 0;
    this.#endsKnown = true;
    this.#originTick = this.#falls ? this.#sameArraysTo : this.#sameArraysFrom;
    let last: FastTickArray | null = null;
    for (const { ticks, data } of this.#arrays) {
      if (data === undefined) return;
      this.#gather(ticks);
      if (!this.#endsKnown) return;
      last = ticks;
    }
    if (last === null) return;
    const outermost = (TICKS_PER_ARRAY - 1) * this.#tickSpacing;
    const lastSlot = this.#falls ? last.start : last.start + outermost;
    const { count } = this.table.stops;
    // Crossing the last slot leaves the arrays; no edge is left to stop at.
    const isCrossed = count > 0 && this.#stopTicks[count - 1] === lastSlot;
    if (!isCrossed && !this.#addStop(last, "edge")) this.#endsKnown = false;
  }

  #gather(ticks: FastTickArray): void {
    for (let step = 0; step < ticks.count; step++) {
      const place = this.#falls ? ticks.count - 1 - step : step;
      const tick = ticks.tickAt(place);
      if (this.#falls ? tick > this.#tickCurrent : tick <= this.#tickCurrent) {
        this.#originTick = tick;
      } else if (!this.#addStop(ticks, place)) {
        this.#endsKnown = false;
        return;
      }
    }
  }

  /** False where the stop's numbers leave the exact doubles. */
  #addStop(ticks: FastTickArray, place: number | "edge"): boolean {
    const stops = this.table.stops;
    const at = stops.count;
    const priceHigh = ticks.priceHighAt(place);
    const netHigh = place === "edge" ? 0 : (ticks.netHigh[place] ?? Number.NaN);
    if (!(priceHigh < LARGEST_EXACT && Math.abs(netHigh) < LARGEST_EXACT)) return false;
    stops.priceHigh[at] = priceHigh;
    stops.priceLow[at] = ticks.priceLowAt(place);
    stops.netHigh[at] = netHigh;
    stops.netLow[at] = place === "edge" ? 0 : (ticks.netLow[place] ?? 0);
    this.#stopTicks[at] = place === "edge" ? ticks.edge : ticks.tickAt(place);
    stops.count = at + 1;
    return true;
  }
}
