import { decodeBase64 } from "#src/platform/base64.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { SearchKey } from "./search-key.ts";

/**
 * A log of account updates as lines of JSON. The first line is `{"recording":1,"atMs":...}`; every other
 * line is `[kind, milliseconds since the line before, ...]`:
 * - `a` address: the next account's number, from 0
 * - `w` number, slot, owner, lamports, data: the whole account
 * - `p` number, slot, lamports or null, then offset and bytes of each part of the data that changed
 * - `d` number, slot: the account does not exist
 * - `m` mint: a token whose accounts are all above
 * - `r` key: a search that the node refused
 * - `g`: updates may be missing here
 */
export type LogEvent =
  | {
      readonly kind: "account";
      readonly address: Address;
      readonly slot: bigint;
      readonly account: Account | null;
    }
  | { readonly kind: "token"; readonly mint: Address }
  | { readonly kind: "refused"; readonly key: SearchKey }
  | { readonly kind: "gap" };

export type TimedEvent = { readonly atMs: number; readonly event: LogEvent };

const VERSION = 1;
/** Parts of the data that are closer than this are written as one. */
const LEAST_DISTANCE = 8;
/** No Solana account holds more than 10 MiB. */
const MAX_DATA = 10 * 1024 * 1024;

type Known = { readonly account: Account | null; readonly slot: bigint };

/** Turns events into lines. Each file begins with everything known, so that it can be read alone. */
export class UpdateEncoder {
  readonly #known = new Map<Address, Known>();
  readonly #tokens = new Set<Address>();
  readonly #refused = new Set<SearchKey>();
  #numbers = new Map<Address, number>();
  #lastMs = 0;

  /** Whether the account is known already, or fewer than `most` are. */
  hasRoomFor(address: Address, most: number): boolean {
    return this.#known.size < most || this.#known.has(address);
  }

  get tokens(): number {
    return this.#tokens.size;
  }

