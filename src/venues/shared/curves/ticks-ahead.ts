import { LiquidityTable, type LiquidityTableShape, type Standing } from "./liquidity-table.ts";

const LARGEST_EXACT = 2 ** 53;

/** A tick array in doubles: its initialised ticks ascending, 128-bit values as `high * 2^32 + low`. */
export type FastTicks = {
  readonly count: number;
  readonly netHigh: Float64Array;
  readonly netLow: Float64Array;
  readonly tickAt: (place: number) => number;
  /** Asked for before `priceLowAt`. */
  readonly priceHighAt: (place: number) => number;
  readonly priceLowAt: (place: number) => number;
};

/** A tick at which a swap stops, unsigned values in two parts as in `Stops`. */
type TickStop = {
  readonly tick: number;
  readonly priceHigh: number;
  readonly priceLow: number;
  readonly netHigh: number;
  readonly netLow: number;
};

const ALWAYS = () => true;

/**
 * The ticks ahead of a pool's price in one direction of sale, and the place of the price among them. The quoter
 * writes `standing` and `tickCurrent`, and lists the ticks again where other ones are ahead.
 */
export class TicksAhead {
  readonly table: LiquidityTable;
  readonly standing: Standing = { priceHigh: 0, priceLow: 0, liquidityHigh: 0, liquidityLow: 0 };
  tickCurrent = 0;
  readonly #falls: boolean;
  readonly #ticks: Int32Array;
  /** The stop ahead of the price. */
  #at = 0;
  /** The table holds while the current tick stays on this side of it. */
  #originTick = 0;
  #endsKnown = true;

  constructor(shape: LiquidityTableShape) {
    this.table = new LiquidityTable(shape);
    this.#falls = shape.direction === "down";
    this.#ticks = new Int32Array(shape.capacity);
  }

  /** The last tick that was added; null: none was. */
  get lastTick(): number | null {
    const { count } = this.table.stops;
    return count === 0 ? null : (this.#ticks[count - 1] ?? null);
  }

  /** Begins a new list. @param originTick where the first array ends, on the side that the sale comes from */
  begin(originTick: number): void {
    this.table.stops.count = 0;
    this.#originTick = originTick;
    this.#endsKnown = true;
  }

  /**
   * Adds the ticks of the next array that are ahead of the price.
   *
   * @param isPlain whether a swap passes a tick as any other
   * @returns false at a tick that doubles can't represent or that is not plain: sales that reach it are the reference's
   */
  gather(ticks: FastTicks, isPlain: (place: number, tick: number) => boolean = ALWAYS): boolean {
    for (let step = 0; step < ticks.count; step++) {
      const place = this.#falls ? ticks.count - 1 - step : step;
      const tick = ticks.tickAt(place);
      if (this.#falls ? tick > this.tickCurrent : tick <= this.tickCurrent) {
        this.#originTick = tick;
        continue;
      }
      if (!isPlain(place, tick)) {
        this.#endsKnown = false;
        return false;
      }
      const isAdded = this.add({
        tick,
        priceHigh: ticks.priceHighAt(place),
        priceLow: ticks.priceLowAt(place),
        netHigh: ticks.netHigh[place] ?? Number.NaN,
        netLow: ticks.netLow[place] ?? 0,
      });
      if (!isAdded) return false;
    }
    return true;
  }

  /** As `gather`, for one stop. */
  add({ tick, priceHigh, priceLow, netHigh, netLow }: TickStop): boolean {
    if (!(priceHigh < LARGEST_EXACT && Math.abs(netHigh) < LARGEST_EXACT)) {
      this.#endsKnown = false;
      return false;
    }
    const { stops } = this.table;
    const at = stops.count;
    stops.priceHigh[at] = priceHigh;
    stops.priceLow[at] = priceLow;
    stops.netHigh[at] = netHigh;
    stops.netLow[at] = netLow;
    this.#ticks[at] = tick;
    stops.count = at + 1;
    return true;
  }

  /** Sums up the list and places the price. False where the sums can't be used. */
  build(feePpm: number): boolean {
    this.table.build({ standing: this.standing, feePpm, endsKnown: this.#endsKnown });
    this.#at = 0;
    return this.place();
  }

  /** Moves the price within the list. False where it has left it. */
  place(): boolean {
    const tick = this.tickCurrent;
    if (this.#falls ? tick >= this.#originTick : tick < this.#originTick) return false;
    const { count } = this.table.stops;
    let at = this.#at;
    if (this.#falls) {
      while (at < count && (this.#ticks[at] ?? 0) > tick) at++;
      while (at > 0 && (this.#ticks[at - 1] ?? 0) <= tick) at--;
    } else {
      while (at < count && (this.#ticks[at] ?? 0) <= tick) at++;
      while (at > 0 && (this.#ticks[at - 1] ?? 0) > tick) at--;
    }
    this.#at = at;
    return this.table.place(at, this.standing);
  }
}
