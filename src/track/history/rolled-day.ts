import { deflateRawSync, inflateRawSync } from "node:zlib";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { type Bucket, ROLLED_STEP_MS, rolledEnd } from "./bucket.ts";
import { SAMPLE_EVERY_MS } from "./sample.ts";
import { FIGURES, figuresOf, knownOf, markOf, sampleFrom, storedOf } from "./sample-figures.ts";

/**
 * The buckets of a token's day, packed: a byte for the form, the length of all heads in bytes (u16), the
 * heads, then the figures by column. A head is a mask of the fields that differ from the previous bucket
 * (u16), followed by the differing values except the figures; or the number of consecutive buckets without
 * a difference. A day without a change takes about fifty bytes. Figures are f32 with NaN for null, as in an
 * hour of samples. Each column is stored byte by byte (all first bytes, then all second bytes, and so on),
 * which halves its size when deflated.
 */

const STEPS_PER_DAY = MS_PER_DAY / ROLLED_STEP_MS;
const PLAIN = 1;
const DEFLATED = 2;
/** Fewer bytes do not get smaller by deflating. */
const DEFLATE_FROM = 256;
const DEFLATE_LEVEL = 6;
/** Limit of unpacked bytes, far above any valid day. */
const LONGEST_DAY = 64 * 1024;
const HEADS_AT = 3;
/**
 * One bit for each figure of the last sample, set if it differs from the previous bucket; then one each for
 * the lowest C10 and depth, set if it differs from the last sample's value.
 */
const LOWEST = 2;
const COLUMNS = FIGURES + LOWEST;
const MARK = 1 << COLUMNS;
const BASIS = 2 << COLUMNS;
/** Set: step, time of the first and of the last sample follow. Not set: the next step, the same times. */
const PLACE = 4 << COLUMNS;
/** At some time within the step C10 was unknown, although it was known at the end. */
const WAS_UNKNOWN = 8 << COLUMNS;
const REPEATED = 16 << COLUMNS;

/** The fields of a bucket, except its figures, that are compared with the previous bucket. */
type Head = {
  /** End of the step, in steps since the day began. */
  readonly step: number;
  /** Tens of seconds since the step began. */
  readonly first: number;
  readonly last: number;
  readonly mark: number;
  readonly basis: number;
};

const BEFORE_ALL: Head = { step: -1, first: -1, last: -1, mark: 0, basis: 0 };

/**
 * Packs a day's buckets.
 *
 * @param buckets of this day's samples, ascending, at most one per step, with figures in single precision
 */
export function packDay(day: number, buckets: readonly Bucket[]): Uint8Array {
  const heads: number[] = [];
  const columns: number[][] = Array.from({ length: COLUMNS }, () => []);
  let before = BEFORE_ALL;
  let figures = new Array<number>(FIGURES).fill(Number.NaN);
  let repeated = 0;
  const closeRun = (): void => {
    if (repeated > 0) pushU16(heads, REPEATED | repeated);
    repeated = 0;
  };
  for (const bucket of buckets) {
    const head = headOf(day, bucket);
    const now = columnFiguresOf(bucket);
    const hides = bucket.wasUnknown && bucket.last.c10Sol !== null;
    let mask = maskOf(before, head) | (hides ? WAS_UNKNOWN : 0);
    for (const [index, figure] of now.entries()) {
      const expected = index < FIGURES ? figures[index] : now[index - FIGURES];
      if (!Object.is(figure, expected)) mask |= 1 << index;
    }
    before = head;
    figures = now.slice(0, FIGURES);
    if (mask === 0) {
      repeated++;
      continue;
    }
    closeRun();
    pushHead(heads, mask, head);
    for (const [index, column] of columns.entries())
      if ((mask & (1 << index)) !== 0) column.push(now[index] ?? Number.NaN);
  }
  closeRun();
  return wrapped(heads, columns);
}