  /** The first lines of a file. */
  *begin(nowMs: number): Generator<string> {
    this.#lastMs = nowMs;
    this.#numbers = new Map();
    yield JSON.stringify({ recording: VERSION, atMs: nowMs });
    for (const key of this.#refused) yield this.#line("r", nowMs, key);
    for (const [address, { account, slot }] of this.#known) {
      yield* this.#whole(address, { account, slot }, nowMs);
    }
    for (const mint of this.#tokens) yield this.#line("m", nowMs, mint);
  }

  /** Nothing for an account that is as it was, or older than what is known. */
  *lines(event: LogEvent, nowMs: number): Generator<string> {
    switch (event.kind) {
      case "account":
        yield* this.#account(event, nowMs);
        return;
      case "token":
        if (this.#tokens.has(event.mint)) return;
        this.#tokens.add(event.mint);
        yield this.#line("m", nowMs, event.mint);
        return;
      case "refused":
        if (this.#refused.has(event.key)) return;
        this.#refused.add(event.key);
        yield this.#line("r", nowMs, event.key);
        return;
      case "gap":
        yield this.#line("g", nowMs);
    }
  }

  *#account(event: LogEvent & { readonly kind: "account" }, nowMs: number): Generator<string> {
    const { address, slot, account } = event;
    const before = this.#known.get(address);
    if (before !== undefined && slot < before.slot) return;
    const changed = partsOf(before?.account, account);
    if (before !== undefined && changed === "none") return;
    this.#known.set(address, { account, slot });
    const number = this.#numbers.get(address);
    if (number === undefined || account === null || changed === "all" || changed === "none") {
      yield* this.#whole(address, { account, slot }, nowMs);
      return;
    }
    const lamports =
      before?.account?.lamports === account.lamports ? null : String(account.lamports);
    const parts = changed.flatMap(([from, to]) => [from, base64(account.data.subarray(from, to))]);
    yield this.#line("p", nowMs, number, toNumber(slot), lamports, ...parts);
  }

  *#whole(address: Address, { account, slot }: Known, nowMs: number): Generator<string> {
    let number = this.#numbers.get(address);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(address, number);
      yield this.#line("a", nowMs, address);
    }
    if (account === null) yield this.#line("d", nowMs, number, toNumber(slot));
    else {
      const { owner, lamports, data } = account;
      yield this.#line("w", nowMs, number, toNumber(slot), owner, String(lamports), base64(data));
    }
  }

  #line(kind: string, nowMs: number, ...rest: readonly unknown[]): string {
    const since = Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = Math.max(this.#lastMs, nowMs);
    return JSON.stringify([kind, since, ...rest]);
  }
}

type ChangedSpan = readonly [from: number, to: number];

function partsOf(
  before: Account | null | undefined,
  after: Account | null,
): readonly ChangedSpan[] | "all" | "none" {
  if (before === null && after === null) return "none";
  if (before === undefined || before === null || after === null) return "all";
  if (before.owner !== after.owner || before.data.length !== after.data.length) return "all";
  const parts: [from: number, to: number][] = [];
  for (let at = 0; at < after.data.length; at++) {
    if (before.data[at] === after.data[at]) continue;
    const last = parts.at(-1);
    if (last !== undefined && at - last[1] < LEAST_DISTANCE) last[1] = at + 1;
    else parts.push([at, at + 1]);
  }
  return parts.length === 0 && before.lamports === after.lamports ? "none" : parts;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** A line is not of a recording; the message says why. */
export class UpdateLogError extends Error {}

/** Turns the lines of one file back into events. Lines are not trusted. */
export class UpdateDecoder {
  readonly #accounts: { readonly address: Address; account: Account | null }[] = [];
  #atMs: number | null = null;

  /** Null for a line without an event. @throws UpdateLogError */
  read(line: string): TimedEvent | null {
    const parsed = parsedLine(line);
    if (this.#atMs === null) {
      this.#atMs = startOf(parsed);
      return null;
    }
    if (!Array.isArray(parsed)) throw new UpdateLogError("not a list");
    const [kind, since, ...rest]: unknown[] = parsed;
    this.#atMs += whole(since, "time");
    const event = this.#eventOf(kind, rest);
    return event === null ? null : { atMs: this.#atMs, event };
  }

  #eventOf(kind: unknown, rest: readonly unknown[]): LogEvent | null {
    const [first, second, ...others] = rest;
    switch (kind) {
      case "a":
        this.#accounts.push({ address: addressOf(first), account: null });
        return null;
      case "m":
        return { kind: "token", mint: addressOf(first) };
      case "r":
        return { kind: "refused", key: text(first, "search") as SearchKey };
      case "g":
        return { kind: "gap" };
      case "w":
      case "p":
      case "d": {
        const entry = this.#accounts[whole(first, "number of an account")];
        if (entry === undefined) throw new UpdateLogError("an account without an address");
        const slot = BigInt(whole(second, "slot"));
        if (kind === "d") entry.account = null;
        else if (kind === "w") entry.account = wholeAccount(others, slot);
        else entry.account = patched(entry.account, others, slot);
        return { kind: "account", address: entry.address, slot, account: entry.account };
      }
      default:
        throw new UpdateLogError("an unknown kind of line");
    }
  }
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new UpdateLogError("not JSON", { cause });
  }
}

function startOf(parsed: unknown): number {
  const isHeader = typeof parsed === "object" && parsed !== null;
  if (!isHeader || Reflect.get(parsed, "recording") !== VERSION) {
    throw new UpdateLogError("not the beginning of a recording of this version");
  }
  return whole(Reflect.get(parsed, "atMs"), "time");
}

function wholeAccount(fields: readonly unknown[], slot: bigint): Account {
  const [owner, lamports, data] = fields;
  const account = { owner: addressOf(owner), lamports: amountOf(lamports), slot };
  return { ...account, data: bytesOf(data) };
}

function patched(before: Account | null, fields: readonly unknown[], slot: bigint): Account {
  if (before === null) throw new UpdateLogError("a change of an account that does not exist");
  const [lamports, ...parts] = fields;
  const data = before.data.slice();
  for (let index = 0; index < parts.length; index += 2) {
    const bytes = bytesOf(parts[index + 1]);
    const offset = whole(parts[index], "offset");
    if (offset + bytes.length > data.length) throw new UpdateLogError("a change beyond the end");
    data.set(bytes, offset);
  }
  return {
    ...before,
    lamports: lamports === null ? before.lamports : amountOf(lamports),
    data,
    slot,
  };
}

function whole(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UpdateLogError(`the ${what} is not a whole number`);
}

function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new UpdateLogError(`the ${what} is not text`);
}

function addressOf(value: unknown): Address {
  const address = parseAddress(text(value, "address"));
  if (address === null) throw new UpdateLogError("an address is not valid");
  return address;
}

function amountOf(value: unknown): bigint {
  const digits = text(value, "amount");
  if (!/^\d{1,20}$/.test(digits)) throw new UpdateLogError("an amount is not a whole number");
  return BigInt(digits);
}

function bytesOf(value: unknown): Uint8Array {
  const base = text(value, "data");
  if (base.length > 2 * MAX_DATA) throw new UpdateLogError("data too long");
  try {
    return decodeBase64(base);
  } catch (cause) {
    throw new UpdateLogError("data is not base64", { cause });
  }
}
