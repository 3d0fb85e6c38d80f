import { MS_PER_HOUR } from "#src/platform/clock.ts";
import { type Bucket, lower, type SampleGrid } from "./bucket.ts";
import { HOLDS_FOR_MS, SAMPLE_EVERY_MS, type Sample } from "./sample.ts";
import { FIGURES, figuresOf, knownOf, markOf, sampleFrom, storedOf } from "./sample-figures.ts";

/**
 * One hour of a token's samples, packed: a version byte, then per sample its time in the hour (u16, in
 * tens of seconds), a mask of the changed fields (u16), and those fields (f32, NaN for null; basis u32;
 * mark u8). A busy token takes about ten kilobytes per hour, a quiet one a hundred bytes.
 */

const VERSION = 2;
/** The bits behind those of the figures. */
const MARK = 1 << FIGURES;
const BASIS = 2 << FIGURES;
/** V8 keeps so many bytes in the array object itself, until a view needs their buffer. */
const FIRST_CAPACITY = 64;
const HEADER = 4;
const LONGEST = HEADER + 4 * FIGURES + 1 + 4;
const NO_FIGURES: readonly number[] = [];
/** A sample is written here and then copied, so that its block needs no view. */
const SAMPLE_BYTES = new Uint8Array(LONGEST);
const SAMPLE_VIEW = new DataView(SAMPLE_BYTES.buffer);

/** The block of the current hour. Owns its bytes. */
export class SampleBlock {
  readonly hour: number;
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 1;
  /** The newest sample's figures, in one array: the objects of a sample are a dozen for the collector. Empty: none. */
  #figures: readonly number[] = NO_FIGURES;
  #mark: number | null = null;
  #basis: number | null = null;
  /** Its time in the hour. */
  #lastPlace = 0;

  constructor(hour: number) {
    this.hour = hour;
    this.#bytes[0] = VERSION;
  }

  static hourOf(atMs: number): number {
    return Math.floor(atMs / MS_PER_HOUR);
  }

  /** The newest sample, with its figures as they were added; null: there is none. */
  get last(): Sample | null {
    const { lastMs: atMs } = this;
    const mark = this.#mark;
    const basis = this.#basis;
    if (atMs === null || mark === null || basis === null) return null;
    return sampleFrom(this.#figures, { atMs, mark, basis });
  }

  /** The time of the newest sample; null: there is none. */
  get lastMs(): number | null {
    if (this.#figures.length === 0) return null;
    return this.hour * MS_PER_HOUR + this.#lastPlace * SAMPLE_EVERY_MS;
  }

  /** A copy of the bytes written so far: a view would move them out of the array object. */
  get data(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Adds a sample of this hour, later than the previous one. */
  add(sample: Sample): void {
    let offset = HEADER;
    let mask = 0;
    const figures = figuresOf(sample);
    figures.forEach((figure, index) => {
      const before = this.#figures[index];
      if (before !== undefined && Object.is(storedOf(figure), storedOf(before))) return;
      mask |= 1 << index;
      SAMPLE_VIEW.setFloat32(offset, figure, true);
      offset += 4;
    });
    const mark = markOf(sample);
    if (this.#mark !== mark) {
      mask |= MARK;
      SAMPLE_VIEW.setUint8(offset++, mark);
    }
    if (this.#basis !== sample.basis) {
      mask |= BASIS;
      SAMPLE_VIEW.setUint32(offset, sample.basis, true);
      offset += 4;
    }
    // As it is stored. Without `floor` V8 would make an object of it.
    const place = Math.floor((sample.atMs - this.hour * MS_PER_HOUR) / SAMPLE_EVERY_MS);
    SAMPLE_VIEW.setUint16(0, place, true);
    SAMPLE_VIEW.setUint16(2, mask, true);
    if (this.#length + offset > this.#bytes.length) this.#grow();
    for (let at = 0; at < offset; at++) this.#bytes[this.#length + at] = SAMPLE_BYTES[at] ?? 0;
    this.#length += offset;
    this.#figures = figures;
    this.#mark = mark;
    this.#basis = sample.basis;
    this.#lastPlace = place;
  }

  #grow(): void {
    const grown = new Uint8Array(this.#bytes.length * 2);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

const EVERY_SAMPLE: SampleGrid = { fromMs: 0, stepMs: SAMPLE_EVERY_MS };

/** The samples of a stored hour; see `rollHour`. */
export function unpackHour(hour: number, data: Uint8Array): readonly Sample[] {
  return rollHour(hour, data).map(({ last }) => last);
}

/**
 * The samples of a stored hour, one bucket per step of the grid; without a grid, one for each sample.
 * Returns none for another version, and the samples before the end for truncated bytes.
 */
export function rollHour(
  hour: number,
  data: Uint8Array,
  { fromMs, stepMs }: SampleGrid = EVERY_SAMPLE,
): readonly Bucket[] {
  if (data[0] !== VERSION) return [];
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const figures = new Float64Array(FIGURES).fill(Number.NaN);
  const buckets: Bucket[] = [];
  const stepOf = (atMs: number): number => Math.ceil((atMs - fromMs) / stepMs);
  let mark = 0;
  let basis = 0;
  let offset = 1;
  /** The samples of the newest step that was read; not yet added to the result. */
  let open: OpenBucket | null = null;
  const close = ({ lastMs, ...rest }: OpenBucket): void => {
    buckets.push({ last: sampleFrom(figures, { atMs: lastMs, mark, basis }), ...rest });
  };
  while (offset + HEADER <= data.length) {
    const atMs = hour * MS_PER_HOUR + view.getUint16(offset, true) * SAMPLE_EVERY_MS;
    const mask = view.getUint16(offset + 2, true);
    offset += HEADER;
    if (offset + lengthOf(mask) > data.length) break;
    if (open !== null && stepOf(open.lastMs) !== stepOf(atMs)) {
      close(open);
      open = null;
    }
    for (let index = 0; index < FIGURES; index++) {
      if ((mask & (1 << index)) === 0) continue;
      figures[index] = view.getFloat32(offset, true);
      offset += 4;
    }
    if ((mask & MARK) !== 0) mark = view.getUint8(offset++);
    if ((mask & BASIS) !== 0) {
      basis = view.getUint32(offset, true);
      offset += 4;
    }
    open = withSample(open, atMs, figures);
  }
  if (open !== null) close(open);
  return buckets;
}

/** A bucket whose last sample is the one just read. */
type OpenBucket = Omit<Bucket, "last"> & { readonly lastMs: number };

function withSample(open: OpenBucket | null, atMs: number, figures: Float64Array): OpenBucket {
  const c10Sol = knownOf(figures[0]);
  const depthSol = knownOf(figures[1]);
  return {
    lastMs: atMs,
    firstMs: open?.firstMs ?? atMs,
    lowestC10Sol: lower(open?.lowestC10Sol ?? null, c10Sol),
    lowestDepthSol: lower(open?.lowestDepthSol ?? null, depthSol),
    wasUnknown:
      c10Sol === null || (open !== null && (open.wasUnknown || atMs - open.lastMs > HOLDS_FOR_MS)),
  };
}

function lengthOf(mask: number): number {
  let length = 0;
  for (let index = 0; index < FIGURES; index++) if ((mask & (1 << index)) !== 0) length += 4;
  if ((mask & MARK) !== 0) length += 1;
  return (mask & BASIS) === 0 ? length : length + 4;
}