/** The buckets of a stored day, ascending; none for another form or damaged bytes. */
export function unpackDay(day: number, data: Uint8Array): readonly Bucket[] {
  const body = bodyOf(data);
  if (body === null) return [];
  try {
    return readBody(day, body);
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

function readBody(day: number, body: DataView): readonly Bucket[] {
  const headsEnd = HEADS_AT + body.getUint16(1, true);
  const columns = columnsOf(body, headsEnd);
  const figures = new Array<number>(FIGURES).fill(Number.NaN);
  const buckets: Bucket[] = [];
  let head = BEFORE_ALL;
  for (let offset = HEADS_AT; offset < headsEnd; ) {
    const mask = body.getUint16(offset, true);
    offset += 2;
    const isRun = (mask & REPEATED) !== 0;
    if (!isRun) {
      head = readHead(body, { offset, mask, before: head });
      offset += lengthOf(mask);
    }
    for (let index = 0; !isRun && index < FIGURES; index++)
      if ((mask & (1 << index)) !== 0) figures[index] = columns[index]?.() ?? Number.NaN;
    for (let left = isRun ? mask ^ REPEATED : 1; left > 0; left--) {
      if (isRun) head = { ...head, step: head.step + 1 };
      if (head.step > STEPS_PER_DAY) throw new RangeError("a day has no such step");
      const lowestOf = (index: number): number => {
        const differs = !isRun && (mask & (1 << (FIGURES + index))) !== 0;
        return (differs ? columns[FIGURES + index]?.() : figures[index]) ?? Number.NaN;
      };
      const hides = !isRun && (mask & WAS_UNKNOWN) !== 0;
      const wasUnknown = hides || Number.isNaN(figures[0]);
      const [lowestC10, lowestDepth] = [lowestOf(0), lowestOf(1)];
      buckets.push(bucketOf(day, { head, figures, lowestC10, lowestDepth, wasUnknown }));
    }
  }
  return buckets;
}

function headOf(day: number, { last, firstMs }: Bucket): Head {
  const endMs = rolledEnd(last.atMs);
  const inStep = (atMs: number): number => (atMs - endMs + ROLLED_STEP_MS) / SAMPLE_EVERY_MS;
  return {
    step: (endMs - day * MS_PER_DAY) / ROLLED_STEP_MS,
    first: inStep(firstMs),
    last: inStep(last.atMs),
    mark: markOf(last),
    basis: last.basis,
  };
}

function maskOf(before: Head, now: Head): number {
  const isNext =
    now.step === before.step + 1 && now.first === before.first && now.last === before.last;
  return (
    (isNext ? 0 : PLACE) |
    (now.mark === before.mark ? 0 : MARK) |
    (now.basis === before.basis ? 0 : BASIS)
  );
}

function pushHead(heads: number[], mask: number, head: Head): void {
  pushU16(heads, mask);
  if ((mask & PLACE) !== 0) {
    pushU16(heads, head.step);
    heads.push(head.first, head.last);
  }
  if ((mask & MARK) !== 0) heads.push(head.mark);
  if ((mask & BASIS) !== 0) {
    pushU16(heads, head.basis & 0xff_ff);
    pushU16(heads, head.basis >>> 16);
  }
}

function pushU16(bytes: number[], value: number): void {
  bytes.push(value & 0xff, value >>> 8);
}

function readHead(
  body: DataView,
  { offset, mask, before }: { offset: number; mask: number; before: Head },
): Head {
  let at = offset;
  let { step, first, last, mark, basis } = before;
  if ((mask & PLACE) === 0) step++;
  else {
    step = body.getUint16(at, true);
    first = body.getUint8(at + 2);
    last = body.getUint8(at + 3);
    at += 4;
  }
  if ((mask & MARK) !== 0) mark = body.getUint8(at++);
  if ((mask & BASIS) !== 0) basis = body.getUint32(at, true);
  return { step, first, last, mark, basis };
}

function lengthOf(mask: number): number {
  return (
    ((mask & PLACE) === 0 ? 0 : 4) + ((mask & MARK) === 0 ? 0 : 1) + ((mask & BASIS) === 0 ? 0 : 4)
  );
}

function wrapped(heads: readonly number[], columns: readonly (readonly number[])[]): Uint8Array {
  const count = columns.reduce((sum, column) => sum + column.length, 0);
  const body = new Uint8Array(HEADS_AT + heads.length + 4 * count);
  body[0] = PLAIN;
  body[1] = heads.length & 0xff;
  body[2] = heads.length >>> 8;
  body.set(heads, HEADS_AT);
  let offset = HEADS_AT + heads.length;
  for (const column of columns) {
    const bytes = new DataView(new ArrayBuffer(4 * column.length));
    for (const [row, figure] of column.entries()) bytes.setFloat32(4 * row, figure, true);
    for (let place = 0; place < 4; place++)
      for (let row = 0; row < column.length; row++)
        body[offset++] = bytes.getUint8(4 * row + place);
  }
  if (body.length < DEFLATE_FROM) return body;
  const deflated = deflateRawSync(body.subarray(1), { level: DEFLATE_LEVEL });
  if (deflated.length + 1 >= body.length) return body;
  return Uint8Array.from([DEFLATED, ...deflated]);
}

/** Null for another form, or if it cannot be read. */
function bodyOf(data: Uint8Array): DataView | null {
  if (data[0] === PLAIN) return new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data[0] !== DEFLATED) return null;
  try {
    const rest = inflateRawSync(data.subarray(1), { maxOutputLength: LONGEST_DAY });
    const body = new Uint8Array(rest.length + 1);
    body.set(rest, 1);
    return new DataView(body.buffer);
  } catch {
    return null;
  }
}

/** For each column, the function that returns its next figure. */
function columnsOf(body: DataView, headsEnd: number): readonly (() => number)[] {
  const counts = new Array<number>(COLUMNS).fill(0);
  for (let offset = HEADS_AT; offset < headsEnd; ) {
    const mask = body.getUint16(offset, true);
    offset += 2;
    if ((mask & REPEATED) !== 0) continue;
    offset += lengthOf(mask);
    for (let index = 0; index < COLUMNS; index++)
      if ((mask & (1 << index)) !== 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  const figure = new DataView(new ArrayBuffer(4));
  let start = headsEnd;
  return counts.map((count) => {
    const from = start;
    let row = 0;
    start += 4 * count;
    return () => {
      for (let place = 0; place < 4; place++)
        figure.setUint8(place, body.getUint8(from + place * count + row));
      row++;
      return figure.getFloat32(0, true);
    };
  });
}

/** The figures of the last sample, then the lowest. */
function columnFiguresOf({ last, lowestC10Sol, lowestDepthSol }: Bucket): readonly number[] {
  return [...figuresOf(last), lowestC10Sol, lowestDepthSol].map(storedOf);
}

type ReadBucket = {
  readonly head: Head;
  readonly figures: readonly number[];
  readonly lowestC10: number;
  readonly lowestDepth: number;
  readonly wasUnknown: boolean;
};

function bucketOf(day: number, { head, figures, lowestC10, lowestDepth, wasUnknown }: ReadBucket) {
  const startMs = day * MS_PER_DAY + (head.step - 1) * ROLLED_STEP_MS;
  const last = sampleFrom(figures, {
    atMs: startMs + head.last * SAMPLE_EVERY_MS,
    mark: head.mark,
    basis: head.basis,
  });
  return {
    last,
    firstMs: startMs + head.first * SAMPLE_EVERY_MS,
    lowestC10Sol: knownOf(lowestC10),
    lowestDepthSol: knownOf(lowestDepth),
    wasUnknown,
  };
}
